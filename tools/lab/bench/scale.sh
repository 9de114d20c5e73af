#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# scale.sh cpus [COMP...]|sizes: how MTDCOMPR's block device scales (scale.py).
#   cpus   one processor and two, beside zram, lz4 unless compressors are named. QEMU
#          has a thread for each, so the host needs two idle processors. The figures
#          vary, so medians are printed.
#   sizes  media of 16 MiB to 4 GiB, in one boot of a guest whose time is a count of
#          instructions. It takes a quarter of an hour, and 6 GiB of memory.
# A missed goal is printed as missed and is no error. If the host is too small for a
# measurement, the script prints a note and skips it.
set -eu
. "$(dirname "$0")/../../../qemu/lib.sh"
# shellcheck source=tools/lab/bench/lib.sh
. "$top/tools/lab/bench/lib.sh"

what=${1:-}
shift || :
case $what in
cpus | sizes)	;;
*)		die "usage: scale.sh cpus [COMP...]|sizes" ;;
esac
prepare
compile pagerate -pthread
case $what in
cpus)	[ "$(nproc)" -ge 2 ] || {
		echo "Two processors were not measured: the host has one."
		exit 0
	}
	[ $# -gt 0 ] || set -- lz4
	count scale-cpus --smp 2 --mem 768 --timeout 1800 -- \
		"$top/tools/lab/bench/scale.py" cpus "$@" ;;
sizes)	room=$(awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo)
	[ "$room" -ge 7000 ] || {
		echo "The cost of a page by the size of the media was not measured: it takes 7000 MiB of memory, $room are free."
		exit 0
	}
	measure scale-sizes --mem 6000 --reserve 0 --timeout 7200 -- \
		"$top/tools/lab/bench/scale.py" sizes ;;
esac
"$top/tools/lab/bench/scalereport.py" "$what" "$out/scale-$what.jsonl" > "$out/scale-$what.md"
cat "$out/scale-$what.md"
