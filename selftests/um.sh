#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# um.sh: KUnit's suites in User Mode Linux with KASAN and lockdep, as TAP. This kernel is a program
# of the host, so the suites take seconds instead of minutes on the debug kernel in QEMU; but it has
# one processor, does not preempt, and does not check for sleeping in the wrong context: the lane
# debug runs the suites, too. On a machine that cannot run it, it runs in a guest of QEMU, which takes
# some minutes. Exit status 0 only if all passed and the kernel's log is clean.
#
# MTDC_UM_GUEST=1  in a guest anyway
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

command=("$(kernel IMAGE)" mem=256M root=/dev/root rootfstype=hostfs ro
	"init=$top/qemu/um-init.sh" "mtdc_top=$top" "mtdc_run=$run" con=null con0=null
	log_buf_len=1M quiet loglevel=4 panic=-1 kunit.enable=1)

# cannot_run_here: the kernel first traces a child, and writes a message if the machine does not
# allow that. It saves 2696 bytes of a processor's state; a processor with AMX has 11008, and the
# host refuses to restore only a part, so that no program starts. Any other end is a failure.
cannot_run_here()
{
	[ ! -e "$run/out" ] || return
	grep -qi 'ptrace.*\(fail\|not permitted\|expected\)' "$run/log" ||
		grep -qw amx_tile /proc/cpuinfo
}

# in_guest: the same in a guest of QEMU, whose processor has no AMX, and where it may trace
in_guest()
{
	echo "# not on this machine: in a guest"
	printf '%q ' "${command[@]}" > "$run/command"
	mkdir "$run/guest"
	MTDC_KERNEL=$("$top/qemu/kernel.sh" stock) "$top/qemu/guest.sh" --mem 768 --timeout 900 \
		--out "$run/guest" --env "MTDC_UM_RUN=$run" --quiet --log "$run/guest.log" \
		selftests/guest/um.sh >&2 || tail -n 20 "$run/guest.log" | sed 's/^/# /'
	mv "$run"/guest/* "$run/"
}

if [ -z "${MTDC_UM_GUEST:-}" ]; then
	TMPDIR=$run timeout --foreground -k 10 $((120 * times)) "${command[@]}" \
		> "$run/log" 2>&1 < /dev/null || :
fi
if [ -n "${MTDC_UM_GUEST:-}" ] || cannot_run_here; then
	in_guest
fi
cat "$run/out" 2>/dev/null || :
grep -qx success "$run/result" 2>/dev/null || {
	echo "Bail out! it did not end well, or its log is not clean"
	tail -n 40 "$run/log" | sed 's/^/# /'
	exit 1
}
