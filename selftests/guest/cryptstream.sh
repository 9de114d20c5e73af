#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# No two records are encrypted with the same key stream, whatever the media do: all pages begin with
# the same bytes, so two such records would, too. Programs and erases fail, the power is cut, pages
# are written and freed, and blocks are emptied meanwhile. Without encryption the same search finds
# pairs.
#
# job: test,long crypt
# shellcheck disable=SC2119,SC2154 # cryptlib.sh's churn, and its variables
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/simlib.sh"
. "$(dirname "$0")/cryptlib.sh"

load

# streams: look for pairs; sets found_pairs
streams()
{
	# In place the granules take 20 bytes.
	aligned=16
	[ "$media_kind" != phram ] || aligned=4
	streams_out=$(streamfind -a $aligned -n "$(amount 4 8)" -m 400 "$LOWER") || bail "streamfind: $streams_out"
	found_pairs=${streams_out##* }
	diag "$streams_out; $(grep -E '^(page_writes|log_collected|log_failed_programs|block_erases)' \
		"$PROC/sec" | tr '\n' ' ')"
}

no_pair()
{
	streams
	is "$1: no two records have the same key stream" "$found_pairs" 0
}

# begins KIND OPTIONS: pages that begin with the same bytes are written and freed
begins()
{
	media_begin "$1"
	device "comp=none,$2"
	churn -p
}

ends()
{
	end_churn
	detach sec
	media_end
}

for setup in nand,crypt=off nor,crypt=off phram,crypt=off,wipe=1; do
	begins "${setup%%,*}" "${setup#*,}"
	streams
	holds "$setup: the search finds pairs" "$found_pairs" -gt 100
	ends
done

for kind in nand nor; do
	begins $kind crypt=auto
	no_pair "$kind"
	# Each of them at times that differ, so that a stream goes on behind a failed program, and in
	# another block.
	for fault in "fail_program_at random 9" "fail_program_at every 2" "fail_erase_at random 4"; do
		set_knob "${fault%% *}" "${fault#* }"
		no_pair "$kind, $fault"
		set_knob "${fault%% *}" off
	done
	for fault in torn_at power_cut_at torn_erase_at; do
		set_knob $fault 7
		cut_tries=100
		until [ "$(counter power)" = off ] || [ $cut_tries = 0 ]; do
			cut_tries=$((cut_tries - 1))
			sleep 0.1
		done
		is "$kind, $fault: the power was cut" "$(counter power)" off
		set_knob power_on 1
		no_pair "$kind, $fault"
	done
	is "$kind: it saw no violation of its rules" "$(counter violations)" 0
	ends
done

# wipe=1, because half of a dead record behind half of another one looks like a pair.
begins phram crypt=on,wipe=1
no_pair "in place"
ends
