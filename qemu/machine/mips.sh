# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# guest.sh's and packed.sh's variables:
# shellcheck disable=SC2034,SC2154
#
# The big-endian machine, see packed.sh: MIPS's Malta board with pages of 16 KiB. Debian 12 has
# no packages for such processors, so that its kernel and busybox are built from source.
. "$machines/packed.sh"

deb_arch=
page=16384
result_tty=ttyS1
lacks="$lacks --smp"

# machine_qemu: QEMU puts the initramfs at the end of the memory, which the kernel must be able to
# use; the reserve is a gap before it.
machine_qemu()
{
	local top_mib=16 low=$((mem - 16))

	[ $((mem + reserve)) -le 256 ] || die "Malta has no more than 256 MiB in one piece"
	qemu=(qemu-system-mips -M malta -cpu 24Kf -m $((mem + reserve))
		-serial stdio -serial "file:$run/result")
	reserve_addr=$((low << 20))
	kargs="console=ttyS0,115200 mem=${low}M@0 mem=${top_mib}M@$((low + reserve))M"
}
