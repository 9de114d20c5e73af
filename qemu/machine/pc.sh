# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# guest.sh's variables:
# shellcheck disable=SC2034,SC2154
#
# Sourced by guest.sh: the PC, with any kernel of qemu/kernel.sh. Its root is the host's, over
# 9p; run.env beside this run's other files describes it.

# The default processor: x86-64 as compilers and glibc assume it, plus SSE4.2 with the crc32
# instruction, as nearly every processor today has. Not "max": there the kernel copies by rep movsb,
# which icount counts as an instruction a byte, and copying would cost more than on any hardware.
cpu=qemu64,+ssse3,+sse4.1,+sse4.2,+popcnt
boot_limit=60
lacks=--add

machine_check()
{
	# QEMU moves memory above 3 GiB to another address, where the reserve would be missing.
	[ "$reserve" = 0 ] || [ $((mem + reserve)) -lt 3000 ] ||
		die "more than 3000 MiB of memory with a reserve"
	[ -z "$out" ] || [ -d "$out" ] || die "no such directory: $out"
}

# machine_find: use the caller's kernel, which saves a second a boot, or find one. A kernel with
# KMEM gets that much more memory, so that programs have about the same with each kernel.
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

# machine_qemu: the reserve lies between the guest's memory and a last MiB, where the firmware keeps
# its tables; hence one MiB more. mitigations=off is faster, and avoids a line with "WARNING".
# Without no_timer_check the kernel may panic at boot on a busy host.
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
