#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# build.sh [VARIABLE=VALUE...]: make what the paper's board boots: its kernel (see
# kernel.sh), mtdcompr.ko and the simulator's module against it, the tests' helpers
# and the benchmark as static programs, and of all that, with busybox, the tree
# that becomes the board's root file system. It stays in build/board/root; run.sh
# makes an image of it, as each run has its own script in there. The variables go
# to the build of mtdcompr.ko: CONFIG_MTDCOMPR_ZSTD=n. Prints KEY=VALUE lines:
#
#   KREL      release, as in uname -r
#   KDIR      what to build modules against
#   KMAKE     variables of kbuild for that
#   COMPILER  what it is all built by
#   ZIMAGE    the kernel image
#   ROOT      the tree of the root file system
set -eu
. "$(dirname "$0")/../lib.sh"
. "$top/qemu/machine/lib.sh"
. "$top/qemu/machine/tree.sh"
PATH=$PATH:/sbin:/usr/sbin

for variable; do
	case $variable in
	*=*)	;;
	*)	die "what is $variable?" ;;
	esac
done

# tree.sh reads these.
# shellcheck disable=SC2034
{
	out=$build/board
	root=$out/root
	cross=arm-linux-gnueabi-
	kernel=$("$top/qemu/board/kernel.sh") || exit 1
	busybox=$("$top/qemu/machine/busybox.sh" armel) || exit 1
}

# One at a time, and not while a run copies the tree.
mkdir -p "$out"
exec 8>"$out/.lock"
flock 8

say "building for the board"
build_modules "$@"
build_tools || die "could not build the tools"
# All modules of the kernel.
# shellcheck disable=SC2119
plant
install -m 755 "$top/qemu/board/leave" "$root/mtdc/leave"

cat <<END
KREL=$(field KREL "$kernel")
KDIR=$(field KDIR "$kernel")
KMAKE=$(field KMAKE "$kernel")
COMPILER=gcc-$("${cross}gcc" -dumpfullversion)
ZIMAGE=$(field ZIMAGE "$kernel")
ROOT=$root
END
