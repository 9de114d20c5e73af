#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# boot.sh SUITE: the kernel of a Debian suite in a guest on x86-64: the scripts of the
# lane "kernels" in selftests/boots, which load the module, swap under pressure, verify
# every page, with and without multi-generational LRU, and unload it. Their results are
# in build/matrix/LANE/.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/lib.sh"
suite=$1
kernel=$("$top/qemu/kernel.sh" --suite "$suite") || cannot "no kernel of $suite, see the log"
echo "kernel $(value KREL)"
: "${MTDC_CYCLES:=100}"
export MTDC_CYCLES

status=0
MTDC_KERNEL=$kernel "$top/selftests/run.sh" --lane kernels >&2 || status=$?
logs=$build/matrix/$MTDC_LANE
rm -rf "$logs"
cp -r "$build/kernels" "$logs"

# swap.sh has an "ok" for each road, and no other.
result()
{
	grep -hc "$1" "$logs/$2.log" || :
}
[ "$status" = 0 ] || fail "see $(basename "$logs")/failures.log"
[ "$(result '^ok .*every page has the right contents' kernelswap)" -ge 3 ] ||
	fail "swap was not verified"
echo "run ok, $(cat "$logs"/*.log | grep '^ok [0-9]* - ' | grep -vc '# SKIP') tests"
