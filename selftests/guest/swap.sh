#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What it is for: swap, with much more memory in use than there is, every byte
# verified, on memory outside the guest's. For a guest with 100 MiB or so and a
# reserve of 128 MiB. MTDC_GENS sets how often all pages are visited.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/swaplib.sh"

: "${MTDC_GENS:=1}"
plan $((7 + 7 + 7 + 7 + 4))
phram low 0 $((MTDC_RESERVE_SIZE / 1024))
load

lru=/sys/kernel/mm/lru_gen/enabled
[ ! -e $lru ] || echo n > $lru
twice=$((total_mib * 21 / 10))

attach "low,comp=lz4,name=swp"
pressure "lz4, $twice MiB in $total_mib MiB" "$BLOCK" swp -m $twice -g "$MTDC_GENS" -k 16
detach swp

if [ -e $lru ]; then
	echo y > $lru
	attach "low,comp=zstd,name=swp"
	pressure "zstd, multi-generational LRU" "$BLOCK" swp -m $twice -g 1 -k 16
	detach swp
	echo n > $lru
else
	for n in 1 2 3 4 5 6 7; do
		skip "zstd, multi-generational LRU ($n)" "this kernel has none"
	done
fi

attach "low,comp=zlib,alloc=best,name=swp"
pressure "zlib" "$BLOCK" swp -m $twice -g 1 -k 16
detach swp

# Three children, each with a third of the pages its own: 2 times as much.
attach "low,comp=lzo,alloc=largest,name=swp"
pressure "lzo, parent and children" "$BLOCK" swp -m $((total_mib * 11 / 10)) -g 1 -c 3 -k 16
detach swp

# Beside another swap, and swapped off while full: all must come back.
attach "low,comp=lz4,size=96M,name=swp"
must mkswap "$BLOCK"
must swapon "$BLOCK"
memsig -s 99 -m $((total_mib * 8 / 10)) -g 1 -k $((total_mib * 4 / 10)) -w "$TMP/rest" \
	> "$TMP/memsig" 2>&1 &
job=$!
wait_for "$TMP/rest"
check "swapoff with pages out" timeout 300 swapoff "$BLOCK"
: > "$TMP/rest.go"
wait $job
result $? "all of them are verified afterwards"
is "the device is unused now" "$(put detach swp)" ok
MEMSIG_BREAK=1
export MEMSIG_BREAK
refused "the memory checker notices one flipped bit" memsig -m 8 -g 1
