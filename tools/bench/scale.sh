#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# scale.sh cpus [COMP...]|sizes: how MTDCOMPR's block device scales (scale.py).
#   cpus   one processor and two, beside zram, lz4 unless compressors are named. Each
#          of the guest's has a thread of QEMU, so that the host has to have two that
#          nobody else uses; and the figures are medians of what varies.
#   sizes  media of 16 MiB to 4 GiB, in one boot of a guest whose time is a count of
#          instructions. It takes 6 GiB of memory and five minutes.
# A goal that is missed is printed as missed and is no error.
set -eu
. "$(dirname "$0")/../../qemu/lib.sh"
# shellcheck source=tools/bench/lib.sh
. "$top/tools/bench/lib.sh"

what=${1:-}
shift || :
prepare
gcc -std=gnu11 -O2 -Wall -Wextra -pthread -o "$out/pagerate" "$top/tools/bench/pagerate.c"
case $what in
cpus)	[ $# -gt 0 ] || set -- lz4
	count "$out/scale-cpus.log" --smp 2 --mem 768 --timeout 1800 -- \
		"$top/tools/bench/scale.py" cpus "$@" ;;
sizes)	measure "$out/scale-sizes.log" --mem 6000 --reserve 0 --timeout 3600 -- \
		"$top/tools/bench/scale.py" sizes ;;
*)	die "usage: scale.sh cpus [COMP...]|sizes" ;;
esac
sed -n 's/^BENCH //p' "$out/scale-$what.log" > "$out/scale-$what.jsonl"
"$top/tools/bench/scalereport.py" "$what" "$out/scale-$what.jsonl" > "$out/scale-$what.md"
cat "$out/scale-$what.md"
