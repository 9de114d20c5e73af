#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# guest.sh PLAN...: runs of the experiments behind rectifyd in one guest, one after the
# other, so that they can be compared. Prints lines of "result RUN KEY VALUE".
#
#   PLAN   CONTROL:SWAPPINESS
#     CONTROL  none, or a mode of rectifyd: auto, unused, watch
#
# MTDC_MEDIA     the swap: ram (MTDCOMPR), zram, or nand (MTDCOMPR on simulated NAND)
# MTDC_ROUNDS    how often all plans are run (1)
# MTDC_LRU       classic or mglru
# MTDC_APPS      apps (6); each has MTDC_ANON MiB (20) of anonymous memory, MTDC_HOT percent (25) of
#                it hot, and MTDC_FILE MiB (10) of files; all share MTDC_SHARED (8)
# MTDC_PROGRAMS  a list like programs/apps: its programs run instead of these apps. MTDC_ROOT.tar is
#                their root, made by programs/prepare
# MTDC_ORDER     seed of an order of switches that the host has made by programs/order.py: drifting
#                ranks and stays of different length
# MTDC_SWITCHES  switches that count (60)
# MTDC_THINK     milliseconds between two (500)
# MTDC_CARD      read speed of the disk, megabytes per second (25)
# MTDC_OPTS      more options of rectifyd
#
# Swap and disk are outside the guest's memory: swap in the first part of the reserve, behind it a
# simulated card with the files, whose time is guest time.
set -u
# shellcheck disable=SC2153 # of qemu/guest.sh
. "$MTDC_TOP/selftests/guest/lib.sh"
. "$MTDC_TOP/selftests/guest/cardlib.sh"
. "$MTDC_TOP/tools/lab/guestlib.sh"
: "${MTDC_MEDIA:=ram}" "${MTDC_ROUNDS:=1}" "${MTDC_LRU:=classic}" "${MTDC_OPTS:=}" 
: "${MTDC_SWITCHES:=60}" "${MTDC_THINK:=500}" "${MTDC_APPS:=6}" "${MTDC_ANON:=20}" "${MTDC_HOT:=25}"
: "${MTDC_FILE:=10}" "${MTDC_SHARED:=8}" "${MTDC_CARD:=25}" "${MTDC_PROGRAMS:=}" "${MTDC_ROOT:=$MTDC_BUILD/paper-rectify/programs}"
: "${MTDC_ORDER:=}"
swap_mib=128
disk=/run/disk
mkdir -p $disk
programs "$MTDC_BUILD/tools/memload" "$MTDC_BUILD/tools/rectifyd" "$MTDC_BUILD/tools/rectifyctl"
apps="--apps $MTDC_APPS --anon ${MTDC_ANON}M --hot $MTDC_HOT --file ${MTDC_FILE}M --shared ${MTDC_SHARED}M --dir $disk/apps"

# root: unpack the programs, their libraries and data to the disk
root()
{
	must tar -xf "$MTDC_ROOT.tar" -C $disk
	card_filled $disk
	must mount --bind /dev $disk/dev
	must mount --bind /dev/pts $disk/dev/pts
	must mount -t proc none $disk/proc
	must mount -t tmpfs none $disk/tmp
	sed "s|IN_ROOT|env -i PATH=/usr/sbin:/usr/bin HOME=/tmp chroot $disk|" \
		"$MTDC_TOP/$MTDC_PROGRAMS" > "$TMP/programs"
	apps="--programs $TMP/programs"
}

# files: make the disk and the files of the apps
files()
{
	nand=
	# Its spare bytes are in the reserve, too.
	[ "$MTDC_MEDIA" != nand ] ||
		nand="name=swap,type=nand,size=$((swap_mib - 16))M,base=$MTDC_RESERVE_ADDR,delay=batch"
	card $((swap_mib * 1024)) $(((MTDC_RESERVE_SIZE >> 10) - swap_mib * 1024)) "$MTDC_CARD" $disk "$nand"
	[ -z "$MTDC_PROGRAMS" ] || {
		root
		return
	}
	# shellcheck disable=SC2086 # options
	must memload apps $apps --prepare
	card_filled $disk
}

knobs()
{
	lru "$MTDC_LRU"
	# A read from the host may take minutes of guest time, while nothing else runs.
	echo 0 > /proc/sys/kernel/hung_task_timeout_secs
	no_huge_pages
	echo 0 > /proc/sys/vm/page-cluster
	control_groups
	must mkdir /sys/fs/cgroup/apps
}

# one ROUND CONTROL:SWAPPINESS
one()
{
	mode=${2%%:*} swappiness=${2#*:}
	run=$mode-$swappiness.$1
	echo "$swappiness" > /proc/sys/vm/swappiness
	# Remove the pages of the previous run.
	must swapoff "$swap"
	must swapon "$swap"
	echo 3 > /proc/sys/vm/drop_caches
	hook='' daemon=''
	if [ "$mode" != none ]; then
		# shellcheck disable=SC2086 # options
		rectifyd -f -m "$mode" -p /apps -s "$TMP/rectifyd.sock" -S "$TMP/rectifyd.state" $MTDC_OPTS \
			2> "$out/$run.log" &
		daemon=$!
		sleep 1
		hook=unix:$TMP/rectifyd.sock
	fi
	counters > "$TMP/before"
	# shellcheck disable=SC2086 # options
	memload apps $apps --switches "$MTDC_SWITCHES" --think "$MTDC_THINK" --warm-up "$MTDC_APPS" \
		${MTDC_ORDER:+--sequence "$MTDC_BUILD/paper-rectify/order.$MTDC_ORDER"} \
		--group /sys/fs/cgroup/apps ${hook:+--hook "$hook"} --out "$out/$run.csv" \
		> "$out/$run.load" 2>&1
	say status $?
	quote < "$out/$run.load"
	sed -n 's/^switches \([0-9]*\) mean \([0-9.]*\) p50 \([0-9.]*\) p95 \([0-9.]*\) max \([0-9.]*\) ms, cold \([0-9]*\), killed \([0-9]*\).*/switches \1\nmean_ms \2\np50_ms \3\np95_ms \4\nmax_ms \5\ncold \6\nkilled \7/p' \
		"$out/$run.load" | results
	counters | differences "$TMP/before"
	[ -n "$daemon" ] || return 0
	rectifyctl -s "$TMP/rectifyd.sock" status | quote
	daemon_cost $daemon
	kill $daemon
	wait $daemon
	quote < "$out/$run.log"
}

knobs
files
swap_device "$MTDC_MEDIA" $((swap_mib * 1024))
swap_on "$swap"
rounds "$MTDC_ROUNDS" "$@"
deliver
echo "result all done"
