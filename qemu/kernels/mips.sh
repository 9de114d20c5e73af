# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # kernel.sh's and kbuild.sh's variables
#
# The big-endian machine: MIPS's Malta board with pages of 16 KiB.
. "$kernels/lib/kbuild.sh"
"$top/qemu/setup.sh" build mips

kwhat="the big-endian machine's kernel"
kfiles=1150
fragment=$kernels/mips.config
karch=mips
kvars=(ARCH=mips CROSS_COMPILE=mips-linux-gnu-)
kimages=(vmlinux System.map)
provide_kernel mips-linux-gnu-gcc vmlinux modules
