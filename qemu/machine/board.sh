# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# guest.sh's and packed.sh's variables:
# shellcheck disable=SC2034,SC2154
#
# The paper's board, see packed.sh: Mainstone II, a PXA270 with its memory limited, and root on
# JFFS2 in its NOR flash. The kernel has the first --mem MiB; the rest is the reserve.
. "$machines/packed.sh"

deb_arch=armel
page=4096
result_tty=ttyS1
mem=32
clock=icount
lacks="--reserve --smp --cpu --drive"

machine_check()
{
	# With less the kernel hangs before its first message.
	if [ "$mem" -lt 8 ] || [ "$mem" -gt 64 ]; then
		die "--mem $mem: the board has 64 MiB, and the kernel needs 8"
	fi
	reserve=$((64 - mem))
}

# machine_qemu: use the flash's name, because its number depends on the other MTDs.
machine_qemu()
{
	reserve_addr=$((0xa0000000 + (mem << 20)))
	kargs="console=ttyS0,115200 mem=${mem}M root=mtd:Filesystem rootfstype=jffs2 ro init=/init"
	: > "$run/out"
	qemu=(qemu-system-arm -M mainstone
		-drive "if=pflash,format=raw,file=$run/flash0"
		-drive "if=pflash,format=raw,file=$run/flash1"
		-serial stdio -serial "file:$run/result" -serial "file:$run/out")
}

# The third port writes the file of --out.
machine_environment()
{
	echo "export MTDC_TOP=/mtdc MTDC_BUILD=/run/build MTDC_PAGE=$page"
	echo "export MTDC_RESULT=/dev/$result_tty MTDC_OUT=/dev/ttyS2"
}

# machine_image: an image for both chips. Chip 0 holds the partitions of the boot loader and of the
# kernel, which QEMU does not need, and then Filesystem up to its end. An erased chip has ones
# everywhere.
machine_image()
{
	local chip=$((32 << 20)) fs=$((0x440000))

	PATH=$PATH:/sbin:/usr/sbin mkfs.jffs2 --little-endian --squash-uids \
		--faketime --eraseblock=256KiB --pad=$((chip - fs)) \
		--root="$run/root" --output="$run/jffs2"
	[ "$(stat -c %s "$run/jffs2")" = $((chip - fs)) ] ||
		die "the files do not fit into the board's flash"
	truncate -s $fs "$run/flash0"
	cat "$run/jffs2" >> "$run/flash0"
	head -c $chip /dev/zero | tr '\0' '\377' > "$run/flash1"
	rm -f "$run/jffs2"
}

machine_end()
{
	[ -z "$out" ] || cp "$run/out" "$out"
}
