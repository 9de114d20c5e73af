#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh [--quick]: print the figures that compare MTDCOMPR with zram, measured
# in one boot of a guest whose time is a count of instructions, and those of
# the simulation of allocation policies. A figure that misses its target is
# printed as missed; the exit status tells only whether all was measured, and
# read back as it was written. Results are kept in build/bench.
set -eu
. "$(dirname "$0")/../../qemu/lib.sh"

quick=
case $#:${1-} in
0:)		;;
1:--quick)	quick=--quick ;;
*)		die "usage: run.sh [--quick]" ;;
esac

"$top/qemu/setup.sh" build guest bench
MTDC_KERNEL=$("$top/qemu/kernel.sh") || exit 1
export MTDC_KERNEL
kdir=$(printf '%s\n' "$MTDC_KERNEL" | sed -n 's/^KDIR=//p')

out=$build/bench
mkdir -p "$out"
"$top/qemu/build.sh"
gcc -std=gnu11 -O2 -Wall -Wextra -o "$out/pageio" "$top/tools/bench/pageio.c"

say "measuring in the guest, log in build/bench/guest.log"
start=$SECONDS
# slab_nomerge, so that zram's caches can be told from others.
# shellcheck disable=SC2086 # no argument if it is empty
"$top/qemu/guest.sh" --icount --mem 512 --reserve 64 --timeout 900 --quiet \
	--log "$out/guest.log" --append slab_nomerge --env "MTDC_KDIR=$kdir" \
	-- "$top/tools/bench/measure.py" $quick || {
	tail -n 20 "$out/guest.log" >&2
	die "the measurement failed"
}
say "measured in $((SECONDS - start)) s"
sed -n 's/^BENCH //p' "$out/guest.log" > "$out/results.jsonl"
"$top/tools/bench/report.py" "$out/results.jsonl" "$out/results.csv" |
	tee "$out/figures.md"

if [ -x "$top/tools/sim/run.sh" ]; then
	echo
	"$top/tools/sim/run.sh" | tee "$out/policies.md"
fi
