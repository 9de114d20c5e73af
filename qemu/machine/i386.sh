# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# guest.sh's and packed.sh's variables:
# shellcheck disable=SC2034,SC2154
#
# The 32-bit PC, see packed.sh: Debian's own kernel, with PAE, and so HIGHMEM.
. "$machines/packed.sh"

deb_arch=i386
page=4096
result_tty=ttyS1
modules='mtdblock phram mtdram nandsim'

# machine_qemu: the reserve is at pc.sh's address, with a MiB for the firmware's tables behind it.
# vmalloc= leaves the kernel 88 MiB to use directly; all above is high memory, as on a machine with
# gigabytes. nokaslr keeps the kernel itself out of it.
machine_qemu()
{
	qemu=(qemu-system-i386 -M pc -cpu "qemu32,+pae,+sse2" -m $((mem + reserve + 1))
		-smp "$smp" -serial stdio -serial "file:$run/result")
	reserve_addr=$((mem << 20))
	kargs="console=ttyS0,115200 mitigations=off nokaslr vmalloc=912M memmap=${reserve}M\$$(printf '0x%x' "$reserve_addr")"
}
