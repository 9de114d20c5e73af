#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# guest.sh MEDIA PLAN...: runs of the experiments behind rectifyd in one guest, one after the other,
# so that what is compared was measured side by side. Prints lines of "result RUN KEY VALUE".
#
#   MEDIA  the swap: ram (MTDCOMPR), zram, or nand (MTDCOMPR on simulated NAND)
#   PLAN   CONTROL:SWAPPINESS
#     CONTROL  none, or a mode of rectifyd: auto, unused, watch
#
# MTDC_ROUNDS    how often all plans are run (1)
# MTDC_LRU       classic or mglru
# MTDC_APPS      apps (6); each has MTDC_ANON MiB (20) of anonymous memory, of which it needs
#                MTDC_HOT percent (25), and MTDC_FILE MiB (10) of files; all share MTDC_SHARED (8)
# MTDC_PROGRAMS  instead of these apps the programs of this file, as programs/apps is; MTDC_ROOT is the
#                root that programs/prepare made, of which MTDC_ROOT.tar is read
# MTDC_ORDER     seed of an order by programs/order.py, which the host has made: drifting ranks, and stays of
#                different length
# MTDC_SWITCHES  switches that count (60)
# MTDC_THINK     milliseconds between two (500)
# MTDC_CARD      megabytes a second that the disk reads (25)
# MTDC_OPTS      more options of rectifyd
#
# Swap and disk are outside the guest's memory: swap in the first part of the reserve, behind it a
# simulated card with the files, whose time is guest time.
set -u
# shellcheck disable=SC2153 # of qemu/guest.sh
. "$MTDC_TOP/selftests/guest/lib.sh"
. "$MTDC_TOP/selftests/guest/cardlib.sh"
media=$1
shift
: "${MTDC_ROUNDS:=1}" "${MTDC_LRU:=classic}" "${MTDC_OPTS:=}" "${MTDC_SWITCHES:=60}" "${MTDC_THINK:=500}"
: "${MTDC_APPS:=6}" "${MTDC_ANON:=20}" "${MTDC_HOT:=25}" "${MTDC_FILE:=10}" "${MTDC_SHARED:=8}"
: "${MTDC_CARD:=25}" "${MTDC_PROGRAMS:=}" "${MTDC_ROOT:=$MTDC_BUILD/paper-rectify/programs}"
: "${MTDC_ORDER:=}"
swap_mib=128
disk=/run/disk
out=$TMP/out
mkdir -p "$out" $disk "$TMP/bin"
for tool in memload rectifyd rectifyctl; do
	must cp "$MTDC_BUILD/tools/$tool" "$TMP/bin"
done
PATH=$TMP/bin:$PATH
apps="--apps $MTDC_APPS --anon ${MTDC_ANON}M --hot $MTDC_HOT --file ${MTDC_FILE}M --shared ${MTDC_SHARED}M --dir $disk/apps"

# root: the programs, their libraries and data are on the disk, too
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

# files: the disk with the files of the apps
files()
{
	nand=
	# Its spare bytes are in the reserve, too.
	[ "$media" != nand ] ||
		nand="name=nand,type=nand,size=$((swap_mib - 16))M,base=$MTDC_RESERVE_ADDR,delay=batch"
	card $((swap_mib * 1024)) $(((MTDC_RESERVE_SIZE >> 10) - swap_mib * 1024)) "$MTDC_CARD" $disk "$nand"
	[ -z "$MTDC_PROGRAMS" ] || {
		root
		return
	}
	# shellcheck disable=SC2086 # options
	must memload apps $apps --prepare
	card_filled $disk
}

swap()
{
	case $media in
	ram)
		phram swap 0 $((swap_mib * 1024))
		must modprobe mtdcompr
		attach "swap,comp=lz4,name=swp"
		swap=$(own_disk swp) ;;
	nand)
		must modprobe mtdcompr
		attach "nand,comp=lz4,name=swp"
		swap=$(own_disk swp) ;;
	zram)
		must modprobe zram
		echo lz4 > /sys/block/zram0/comp_algorithm
		echo "${swap_mib}M" > /sys/block/zram0/disksize
		swap=/dev/zram0 ;;
	esac
	must mkswap "$swap"
	must swapon "$swap"
}

knobs()
{
	lru "$MTDC_LRU"
	# What the shell reads from the host, while nothing else runs, may take minutes of guest time.
	echo 0 > /proc/sys/kernel/hung_task_timeout_secs
	echo never > /sys/kernel/mm/transparent_hugepage/enabled
	echo 0 > /proc/sys/vm/page-cluster
	must mount -t cgroup2 none /sys/fs/cgroup
	echo +memory > /sys/fs/cgroup/cgroup.subtree_control
	must mkdir /sys/fs/cgroup/apps
}

# counters: of the system, in lines of KEY VALUE
counters()
{
	awk '/^cpu / { print "busy_ticks", $2 + $3 + $4 + $7 + $8; print "idle_ticks", $5 + $6 }' /proc/stat
	awk '/^(pswpin|pswpout|pgmajfault|workingset_refault_(file|anon)|pgscan_(kswapd|direct)) /' /proc/vmstat
}

# one ROUND CONTROL:SWAPPINESS
one()
{
	mode=${2%%:*} swappiness=${2#*:}
	run=$mode-$swappiness.$1
	echo "$swappiness" > /proc/sys/vm/swappiness
	# What the run before has left is not to help or harm.
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
		${MTDC_ORDER:+--sequence "$MTDC_BUILD/paper-rectify/order.$MTDC_ORDER"} --group /sys/fs/cgroup/apps ${hook:+--hook "$hook"} --out "$out/$run.csv" > "$out/$run.load" 2>&1
	echo "result $run status $?"
	sed "s/^/# $run: /" "$out/$run.load"
	sed -n "s/^switches \([0-9]*\) mean \([0-9.]*\) p50 \([0-9.]*\) p95 \([0-9.]*\) max \([0-9.]*\) ms, cold \([0-9]*\), killed \([0-9]*\).*/result $run switches \1\nresult $run mean_ms \2\nresult $run p50_ms \3\nresult $run p95_ms \4\nresult $run max_ms \5\nresult $run cold \6\nresult $run killed \7/p" \
		"$out/$run.load"
	counters | awk -v run="$run" 'NR == FNR { before[$1] = $2; next }
		{ print "result", run, $1, $2 - before[$1] }' "$TMP/before" -
	[ -n "$daemon" ] || return 0
	rectifyctl -s "$TMP/rectifyd.sock" status | sed "s/^/# $run: /"
	awk -v run="$run" '{ sub(/.*\) /, ""); print "result", run, "daemon_ticks", $12 + $13 }' /proc/$daemon/stat
	awk -v run="$run" '$1 == "VmRSS:" { print "result", run, "daemon_kib", $2 }' /proc/$daemon/status
	kill $daemon
	wait $daemon
	sed "s/^/# $run: /" "$out/$run.log"
}

knobs
files
swap
round=0
while [ "$round" -lt "$MTDC_ROUNDS" ]; do
	round=$((round + 1))
	for plan; do
		one "$round" "$plan"
	done
done
[ -z "${MTDC_OUT:-}" ] || {
	mkdir -p "$MTDC_OUT"
	must mount -t 9p -o trans=virtio,version=9p2000.L out "$MTDC_OUT"
	must cp "$out"/* "$MTDC_OUT/"
}
echo "result all done"
