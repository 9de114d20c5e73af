#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh [--again] [PATTERN...]: the experiments of the paper behind proswapd, and a page of them:
# build/paper-proswap/index.html. With patterns (of the shell) only the guests whose name fits,
# such as 'pipeline*' or '*.trixie.*'; the page has what there is.
#
# A guest that is there and was made by the same programs is not made again, unless --again is
# given. The time of those with one processor is counted in instructions.
#
# MTDC_ROUNDS  how often each guest runs its plans, instead of what the list says
# MTDC_JOBS    guests at a time (the number of processors)
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
. "$here/../../../qemu/lib.sh"
. "$here/../paper-latd/lib.sh"
out=$build/paper-proswap
tools=$top/tools
arguments "$@"

# frames: of the pipeline, once
frames()
{
	[ ! -d "$out/frames" ] || return 0
	rm -rf "$out/frames.new"
	COUNT=24 BIN=$out/bin "$tools/lab/pipeline/pipe-prepare" "$out/frames.new" &&
		mv "$out/frames.new" "$out/frames"
}

# source_ii: what the compiler compiles; headers that are read from the host take the host's time
source_ii()
{
	[ ! "$out/source.ii" -nt "$tools/lab/pipeline/hough.cpp" ] || return 0
	g++ -std=c++17 -isystem /usr/include/opencv4 -E "$tools/lab/pipeline/hough.cpp" \
		> "$out/source.ii.new" && mv "$out/source.ii.new" "$out/source.ii"
}

# programs: the daemon has no shared libraries; the pipeline has OpenCV's, which the guest copies
programs()
{
	make -s -C "$top" tools STATIC=1 && make -s -C "$top/selftests/lib" O="$build/selftests" &&
		make -s -C "$tools/lab/pipeline" O="$out/bin" && frames && source_ii
}

"$top/qemu/setup.sh" build guest tools paper vehicle
mkdir -p "$out/runs"
programs > "$out/tools.log" 2>&1 || {
	tail -n 20 "$out/tools.log"
	die "the programs could not be built"
}
# What the results depend on, beside the line of the guest.
sources=$(cat "$here/guest.sh" "$tools"/{common,proswapd,lab/memload,lab/pipeline}/*.[ch] \
	"$tools/lab/pipeline/hough.cpp" | sha256sum)

# run NAME KERNEL LRU MEDIA CPUS ROUNDS [VARIABLE=VALUE...] -- PLAN...: a line of the list
run()
{
	local name=$1.$2.$3 suite=$2 lru=$3 media=$4 cpus=$5 rounds=$6
	local dir=$out/runs/$name options=() started=$SECONDS
	shift 6

	while [ "$1" != -- ]; do
		options+=(--env "$1")
		shift
	done
	shift
	# Several processors cannot count instructions.
	if [ "$cpus" = 1 ]; then
		options+=(--clock icount)
	else
		options+=(--smp "$cpus")
	fi
	mkdir -p "$dir"
	rm -f "$dir"/*
	echo "$media $cpus" > "$dir/guest"
	MTDC_KERNEL=$(cat "$out/kernel.$suite") "$top/qemu/guest.sh" --mem 448 --reserve 64 \
		--timeout 7200 --quiet --log "$dir/log" --out "$dir" --env MTDC_LRU="$lru" \
		--env MTDC_ROUNDS="$rounds" --env MTDC_PAPER="$out" "${options[@]}" -- \
		"$here/guest.sh" "$media" "$@" > "$dir/stdout" 2>&1 || :
	judge "$name" "$dir" $started
}

# shellcheck disable=SC2162 # a line that ends with a backslash goes on
while read -a words <&3; do
	case ${words[0]:-} in
	''|'#'*)	continue ;;
	esac
	words[5]=${MTDC_ROUNDS:-${words[5]}}
	name=${words[0]}.${words[1]}.${words[2]}
	version=$(echo "$sources ${words[*]}" | sha256sum | cut -c 1-16)
	wanted "$name" || continue
	! there "$name" || continue
	provide "${words[1]}" || die "the kernel of ${words[1]} could not be had"
	# Where the clock is the host's, other guests would take its time.
	[ "${words[4]}" = 1 ] || await_all
	start run "${words[@]}" 3<&-
	[ "${words[4]}" = 1 ] || await_all
done 3< "$here/runs"
await_all
/usr/bin/python3 "$here/report.py" "$out"
echo "$out/index.html"
[ "$failed" = 0 ]
