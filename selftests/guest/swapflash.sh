#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Swap on a debug kernel, within the time of `make test`, as swapshort: on lower drivers that
# allocate, that erase and that have a thread of their own. The other tests of swaplower.sh,
# swapnand.sh and swapubi.sh take such a kernel too long. For a guest as for swapubi.sh.
#
# job: test,debug swapflash --mem 144 --reserve 48 --timeout 600
# job: sim kernelswapflash --mem 144 --reserve 48 --timeout 600
# job: mthp mthpflash --mem 192 --reserve 64 --timeout 600 --env MTDC_MTHP=always
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/swaplib.sh"
. "$(dirname "$0")/simlib.sh"

load

# short WHAT BLOCK: with a fifth more memory in use than the guest has
short()
{
	pressure "$1" "$2" swf -m $(($(available_mib) * 12 / 10)) -g 0 -k 8
}

flash() { sim_load "name=sim,type=$1,size=40M,base=$((MTDC_RESERVE_ADDR))"; }

must modprobe mtdc_faultmtd address=$((MTDC_RESERVE_ADDR)) \
	size_kib=$((MTDC_RESERVE_SIZE / 1024)) alloc_pages_each=8
attach "faultmtd,comp=lz4,name=swf"
short "a driver that allocates in each write" "$BLOCK"
detach swf
must rmmod mtdc_faultmtd

flash nand
attach "sim,comp=lz4,size=64M,name=swf"
short "NAND, log" "$(own_disk swf)"
detach swf
sim_unload

flash nor
attach "sim,cache=1,comp=lzo,size=64M,name=swf"
short "NOR, cache=1" "$BLOCK"
detach swf
is "NOR, cache=1: it saw no violation of its rules" "$(counter violations)" 0
sim_unload

must modprobe ubi
flash nand
must ubiattach -d 0 -m "$NUM"
must ubimkvol /dev/ubi0 -N swap -m
attach "ubi0:swap,comp=lz4,size=64M,name=swf"
short "UBI" "$(own_disk swf)"
detach swf
must ubidetach -d 0
is "UBI: it saw no violation of the rules" "$(counter violations)" 0
sim_unload
