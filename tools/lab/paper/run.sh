#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh [--quick] [ROW...]: run the paper's experiments on its board. Each row of
# rows.sh is a boot. Boots run in parallel on all processors without disturbing each
# other, because the board's time is a count of instructions. Then report.py makes
# tables, pictures and a page of all present rows, in build/paper/. With names, only
# those rows are measured again.
#
# A missed goal is printed as missed; the exit status tells only whether all was
# measured. --quick measures a little of few rows, to test this script, and says so on
# the page.
set -eu
. "$(dirname "$0")/../../../qemu/lib.sh"
. "$top/tools/lab/hostlib.sh"
here=$top/tools/lab/paper
# shellcheck source=tools/lab/paper/rows.sh
. "$here/rows.sh"

quick=
if [ "${1-}" = --quick ]; then
	quick=1
	shift
fi
known=$(rows | cut -d ' ' -f 1 | tr '\n' ' ')
for name; do
	case " $known " in
	*" $name "*)	;;
	*)		die "unknown row \"$name\"; there are: $known" ;;
	esac
done
out=$build/paper
if [ -n "$quick" ]; then
	out=$build/paper-quick
	effort="--picks=16,2 --step=2M --max=24M"
	[ $# -gt 0 ] || set -- none ram
fi
wanted=${*:-$known}

"$top/qemu/setup.sh" build board paper
mkdir -p "$out"
pages=$("$here/pages.sh")
MTDC_MACHINE_board=$("$top/qemu/machine/build.sh" board) || exit 1
export MTDC_MACHINE_board

# measure NAME STORE [OPTIONS [SYSCTL [MEMBENCH-ARGUMENT...]]]; "-" is nothing.
measure()
{
	local name=$1 store=$2 options=${3:--} sysctl=${4:--} start=$SECONDS
	shift $(($# < 4 ? $# : 4))

	say "row $name"
	rm -f "$out/$name.out"
	# shellcheck disable=SC2086 # lists of arguments
	"$top/qemu/guest.sh" --machine board --quiet --timeout 1500 --log "$out/$name.log" \
		--out "$out/$name.tmp" --add "$pages:/mtdc/pages.bin" \
		--env "MTDC_SYSCTL=${sysctl#-}" "$here/board.sh" "$store" \
		"${options#-}" -- $max $calibrated $effort "$@" || {
		tail -n 15 "$out/$name.log" | cut -c 1-200 >&2
		say "row $name failed, log in ${out#"$top"/}/$name.log"
		return 1
	}
	# Renamed last, so that a file with the final name is complete.
	mv "$out/$name.tmp" "$out/$name.out"
	say "row $name measured in $((SECONDS - start)) s"
}

# Ctrl-C reaches the children through their group.
trap 'exit 130' INT
trap 'exit 143' TERM
max=--max=all
[ -z "$quick" ] || max=
start=$SECONDS
while read -r name row; do
	case " $wanted " in
	*" $name "*)	;;
	*)		continue ;;
	esac
	# shellcheck disable=SC2086 # to be split
	start measure "$name" $row < /dev/null
done < <(rows)
await_all
say "measured in $((SECONDS - start)) s"
[ $failed = 0 ] || die "$failed rows failed"

/usr/bin/python3 "$here/report.py" ${quick:+--quick} "$out" "$pages"
say "the page is ${out#"$top"/}/index.html"
