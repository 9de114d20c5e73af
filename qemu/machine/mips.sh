# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What lib.sh and kbuild.sh set and read:
# shellcheck disable=SC2034,SC2154
#
# The big-endian machine, see lib.sh: MIPS's Malta board with pages of 16 KiB. Its
# kernel is built from Debian's source with mips.config; Debian 12 has no packages for
# such processors, so that busybox is built as well.

cross=mips-linux-gnu-
deb_arch=
page=16384
result_tty=ttyS1

# base_config FILE: nothing but what the fragment names.
base_config()
{
	kbuild -s KCONFIG_ALLCONFIG="$fragment" allnoconfig
}

machine_kernel()
{
	. "$top/qemu/kbuild.sh"
	kname=mips
	kwhat="the big-endian machine's kernel"
	kfiles=1150
	fragment=$top/qemu/machine/mips.config
	karch=mips
	kvars=(ARCH=mips CROSS_COMPILE="$cross")
	kimages=(vmlinux System.map)
	find_source
	provide_kernel "${cross}gcc" vmlinux modules
	cat <<-EOF
		KREL=$krel
		KDIR=$dir/build
		KMAKE=${kvars[*]}
		IMAGE=$dir/vmlinux
		MODROOT=$dir
	EOF
}

# machine_qemu MEM RESERVE SMP: QEMU puts the initramfs at the end of the memory, which
# the kernel has to have, too; the reserve is what is left out between.
machine_qemu()
{
	local top_mib=16 low=$(($1 - 16))

	[ $(($1 + $2)) -le 256 ] || die "Malta has no more than 256 MiB in one piece"
	[ "$3" = 1 ] || die "Malta has one processor"
	qemu=(qemu-system-mips -M malta -cpu 24Kf -m $(($1 + $2))
		-serial stdio -serial "file:$run/result")
	reserve_addr=$((low << 20))
	kargs="console=ttyS0,115200 mem=${low}M@0 mem=${top_mib}M@$((low + $2))M"
}
