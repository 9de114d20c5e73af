# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # kernel.sh's and kbuild.sh's variables
#
# User Mode Linux of Debian's newest source: KUnit's kernel, which needs no emulation. The one of
# 6.1 starts no program on a processor with AMX.
. "$kernels/lib/debian.sh"
. "$kernels/lib/kbuild.sh"
"$top/qemu/setup.sh" build debug

kwhat="User Mode Linux"
kfiles=1150
fragment=$kernels/um.config
karch=um
kvars=(ARCH=um CC=gcc-12)
kimages=(linux)

find_source()
{
	suite_source experimental
}

provide_kernel gcc-12 linux modules
