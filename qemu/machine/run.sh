#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Boot a foreign machine in QEMU and run SCRIPT there as root. Exit status 0 only if
# the machine said "success" on its serial port for that; 124 if it ran out of time,
# 1 otherwise. The machines are the files beside this one: mips is big-endian and has
# pages of 16 KiB.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$top/qemu/machine/lib.sh"

usage()
{
	cat <<'END'
usage: qemu/machine/run.sh MACHINE [OPTION...] [--] SCRIPT [ARGUMENT...]
  --mem M            memory in MiB that the kernel has (128)
  --reserve M        M MiB more, which it does not use; the script finds it in
                     MTDC_RESERVE_ADDR and MTDC_RESERVE_SIZE (bytes)
  --smp N            processors (1)
  --timeout S        seconds of wall time until the run fails (600)
  --log FILE         console log (build/MACHINE.log)
  --add FILE[:DEST]  a file or directory more on the machine, in /mtdc or as DEST
  --env K=V          more environment for SCRIPT
  --append S         more kernel parameters
  --quiet            console to the log only
SCRIPT is for busybox's sh and starts in /mtdc, where it is itself. Besides, it has
MTDC_MACHINE, MTDC_PAGE (bytes), and KREL in its environment.
END
	exit "${1:-2}"
}

[ $# -gt 1 ] || usage
machine "$1"
shift
mem=128 reserve=64 smp=1 limit=600 log="" append="" quiet=""
adds=() extra_env=()

while [ $# -gt 0 ]; do
	case $1 in
	--mem|--reserve|--smp|--timeout|--log|--add|--env|--append)
		[ $# -gt 1 ] || usage ;;
	esac
	case $1 in
	--mem)		mem=$2; shift ;;
	--reserve)	reserve=$2; shift ;;
	--smp)		smp=$2; shift ;;
	--timeout)	limit=$2; shift ;;
	--log)		log=$2; shift ;;
	--add)		adds+=("$2"); shift ;;
	--env)		extra_env+=("$2"); shift ;;
	--append)	append="$append $2"; shift ;;
	--quiet)	quiet=1 ;;
	--help)		usage 0 ;;
	--)		shift; break ;;
	-*)		usage ;;
	*)		break ;;
	esac
	shift
done
[ $# -gt 0 ] || usage
for number in "$mem" "$reserve" "$smp" "$limit"; do
	case $number in
	''|*[!0-9]*)	die "--mem, --reserve, --smp and --timeout take numbers" ;;
	esac
done
script=$1
shift
[ -f "$script" ] || die "no such script: $script"
for item in ${adds[@]+"${adds[@]}"}; do
	[ -e "${item%%:*}" ] || die "no such file: ${item%%:*}"
done
check_env ${extra_env[@]+"${extra_env[@]}"}

# Pass a build on from the caller, or build: seconds saved per boot.
given=MTDC_MACHINE_$machine
built=${!given:-}
if [ -z "$built" ]; then
	built=$("$top/qemu/machine/build.sh" "$machine") || exit 1
fi

# boot() reads these.
# shellcheck disable=SC2034
: "${log:=$build/$machine.log}" "$limit" "$quiet"
mkdir -p "$build" "$(dirname "$log")"
run=$(mktemp -d "$build/run.XXXXXX")
trap 'rm -rf "$run"' EXIT
# Signals end the script through the trap, too.
trap 'exit 130' INT
trap 'exit 143' TERM
times=$(machine_times 1)
limit=$((limit * times))
machine_qemu "$mem" "$reserve" "$smp"

# shellcheck disable=SC2154 # the machine's variables
describe()
{
	echo "export KREL=$(field KREL) MTDC_TOP=/mtdc MTDC_BUILD=/run/build"
	echo "export MTDC_MACHINE=$machine MTDC_PAGE=$page MTDC_MEM=$mem"
	echo "export MTDC_RESULT=/dev/$result_tty MTDC_TIMES=$times"
	printf 'export MTDC_RESERVE_ADDR=0x%x MTDC_RESERVE_SIZE=%d\n' \
		"$reserve_addr" $((reserve << 20))
}

# initramfs SCRIPT ARGUMENT...: fresh for each run.
initramfs()
{
	exec 8>"$build/machine-$machine/.lock"
	flock -s 8
	# Links: nobody writes to them.
	cp -al "$(field ROOT)" "$run/root"
	exec 8>&-
	add_all
	{ describe; environment "$@"; } > "$run/root/mtdc/run.env"
	( cd "$run/root" && find . -mindepth 1 | LC_ALL=C sort |
		cpio -o -H newc --quiet -R 0:0 | gzip -1 ) > "$run/initramfs"
	rm -rf "$run/root"
}
initramfs "/mtdc/$(basename "$script")" "$@"

# Splats must end a run, not scroll by, see qemu/guest.sh. No tmpfs as the root: what
# would be swapped of it are the programs that test.
# shellcheck disable=SC2154 # the machine's variables
boot "$machine" "${qemu[@]}" -accel tcg -nodefaults -no-user-config -display none \
	-no-reboot -kernel "$(field IMAGE)" -initrd "$run/initramfs" \
	-append "$kargs rdinit=/init rootfstype=ramfs quiet loglevel=4 panic=-1 \
oops=panic softlockup_panic=1 hung_task_panic=1 watchdog_thresh=30$append"
