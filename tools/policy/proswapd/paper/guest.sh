#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# guest.sh MEDIA PLAN...: runs of the paper's experiments in one guest, one after the other, so that
# what is compared was measured side by side. Prints lines of "result RUN KEY VALUE".
#
#   MEDIA  the swap: ram, nand (both MTDCOMPR), zram
#   PLAN   LOAD:LIMIT:CONTROL
#     LOAD     cyclic, zigzag, random, compile; pipeline
#     LIMIT    percent of the load's memory that its group may have; 0: no limit
#     CONTROL  none, auto, paper, watch, reclaim (DAMON_RECLAIM), tuned (the same, tuned)
#
# MTDC_ROUNDS  how often all plans are run (1)
# MTDC_LRU     classic or mglru
# MTDC_MIB     MiB of the load (48)
# MTDC_OPTS    more options of proswapd
set -u
. "$MTDC_TOP/selftests/guest/lib.sh"
media=$1
shift
: "${MTDC_ROUNDS:=1}" "${MTDC_LRU:=classic}" "${MTDC_MIB:=48}" "${MTDC_OPTS:=}"
# In memory of the guest's: what is read of the host's files takes the host's time.
mkdir "$TMP/bin"
must cp "$MTDC_BUILD/tools/memload" "$MTDC_BUILD/tools/proswapd" "$MTDC_BUILD/tools/proswapctl" \
	"$TMP/bin"
PATH=$TMP/bin:$PATH
out=$TMP/out
mkdir -p "$out"
group=/sys/fs/cgroup/load

media()
{
	case $media in
	ram)
		phram swap 0 $((MTDC_RESERVE_SIZE >> 10))
		must modprobe mtdcompr
		attach "swap,comp=lz4,name=swp" ;;
	nand)
		must modprobe mtdsim "dev=name=swap,type=nand,profile=mt29f4g,delay=sleep,size=$((MTDC_RESERVE_SIZE * 15 >> 24))M,base=$MTDC_RESERVE_ADDR"
		must modprobe mtdcompr
		attach "swap,comp=lz4,name=swp" ;;
	zram)
		must modprobe zram
		echo lz4 > /sys/block/zram0/comp_algorithm
		echo 256M > /sys/block/zram0/disksize
		must mkswap /dev/zram0
		must swapon /dev/zram0
		return ;;
	esac
	must mkswap "$(own_disk swp)"
	must swapon "$(own_disk swp)"
}

knobs()
{
	lru=/sys/kernel/mm/lru_gen/enabled
	if [ "$MTDC_LRU" = mglru ]; then
		must eval "echo y > $lru"
	else
		[ ! -w $lru ] || echo n > $lru
	fi
	echo never > /sys/kernel/mm/transparent_hugepage/enabled
	must mount -t cgroup2 none /sys/fs/cgroup
	echo +memory > /sys/fs/cgroup/cgroup.subtree_control
	mkdir -p $group
}

# control MODE: starts it; control_pid is empty where it is the kernel's
control()
{
	control_pid=
	reclaim=/sys/module/damon_reclaim/parameters
	case $1 in
	none)	return ;;
	reclaim|tuned)
		must [ -w $reclaim/enabled ]
		[ "$1" = reclaim ] || {
			echo 2000000 > $reclaim/min_age
			echo 1000 > $reclaim/wmarks_high
			echo 995 > $reclaim/wmarks_mid
			echo 0 > $reclaim/wmarks_low
		}
		echo Y > $reclaim/enabled ;;
	*)
		# shellcheck disable=SC2086 # options
		proswapd -f -m "$1" -s "$TMP/proswapd.sock" -S "$TMP/proswapd.state" \
			-o proswapd.trace="$out/$run.trace" $MTDC_OPTS 2> "$out/$run.log" &
		control_pid=$!
		sleep 1 ;;
	esac
}

uncontrol()
{
	[ ! -w $reclaim/enabled ] || echo N > $reclaim/enabled
	[ -n "$control_pid" ] || return 0
	awk -v run="$run" '{ sub(/.*\) /, ""); print "result", run, "daemon_ticks", $12 + $13 }' \
		"/proc/$control_pid/stat"
	sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$control_pid/status" |
		sed "s/^/result $run daemon_kib /"
	kill "$control_pid"
	wait "$control_pid"
	sed "s/^/# $run: /" "$out/$run.log"
}

# config LOAD: of masim
config()
{
	case $1 in
	zigzag)	printf '#regions\na, %s\nb, %s\n\n#phases\n' $((MTDC_MIB << 19)) $((MTDC_MIB << 19))
		printf 'begin\n1000\na, 0, 4096, 1\nb, 0, 4096, 1\n\n'
		for n in 1 2 3 4 5 6 7 8 9 10; do
			printf 'low %s\n4000\na, 0, 4096, 1\n\nhigh %s\n4000\nb, 0, 4096, 1\n\n' $n $n
		done ;;
	cyclic)	printf '#regions\na, %s\n\n#phases\n' $((MTDC_MIB << 20))
		for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26; do
			printf 'pass %s\n1000\na, 0, 4096, 1\n\n' $n
		done ;;
	random)	printf '#regions\na, %s\n\n#phases\n' $((MTDC_MIB << 20))
		for n in 1 2 3 4 5 6 7 8 9 10 11 12; do
			printf 'pass %s\n1000\na, 1, 4096, 1\n\n' $n
		done ;;
	esac
}

# load NAME: in the group
load()
{
	config "$1" > "$TMP/$1.cfg"
	(
		echo 0 > $group/cgroup.procs
		exec memload pattern --skip 6 --passes "${MTDC_PASSES:-1}" --work "${MTDC_WORK:-2000}" \
			--verify --out "$out/$run.csv" "$TMP/$1.cfg"
	) > "$out/$run.load" 2>&1
	sed "s/^/# $run: /" "$out/$run.load"
}

# one ROUND LOAD:LIMIT:CONTROL
one()
{
	round=$1 plan=$2
	IFS=: read -r name limit mode <<END
$plan
END
	run=$name-$limit-$mode.$round
	if [ "$limit" = 0 ]; then
		echo max > $group/memory.max
	else
		echo $((MTDC_MIB * limit / 100 + 3))M > $group/memory.max
	fi
	control "$mode"
	load "$name"
	echo "result $run status $?"
	[ -z "$control_pid" ] || proswapctl -s "$TMP/proswapd.sock" status | sed "s/^/# $run: /"
	awk -F, -v run="$run" 'NR > 1 && $1 >= 0 { n++; t += $4; f += $7; print "result", run, "phase_s", $4 }
		END { print "result", run, "seconds", t; print "result", run, "majflt", f }' "$out/$run.csv"
	uncontrol
}

media
knobs
round=0
while [ "$round" -lt "$MTDC_ROUNDS" ]; do
	round=$((round + 1))
	for plan; do
		one "$round" "$plan"
	done
done
[ -z "${MTDC_OUT:-}" ] || {
	mkdir -p "$MTDC_OUT"
	mount -t 9p -o trans=virtio,version=9p2000.L out "$MTDC_OUT"
	cp "$out"/* "$MTDC_OUT/"
}
