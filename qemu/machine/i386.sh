# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What lib.sh sets and reads:
# shellcheck disable=SC2034,SC2154
#
# The 32-bit PC, see lib.sh: Debian's own kernel, with PAE, and so HIGHMEM.

cross=i686-linux-gnu-
deb_arch=i386
page=4096
result_tty=ttyS1
modules='mtdblock phram mtdram nandsim'

machine_kernel()
{
	debian_kernel i386 linux-image-686-pae
	echo "KMAKE=ARCH=i386 CROSS_COMPILE=$cross"
}

# machine_qemu MEM RESERVE SMP: the reserve is where guest.sh has it, with a MiB for
# the firmware's tables behind it. vmalloc= leaves the kernel 88 MiB to use directly; all
# above is high memory, as on a machine with gigabytes; nokaslr, or the kernel may be put
# there itself.
machine_qemu()
{
	qemu=(qemu-system-i386 -M pc -cpu "qemu32,+pae,+sse2" -m $(($1 + $2 + 1))
		-smp "$3" -serial stdio -serial "file:$run/result")
	reserve_addr=$(($1 << 20))
	kargs="console=ttyS0,115200 mitigations=off nokaslr vmalloc=912M memmap=${2}M\$$(printf '0x%x' "$reserve_addr")"
}
