#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The cost of an unreadable page of swap: a log on NAND with wrong bits that the ECC can't correct,
# and a program that reads all of its pages there. With vm.page-cluster=0 only the process that
# needs the page gets an error. With readahead the kernel reads several pages by one bio since 7.3,
# and fails all of them; the script shows their number. No read returns other data.
#
# job: test flashes
# job: long log
# job: sim kernelflash
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/memlib.sh"
. "$(dirname "$0")/simlib.sh"

load
pages=1400

# lose CLUSTER: sets lost, wrong, and unreadable: reads that failed in the device
lose()
{
	echo "$1" > /proc/sys/vm/page-cluster
	rm -f "$TMP/out" "$TMP/out.go"
	sim_load name=sim,type=nand,size=8M
	attach sim,comp=none,size=6M,name=lost
	must mkswap "$(own_disk lost)"
	must swapon "$(own_disk lost)"
	# Written pages must leave the memory, too.
	memory_group 2
	in_group swaplost $pages "$TMP/out" > "$TMP/lost" 2>&1 &
	job=$!
	tries=300
	while [ $tries -gt 0 ] && [ ! -e "$TMP/out" ]; do
		tries=$((tries - 1))
		sleep 0.1
	done
	sleep 1
	# An ECC step in each block, and so a page of it.
	for block in $(seq 0 63); do
		set_knob flip "$((block * 131072 + 65536)) 5"
	done
	: > "$TMP/out.go"
	wait $job
	swaplost_status=$?
	diag "$(cat "$TMP/lost") $(grep -E '^page_(writes|reads)' "$PROC/lost" | tr '\n' ' ')"
	result $swaplost_status "page-cluster $1: no page has other contents"
	read -r _ lost _ _ < "$TMP/lost"
	unreadable=$(stat err_media_read lost)
	diag "page-cluster $1: $lost pages of $pages were lost to their users, of $unreadable reads that failed"
	holds "page-cluster $1: some were lost" "$lost" -ge 10
	must swapoff "$(own_disk lost)"
	detach lost
	sim_unload
}

lose 0
holds "page-cluster 0: no more than are wrong" "$lost" -le 60
# GC and swapoff read some of them, too.
holds "page-cluster 0: none but those that can't be read" "$lost" -le "$unreadable"
alone=$lost
lose 3
holds "page-cluster 3: no less than are wrong" "$lost" -ge "$alone"
# A bio of readahead has eight pages.
holds "page-cluster 3: no more than are read ahead with them" "$lost" -le $((alone * 8))
