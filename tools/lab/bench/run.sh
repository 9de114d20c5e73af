#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh [--quick]: print the figures that compare MTDCOMPR with zram, measured
# in one boot of a guest whose time is a count of instructions, those of two
# processors and of large media (scale.sh), those of the simulation of allocation
# policies, those of swap under pressure (swapload.sh), and those of flash (flash.sh).
# With --quick only lz4, and that once, and neither scale.sh nor swapload.sh.
#
# A figure that misses its target is printed as missed; the exit status tells
# only whether all was measured, and read back as it was written. Results are
# kept in build/bench.
set -eu
. "$(dirname "$0")/../../../qemu/lib.sh"

case $#:${1-} in
0:)		what=all ;;
1:--quick)	what=quick ;;
*)		die "usage: run.sh [--quick]" ;;
esac

# shellcheck source=tools/lab/bench/lib.sh
. "$top/tools/lab/bench/lib.sh"
prepare

measure results -- "$top/tools/lab/bench/measure.py" "$what"
"$top/tools/lab/bench/report.py" "$out/results.jsonl" "$out/results.csv" \
	> "$out/figures.md"
cat "$out/figures.md"

[ "$what" = quick ] || {
	printf '## Two processors, large media\n\n'
	"$top/tools/lab/bench/scale.sh" cpus
	echo
	"$top/tools/lab/bench/scale.sh" sizes
	printf '\n## Swap under pressure\n\n'
	"$top/tools/lab/bench/swapload.sh"
	echo
}

# It fails if a target is missed, which it then prints.
"$top/tools/lab/sim/run.sh" > "$out/policies.md" ||
	grep -q '^Targets' "$out/policies.md" || die "the simulation failed"
printf '## Allocation policies, simulated\n\n'
cat "$out/policies.md"

printf '\n## Flash\n\n'
"$top/tools/lab/bench/flash.sh"
