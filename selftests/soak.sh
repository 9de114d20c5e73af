#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# soak.sh [NAME...]: the long form of run.sh, for MTDC_SOAK_HOURS (4): unit tests with up to 10^8
# operations, and the guest scripts with more of everything, on Debian's kernel; and then, unless
# names are given, as long on the debug kernel, which is six times as slow, with a tenth of the
# amounts. Each round has its own seed and begins with another guest. No guest begins when the time is
# over, so the last one ends later. Ends with the first round that has a failure.
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)

: "${MTDC_SOAK_HOURS:=4}"
export MTDC_OPS=${MTDC_OPS:-20000}
export MTDC_CYCLES=${MTDC_CYCLES:-10000}
export MTDC_ROUNDS=${MTDC_ROUNDS:-400}
export MTDC_GENS=${MTDC_GENS:-25}
export MTDC_SWAP_LIMIT=${MTDC_SWAP_LIMIT:-4000}
export MTDC_SEED=${MTDC_SEED:-$(date +%s)} MTDC_UNTIL
[ "$MTDC_SOAK_HOURS" -gt 0 ] || {
	echo "soak.sh: MTDC_SOAK_HOURS=$MTDC_SOAK_HOURS: whole hours, at least 1" >&2
	exit 1
}
end=$(($(date +%s) + MTDC_SOAK_HOURS * 3600))

# on_debug_kernel: the same, less of it
on_debug_kernel()
{
	MTDC_OPS=$((MTDC_OPS / 10)) MTDC_CYCLES=$((MTDC_CYCLES / 10)) \
		MTDC_ROUNDS=$((MTDC_ROUNDS / 10)) MTDC_GENS=$((MTDC_GENS / 10)) \
		"$here/run.sh" --lane debug-long
}

# 10^8 operations take hours, and are enough once; later rounds take the usual number.
ops=$((MTDC_SOAK_HOURS < 4 ? MTDC_SOAK_HOURS * 25000000 : 100000000))
export MTDC_UNIT_OPS=${MTDC_UNIT_OPS:-$ops}
wanted="$*"
while now=$(date +%s) && [ "$now" -lt $end ]; do
	echo "=== soak: seed $MTDC_SEED, $(((end - now + 59) / 60)) minutes are left"
	MTDC_UNTIL=$end
	[ -n "$wanted" ] || MTDC_UNTIL=$(((now + end) / 2))
	# shellcheck disable=SC2086 # a list of names
	"$here/run.sh" --lane soak $wanted
	MTDC_UNTIL=$end
	[ -n "$wanted" ] || on_debug_kernel
	MTDC_SEED=$((MTDC_SEED + 1))
	unset MTDC_UNIT_OPS
done
