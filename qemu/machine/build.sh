#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# build.sh MACHINE [VARIABLE=VALUE...]: make what a machine other than the PC boots: its
# kernel (qemu/kernel.sh MACHINE), mtdcompr.ko and the tests' modules against it, the tests'
# helpers and the benchmark as static programs, and of all that, with busybox, the tree of its
# root file system. It stays in build/machine-MACHINE/root; guest.sh makes an image of it, as
# each run has its own script in there. The variables go to the build of mtdcompr.ko:
# CONFIG_MTDCOMPR_ZSTD=n. Prints KEY=VALUE lines:
#
#   KREL      release, as in uname -r
#   KDIR      what to build modules against
#   KMAKE     variables of kbuild for that
#   COMPILER  what it is all built by
#   IMAGE     the kernel image
#   ROOT      the tree of the root file system
set -eu
. "$(dirname "$0")/../lib.sh"
machines=$top/qemu/machine
. "$machines/tree.sh"
PATH=$PATH:/sbin:/usr/sbin

[ $# -ge 1 ] || die "usage: build.sh MACHINE [VARIABLE=VALUE...]"
machine=$1
shift
grep -qs packed.sh "$machines/$machine.sh" || die "nothing is built for a machine \"$machine\""
# shellcheck source=/dev/null
. "$machines/$machine.sh"
for variable; do
	case $variable in
	*=*)	;;
	*)	die "what is $variable?" ;;
	esac
done
"$top/qemu/setup.sh" build "$machine"

# tree.sh reads these.
# shellcheck disable=SC2034
{
	out=$build/machine-$machine
	root=$out/root
	kernel=$("$top/qemu/kernel.sh" "$machine") || exit 1
	# shellcheck disable=SC2154 # the machine's
	busybox=$("$machines/busybox.sh" "${deb_arch:-$machine}") || exit 1
	cross=$(field KMAKE "$kernel" | tr ' ' '\n' | sed -n 's/^CROSS_COMPILE=//p')
}

# One at a time, and not while a run copies the tree.
mkdir -p "$out"
exec 8>"$out/.lock"
flock 8
say "building for $machine"
build_modules "$@"
build_tools || die "could not build the tools"
# shellcheck disable=SC2086 # a list of words; all, if there is none
plant ${modules:-}

cat <<END
KREL=$(field KREL "$kernel")
KDIR=$(field KDIR "$kernel")
KMAKE=$(field KMAKE "$kernel")
COMPILER=gcc-$("${cross}gcc" -dumpfullversion)
IMAGE=$(field IMAGE "$kernel")
ROOT=$root
END
