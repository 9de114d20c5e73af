#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# kernel.sh [NAME] [--source]: provide a kernel in the cache (nothing is installed), and print
# KEY=VALUE lines. NAME is a file in qemu/kernels: stock, Debian 12's and the default; one that is
# built from its source (debug, kcsan, gcov, board, mips) or from Debian's newest (um, native);
# Debian's of another architecture (arm64, i386); or else a Debian release, such as trixie.
#
#   KREL     release, as in uname -r
#   KVER     Debian's package version
#   KDIR     directory to build modules against
#   KMAKE    variables of kbuild for that
#   IMAGE    image for QEMU to boot
#   MODROOT  directory with its modules below lib/modules/$KREL
#   KSRC     its source: with --source, and if it was built from it
#   KARGS    parameters for its command line
#   KMEM     MiB of memory that it needs in addition to Debian's
#   KTIMES   how many times slower it is
#   KMACHINE QEMU's -M for it
#
# The modules of another release are built in a system of that release (see suite.sh), and KDIR is a
# path in there:
#
#   KROOT, KSUITE
set -eu
. "$(dirname "$0")/lib.sh"
PATH=$PATH:/sbin:/usr/sbin
kernels=$top/qemu/kernels

name=stock want_source=
for argument; do
	case $argument in
	--source)	want_source=1 ;;
	-*|*/*|'')	die "usage: kernel.sh [NAME] [--source]" ;;
	*)		name=$argument ;;
	esac
done

mkdir -p "$cache"
if [ -f "$kernels/$name.sh" ]; then
	# shellcheck source=/dev/null
	. "$kernels/$name.sh"
else
	[ -z "$want_source" ] || die "there is no source with the kernel of $name"
	# shellcheck source-path=SCRIPTDIR/kernels
	. "$kernels/lib/debian.sh"
	suite_kernel "$name" || die "no kernel of $name, neither in qemu/kernels nor in Debian"
fi
