#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# guest.sh LOAD MODE: one run of the thesis' experiment, in a guest: a program that runs a
# network on images beside a load on memory, with or without control. Prints lines of
# "result KEY VALUE"; the latencies go to the directory MTDC_OUT.
#
#   LOAD  alone, anon, once, loop
#   MODE  none, latd's modes, earlyoom
#
# MTDC_COUNT       images (60)
# MTDC_SWAPPINESS  vm.swappiness (60)
# MTDC_LRU         classic or mglru
# MTDC_PERIOD      milliseconds from image to image (250; 0: without a pause)
# MTDC_CARD        read speed of the card, megabytes per second (5)
# MTDC_MAPS        option of the load "loop" (--keep)
#
# The media are outside the guest's memory: swap on MTDCOMPR in the first part of the reserve,
# then a simulated card with weights, images and the files of the load, which takes guest time.
# The load has the lowest priority because there is one processor; in the thesis it had processors
# of its own.
set -u
# shellcheck disable=SC2153 # of qemu/guest.sh
. "$MTDC_TOP/selftests/guest/lib.sh"
. "$MTDC_TOP/selftests/guest/cardlib.sh"
. "$MTDC_TOP/tools/lab/guestlib.sh"
load=$1 mode=$2
: "${MTDC_COUNT:=60}" "${MTDC_SWAPPINESS:=60}" "${MTDC_LRU:=classic}" "${MTDC_PERIOD:=250}"
: "${MTDC_CARD:=5}" "${MTDC_MAPS=--keep}"
PATH=$MTDC_BUILD/tools:$PATH
swap_mib=160
disk=/run/disk
mkdir -p $disk
load_pid='' control_pid=''

# media: set up swap and disk
media()
{
	disk_kib=$(((MTDC_RESERVE_SIZE >> 10) - swap_mib * 1024))
	swap_device ram $((swap_mib * 1024))
	card $((swap_mib * 1024)) $disk_kib "$MTDC_CARD" $disk
	must infer --make-weights $disk/weights --size 12M --seed 1
	must infer --make-images $disk/images --count 20 --seed 1
	case $load in
	once|loop)
		for file in 1 2; do
			must dd if=/dev/urandom of=$disk/file$file bs=1M count=60
		done ;;
	esac
	card_filled $disk
	swap_on "$swap"
}

knobs()
{
	echo "$MTDC_SWAPPINESS" > /proc/sys/vm/swappiness
	echo 0 > /proc/sys/vm/page-cluster
	lru "$MTDC_LRU"
	must mount -t cgroup2 none /sys/fs/cgroup
	echo 3 > /proc/sys/vm/drop_caches
}

control()
{
	case $mode in
	none)	return ;;
	earlyoom)
		earlyoom -r 0 > "$out/control.log" 2>&1 & ;;
	*)
		# The limit: the load may use two fifths of the memory here.
		latd -f -m "$mode" -p infer -o others.touch_name=memload -o others.limit=40 -s "$TMP/latd.sock" \
			-S "$TMP/latd.state" 2> "$out/control.log" & ;;
	esac
	control_pid=$!
	sleep 1
}

# filled: wait until the load has touched all its memory once, at most 60 s, because a control may
# prevent it.
filled()
{
	filled_tries=0
	until awk '{ n = $3 } END { exit !(n > 0) }' "$out/progress" 2>/dev/null; do
		filled_tries=$((filled_tries + 1))
		[ $filled_tries -lt 60 ] && kill -0 $load_pid 2>/dev/null || return
		sleep 1
	done
}

# progress WHAT: print the run time of the load and how much it has touched
progress()
{
	tail -n 1 "$out/progress" | awk -v what="$1" '{ print what "_seconds", $1; print what "_mib", $2 }' |
		results
}

# hog: start the load and wait until it has filled the memory, or for "once" has begun to read
hog()
{
	case $load in
	alone)	return ;;
	anon)
		nice -n 19 memload anon --chunk 8M --size "${MTDC_HOG:-200}M" --loop --rewrite \
			--progress "$out/progress" > "$out/load" 2>&1 & ;;
	once)
		nice -n 19 memload file-once --progress "$out/progress" $disk/file1 $disk/file2 \
			> "$out/load" 2>&1 & ;;
	loop)
		# shellcheck disable=SC2086 # an option, or none
		nice -n 19 memload file-loop $MTDC_MAPS --progress "$out/progress" $disk/file1 $disk/file2 \
			> "$out/load" 2>&1 & ;;
	esac
	load_pid=$!
	case $load in
	once)	sleep 1 ;;
	*)	filled ;;
	esac
	progress filled
}

media
knobs
control
# Read all its files before the load starts, as in the thesis.
infer --weights $disk/weights --images $disk/images --count 20 > /dev/null
period=
[ "$MTDC_PERIOD" = 0 ] || period="--period $MTDC_PERIOD"
hog
# shellcheck disable=SC2086 # two words, or none
infer --weights $disk/weights --images $disk/images --count "$MTDC_COUNT" $period \
	--out "$out/images.csv" > "$out/infer" 2>&1
status=$?
say status $status
cat "$out/infer"
say available "$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo)"
say swapped "$(awk '/^SwapTotal:/ { t = $2 } /^SwapFree:/ { print t - $2 }' /proc/meminfo)"
[ -z "$load_pid" ] || {
	if kill -0 $load_pid 2>/dev/null; then
		say load alive
	else
		say load gone
	fi
	progress load
}
if [ -e "$TMP/latd.sock" ]; then
	latdctl -s "$TMP/latd.sock" status | sed -n 's/^\([a-z_]*\): /latd_\1 /p' | results
fi
[ -z "$control_pid" ] || { kill $control_pid; quote < "$out/control.log" | tail -n 40; }
[ -z "$load_pid" ] || kill -9 $load_pid
deliver
[ $status != 0 ] || echo "result all done"
