#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# soak.sh [NAME...]: the long form of run.sh, some hours: unit tests with 10^8
# operations, and the guest scripts with more of everything, again and again with
# new seeds until MTDC_SOAK_HOURS (4) are over or a test fails. After each round all of
# them on the debug kernel, which takes six times as long, with a tenth of it, unless
# names are given.
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)

: "${MTDC_SOAK_HOURS:=4}"
export MTDC_UNIT_OPS=${MTDC_UNIT_OPS:-100000000}
export MTDC_OPS=${MTDC_OPS:-20000}
export MTDC_CYCLES=${MTDC_CYCLES:-10000}
export MTDC_ROUNDS=${MTDC_ROUNDS:-400}
export MTDC_GENS=${MTDC_GENS:-25}
export MTDC_SWAP_LIMIT=${MTDC_SWAP_LIMIT:-4000}
export MTDC_TIMES=${MTDC_TIMES:-20}
seed=${MTDC_SEED:-$(date +%s)}

# on_debug_kernel: the same, less of it
on_debug_kernel()
{
	MTDC_SEED=$seed MTDC_OPS=$((MTDC_OPS / 10)) MTDC_CYCLES=$((MTDC_CYCLES / 10)) \
		MTDC_ROUNDS=$((MTDC_ROUNDS / 10)) MTDC_GENS=$((MTDC_GENS / 10)) \
		MTDC_SWAP_LIMIT=$((MTDC_SWAP_LIMIT * 6)) "$here/debug.sh"
}

wanted="$*"
while :; do
	echo "=== soak: seed $seed, $((SECONDS / 60)) minutes gone"
	# shellcheck disable=SC2086 # a list of names
	MTDC_SEED=$seed "$here/run.sh" $wanted
	[ -n "$wanted" ] || on_debug_kernel
	[ $SECONDS -lt $((MTDC_SOAK_HOURS * 3600)) ] || break
	seed=$((seed + 1))
	# 10^8 operations are enough once; later rounds take the usual number.
	unset MTDC_UNIT_OPS
done
