#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Swap on a debug kernel, within the time of `make test`: with a fifth more memory in use than the
# guest has, through mtdblock, through the driver's block device, and through its queue, every byte
# verified. The other tests of swap.sh, swapblk.sh and swapread.sh take such a kernel too long. For
# a guest as for swap.sh.
#
# job: debug swapshort --mem 112 --reserve 112 --timeout 900 --smp 2
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/swaplib.sh"

phram low 0 $((MTDC_RESERVE_SIZE / 1024))
load
much=$((total_mib * 12 / 10))

while read -r disk options; do
	attach "low,$options,name=swp"
	[ "$disk" = mtdblock ] || BLOCK=/dev/$(stat disk swp)
	pressure "$disk, $options" "$BLOCK" swp -m $much -g 1 -k 16
	detach swp
done <<-END
	mtdblock comp=lz4
	disk comp=lzo
	disk comp=lz4,sync=0
END
