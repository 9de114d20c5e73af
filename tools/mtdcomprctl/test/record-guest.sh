#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Run by record.sh in a guest: set up devices and print the files that mtdcomprctl reads.
# shellcheck disable=SC2154 # lib.sh's variables
# shellcheck source-path=SCRIPTDIR source=../../../selftests/guest/lib.sh
# shellcheck disable=SC2153 # of qemu/guest.sh
. "$MTDC_TOP/selftests/guest/lib.sh"
# shellcheck source=../../../selftests/guest/swaplib.sh
. "$MTDC_TOP/selftests/guest/swaplib.sh"
dmesg -n 1
plan 0

# file PATH: print a file of a tree
file()
{
	[ -r "$1" ] || return 0
	echo "==== $1"
	cat "$1"
}

# tree NAME: print all files in their present state
tree()
{
	echo "==TREE $1"
	for name in "$PROC"/* /proc/swaps /proc/meminfo /proc/sys/vm/page-cluster; do
		file "$name"
	done
	echo "==== /proc/self/mountinfo"
	echo "22 1 0:21 / /proc rw,relatime - proc proc rw"
	grep ' /dev/mtd' /proc/self/mountinfo
	for mtd in /sys/class/mtd/mtd*; do
		for name in name type size flags; do
			case $mtd in
			*ro)	;;
			*)	file "$mtd/$name" ;;
			esac
		done
	done
	for name in /sys/block/mtdcompr*/dev /sys/class/ubi/ubi*/mtd_num; do
		file "$name"
	done
	[ ! -d "$SYS" ] || printf '==== %s/attach\n==== %s/detach\n' "$SYS" "$SYS"
	echo "==TREE"
}

phram low 0 $((MTDC_RESERVE_SIZE / 1024 - 8192))
phram "odd name" $((MTDC_RESERVE_SIZE / 1024 - 8192)) 8192
tree none

# Swap in use, and an unused device
load
attach "low,ratio=200"
must mkswap /dev/mtdcompr0
must swapon -p 100 /dev/mtdcompr0
echo "$(mtd_num "odd name"),comp=zstd,level=3,size=8M,name=second,wipe=1" > "$SYS/attach"
memsig -s 7 -m $(($(left_mib) + beyond)) -g 0 -w "$TMP/kept" -k 4 > "$TMP/memsig" 2>&1 &
job=$!
wait_for "$TMP/kept"
tree ram
: > "$TMP/kept.go"
wait $job
swapoff /dev/mtdcompr0
detach mtdcompr0
detach second

# More than the media have room for
attach "odd name,ratio=1000"
dd if=/dev/urandom of=/dev/mtdcompr0 bs=4096 count=3000 oflag=direct 2> "$TMP/dd"
tree full
detach mtdcompr0

# Flash: a log, and the eraseblock cache
must modprobe nandsim id_bytes=0xec,0xa1,0x00,0x15 overridesize=6 parts=32
first=$(sed -n 's/^mtd\([0-9]*\): .*"NAND simulator partition 0"$/\1/p' /proc/mtd)
must mtdop put "$SYS/attach" "$first,comp=zlib"
must mtdop put "$SYS/attach" "$((first + 1)),cache=1,size=3M,crypt=off"
for turn in 1 2 3; do
	seq $((turn * 100000)) 400000 | head -c 2M | \
		dd of=/dev/mtdcompr0 bs=4096 oflag=direct 2> "$TMP/dd"
	seq $((turn * 100000)) 400000 | head -c 2M | \
		dd of=/dev/mtdcompr1 bs=4096 oflag=direct 2> "$TMP/dd"
done
tree flash
