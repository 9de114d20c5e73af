#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Swap on flash that needs erases, through the eraseblock cache and in a log. For a guest of 144 MiB
# and a reserve of 48 MiB.
#
# nandsim keeps its chip in the guest's own memory, allocates a page of it with each programmed
# page, and an erase frees a block's pages. The script writes all blocks first, so that the chip
# hardly grows later. The in-tree mtdswap instead of the driver (modprobe mtdswap partitions=0,
# mkswap, swapon, and memsig -m 56 with 26 MiB available) hangs the guest at its first pageouts: no
# task runs any more, not even a time-out.
#
# mtdsim has its media outside of the guest's memory, so swap saves more. But mtdblock takes two
# requests at a time: pages are written before reclaim has put them back on its list, so reclaim
# misses them, and writes up to half of the memory for 30 MiB too many. Without a free slot, the
# kernel does not look for written pages (can_reclaim_anon_pages(), 6.1), and calls the OOM killer.
# So half of the memory and 30 MiB must be less than the 64 MiB of swap: a file that can't be
# swapped takes as much memory as nandsim had.
#
# job: long swapnand --mem 144 --reserve 48 --timeout 600
# shellcheck disable=SC2154 # s_KEY are set by load_stats, by name
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/swaplib.sh"
. "$(dirname "$0")/simlib.sh"

load

# see_free MIB: sets free_mib to the free memory, and more to 30 MiB above it
see_free()
{
	free_mib=$1
	more=$((free_mib + 30))
}

# healthy WHAT NAME: checks for flash that never fails
healthy()
{
	load_stats "$2"
	is "$1: no block was given up, nothing was beyond correction" \
		"$s_blocks_retired $s_block_bad_units" "0 0"
	holds "$1: blocks were written over and over" "$s_block_erases" -gt "$s_blocks"
	diag "$s_block_erases erases and $s_block_loads loads of $s_blocks blocks"
}

# 32 MiB in 256 blocks of 64 pages.
must modprobe nandsim id_bytes=0xec,0xa1,0x00,0x15 overridesize=8
nand=$(sed -n 's/^mtd\([0-9]*\):.*"NAND simulator.*/\1/p' /proc/mtd)
[ -n "$nand" ] || bail "no nandsim MTD: $(cat /proc/mtd)"
must flash_erase "/dev/mtd$nand" 0 0
must dd if=/dev/urandom of="/dev/mtd$nand" bs=128k count=256
see_free "$(left_mib)"
# A log is used through the driver's block device, the cache through mtdblock.
way()
{
	if [ "$1" = cache=1 ]; then
		echo "$BLOCK"
	else
		own_disk swn
	fi
}

for store in cache=1 store=log; do
	attach "$nand,$store,comp=lz4,size=60M,name=swn"
	pressure "nandsim, $store, $more MiB where $free_mib are left" "$(way $store)" \
		swn -m $more -g 1 -k 8
	healthy "nandsim, $store" swn
	detach swn
done
must rmmod nandsim
must mkdir -p "$TMP/held"
must mount -t ramfs none "$TMP/held"
must dd if=/dev/zero of="$TMP/held/file" bs=1M count=32

for type in nand nor; do
	for store in cache=1 store=log; do
		sim_load "name=sim,type=$type,size=40M,base=$((MTDC_RESERVE_ADDR))"
		# There is room for twice the 30 MiB: a debug kernel may need as much.
		see_free "$(available_mib)"
		attach "sim,$store,comp=lz4,size=64M,name=swn"
		pressure "mtdsim $type, $store, $more MiB where $free_mib are left" "$(way $store)" \
			swn -m $more -g 1 -k 16
		healthy "mtdsim $type, $store" swn
		is "mtdsim $type, $store: it saw no violation of its rules" "$(counter violations)" 0
		detach swn
		sim_unload
	done
done
