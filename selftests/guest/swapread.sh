#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Swap, while others read the device through every interface, and try to detach it or to attach
# another one on its media. Reads are complete, refused requests change nothing, and every page is
# right. For several processors.
#
# job: long swapread --mem 112 --reserve 112 --timeout 600 --smp 2
# job: kcsan swapread --mem 112 --reserve 112 --timeout 600 --smp 4
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/swaplib.sh"

phram low 0 $((MTDC_RESERVE_SIZE / 1024))
load
attach "low,comp=lz4,name=swr"
twice=$((total_mib * 21 / 10))
# A debug kernel has little time left beside the readers.
[ "${MTDC_MEM_KERNEL:-0}" -le 0 ] || twice=$((total_mib * 15 / 10))
stop=$TMP/stop

# again WHAT FUNCTION: call FUNCTION over and over until $stop exists. Its findings go to a file
# named WHAT, the number of rounds to WHAT.rounds.
again()
{
	n=0
	while [ ! -e "$stop" ]; do
		"$2"
		n=$((n + 1))
	done > "$TMP/$1" 2>&1
	echo $n > "$TMP/$1.rounds"
}

by_proc()
{
	grep -q '^log_failed_erases: ' "$PROC/swr" || echo "incomplete"
	cat /proc/mtd /proc/swaps > "$TMP/out.proc"
	sleep 0.02
}

by_sysfs()
{
	cat "/sys/class/mtd/mtd$NUM"/* "/sys/block/mtdblock$NUM/stat" > "$TMP/out.sysfs" 2> "$TMP/err.sysfs"
	[ -s "$TMP/out.sysfs" ] || echo "nothing"
	sleep 0.1
}

# Without mtdblock's lock.
by_char()
{
	dd if="$CHAR" of="$TMP/out.char" bs=4096 count=4 skip=$((n * 37 % 2000)) 2> "$TMP/err.char" ||
		cat "$TMP/err.char"
	sleep 0.05
}

by_changes()
{
	changed=$(put detach swr)
	[ "$changed" = EBUSY ] || echo "detach: $changed"
	changed=$(put attach low,comp=lz4)
	[ "$changed" = EBUSY ] || echo "attach: $changed"
	sleep 0.1
}

# Keep it open before swapon and after swapoff, too: otherwise a detach would succeed.
exec 9< "$CHAR"
others=
for road in proc sysfs char changes; do
	again $road by_$road &
	others="$others $!"
done
pressure "lz4 with others, $twice MiB in $total_mib MiB" "$BLOCK" swr -m $((twice * 2 / 3)) -g 1 -c 2 -k 16
: > "$stop"
# shellcheck disable=SC2086 # a list
wait $others
for road in proc sysfs char changes; do
	is "$road: as it should be, $(cat "$TMP/$road.rounds") times" "$(sort "$TMP/$road" | uniq -c)" ""
done
holds "there were some rounds" "$(cat "$TMP/proc.rounds")" -gt 5
exec 9<&-
is "the device can be taken away afterwards" "$(put detach swr)" ok
