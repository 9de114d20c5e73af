#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Swap under pressure on a UBI volume, every page verified, while UBI's thread, which needs memory,
# erases, scrubs and moves blocks: on a chip as fast as memory, on a slow one, and through gluebi if
# the kernel has it. For a guest of 144 MiB and a reserve of 48 MiB.
#
# job: long swapubi --mem 144 --reserve 48 --timeout 600
# shellcheck disable=SC2154 # s_KEY are set by load_stats, by name
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/swaplib.sh"
. "$(dirname "$0")/simlib.sh"

modprobe gluebi || must modprobe ubi
load

# swap_ubi WHAT LOWER DELAY WAY: ten results; WAY is own or mtdblock
swap_ubi()
{
	sim_load "name=sim,type=nand,size=40M,base=$((MTDC_RESERVE_ADDR)),delay=$3"
	must ubiattach -d 0 -m "$NUM"
	must ubimkvol /dev/ubi0 -N swap -m
	free_mib=$(available_mib)
	more=$((free_mib + 30))
	attach "$2,comp=lz4,size=64M,name=vol"
	[ "$4" = mtdblock ] || BLOCK=$(own_disk vol)
	set_knob flip_at "random 300"
	pressure "$1, $more MiB where $free_mib are left" "$BLOCK" vol -m $more -g 1 -k 16
	set_knob flip_at off
	load_stats vol
	diag "$s_block_erases erases of $s_blocks blocks, the chip's $(counter erases);" \
		"$(counter bits_corrected) bits corrected"
	holds "$1: blocks were written over and over" "$s_block_erases" -gt "$s_blocks"
	is "$1: nothing took too long" "$(dmesg | grep -c 'takes too long')" 0
	detach vol
	must ubidetach -d 0
	is "$1: UBI saw no violation of the rules" "$(counter violations)" 0
	sim_unload
}

swap_ubi "UBI" ubi0:swap none own
swap_ubi "UBI, slow" ubi0:swap sleep own
# Through mtdblock on the debug kernel, UBI's thread needs memory while an erase waits for the
# thread: "On UBI" in log-store.rst. The driver gives the request up after ten seconds, as it
# should, and lockdep reports the circular dependency.
case $(uname -r) in
*-mtdcdebug)	way=own ;;
*)		way=mtdblock ;;
esac
if [ -d /sys/module/gluebi ]; then
	swap_ubi "gluebi" swap none $way
else
	skip "gluebi" "this kernel has none"
fi
