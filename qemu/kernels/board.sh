# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # kernel.sh's and kbuild.sh's variables
#
# The paper's board.
. "$kernels/lib/kbuild.sh"
"$top/qemu/setup.sh" build board

# base_config FILE: the defconfig, and the fragment on top of it.
base_config()
{
	cat "$ksrc/arch/arm/configs/mainstone_defconfig" "$fragment" > "$1" &&
	kbuild -s olddefconfig
}

kwhat="the board's kernel"
kfiles=1130
fragment=$kernels/board.config
karch=arm
kvars=(ARCH=arm CROSS_COMPILE=arm-linux-gnueabi-)
kimages=(arch/arm/boot/zImage System.map)
provide_kernel arm-linux-gnueabi-gcc zImage modules
