#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh [--again] [PATTERN...]: run the experiments of proswapd's paper and make their page,
# build/paper-proswap/index.html. See ../hostlib.sh. For instance
#
#   tools/lab/paper-proswap/run.sh 'pipeline*' '*.trixie.*'
#
# MTDC_ROUNDS  how often each guest runs its plans, instead of the list's number
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
. "$here/../../../qemu/lib.sh"
. "$here/../hostlib.sh"
out=$build/paper-proswap
tools=$top/tools
arguments "$@"

# frames: make the frames of the pipeline, once
frames()
{
	[ ! -e "$out/frames/000000" ] || return 0
	rm -rf "$out/frames"
	rm -rf "$out/frames.new"
	"$out/bin/pipeline" --make-frames "$out/frames.new" && mv "$out/frames.new" "$out/frames"
}

# source_ii: make the source for the compiler; preprocessed, because reading headers from the host
# takes the host's time
source_ii()
{
	[ ! "$out/source.ii" -nt "$tools/lab/pipeline/hough.cpp" ] || return 0
	g++ -std=c++17 -isystem /usr/include/opencv4 -E "$tools/lab/pipeline/hough.cpp" \
		> "$out/source.ii.new" && mv "$out/source.ii.new" "$out/source.ii"
}

# all_programs: the daemon has no shared libraries; the pipeline has OpenCV's, which the guest copies
all_programs()
{
	programs proswapd lab/memload && make -s -C "$tools/lab/pipeline" O="$out/bin" && frames &&
		source_ii
}

# exclusive NAME KERNEL LRU MEDIA CPUS: with the host's clock other guests would disturb the times
exclusive() { [ "$5" != 1 ]; }

# run NAME KERNEL LRU MEDIA CPUS ROUNDS: a line of the list
run()
{
	local clock=(--clock icount)

	# QEMU can't count instructions with several processors.
	[ "$5" = 1 ] || clock=(--smp "$5")
	guest "$4 $5" --mem 448 --reserve 64 "${clock[@]}" --env MTDC_LRU="$3" --env MTDC_MEDIA="$4" \
		--env MTDC_ROUNDS="$6" --env MTDC_PAPER="$out"
}

"$top/qemu/setup.sh" build guest tools paper vehicle
logged all_programs
sources=$(sum "$here/guest.sh" "$here/../guestlib.sh" \
	"$tools"/{common,proswapd,lab,lab/memload,lab/pipeline}/*.[ch] "$tools/lab/pipeline/hough.cpp")
experiments
