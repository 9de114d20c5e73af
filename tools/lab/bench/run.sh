#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh [--quick]: compare MTDCOMPR with zram in one boot of a guest whose time is a
# count of instructions; then measure two processors and large media (scale.sh), swap
# under pressure (swapload.sh), the cost of encryption (crypt.sh), simulated allocation
# policies, and flash (flash.sh).
# --quick measures lz4 only, once, and leaves out scale.sh, swapload.sh and crypt.sh.
#
# A missed target is printed as missed. The exit status is 0 if all was measured, and
# all data was right. Results are in build/bench.
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
	"$top/tools/lab/bench/crypt.sh" guest board
}

# A missed target is printed and no error.
"$top/tools/lab/sim/run.sh" > "$out/policies.md" ||
	grep -q '^Targets' "$out/policies.md" || die "the simulation failed"
printf '## Allocation policies, simulated\n\n'
cat "$out/policies.md"

printf '\n## Flash\n\n'
"$top/tools/lab/bench/flash.sh"
