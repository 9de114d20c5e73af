#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# um.sh: KUnit's suites in User Mode Linux with KASAN and lockdep, as TAP. This kernel is a program
# of the host, so the suites take seconds instead of minutes on the debug kernel in QEMU; but it has
# one processor, does not preempt, and does not check for sleeping in the wrong context: the lane
# debug runs the suites, too. Exit status 0 only if all passed and the kernel's log is clean.
#
# job: test,long um
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
. "$here/../qemu/lib.sh"

MTDC_KERNEL=$("$top/qemu/kernel.sh" um)
export MTDC_KERNEL
krel=$(kernel KREL)
"$top/qemu/build.sh" --out "$build/kunit-$krel" CONFIG_MTDCOMPR_KUNIT_TEST=y
modtree=$("$top/qemu/modtree.sh" "$krel" "$(kernel MODROOT)")

# Its memory is a file there, and it writes the result there.
run=$(mktemp -d "$build/um.XXXXXX")
trap 'rm -rf "$run"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
times=$(machine_times 1)
cat > "$run/run.env" <<END
export MTDC_TOP=$top MTDC_BUILD=$build MTDC_MACHINE=um MTDC_MEM=256 MTDC_TIMES=$times
export KREL=$krel MTDC_MODTREE=$modtree
set -- sh $here/guest/kunit.sh
END

TMPDIR=$run timeout --foreground -k 10 $((120 * times)) "$(kernel IMAGE)" mem=256M \
	root=/dev/root rootfstype=hostfs ro "init=$top/qemu/um-init.sh" \
	"mtdc_top=$top" "mtdc_run=$run" con=null con0=null log_buf_len=1M quiet loglevel=4 \
	panic=-1 kunit.enable=1 \
	> "$run/log" 2>&1 < /dev/null || :
# First it traces a child, and prints the reason if that fails. Any other early end is a failure.
if [ ! -e "$run/out" ] && grep -qi 'ptrace.*\(fail\|not permitted\|expected\)' "$run/log"; then
	sed 's/^/# /' "$run/log"
	echo "1..1"
	echo "ok 1 - KUnit suites # SKIP no program may trace another here"
	exit 0
fi
# This kernel saves 2696 bytes of a processor's state. A processor with AMX has 11008, and the host
# refuses to set a part of them: no program starts. The suites run in QEMU, too: run.sh --lane debug
# kunit.
if [ ! -e "$run/out" ] && grep -qw amx_tile /proc/cpuinfo; then
	echo "1..1"
	echo "ok 1 - KUnit suites # SKIP User-mode Linux starts no program on a processor with AMX"
	exit 0
fi
cat "$run/out" 2>/dev/null || :
grep -qx success "$run/result" 2>/dev/null || {
	echo "Bail out! it did not end well, or its log is not clean"
	tail -n 40 "$run/log" | sed 's/^/# /'
	exit 1
}
