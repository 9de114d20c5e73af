#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Sourced by scripts that need a disk as slow as a phone's or a card: a part of the reserve behind a
# simulated medium, whose time is guest time. It is filled through phram, which takes no time, and
# then read through mtdsim, which does.
# shellcheck disable=SC2154 # lib.sh's variables

# card OFFSET_KIB KIB MEGABYTES DIR [DEVICE]: make a disk of a part of the reserve that reads
# MEGABYTES a second, and mount it on DIR to fill it. DEVICE: another device for mtdsim
card()
{
	phram fill "$1" "$2"
	must modprobe mtdblock
	must modprobe ext4
	# A read of 16 bytes takes tread, and 8 cycles of 25 ns.
	must modprobe mtdsim "dev=name=disk,type=pcm,size=$2K,base=$(printf '0x%x' \
		$((MTDC_RESERVE_ADDR + ($1 << 10)))),delay=batch,tread=$((16000 / $3 - 200))" ${5:+"dev=$5"}
	must mkfs.ext4 -q -O ^has_journal -m 0 "/dev/mtdblock$(mtd_num fill)"
	must mount "/dev/mtdblock$(mtd_num fill)" "$4"
}

# card_filled DIR: remount the disk read-only, with its speed limited
card_filled()
{
	must umount "$1"
	must mount -o ro "/dev/mtdblock$(mtd_num disk)" "$1"
}
