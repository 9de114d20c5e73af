#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Wear levelling of media that are rewritten in place (wearlevel=): pages that are never written
# again are moved; moved pages read as before, also if the media fail; which media it moves pages
# on, and how often. MTDC_SEED and MTDC_OPS set the random part.
#
# job: test flashes
# job: long wearlevel --mem 192 --timeout 400
# job: debug flash
# shellcheck disable=SC2154 # s_KEY are set by load_stats, by name
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/simlib.sh"
. "$(dirname "$0")/flashlib.sh"

: "${MTDC_OPS:=2000}"
# With lz4 the pages take four fifths of the media.
COLD=$(amount 475 950) HOT=$(amount 475 950)
size=$(amount 2 4)
load
flash_device wl store

# wear_out TURNS: write half of the pages once, the others TURNS times, and a tenth of those ten
# times as often
wear_out()
{
	must patio -k mix -s "$MTDC_SEED" write "$CHAR" 0 $((COLD + HOT)) 1
	for gen in $(seq 2 "$1"); do
		patio -k mix -s "$MTDC_SEED" write "$CHAR" "$COLD" "$HOT" "$gen"
		for _ in $(seq 9); do
			patio -k mix -s "$MTDC_SEED" write "$CHAR" "$COLD" $((HOT / 10)) "$gen"
		done
	done > "$TMP/out" 2>&1
	load_stats wl
	spread=$((s_wear_max_bytes * 100 / s_wear_mean_bytes))
	diag "$s_page_writes written, $s_pages_levelled moved; most worn, of the mean: $spread %," \
		"least $((s_wear_min_bytes * 100 / s_wear_mean_bytes)) %"
}

# unharmed WHAT GENERATION
unharmed()
{
	is "$1: cold pages are as they were" "$(verify mix 0 "$COLD" 1)" "$(good "$COLD")"
	is "$1: and so are the others" "$(verify mix "$COLD" "$HOT" "$2")" "$(good "$HOT")"
	identities "$1: the figures are consistent" wl
}

# ------------------------------------------------- wear, and the cost

sim "pcm,size=${size}M" "comp=lz4,size=$((size * 2))M,wearlevel=0"
wear_out 16
unharmed "not levelled" 16
is "wearlevel=0: nothing is moved" "$s_wearlevel $s_pages_levelled" "0 0"
holds "wearlevel=0: cold pages keep their place" "$spread" -gt 150
holds "wearlevel=0: which others wear out" $((s_wear_min_bytes * 10)) -lt "$s_wear_mean_bytes"
end_sim
sim "ram,size=${size}M" "comp=lz4,size=$((size * 2))M,wearlevel=4"
wear_out 12
unharmed "wearlevel=4 on RAM" 12
holds "unless told to" $((s_pages_levelled * 6)) -ge "$s_page_writes"
holds "which is quicker" "$spread" -le 150
end_sim

# ------------------------------------------------- media that fail

# If a page can't be read or written during its move, it stays in place.
sim "pcm,size=${size}M" "comp=lz4,size=$((size * 2))M,wearlevel=1"
must patio -k mix -s "$MTDC_SEED" write "$CHAR" 0 $((COLD + HOT)) 1
set_knob fail_read_at "every 2"
is "reads fail: every write is accepted" "$(write mix "$COLD" "$HOT" 2)" \
	"$(written "$HOT" $((COLD + HOT - 1)))"
set_knob fail_read_at off
unharmed "reads fail" 2
set_knob fail_program_at "every 150"
is "writes fail: every write is accepted" "$(write mix "$COLD" "$HOT" 3)" \
	"$(written "$HOT" $((COLD + HOT - 1)))"
set_knob fail_program_at off
unharmed "writes fail" 3
is "and nothing is lost" "$(stat pages_lost wl)" 0
end_sim

long_from_here

sim pcm,size=4M comp=lz4,size=8M
wear_out 45
unharmed levelled 45
is "it is done without being told, where media wear" "$s_wearlevel" 16
holds "media are four fifths full" $((s_media_used_bytes * 100 / s_media_bytes)) -ge 79
holds "the most worn place, at most 1.5 times the mean" "$spread" -le 150
holds "at a price of one page write in 16" $((s_pages_levelled * 16)) -le "$s_page_writes"
# Pages that repeat one word are not written to the media.
holds "and not much less" $((s_pages_levelled * 21)) -ge "$s_page_writes"
no_errors levelled
end_sim

sim ram,size=4M comp=lz4,size=4M
is "not on what is RAM" "$(stat wearlevel wl)" 0
end_sim

# ------------------------------------------------- compressed, random, nearly full

sim pcm,size=2M comp=lz4,size=8M,wearlevel=1
check "one for one: random operations against a model" \
	modelio -s "$MTDC_SEED" -n "$MTDC_OPS" -p 384 random "$CHAR" "$BLOCK"
holds "one for one: pages have been moved" "$(stat pages_levelled wl)" -gt $((MTDC_OPS / 20))
identities "one for one: the figures are consistent" wl
write mix 384 1664 1 > "$TMP/out"
holds "one for one: filled until pages are refused" "$(stat err_full wl)" -gt 0
is "one for one: none is lost" "$(stat pages_lost wl)" 0
identities "full: the figures are consistent" wl
end_sim

# ------------------------------------------------- flash with the cache

# Erase counts of the chip itself.
worst()
{
	awk '$1 ~ /^[0-9]+$/ { n++; sum += $2; if ($2 > most) most = $2 }
		END { printf "%d\n", most * n * 100 / sum }' "$SIM/sim/wear"
}

sim nand,size=4M comp=lz4,size=8M,cache=1,wearlevel=0
wear_out 16
before=$(worst)
end_sim
sim nand,size=4M comp=lz4,size=8M,cache=1
wear_out 16
unharmed "with the cache" 16
is "with the cache it is done without being told" "$s_wearlevel" 16
diag "most erased block, of the mean: $before % without, $(worst) % with"
holds "with the cache, blocks are erased more evenly" "$(worst)" -lt "$before"
end_sim
