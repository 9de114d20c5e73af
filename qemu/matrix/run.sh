#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh [--short|--list] [LANE...]: build the module for other kernels, compilers and
# machines, and run it on some; print a table, which is also in build/matrix.txt, and
# at last "N passed, N failed, N skipped". Exit status 0 only if no lane failed.
#
# The lanes are the lines of the files *.lanes here:
#
#   NAME WHEN SCRIPT [ARGUMENT...]
#
#   WHEN    long, short (run by --short, too), or optional: may be impossible on
#           some hosts, which is counted as skipped then
#   SCRIPT  of this directory. It writes to stdout what the table shows, each a
#           line: "kernel 6.12.117", "compiler gcc-14", "build ok", "sparse ok",
#           "run ok", and "reason ..." if it fails, or cannot be run (status 77)
#
# Everything else that it says is in build/matrix/NAME.log. A lane that cannot run has
# failed, unless it is optional. LANE may be a pattern of the shell.
set -eu
. "$(dirname "$0")/../lib.sh"
here=$top/qemu/matrix

short='' list=''
case ${1:-} in
--short)	short=1; shift ;;
--list)		list=1; shift ;;
--*)		die "usage: run.sh [--short|--list] [LANE...]" ;;
esac

# lanes: all of them, without comments.
lanes()
{
	cat "$here"/*.lanes | sed 's/#.*//' | awk 'NF >= 3'
}

# chosen NAME PATTERN...: is it one of those asked for?
chosen()
{
	local name=$1 pattern
	shift

	[ $# -gt 0 ] || return 0
	for pattern; do
		# shellcheck disable=SC2254 # it is a pattern
		case $name in
		$pattern)	return 0 ;;
		esac
	done
	return 1
}

for pattern; do
	lanes | while read -r name _; do
		! chosen "$name" "$pattern" || echo "$name"
	done | grep -q . || die "no lane \"$pattern\" in qemu/matrix/*.lanes"
done
if [ -n "$list" ]; then
	lanes
	exit 0
fi

logs=$build/matrix
table=$build/matrix.txt
mkdir -p "$logs"
passed=0 failed=0 skipped=0 reasons=

# value KEY FILE: what the lane's script has said of it last
value()
{
	local text

	text=$(sed -n "s/^$1 //p" "$2" | tail -n 1)
	printf '%s' "${text:--}"
}

row()
{
	printf '%-24s %-24s %-14s %-12s %-10s %-26s %4s  %s\n' "$@" |
		sed 's/ *$//' | tee -a "$table"
}

# lane NAME WHEN SCRIPT ARGUMENT...
lane()
{
	local name=$1 when=$2 script=$3 status=0 begun=$SECONDS said verdict reason
	shift 3

	said=$logs/$name.said
	MTDC_LANE=$name "$here/$script" "$@" \
		> "$said" 2> "$logs/$name.log" < /dev/null || status=$?
	reason=$(value reason "$said")
	# No news is bad news.
	if [ $status = 0 ] && ! grep -q '^\(build\|run\) ok' "$said"; then
		status=1 reason="its script has ended without a result"
	fi
	case $status,$when in
	0,*)		verdict=ok passed=$((passed + 1)) ;;
	77,*optional*)	verdict=skip skipped=$((skipped + 1)) ;;
	*)		verdict=FAIL failed=$((failed + 1)) ;;
	esac
	row "$name" "$(value kernel "$said")" "$(value compiler "$said")" \
		"$(value build "$said")" "$(value sparse "$said")" \
		"$(value run "$said")" "$((SECONDS - begun))" "$verdict"
	[ "$verdict" = ok ] ||
		reasons="$reasons$name: $verdict, $reason (${logs#"$top/"}/$name.log)"$'\n'
}

: > "$table"
row lane kernel compiler build sparse run s result
left=
# The file descriptor: a lane's programs may read standard input.
while read -r -u 7 name when script arguments; do
	chosen "$name" "$@" || continue
	case $short,$when in
	1,*short*|,*)	;;
	*)		left="$left $name"; continue ;;
	esac
	# shellcheck disable=SC2086 # a list of words
	lane "$name" "$when" "$script" $arguments
done 7< <(lanes)

[ -z "$reasons" ] || printf '\n%s' "$reasons" | tee -a "$table"
[ -z "$left" ] || echo "left out, make matrix runs them:$left" | fold -s -w 80
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
