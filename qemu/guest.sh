#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Boot Debian's stock kernel in QEMU and run SCRIPT (a path below the checkout)
# there as root. The guest sees the host's root file system, read-only below an
# overlay in RAM. Exit status 0 only if the guest said "success" on its second
# serial port; 124 if it ran out of time, 1 otherwise.
set -eu
. "$(dirname "$0")/lib.sh"

usage()
{
	cat <<'END'
usage: qemu/guest.sh [--machine NAME] [OPTION...] [--] SCRIPT [ARGUMENT...]
  --machine NAME pc, board (qemu/board), or one in qemu/machine; the first option (pc)
  --mem M        memory in MiB (256)
  --reserve M    M MiB more, which the guest's kernel does not use; the script
                 finds it in MTDC_RESERVE_ADDR and MTDC_RESERVE_SIZE (bytes)
  --smp N        processors (1)
  --icount       count instructions as time: 1 GHz / 2, deterministic
  --cpu C        QEMU's -cpu, see below for the default
  --out DIR      directory that the guest may write to, /run/out there
  --drive FILE   raw disk image, /dev/vda in the guest
  --plugin SPEC  QEMU plugin: file.so,argument=value...
  --append S     more kernel parameters
  --env K=V      more environment for SCRIPT
  --timeout S    seconds until the run fails (600)
  --log F        console log (build/guest.log)
  --quiet        console to the log only
SCRIPT is below the checkout. A machine of another kind than the PC gets SCRIPT packed into
its root, with the NAMEs that batch.sh is given; its options are those of
qemu/board/run.sh and qemu/machine/run.sh.
All time-outs are for an idle machine, and are longer where a fixed loop takes longer,
and with a kernel that does.
The script's environment: MTDC_TOP, MTDC_BUILD, KREL, and the above.
END
	exit "${1:-2}"
}

# The default processor: x86-64 as compilers and glibc assume it, plus SSE4.2 and
# so the crc32 instruction, as nearly every processor of today has one. Not
# "max": there the kernel copies by rep movsb, of which icount counts an
# instruction for each byte, and copying would weigh more than on any hardware.
cpu=qemu64,+ssse3,+sse4.1,+sse4.2,+popcnt
if [ "${1:-}" = --machine ]; then
	[ $# -gt 1 ] || usage
	machine=$2
	shift 2
	[ "$machine" = pc ] || exec "$top/qemu/packed.sh" "$machine" "$@"
fi
mem=256 reserve=0 smp=1 limit=600 icount="" append="" log="" out="" drive="" plugin="" quiet=""
extra_env=()

while [ $# -gt 0 ]; do
	case $1 in
	--mem|--reserve|--smp|--cpu|--append|--env|--timeout|--log|--out|--drive|\
	--plugin)
		[ $# -gt 1 ] || usage ;;
	esac
	case $1 in
	--mem)		mem=$2; shift ;;
	--reserve)	reserve=$2; shift ;;
	--smp)		smp=$2; shift ;;
	--icount)	icount=1 ;;
	--cpu)		cpu=$2; shift ;;
	--append)	append="$append $2"; shift ;;
	--env)		extra_env+=("$2"); shift ;;
	--timeout)	limit=$2; shift ;;
	--log)		log=$2; shift ;;
	--out)		out=$2; shift ;;
	--drive)	drive=$2; shift ;;
	--plugin)	plugin=$2; shift ;;
	--quiet)	quiet=1 ;;
	--help)		usage 0 ;;
	--)		shift; break ;;
	-*)		usage ;;
	*)		break ;;
	esac
	shift
done
[ $# -gt 0 ] || usage
case $mem$reserve$smp$limit in
*[!0-9]*)	die "--mem, --reserve, --smp and --timeout take numbers" ;;
esac
# QEMU moves what is above 3 GiB elsewhere, where nobody would look for the reserve.
[ "$reserve" = 0 ] || [ $((mem + reserve)) -lt 3000 ] ||
	die "more than 3000 MiB of memory with a reserve"
[ -z "$drive" ] || [ -f "$drive" ] || die "no such file: $drive"
[ -z "$out" ] || [ -d "$out" ] || die "no such directory: $out"

script=$(realpath -e "$1" 2>/dev/null) || die "no such script: $1"
case $script in
"$top"/*)	shift ;;
*)		die "$script is not below $top" ;;
esac

"$top/qemu/setup.sh" build guest
# Pass a kernel on from the caller, or look it up: a second saved per boot.
if [ -z "${MTDC_KERNEL:-}" ]; then
	MTDC_KERNEL=$("$top/qemu/kernel.sh") || exit 1
fi
krel=$(kernel KREL)
# A kernel with KASAN cannot be started by vmlinux's PVH entry, whose code runs
# before there is any shadow memory.
boot=$(kernel BOOT)
: "${boot:=$(kernel VMLINUX)}"
modroot=$(kernel MODROOT)
times=$(machine_times "$(kernel KTIMES)")
limit=$((limit * times))
machine=$(kernel MACHINE)
: "${machine:=pc}"
# A kernel that takes more memory for itself says so: what the guest's programs
# have shall be about the same with each.
mem_kernel=$(kernel KMEM)
: "${mem_kernel:=0}"
mem=$((mem + mem_kernel))

modtree=$("$top/qemu/modtree.sh" "$krel" "$modroot")
initramfs=$("$top/qemu/initramfs.sh" "$krel" "$modroot")

: "${log:=$build/guest.log}"
mkdir -p "$build" "$(dirname "$log")"
run=$(mktemp -d "$build/run.XXXXXX")
trap 'rm -rf "$run"' EXIT
# Signals end the script through the trap, too.
trap 'exit 130' INT
trap 'exit 143' TERM

kargs=
if [ "$reserve" != 0 ]; then
	# Between the guest's memory and a last MiB, in which the firmware
	# keeps its tables: that is why there is one more below.
	kargs="memmap=${reserve}M\$$(printf '0x%x' $((mem << 20)))"
	mem_qemu=$((mem + reserve + 1))
else
	mem_qemu=$mem
fi

{
	echo "export MTDC_TOP=$top MTDC_BUILD=$build KREL=$krel"
	echo "export MTDC_TIMES=$times"
	echo "export MTDC_MODTREE=$modtree MTDC_MEM=$mem MTDC_MEM_KERNEL=$mem_kernel"
	if [ "$reserve" != 0 ]; then
		printf 'export MTDC_RESERVE_ADDR=0x%x MTDC_RESERVE_SIZE=%d\n' \
			$((mem << 20)) $((reserve << 20))
	fi
	[ -z "$drive" ] || echo "export MTDC_DRIVE=/dev/vda"
	[ -z "$out" ] || echo "export MTDC_OUT=/run/out"
	for item in ${extra_env[@]+"${extra_env[@]}"}; do
		printf 'export %q\n' "$item"
	done
} > "$run/run.env"
printf '%s\0' "$script" "$@" > "$run/run.args"

# Splats must end a run, not scroll by: oops, lockups and hangs are panics, a
# panic shows all tasks (who waits for whom) and ends QEMU. Warnings do not, so that
# the rest of the results is seen; init.sh looks for them. The limits are double the
# usual, TCG is slow, and more where time-outs are: of several processors one may wait
# long for the host's. 60 is the most.
# The watchdog of the workqueues has its own, 30 s, which a host that stands still for
# 46 s was beyond.
# mitigations=off is faster, and they print a line with "WARNING". Without
# no_timer_check it is a panic at boot when the host has much else to do.
watchdog=$((30 * times))
[ "$watchdog" -le 60 ] || watchdog=60
kargs="console=ttyS0,115200 quiet loglevel=4 panic=-1 oops=panic \
softlockup_panic=1 hung_task_panic=1 panic_print=1 watchdog_thresh=$watchdog \
sysctl.kernel.hung_task_timeout_secs=$((120 * times)) \
rcupdate.rcu_cpu_stall_timeout=$((2 * watchdog)) \
workqueue.watchdog_thresh=$((2 * watchdog)) mitigations=off no_timer_check nokaslr log_buf_len=1M \
mtdc_top=$top mtdc_run=$run $kargs $(kernel KARGS)$append"

set -- -accel tcg -M "$machine" -cpu "$cpu" -m "$mem_qemu" -smp "$smp" \
	-nodefaults -no-user-config -display none -no-reboot \
	-kernel "$boot" -initrd "$initramfs" -append "$kargs" \
	-serial stdio -serial "file:$run/result" \
	-virtfs "local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap"
if [ -n "$icount" ]; then
	# The clock, and what the guest takes for randomness, must not depend
	# on the host either.
	set -- "$@" -icount shift=1,sleep=off -seed 1 \
		-rtc base=2024-01-01,clock=vm
fi
if [ -n "$drive" ]; then
	set -- "$@" -drive "if=virtio,format=raw,file=$(realpath "$drive")"
fi
if [ -n "$out" ]; then
	set -- "$@" -virtfs \
		"local,path=$(realpath "$out"),mount_tag=out,security_model=none"
fi
[ -z "$plugin" ] || set -- "$@" -plugin "$plugin"

# start QEMU_ARGUMENTS...: sets status. The serial line's carriage returns are of no
# use in a log. pipefail makes the status that of timeout.
set -o pipefail
start()
{
	: > "$run/result"
	: > "$log"
	status=0
	timeout --foreground -k 10 "$limit" qemu-system-x86_64 -pidfile "$run/pid" "$@" \
		</dev/null 2>&1 |
		sed -u 's/\r//g' |
		if [ -n "$quiet" ]; then cat > "$log"; else tee "$log"; fi ||
		status=$?
}

boot_limit=$((60 * times))

# watch_boot: end a guest that is not up in time. On a host with
# much else to do a boot of the debug kernel in some dozens stands still in the kernel's
# own test of RCU ("Running RCU-tasks wait API self tests").
watch_boot()
{
	local second

	for ((second = 0; second < boot_limit; second++)); do
		[ ! -s "$run/result" ] || return 0
		sleep 1
	done
	: > "$run/silent"
	kill "$(cat "$run/pid")" || :
}

for try in 1 2; do
	rm -f "$run/silent"
	: > "$log"
	: > "$run/result"
	watch_boot &
	watcher=$!
	start "$@"
	kill $watcher 2>/dev/null || :
	wait $watcher 2>/dev/null || :
	if [ ! -e "$run/silent" ] || [ $try = 2 ]; then
		break
	fi
	say "guest: not up within $boot_limit s, it is started once more"
done

if [ "$status" = 124 ]; then
	say "guest: no result after $limit s, log in $log"
	exit 124
fi
if ! grep -q "^success" "$run/result"; then
	say "guest: failed, log in $log"
	exit 1
fi
