#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Swap on a lower MTD that allocates memory in its write path, which hangs the in-tree mtdswap:
# block2mtd (page cache) on a disk and on a RAM disk, and a driver that allocates pages with
# GFP_KERNEL in every write, as nandsim does. A hang ends in a time-out and is a failure.
#
# job: long swaplower --mem 112 --reserve 112 --timeout 600 --drive DISK
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/swaplib.sh"

twice=$((total_mib * 21 / 10))

# block2mtd DEVICE LABEL
block2mtd()
{
	must modprobe block2mtd
	must eval "echo '$1,4096,$2' > /sys/module/block2mtd/parameters/block2mtd"
	[ -n "$(mtd_num "$2")" ] || bail "no block2mtd device: $(dmesg | tail -n 3)"
}

load
# without_scheduler: as small kernels have none. Then the task that submits a request also carries
# it out, within submit_bio().
without_scheduler()
{
	must eval "echo none > /sys/block/${BLOCK#/dev/}/queue/scheduler"
}

# On the debug kernel, block2mtd's page cache waits for ever for a page that waits for the device.
case $(uname -r) in
*-mtdcdebug)	why="block2mtd hangs there, see 'Hangs that remain' in guarantees.rst" ;;
*)		why="the guest was started without --drive" ;;
esac
if [ -n "${MTDC_DRIVE:-}" ] && [ "${why#block2mtd}" = "$why" ]; then
	# With a scheduler, block2mtd's requests to the disk go to kblockd, which is busy with
	# mtdblock's request that waits for them, and may get no other worker: "Hangs that remain"
	# in guarantees.rst.
	must eval "echo none > /sys/block/${MTDC_DRIVE#/dev/}/queue/scheduler"
	block2mtd "$MTDC_DRIVE" disk
	attach "disk,comp=lz4,name=swl"
	without_scheduler
	# The limit of dirty pages is a share of the free memory, so block2mtd's page cache may have
	# next to none at bad times; here at all times.
	must eval "echo 65536 > /proc/sys/vm/dirty_bytes"
	pressure "block2mtd on a disk, $twice MiB in $total_mib MiB" "$BLOCK" swl -m $twice -g 1 -k 16
	# The default; setting it clears dirty_bytes.
	must eval "echo 20 > /proc/sys/vm/dirty_ratio"
	detach swl
	attach "disk,comp=lz4,name=swl"
	pressure "the same, by our own block device" "$(own_disk swl)" swl \
		-m $((total_mib * 13 / 10)) -g 1 -k 16
	detach swl
	must rmmod block2mtd
else
	skip "block2mtd on a disk" "$why"
fi

# The RAM disk is in the guest's own memory, so it saves little; it must be small, and is filled
# from one end, because it never frees a page.
brd_mib=$((total_mib / 4))
must modprobe brd rd_nr=1 rd_size=$((brd_mib * 1024))
block2mtd /dev/ram0 ram
attach "ram,comp=zlib,alloc=best,size=34M,name=swl"
# Seven tenths of the memory exceed the free memory, except with a small kernel.
more=$(($(left_mib) * 11 / 10))
[ $more -gt $((total_mib * 7 / 10)) ] || more=$((total_mib * 7 / 10))
pressure "block2mtd on a RAM disk, $more MiB" "$BLOCK" swl -m $more -g 2 -k 4
detach swl
must rmmod block2mtd
must rmmod brd

if modprobe mtdc_faultmtd address=$((MTDC_RESERVE_ADDR)) \
	size_kib=$((MTDC_RESERVE_SIZE / 1024)) alloc_pages_each=32; then
	attach "faultmtd,comp=lz4,name=swl"
	pressure "a driver that allocates in each write" "$BLOCK" swl -m $twice -g 1 -k 16
	detach swl
	echo 0 > /sys/module/mtdc_faultmtd/parameters/alloc_pages_each
	echo 200 > /sys/module/mtdc_faultmtd/parameters/delay_us
	attach "faultmtd,comp=lz4,name=swl"
	pressure "a driver that sleeps in each call" "$(own_disk swl)" swl -m $((total_mib * 15 / 10)) -g 0 -k 16
	detach swl
else
	skip "a driver that allocates in each write" "the test module mtdc_faultmtd is not there"
fi
