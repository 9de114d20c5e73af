#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Boot the paper's board in QEMU, Mainstone II with its memory limited and root on
# JFFS2 in its NOR flash, and run SCRIPT there as root. Time is counted in
# instructions, so that two runs of the same are the same. Exit status 0 only if
# the board said "success" on its second serial port; 124 if it ran out of time,
# 1 otherwise.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$top/qemu/machine/lib.sh"

usage()
{
	cat <<'END'
usage: qemu/board/run.sh [OPTION...] [--] SCRIPT [ARGUMENT...]
  --mem M            memory in MiB, of the board's 64 (32); the script finds the
                     rest in MTDC_RESERVE_ADDR and MTDC_RESERVE_SIZE (bytes)
  --clock C          icount: time is counted in instructions (the default); wall:
                     it is the host's, which is quicker, and no run is like another
  --timeout S        seconds of wall time until the run fails (600)
  --log FILE         console log (build/board.log)
  --out FILE         gets what SCRIPT writes to the file named by $MTDC_OUT
  --add FILE[:DEST]  a file or directory more on the board, in /mtdc or as DEST
  --env K=V          more environment for SCRIPT
  --kernel-append S  more kernel parameters
  --plugin SPEC      QEMU plugin: file.so,argument=value...
  --quiet            console to the log only
SCRIPT is for busybox's sh and starts in /mtdc, where it is itself.
END
	exit "${1:-2}"
}

mem=32 clock=icount limit=600 log="" out="" append="" plugin="" quiet=""
adds=() extra_env=()

while [ $# -gt 0 ]; do
	case $1 in
	--mem|--clock|--timeout|--log|--out|--add|--env|--kernel-append|\
	--plugin)
		[ $# -gt 1 ] || usage ;;
	esac
	case $1 in
	--mem)		mem=${2%M}; shift ;;
	--clock)	clock=$2; shift ;;
	--timeout)	limit=$2; shift ;;
	--log)		log=$2; shift ;;
	--out)		out=$2; shift ;;
	--add)		adds+=("$2"); shift ;;
	--env)		extra_env+=("$2"); shift ;;
	--kernel-append) append="$append $2"; shift ;;
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
case $mem:$limit in
:*|*:|*[!0-9:]*) die "--mem and --timeout take numbers" ;;
esac
case $clock in
icount|wall)	;;
*)		die "--clock $clock: not icount or wall" ;;
esac
# Less, and the kernel does not come as far as a message.
if [ "$mem" -lt 8 ] || [ "$mem" -gt 64 ]; then
	die "--mem $mem: the board has 64 MiB, and the kernel needs 8"
fi
script=$1
shift
[ -f "$script" ] || die "no such script: $script"
for item in ${adds[@]+"${adds[@]}"}; do
	[ -e "${item%%:*}" ] || die "no such file: ${item%%:*}"
done
check_env ${extra_env[@]+"${extra_env[@]}"}

"$top/qemu/setup.sh" build board
# Pass a build on from the caller, or build: seconds saved per boot.
if [ -z "${MTDC_BOARD:-}" ]; then
	MTDC_BOARD=$("$top/qemu/board/build.sh") || exit 1
fi
# field() reads it.
# shellcheck disable=SC2034
built=$MTDC_BOARD

# boot() reads these.
# shellcheck disable=SC2034
: "${log:=$build/board.log}" "$limit" "$quiet"
mkdir -p "$build" "$(dirname "$log")"
run=$(mktemp -d "$build/run.XXXXXX")
trap 'rm -rf "$run"' EXIT
# Signals end the script through the trap, too.
trap 'exit 130' INT
trap 'exit 143' TERM
times=$(machine_times 1)
limit=$((limit * times))

# describe: what the board's init has to know
describe()
{
	echo "export KREL=$(field KREL) MTDC_TOP=/mtdc MTDC_OUT=/dev/ttyS2"
	echo "export MTDC_BUILD=/run/build MTDC_MEM=$mem MTDC_RESULT=/dev/ttyS1"
	# The clock of instructions does not depend on this machine.
	[ "$clock" = icount ] || echo "export MTDC_TIMES=$times"
	printf 'export MTDC_RESERVE_ADDR=0x%x MTDC_RESERVE_SIZE=%d\n' \
		$((0xa0000000 + (mem << 20))) $(((64 - mem) << 20))
}

# Chip 0 holds the boot loader's partition and the kernel's, which QEMU does not
# need, and Filesystem from here to its end. An erased chip has ones everywhere.
chip=$((32 << 20)) fs=$((0x440000))

# flash: the images of both chips, fresh for each run.
flash()
{
	exec 8>"$build/board/.lock"
	flock -s 8
	# Links: nobody writes to them.
	cp -al "$(field ROOT)" "$run/root"
	exec 8>&-
	add_all
	{ describe; environment "/mtdc/$(basename "$script")" "$@"; } \
		> "$run/root/mtdc/run.env"

	PATH=$PATH:/sbin:/usr/sbin mkfs.jffs2 --little-endian --squash-uids \
		--faketime --eraseblock=256KiB --pad=$((chip - fs)) \
		--root="$run/root" --output="$run/jffs2"
	[ "$(stat -c %s "$run/jffs2")" = $((chip - fs)) ] ||
		die "the files do not fit into the board's flash"
	truncate -s $fs "$run/flash0"
	cat "$run/jffs2" >> "$run/flash0"
	head -c $chip /dev/zero | tr '\0' '\377' > "$run/flash1"
	rm -rf "$run/root" "$run/jffs2"
}
flash "$@"

# Splats must end a run, not scroll by, see qemu/guest.sh. The flash's name, as
# its number depends on what else there is.
kargs="console=ttyS0,115200 mem=${mem}M root=mtd:Filesystem rootfstype=jffs2 ro \
init=/init quiet loglevel=4 panic=-1 oops=panic softlockup_panic=1 \
hung_task_panic=1 watchdog_thresh=30$append"

# The clock, and what the board takes for randomness, must not depend on the host.
set -- -M mainstone -seed 1 -rtc base=2024-01-01,clock=vm
[ "$clock" = wall ] || set -- "$@" -icount shift=1,sleep=off
set -- "$@" -accel tcg \
	-nodefaults -no-user-config -display none -no-reboot \
	-kernel "$(field ZIMAGE)" -append "$kargs" \
	-drive "if=pflash,format=raw,file=$run/flash0" \
	-drive "if=pflash,format=raw,file=$run/flash1" \
	-serial stdio -serial "file:$run/result" -serial "file:$run/out"
[ -z "$plugin" ] || set -- "$@" -plugin "$plugin"

: > "$run/out"
status=0
boot board qemu-system-arm "$@" || status=$?
[ -z "$out" ] || cp "$run/out" "$out"
exit $status
