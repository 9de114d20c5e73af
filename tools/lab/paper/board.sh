#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# board.sh STORE OPTIONS -- MEMBENCH-ARGUMENT...: runs on the board. Sets up swap
# unless STORE is none, runs membench, and writes its results to $MTDC_OUT, in sections:
# [setup], [before] and [after] have lines of "key: value", [csv] has CSV.
#
# STORE is none, zram, or the media of mtdcompr: ram (the board's main memory), pcm,
# nand (both simulated). OPTIONS are mtdcompr's, or KEY=VALUE of zram separated by
# commas: comp_algorithm, disksize. $MTDC_SYSCTL has sysctls such as "vm/page-cluster=0",
# separated by blanks.
set -eu

MEDIA_MIB=16

store=$1 options=$2
shift 2
[ "$1" = -- ]
shift

out()
{
	printf '%s\n' "$*" > "$MTDC_OUT"
}

# mtd_number NAME
mtd_number()
{
	sed -n "s/^mtd\([0-9]*\): .*\"$1\"\$/\1/p" /proc/mtd
}

# swap_on DEVICE
swap_on()
{
	mkswap "$1" > /dev/null
	swapon "$1"
}

compressed()
{
	modprobe mtdcompr "mtd=$1,name=paper${options:+,$options}"
	swap_on "/dev/mtdblock$(mtd_number paper)"
}

zram()
{
	modprobe zram num_devices=1
	cd /sys/block/zram0
	for pair in $(echo "$options" | tr , ' '); do
		echo "${pair#*=}" > "${pair%%=*}"
	done
	echo "${MEDIA_MIB}M" > mem_limit
	cd - > /dev/null
	swap_on /dev/zram0
}

case $store in
none)	;;
zram)	zram ;;
ram)
	# The memory for the swapped pages is part of the 32 MiB.
	modprobe mtdram total_size=$((MEDIA_MIB << 10)) erase_size=4
	compressed "mtdram test device" ;;
pcm)
	# In addition to the 32 MiB.
	modprobe mtdsim dev=name=pcm,type=pcm,profile=p8p,size=${MEDIA_MIB}M,base="$MTDC_RESERVE_ADDR"
	compressed pcm ;;
nand)
	modprobe mtdsim dev=name=nand,type=nand,profile=mt29f4g,size=${MEDIA_MIB}M,base="$MTDC_RESERVE_ADDR",delay=sleep
	compressed nand ;;
*)	echo "board.sh: unknown store $store" >&2
	exit 2 ;;
esac
for pair in ${MTDC_SYSCTL:-}; do
	echo "${pair#*=}" > "/proc/sys/${pair%%=*}"
done

# state: print the state of memory, store and media.
state()
{
	sed -n 's/^\([A-Za-z_]*\): *\([0-9]*\) kB$/meminfo_\1: \2/p' /proc/meminfo
	sed -n 's/^\(pswp[a-z]*\|pgsteal_[a-z]*\|oom_kill\) /vmstat_\1: /p' /proc/vmstat
	[ ! -e /proc/mtdcompr/paper ] ||
		sed 's/^/mtdcompr_/' /proc/mtdcompr/paper
	[ ! -e /sys/block/zram0/mm_stat ] ||
		echo "zram_mm_stat: $(cat /sys/block/zram0/mm_stat)"
	for dir in /sys/kernel/debug/mtdsim/*/; do
		file=${dir}counters
		[ ! -e "$file" ] || sed 's/^/mtdsim_/' "$file"
	done
}

out "[setup]"
{
	echo "uname: $(uname -rm)"
	echo "store: $store"
	echo "options: $options"
	echo "membench: $*"
	for file in vm/page-cluster vm/swappiness vm/overcommit_memory; do
		echo "sysctl_$file: $(cat /proc/sys/$file)"
	done
	echo "swaps: $(tail -n +2 /proc/swaps | tr '\t' ' ' | tr -s ' ')"
} > "$MTDC_OUT"
out "[before]"
state > "$MTDC_OUT"
out "[csv]"
: > /run/mtdc-allow-oom
status=0
membench --data=pages:/mtdc/pages.bin --csv="$MTDC_OUT" "$@" 2>&1 || status=$?
out "[after]"
state > "$MTDC_OUT"
out "exit_status: $status"
exit $status
