#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# um.sh: KUnit's suites in User Mode Linux with KASAN and lockdep, as TAP. This kernel is a program
# of the host, so the suites take 25 seconds of processor time, not minutes as in QEMU; but it has
# one processor and does not preempt. Its source is the newest one of Debian. So the lane debug runs
# the suites, too, on 6.1 with two processors. Exit status 0 only if all passed and the kernel's log
# is clean.
#
# job: test,long um
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
. "$here/../qemu/lib.sh"

MTDC_KERNEL=$("$top/qemu/kernel.sh" um)
export MTDC_KERNEL
"$top/qemu/build.sh" --out "$build/kunit-$(kernel KREL)" CONFIG_MTDCOMPR_KUNIT_TEST=y

run=$(mktemp -d "$build/um.XXXXXX")
trap 'rm -rf "$run"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
status=0
# It takes two minutes: it waits for ticks of 10 ms most of the time.
"$top/qemu/uml.sh" --timeout 240 "$run" "$here/guest/kunit.sh" || status=$?
cat "$run/out" 2>/dev/null || :
[ $status = 0 ] || {
	echo "Bail out! it did not end well, or its log is not clean"
	exit 1
}
