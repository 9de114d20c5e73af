# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# guest.sh's and packed.sh's variables:
# shellcheck disable=SC2034,SC2154
#
# The 64-bit ARM, see packed.sh: QEMU's virtual machine with a Cortex-A53 and Debian's own
# kernel.
. "$machines/packed.sh"

deb_arch=arm64
page=4096
# The console is a PL011; the result goes to a port on a PCI card.
result_tty=ttyS0
# All modules of the kernel would be 300 MiB.
modules=mtdblock

# machine_qemu: QEMU puts the initramfs and the device tree in the middle of its memory.
machine_qemu()
{
	[ $(((mem + reserve) / 2 + 24)) -le "$mem" ] ||
		die "with a reserve of $reserve MiB --mem has to be more than $mem"
	qemu=(qemu-system-aarch64 -M virt -cpu cortex-a53 -m $((mem + reserve)) -smp "$smp"
		-serial stdio -chardev "file,id=result,path=$run/result"
		-device "pci-serial,chardev=result")
	reserve_addr=$((0x40000000 + (mem << 20)))
	kargs="console=ttyAMA0 mem=${mem}M"
}
