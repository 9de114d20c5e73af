#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# In User Mode Linux, for native.sh: zram and the driver's block device, with the same pages in one
# boot. The media are mtdram, the kernel's own memory, as zram's pool is. For crypt.sh: the driver
# with crypt=off and crypt=on, on two partitions of mtdram.
#
#   native-guest.sh pages                    take a set of pages: /run/out/set
#   native-guest.sh rounds JOBS ROUNDS PASSES COMP SET...
#   native-guest.sh profile COMP SET JOBS    passes for a profiler, which the host starts when
#                                            /run/out/begin.N is there, and ends by end.N
#   native-guest.sh crypt ROUNDS SET COMP...
#   native-guest.sh swap ROUNDS PROGRAM_MIB  memsig with swap on NAND with crypt=off and crypt=on
set -eu
trap '[ $? = 0 ] || dmesg | tail -n 3' EXIT
bench=$MTDC_BUILD/native
sys=/sys/devices/mtdcompr
zram=/sys/block/zram0

stat_of()
{
	sed -n "s/^$1: //p" /proc/mtdcompr/c
}

media()
{
	modprobe mtdram "total_size=$1" erase_size=4
	# zram takes zstd's own default level.
	[ "$comp" != zstd ] || level=,level=3
	echo "0,size=$bytes,name=c,comp=$comp${level-}" > $sys/attach
	disk=/dev/$(stat_of disk)
}

no_media()
{
	echo c > $sys/detach
	modprobe -r mtdram
}

# devices COMP SET: zram, and the driver on media that are 89 % full with these pages
devices()
{
	comp=$1 bytes=$(stat -c %s "$2")
	media $((bytes * 12 / 10240 + 4096))
	"$bench/native" "$2" 1 1 w "all=$disk" > /dev/null
	need=$(stat_of media_used_bytes)
	no_media
	kib=$((need * 112 / 102400))
	[ $kib -ge 4096 ] || kib=4096
	media $(((kib + 3) / 4 * 4))
	echo 1 > $zram/reset
	echo "$comp" > $zram/comp_algorithm
	echo "$bytes" > $zram/disksize
}

used()
{
	# shellcheck disable=SC2046 # fields
	set -- $(cat $zram/mm_stat)
	echo "used,$comp,${set##*/},$3,$(($(stat_of media_used_bytes) + $(stat_of metadata_bytes)))"
}

profile()
{
	n=0
	for pass in w r; do
		for device in /dev/zram0 "$disk"; do
			n=$((n + 1))
			"$bench/native" "$set" "$jobs" until "/run/out/end.$n" $pass "$device" &
			sleep 1
			echo "$pass $device" > "/run/out/begin.$n"
			wait $!
		done
	done
}

# attach NAME MTD-NAME: sets disk
attach()
{
	number=$(sed -n "s/^mtd\([0-9]*\): .*\"$2\"\$/\1/p" /proc/mtd)
	echo "$number,size=$bytes,name=$1,comp=$comp${level-},crypt=$1" > $sys/attach
	disk=/dev/$(sed -n 's/^disk: //p' "/proc/mtdcompr/$1")
}

# crypt: each of both has room for all pages, with more than 12 % to spare.
crypt()
{
	kib=$((bytes / 2048 / 4 * 4))
	modprobe mtdram total_size=$((2 * kib)) erase_size=4
	mtdpart add /dev/mtd0 plain 0 $((kib << 10)) > /dev/null
	mtdpart add /dev/mtd0 sealed $((kib << 10)) $((kib << 10)) > /dev/null
	for comp; do
		[ "$comp" != zstd ] || level=,level=3
		attach off plain
		plain=$disk
		attach on sealed
		echo "crypt,$comp"
		"$bench/native" "$set" 1 "$rounds" wr "off=$plain" "on=$disk"
		echo "used,$(sed -n 's/^media_used_bytes: //p' /proc/mtdcompr/off)"
		echo off > $sys/detach
		echo on > $sys/detach
	done
}

# load CRYPT: a program that needs more memory than there is, on swap on NAND; prints nanoseconds,
# pages read and pages written. The chip does not sleep, because the clock here has steps of 10 ms.
load()
{
	modprobe mtdsim dev=name=nand,type=nand,profile=mt29f4g,size=64M,delay=busy
	echo "0,size=192M,name=c,comp=lz4,crypt=$1" > $sys/attach
	disk=/dev/$(stat_of disk)
	mkswap "$disk" > /dev/null
	swapon "$disk"
	start=$(date +%s%N)
	"$MTDC_BUILD/selftests/memsig" -m "$mib" -g 2 > /dev/null
	echo "swap,$1,$(($(date +%s%N) - start)),$(stat_of page_reads),$(stat_of page_writes)"
	swapoff "$disk"
	echo c > $sys/detach
	modprobe -r mtdsim
}

what=$1
shift
case $what in
pages)
	# In all more than the caches of a server have.
	exec tools/lab/bench/pageset.py /run/out/set ;;
rounds)
	jobs=$1 rounds=$2 passes=$3 comp=$4
	shift 4
	for set; do
		devices "$comp" "$set"
		echo "set,$comp,${set##*/},$jobs,$passes"
		"$bench/native" "$set" "$jobs" "$rounds" "$passes" zram=/dev/zram0 "mtdcompr=$disk"
		used
		no_media
	done ;;
profile)
	set=$2 jobs=$3
	devices "$1" "$set"
	profile
	no_media ;;
crypt)
	rounds=$1 set=$2 bytes=$(stat -c %s "$2")
	shift 2
	crypt "$@" ;;
swap)
	round=0 rounds=$1 mib=$2
	echo 0 > /proc/sys/vm/page-cluster
	while [ $round -lt "$rounds" ]; do
		# Each kind begins as often as the other.
		for crypt in $([ $((round % 2)) = 0 ] && echo off on || echo on off); do
			load "$crypt"
		done
		round=$((round + 1))
	done ;;
esac
