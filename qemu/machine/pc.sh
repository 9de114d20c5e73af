# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# guest.sh's variables:
# shellcheck disable=SC2034,SC2154
#
# Sourced by guest.sh: the PC, with any kernel of qemu/kernel.sh. Its root is the host's, over
# 9p; run.env beside this run's other files describes it.

# The default processor: x86-64 as compilers and glibc assume it, plus SSE4.2 and
# so the crc32 instruction, as nearly every processor of today has one. Not
# "max": there the kernel copies by rep movsb, of which icount counts an
# instruction for each byte, and copying would weigh more than on any hardware.
cpu=qemu64,+ssse3,+sse4.1,+sse4.2,+popcnt
boot_limit=60
lacks=--add

machine_check()
{
	# QEMU moves what is above 3 GiB elsewhere, where nobody would look for the reserve.
	[ "$reserve" = 0 ] || [ $((mem + reserve)) -lt 3000 ] ||
		die "more than 3000 MiB of memory with a reserve"
	[ -z "$out" ] || [ -d "$out" ] || die "no such directory: $out"
}

# machine_find: a kernel is passed on from the caller, or looked up: a second saved per boot.
# One that takes more memory for itself says so: what the guest's programs have shall be
# about the same with each.
machine_find()
{
	"$top/qemu/setup.sh" build guest
	if [ -z "${MTDC_KERNEL:-}" ]; then
		MTDC_KERNEL=$("$top/qemu/kernel.sh") || exit 1
	fi
	krel=$(kernel KREL)
	modroot=$(kernel MODROOT)
	image=$(kernel IMAGE)
	ktimes=$(kernel KTIMES)
	: "${ktimes:=1}"
	mem_kernel=$(kernel KMEM)
	: "${mem_kernel:=0}"
	mem=$((mem + mem_kernel))
	modtree=$("$top/qemu/modtree.sh" "$krel" "$modroot") || exit 1
	initramfs=$("$top/qemu/initramfs.sh" "$krel" "$modroot") || exit 1
}

# machine_qemu: the reserve is between the guest's memory and a last MiB, in which the
# firmware keeps its tables: that is why there is one more. mitigations=off is faster, and
# they print a line with "WARNING". Without no_timer_check it is a panic at boot when the
# host has much else to do.
machine_qemu()
{
	local qemu_mem=$mem qemu_machine

	qemu_machine=$(kernel KMACHINE)
	reserve_addr=$((mem << 20))
	kargs="console=ttyS0,115200 mitigations=off no_timer_check nokaslr log_buf_len=1M \
mtdc_top=$top mtdc_run=$run $(kernel KARGS)"
	if [ "$reserve" != 0 ]; then
		kargs="$kargs memmap=${reserve}M\$$(printf '0x%x' "$reserve_addr")"
		qemu_mem=$((mem + reserve + 1))
	fi
	qemu=(qemu-system-x86_64 -M "${qemu_machine:-pc}" -cpu "$cpu" -m "$qemu_mem" -smp "$smp"
		-initrd "$initramfs" -serial stdio -serial "file:$run/result" -virtfs
		"local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap")
	[ -z "$drive" ] || qemu+=(-drive "if=virtio,format=raw,file=$(realpath "$drive")")
	[ -z "$out" ] || qemu+=(-virtfs
		"local,path=$(realpath "$out"),mount_tag=out,security_model=none")
}

machine_environment()
{
	echo "export MTDC_TOP=$top MTDC_BUILD=$build MTDC_MODTREE=$modtree"
	echo "export MTDC_MEM_KERNEL=$mem_kernel"
	[ -z "$drive" ] || echo "export MTDC_DRIVE=/dev/vda"
	[ -z "$out" ] || echo "export MTDC_OUT=/run/out"
}

machine_root()
{
	environment "$script" "$@" > "$run/run.env"
}
