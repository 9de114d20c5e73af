#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A run lane on a machine of another kind: machine.sh MACHINE [OPTION...] [SCRIPT...].
# The options are those of qemu/machine/run.sh, or of qemu/board/run.sh for "board";
# the scripts are those of selftests/guest ("machine", or "board").
set -eu
. "$(dirname "$0")/../lib.sh"
. "$top/qemu/matrix/lib.sh"
: "${MTDC_TIMES:=1}"

[ $# -ge 1 ] || die "usage: machine.sh MACHINE [OPTION...] [SCRIPT...]"
machine=$1
shift
# check: all of it once more, with W=1 and sparse, which knows the byte order of what
# is declared to have one. Nothing may be said about our files.
check()
{
	local tree=$build/matrix/${MTDC_LANE:-$machine}.sparse found

	"$top/qemu/setup.sh" check
	rm -rf "$tree"
	MTDC_KERNEL=$built "$top/qemu/build.sh" --out "$tree" W=1 C=2 \
		> "$tree.log" 2>&1 || {
		echo "sparse failed"
		fail "it does not build with W=1 C=2, see ${tree#"$top/"}.log"
	}
	found=$(grep -c '/drivers/mtd/mtdcompr/.*: \(warning\|error\):' "$tree.log" || :)
	if [ "$found" != 0 ]; then
		echo "sparse $found warnings"
		fail "W=1 or sparse is not silent, see ${tree#"$top/"}.log"
	fi
	echo "sparse ok"
}

log=$build/matrix/${MTDC_LANE:-$machine}.console

# Until the machine's kernel and all else is there, nothing can be said of the driver.
if [ "$machine" = board ]; then
	command=("$top/selftests/board.sh")
	MTDC_BOARD=$("$top/qemu/board/build.sh") || { echo "build failed"; fail "it does not build"; }
	export MTDC_BOARD
	built=$MTDC_BOARD
else
	command=("$top/selftests/machine.sh" "$machine")
	built=$("$top/qemu/machine/build.sh" "$machine") ||
		{ echo "build failed"; fail "it does not build"; }
	export "MTDC_MACHINE_$machine=$built"
fi
echo "kernel $(printf '%s\n' "$built" | sed -n 's/^KREL=//p')"
echo "compiler $(printf '%s\n' "$built" | sed -n 's/^COMPILER=//p')"
echo "build ok"
check

status=0
"${command[@]}" --quiet --log "$log" --timeout $((600 * MTDC_TIMES)) "$@" >&2 || status=$?
passed=$(grep -c '^ok ' "$log" || :)
failed=$(grep -c '^not ok ' "$log" || :)
planned=$(sed -n 's/^1\.\.//p' "$log" | awk '{ n += $1 } END { print n + 0 }')
grep '^not ok ' "$log" >&2 || :
if [ "$status" = 0 ] && [ "$failed" = 0 ] && [ "$passed" = "$planned" ] &&
   [ "$passed" -gt 0 ]; then
	echo "run ok, $passed tests"
else
	echo "run failed"
	fail "$passed of $planned tests passed, status $status, see ${log#"$top/"}"
fi
