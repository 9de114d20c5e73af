#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# build.sh MACHINE [VARIABLE=VALUE...]: make all that a machine other than the PC boots: its kernel
# (qemu/kernel.sh MACHINE), mtdcompr.ko and the tests' modules for it, the tests' helpers and the
# benchmark as static programs, and from all that, with busybox, the files of its root file system.
# They stay in build/machine-MACHINE/root; guest.sh makes an image of them, because each run adds
# its own script. The variables go to the build of mtdcompr.ko: CONFIG_MTDCOMPR_ZSTD=n. Prints
# KEY=VALUE lines:
#
#   KREL      release, as in uname -r
#   KDIR      directory to build modules against
#   KMAKE     variables of kbuild for that
#   COMPILER  the compiler of all of it
#   IMAGE     the kernel image
#   ROOT      directory with the root file system
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

# Take a lock against other builds, and against runs that copy the directory.
mkdir -p "$out"
exec 8>"$out/.lock"
flock 8
say "building for $machine"
build_modules "$@"
build_tools || die "could not build the tools"
# shellcheck disable=SC2086 # a list of words; empty: all
plant ${modules:-}

cat <<END
KREL=$(field KREL "$kernel")
KDIR=$(field KDIR "$kernel")
KMAKE=$(field KMAKE "$kernel")
COMPILER=gcc-$("${cross}gcc" -dumpfullversion)
IMAGE=$(field IMAGE "$kernel")
ROOT=$root
END
