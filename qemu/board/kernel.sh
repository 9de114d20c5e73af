#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# kernel.sh: build the kernel of the paper's board from Debian's source and print
# KEY=VALUE lines, as qemu/kernel.sh does:
#
#   KREL     release, as in uname -r
#   KDIR     object tree, to build modules against
#   KMAKE    variables of kbuild for that
#   ZIMAGE   the kernel image
#   SYMBOLS  its System.map
#   MODROOT  directory with its modules below lib/modules/$KREL
#
# The result is kept in the cache, see qemu/kbuild.sh.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$top/qemu/kbuild.sh"
PATH=$PATH:/sbin:/usr/sbin
cross=arm-linux-gnueabi-

[ $# = 0 ] || die "takes no arguments"
"$top/qemu/setup.sh" build board

# kbuild.sh reads these.
# shellcheck disable=SC2034
{
	kname=board
	kwhat="the board's kernel"
	kfiles=1130
	fragment=$top/qemu/board/config
	karch=arm
	kvars=(ARCH=arm CROSS_COMPILE="$cross")
	kimages=(arch/arm/boot/zImage System.map)
}

# base_config FILE: the defconfig, and the fragment on top of it.
base_config()
{
	cat "$ksrc/arch/arm/configs/mainstone_defconfig" "$fragment" > "$1" &&
	kbuild -s olddefconfig
}

find_source
provide_kernel "${cross}gcc" zImage modules
cat <<END
KREL=$krel
KDIR=$dir/build
KMAKE=${kvars[*]}
ZIMAGE=$dir/zImage
SYMBOLS=$dir/System.map
MODROOT=$dir
END
