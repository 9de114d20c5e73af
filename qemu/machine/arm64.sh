# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What lib.sh sets and reads:
# shellcheck disable=SC2034,SC2154
#
# The 64-bit ARM, see lib.sh: QEMU's virtual machine with a Cortex-A53 and Debian's own
# kernel.

cross=aarch64-linux-gnu-
deb_arch=arm64
page=4096
# The console is a PL011; the result goes to a port on a PCI card.
result_tty=ttyS0
# Of the kernel's, besides what ours need: all of them are 300 MiB.
modules=mtdblock

machine_kernel()
{
	debian_kernel arm64 linux-image-arm64
	echo "KMAKE=ARCH=arm64 CROSS_COMPILE=$cross"
}

# machine_qemu MEM RESERVE SMP: QEMU puts the initramfs and the device tree in the
# middle of its memory.
machine_qemu()
{
	[ $((($1 + $2) / 2 + 24)) -le "$1" ] ||
		die "with a reserve of $2 MiB --mem has to be more than $1"
	qemu=(qemu-system-aarch64 -M virt -cpu cortex-a53 -m $(($1 + $2)) -smp "$3"
		-serial stdio -chardev "file,id=result,path=$run/result"
		-device "pci-serial,chardev=result")
	reserve_addr=$((0x40000000 + ($1 << 20)))
	kargs="console=ttyAMA0 mem=${1}M"
}
