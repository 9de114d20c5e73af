#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Boot a machine in QEMU and run SCRIPT (a path below the checkout) there as root. The machines are
# the files of qemu/machine that define machine_qemu. Exit status 0 only if the guest has written
# "success" to its second serial port; 124 after a time-out, 1 otherwise.
# The machine's file uses variables that this file only sets:
# shellcheck disable=SC2034
set -eu
. "$(dirname "$0")/lib.sh"

usage()
{
	cat <<'END'
usage: qemu/guest.sh [--machine NAME] [OPTION...] [--] SCRIPT [ARGUMENT...]
  --machine NAME pc, board, or another of qemu/machine; the first option (pc)
  --mem M        memory in MiB (PC: 256)
  --reserve M    M MiB more, which the guest's kernel does not use; the script
                 finds it in MTDC_RESERVE_ADDR and MTDC_RESERVE_SIZE (bytes).
                 The board has 64 MiB in all
  --smp N        processors (1)
  --clock C      wall: the host's time; icount: instructions count as time, 1 GHz / 2,
                 so that two runs of the same are the same (board: icount)
  --cpu C        QEMU's -cpu, for the PC
  --out PATH     PC: a directory that the guest may write to, MTDC_OUT there;
                 board: gets what SCRIPT writes to the file MTDC_OUT
  --drive FILE   raw disk image, /dev/vda in the guest; PC
  --add FILE[:DEST]  a file or directory more, in /mtdc or as DEST; not for the PC,
                 which sees all of the host's files
  --plugin SPEC  QEMU plugin: file.so,argument=value...
  --monitor PATH QEMU's monitor (QMP) at the FIFOs PATH.in and PATH.out. A guest that
                 stops itself keeps its memory, until the monitor's quit
  --append S     more kernel parameters
  --env K=V      more environment for SCRIPT
  --timeout S    seconds until the run fails (600)
  --log F        console log (build/guest.log)
  --quiet        console to the log only
All time-outs are for an idle machine, and are longer where a fixed loop takes longer,
and with a kernel that does.
The PC's root is the host's, read-only below an overlay in RAM. The others have busybox,
SCRIPT, and the NAMEs that batch.sh is given.
The script's environment: MTDC_TOP, MTDC_BUILD, MTDC_MACHINE, MTDC_MEM, KREL, and the above.
END
	exit "${1:-2}"
}

machine=pc
if [ "${1:-}" = --machine ]; then
	[ $# -gt 1 ] || usage
	machine=$2
	shift 2
fi
machines=$top/qemu/machine
grep -qs '^machine_qemu()' "$machines/$machine.sh" ||
	die "no machine \"$machine\" in qemu/machine"

# Defaults. The machine's file may change them; it names the options that it lacks, and defines the
# functions machine_*, which are called below in order.
mem=256 reserve=0 smp=1 clock=wall limit=600 boot_limit=300 lacks=""
append="" log="" drive="" plugin="" monitor="" quiet=""
cpu="" out=""
extra_env=() adds=()
machine_check() { :; }
machine_end() { :; }
# shellcheck source=/dev/null
. "$machines/$machine.sh"

while [ $# -gt 0 ]; do
	case " $lacks " in
	*" $1 "*)	die "the machine $machine has no $1" ;;
	esac
	case $1 in
	--quiet|--help|--|[!-]*) ;;
	*)	[ $# -gt 1 ] || usage ;;
	esac
	case $1 in
	--mem)		mem=${2%M}; shift ;;
	--reserve)	reserve=$2; shift ;;
	--smp)		smp=$2; shift ;;
	--clock)	clock=$2; shift ;;
	--cpu)		cpu=$2; shift ;;
	--out)		out=$2; shift ;;
	--drive)	drive=$2; shift ;;
	--add)		adds+=("$2"); shift ;;
	--plugin)	plugin=$2; shift ;;
	--monitor)	monitor=$2; shift ;;
	--append)	append="$append $2"; shift ;;
	--env)		extra_env+=("$2"); shift ;;
	--timeout)	limit=$2; shift ;;
	--log)		log=$2; shift ;;
	--quiet)	quiet=1 ;;
	--help)		usage 0 ;;
	--)		shift; break ;;
	-*)		usage ;;
	*)		break ;;
	esac
	shift
done
[ $# -gt 0 ] || usage

check_options()
{
	local item

	for item in "$mem" "$reserve" "$smp" "$limit"; do
		case $item in
		''|*[!0-9]*)
			die "--mem, --reserve, --smp and --timeout take numbers" ;;
		esac
	done
	case $clock in
	icount|wall)	;;
	*)		die "--clock $clock: not icount or wall" ;;
	esac
	for item in ${extra_env[@]+"${extra_env[@]}"}; do
		case ${item%%=*} in
		"$item"|''|[0-9]*|*[!A-Za-z0-9_]*)
			die "--env $item: not NAME=VALUE" ;;
		esac
	done
	for item in ${adds[@]+"${adds[@]}"} ${drive:+"$drive"} ${monitor:+"$monitor.in" "$monitor.out"}; do
		[ -e "${item%%:*}" ] || die "no such file: ${item%%:*}"
	done
}
check_options
machine_check

script=$(realpath -e "$1" 2>/dev/null) || die "no such script: $1"
case $script in
"$top"/*)	shift ;;
*)		die "$script is not below $top" ;;
esac

# Sets krel, image (for QEMU to boot) and ktimes (how many times slower its kernel is).
krel='' image='' ktimes=1
machine_find "$@"

: "${log:=$build/guest.log}"
mkdir -p "$build" "$(dirname "$log")"
run=$(mktemp -d "$build/run.XXXXXX")
trap 'rm -rf "$run"' EXIT
# Signals end the script through the trap, too.
trap 'exit 130' INT
trap 'exit 143' TERM

# times: factor for the host's time-outs; guest_times: for the guest's, whose clock may not depend
# on this machine.
times=$(machine_times "$ktimes") guest_times=$ktimes
[ "$clock" = icount ] || guest_times=$times
limit=$((limit * times)) boot_limit=$((boot_limit * times))

# Sets qemu (the command, without the arguments common to all machines), kargs and reserve_addr.
reserve_addr=0
machine_qemu

# quote STRING: for a POSIX shell.
quote()
{
	printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")"
}

# environment SCRIPT ARGUMENT...: the variables and arguments for the guest's init
environment()
{
	local item

	echo "export MTDC_MACHINE=$machine MTDC_MEM=$mem MTDC_TIMES=$guest_times KREL=$krel"
	[ "$reserve" = 0 ] || printf 'export MTDC_RESERVE_ADDR=0x%x MTDC_RESERVE_SIZE=%d\n' \
		"$reserve_addr" $((reserve << 20))
	machine_environment
	for item in ${extra_env[@]+"${extra_env[@]}"}; do
		printf 'export %s=%s\n' "${item%%=*}" "$(quote "${item#*=}")"
	done
	printf 'set --'
	for item; do
		printf ' %s' "$(quote "$item")"
	done
	echo
}
machine_root "$@"

# A splat must end the run: oops, lockups and hangs are panics, a panic shows all tasks (and so the
# locks that they wait for) and ends QEMU. Warnings are not, so that the other results are seen;
# judge.sh looks for them. The limits are twice the default because TCG is slow, and more on a slow
# machine: one of several processors may wait long for the host's. The maximum is 60.
# The watchdog of the workqueues has a limit of its own, 30 s by default, which a host that stood
# still for 46 s exceeded.
watchdog=$((30 * guest_times))
[ "$watchdog" -le 60 ] || watchdog=60
kargs="$kargs quiet loglevel=4 panic=-1 oops=panic softlockup_panic=1 hung_task_panic=1 \
panic_print=1 watchdog_thresh=$watchdog \
sysctl.kernel.hung_task_timeout_secs=$((120 * guest_times)) \
rcupdate.rcu_cpu_stall_timeout=$((2 * watchdog)) \
workqueue.watchdog_thresh=$((2 * watchdog))$append"

qemu+=(-accel tcg -nodefaults -no-user-config -display none -no-reboot
	-kernel "$image" -append "$kargs")
# The clock and the random seed of the guest must not depend on the host either.
[ "$clock" = wall ] || qemu+=(-icount "shift=1,sleep=off" -seed 1
	-rtc "base=2024-01-01,clock=vm")
[ -z "$plugin" ] || qemu+=(-plugin "$plugin")
[ -z "$monitor" ] || qemu+=(-action shutdown=pause -chardev "pipe,id=monitor,path=$monitor"
	-mon "chardev=monitor,mode=control")

# watch_boot: end a guest that does not come up in time. On a busy host a few in a hundred boots of
# the debug kernel hang in the kernel's own test of RCU ("Running RCU-tasks wait API self tests").
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

# boot: sets status. Drop the serial line's carriage returns from the log. pipefail makes timeout's
# status the pipe's.
set -o pipefail
boot()
{
	local watcher

	rm -f "$run/silent"
	: > "$run/result"
	: > "$log"
	status=0
	watch_boot &
	watcher=$!
	timeout --foreground -k 10 "$limit" "${qemu[@]}" -pidfile "$run/pid" </dev/null 2>&1 |
		sed -u 's/\r//g' |
		if [ -n "$quiet" ]; then cat > "$log"; else tee "$log"; fi ||
		status=$?
	kill $watcher 2>/dev/null || :
	wait $watcher 2>/dev/null || :
}

# verdict: a function, so that the shell has read the file to its end before the guest runs: editing
# this file meanwhile does no harm.
verdict()
{
	boot
	if [ -e "$run/silent" ]; then
		say "guest: not up within $boot_limit s, it is started once more"
		boot
	fi
	machine_end

	if [ "$status" = 124 ]; then
		say "guest: no result after $limit s, log in $log"
		return 124
	fi
	if ! grep -q "^success" "$run/result"; then
		say "guest: failed, log in $log"
		return 1
	fi
}
verdict
