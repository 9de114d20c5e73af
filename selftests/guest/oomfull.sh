#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# A machine of 16 MiB, the paper's board, or a PC of 112 MiB, whose media are full long before its
# swap is: within 10 s of guest time after the first refused page, the OOM killer must end the
# program that uses too much; all others continue with right data, and swapoff works. Through
# mtdblock, and through the block device, which frees the pages of an ended program. MTDC_MEDIA: a
# list with commas of ram, pcm, nand, nor (these two with the cache), log (NAND with a log), and
# logagain (the same through mtdblock, then once more with a copy in each slot).
#
# job: test,stock oomfull --machine board --mem 16 --timeout 400 --env MTDC_MEDIA=pcm
# job: test,stock oomlog --machine board --mem 16 --timeout 400 --env MTDC_MEDIA=log
# job: pressure oomfull --machine board --mem 16 --timeout 1200
# job: sim kernelfull --mem 112 --reserve 64 --clock icount --timeout 600 --env MTDC_MEDIA=log
# job: sim kernelagain --mem 112 --reserve 64 --clock icount --timeout 600 --env MTDC_MEDIA=logagain
# job: mthp mthpfull --mem 112 --reserve 64 --clock icount --timeout 600 --env MTDC_MTHP=always --env MTDC_MEDIA=log
. "$(dirname "$0")/lib.sh"

# lib.sh needs it; busybox lacks it, and nothing is mounted here.
mountpoint()
{
	return 1
}

: "${MTDC_MEDIA:=ram pcm nand nor log}"
MTDC_MEDIA=$(echo "$MTDC_MEDIA" | tr , ' ')
# More than memory and media hold.
eat_mib=60
[ "$MTDC_MACHINE" = board ] || eat_mib=$((MTDC_MEM + 60))
: > /run/mtdc-allow-oom
echo 100 > /proc/sys/vm/swappiness
echo Y > /sys/module/printk/parameters/time

# stamp TEXT: time of the first such message since the last mark, in milliseconds
stamp()
{
	dmesg | sed -n "/mtdc-test: mark $$\.$mark_id\$/,\$p" | grep -m 1 "$1" |
		sed -n 's/^[^[]*\[ *\([0-9]*\)\.\([0-9]\{3\}\).*/\1\2/p'
}

# sleeper: keep some memory, in RAM or swap, and verify it when asked
sleeper()
{
	rm -f "$TMP/kept" "$TMP/kept.go"
	memsig -s 5 -m 2 -g 1 -k 2 -w "$TMP/kept" > "$TMP/sleeper" 2>&1 &
	sleeper=$!
	while [ ! -e "$TMP/kept" ] && kill -0 $sleeper 2>/dev/null; do
		sleep 0.5
	done
}

# worker MIB: access its memory again and again
worker()
{
	rm -f "$TMP/end"
	memsig -s 6 -m "$1" -g 1 -e "$TMP/end" > "$TMP/worker" 2>&1 &
	worker=$!
}

# eat: use more than memory and media hold; sets the figures of the report
eat()
{
	mark
	programmed=$(stat block_written_bytes "$NAME")
	# A livelock must fail only this test.
	limited "${MTDC_SWAP_LIMIT:-400}" memsig -s "$MTDC_SEED" -m "$eat_mib" -g 1 \
		> "$TMP/eater" 2>&1
	eaten=$?
	programmed=$(($(stat block_written_bytes "$NAME") - programmed))
	refused=$(stamp 'no space left on the media') killed=$(stamp 'Killed process')
	diag "$(cat "$TMP/eater")"
}

# full WHAT WORKER_MIB: on the present swap. Eight results, nine with a log.
full()
{
	# Wait until the kernel's rate limit of messages allows the first one again.
	sleep 6
	sleeper
	worker "$2"
	eat
	holds "$1: pages were refused" -n "$refused"
	is "$1: the OOM killer ended what had too much" "$eaten" 137
	took=$((${killed:-999999} - ${refused:-0}))
	holds "$1: within 10 s, after $took ms" "$took" -le 10000
	# If the media refuse a page of a bio, the pages before it were written in vain, and are
	# written again and again.
	[ "$(stat store "$NAME")" != log ] ||
		holds "$1: little is programmed in vain, $programmed bytes in all" \
			"$programmed" -le $((4 * 5 << 18))
	: > "$TMP/end"
	wait $worker
	result $? "$1: a program that was at work all the time goes on, and has what it wrote"
	check "$1: swapoff" limited 300 swapoff "$swap"
	: > "$TMP/kept.go"
	wait $sleeper
	result $? "$1: what slept has what it wrote"
	is "$1: no error but that of full media" \
		"$(grep '^err_\|^pages_lost' "$PROC/$NAME" | grep -v '^err_full' | grep -vc ': 0$')" 0
	diag "$(grep -E '^(page_(writes|reads)|pages_stored|media_free_bytes|full_untried|err_full):' \
		"$PROC/$NAME" | tr '\n' ' ')"
	check "$1: swapped on again" eval "mkswap $swap && swapon $swap"
}

# on NAME OPTIONS WHAT WORKER_MIB [AGAIN]: attach a device, and run one or two rounds. On its own
# block device, if WHAT says so
on()
{
	attach "$1,$2,name=full"
	case $3 in
	*"own block device"*)	swap=/dev/$(stat disk full) ;;
	*)			swap=$BLOCK ;;
	esac
	must mkswap "$swap"
	must swapon "$swap"
	full "$3" "$4"
	# Each slot has a stale copy by now, which its next page replaces.
	[ -z "${5:-}" ] || full "$3, once more" "$4"
	must swapoff "$swap"
	detach full
}

# sim TYPE SIZE DELAY: a simulated medium outside the kernel's memory
sim()
{
	must modprobe mtdsim "dev=name=$1,type=$1,size=$2,base=$((MTDC_RESERVE_ADDR + 0x800000)),delay=$3"
}

load
for medium in $MTDC_MEDIA; do
	case $medium in
	ram)
		phram low 0 4096
		on low comp=zlib,ratio=1000 "RAM, zlib, ten times the media" 6 again
		on low comp=lzo "RAM, lzo, three times the media" 8
		on low comp=lzo,ratio=1000 "RAM, own block device" 6
		must rmmod phram ;;
	pcm)
		sim pcm 4M busy
		on pcm comp=lzo,ratio=1000 "PCM" 6
		must rmmod mtdsim ;;
	log)
		sim nand 4M sleep
		on nand comp=lzo,ratio=1000,store=log "log, own block device" 6
		must rmmod mtdsim ;;
	logagain)
		sim nand 4M sleep
		on nand comp=zlib,ratio=1000,store=log "log" 6 again
		must rmmod mtdsim ;;
	*)
		sim "$medium" 4M sleep
		on "$medium" comp=lzo,ratio=1000,cache=1 "$medium" 6
		must rmmod mtdsim ;;
	esac
done
