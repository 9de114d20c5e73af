#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# rig.sh [KIND...]: a test of the guests' error detection, as TAP: does a guest on this kernel fail
# on an error without visible harm? A guest for each kind of error (selftests/modules/splat), one
# without an error, which must pass, and one whose host stands still for a while, which must pass,
# too. MTDC_RIG is the default of the kinds; MTDC_KERNEL must be a debug kernel, see qemu/kernel.sh
# debug.
#
# job: checks rig needs=guest
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
. "$here/../qemu/lib.sh"

krel=$(printf '%s\n' "${MTDC_KERNEL:-}" | sed -n 's/^KREL=//p')
case $krel in
*-mtdcdebug)	kinds="none still leak freed beyond order sleep shift warning" ;;
*-mtdckcsan)	kinds="none race" ;;
*)		die "this is for the debug kernels, see qemu/kernels" ;;
esac
[ $# -gt 0 ] || read -r -a list <<< "$(tr , ' ' <<< "${MTDC_RIG:-$kinds}")"
[ $# = 0 ] || list=("$@")

# said KIND: text that the log must contain
said()
{
	case $1 in
	none | still)	echo "splat.sh: $1 is done" ;;
	leak)		echo "init.sh: memory was lost" ;;
	freed)		echo "KASAN: use-after-free in do_freed" ;;
	beyond)		echo "KASAN: vmalloc-out-of-bounds in do_beyond" ;;
	order)		echo "WARNING: possible circular locking" ;;
	sleep)		echo "BUG: sleeping function called from invalid context" ;;
	shift)		echo "UBSAN: shift-out-of-bounds" ;;
	warning)	echo "WARNING: .* do_warning" ;;
	race)		echo "KCSAN: data-race in .*\(count_up\|do_race\)" ;;
	*)		die "unknown kind \"$1\"" ;;
	esac
}

# stand_still: stop a running guest for 46 s, which was seen on a busy host.
stand_still()
{
	local file pid second

	for ((second = 0; second < 120; second++)); do
		sleep 1
		grep -q "splat.sh: still begins" "$log" || continue
		for file in "$build"/run.*/pid; do
			pid=$(cat "$file")
			grep -qs "mtdc_rig=$$" "/proc/$pid/cmdline" || continue
			kill -STOP "$pid"
			sleep 46
			kill -CONT "$pid"
		done
		return
	done
}

# guest KIND: run a guest; sets status, and log to its log
guest()
{
	status=0
	log=$build/rig/$krel-$1.log
	: > "$log"
	smp=2
	if [ "$1" = still ]; then
		# With one processor the watchdog checks before the waiting work continues.
		smp=1
		stand_still &
	fi
	"$top/qemu/guest.sh" --quiet --log "$log" --mem 96 --smp "$smp" \
		--timeout 200 --append "mtdc_rig=$$" \
		"$here/guest/splat.sh" "$1" > "$log.out" 2>&1 || status=$?
}

mkdir -p "$build/rig"
"$top/qemu/build.sh" --src "$here/modules/splat"
echo "1..${#list[@]}"
n=0
for kind in "${list[@]}"; do
	n=$((n + 1)) verdict=ok wanted=1
	guest "$kind"
	case $kind in none | still) wanted=0 ;; esac
	# A time-out (124) fails both.
	[ $status = $wanted ] && grep -q "$(said "$kind")" "$log" || verdict="not ok"
	echo "$verdict $n - $kind: the guest ends with $wanted, and the log says why"
	[ "$verdict" = ok ] || tail -n 20 "$log" "$log.out" | sed 's/^/# /'
done
