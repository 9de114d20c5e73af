#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh [--again] [PATTERN...]: the experiments behind rectifyd, and a page of them:
# build/paper-rectify/index.html. With patterns (of the shell) only the guests whose name fits, such
# as 'mem-*' or '*.trixie.*'; the page has what there is.
#
# A guest that is there and was made by the same programs is not made again, unless --again is
# given. Time is counted in instructions.
#
# MTDC_ROUNDS  how often each guest runs its plans, instead of what the list says
# MTDC_JOBS    guests at a time (the number of processors)
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
. "$here/../../../qemu/lib.sh"
. "$here/../paper-latd/lib.sh"
out=$build/paper-rectify
tools=$top/tools
# MiB, of which 128 are swap, and the rest is the disk; programs have a larger one.
reserve=304
reserve_programs=464
# MiB that Debian's kernel for PCs has before there is MemTotal: a board's has a few.
kernel=52
arguments "$@"

"$top/qemu/setup.sh" build guest tools paper
mkdir -p "$out/runs"
{
	make -s -C "$top" tools STATIC=1 && make -s -C "$top/selftests/lib" O="$build/selftests"
} > "$out/tools.log" 2>&1 || {
	tail -n 20 "$out/tools.log"
	die "the programs could not be built"
}
# What the results depend on, beside the line of the guest.
sources=$(cat "$here/guest.sh" "$tools"/{common,rectifyd,lab/memload}/*.[ch] | sha256sum)

# programs: the root that six programs have; sets more, what their results depend on beside sources
programs()
{
	"$top/qemu/setup.sh" programs
	"$here/programs/prepare" "$out/programs" > "$out/programs.log" 2>&1 || {
		tail -n 20 "$out/programs.log"
		die "the programs' root could not be made"
	}
	more=$(cat "$out/programs.version" "$here"/programs/{apps,eight,order.py} | sha256sum)
}

# order SEED: of eight programs, so many switches that no run has more
order()
{
	/usr/bin/python3 "$here/programs/order.py" "$1" 8 400 > "$out/order.$1"
}

# run NAME KERNEL LRU MEDIA MIB ROUNDS [VARIABLE=VALUE...] -- PLAN...: a line of the list
run()
{
	local name=$1.$2.$3.$4 suite=$2 lru=$3 media=$4 mib=$5 rounds=$6
	local dir=$out/runs/$name options=() started=$SECONDS size=$reserve
	shift 6

	while [ "$1" != -- ]; do
		options+=(--env "$1")
		case $1 in
		MTDC_PROGRAMS=*)	size=$reserve_programs ;;
		MTDC_ORDER=*)	order "${1#*=}" ;;
		esac
		shift
	done
	shift
	mkdir -p "$dir"
	rm -f "$dir"/*
	echo "$mib" > "$dir/guest"
	MTDC_KERNEL=$(cat "$out/kernel.$suite") "$top/qemu/guest.sh" --mem $((mib + kernel)) \
		--reserve "$size" --timeout 7200 --quiet --clock icount --log "$dir/log" --out "$dir" \
		--env MTDC_LRU="$lru" --env MTDC_ROUNDS="$rounds" "${options[@]}" -- \
		"$here/guest.sh" "$media" "$@" > "$dir/stdout" 2>&1 || :
	judge "$name" "$dir" $started
}

# shellcheck disable=SC2162 # a line that ends with a backslash goes on
while read -a words <&3; do
	case ${words[0]:-} in
	''|'#'*)	continue ;;
	esac
	words[5]=${MTDC_ROUNDS:-${words[5]}}
	name=${words[0]}.${words[1]}.${words[2]}.${words[3]}
	wanted "$name" || continue
	more=
	case "${words[*]}" in
	*MTDC_PROGRAMS*) programs 3<&- ;;
	esac
	version=$(echo "$sources ${words[*]}$more" | sha256sum | cut -c 1-16)
	! there "$name" || continue
	provide "${words[1]}" || die "the kernel of ${words[1]} could not be had"
	start run "${words[@]}" 3<&-
done 3< "$here/runs"
await_all
/usr/bin/python3 "$here/report.py" "$out"
echo "$out/index.html"
[ "$failed" = 0 ]
