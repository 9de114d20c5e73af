#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Swap, with much more memory in use than the guest has, every byte verified, on memory outside the
# guest's. For a guest with about 100 MiB and a reserve of 128 MiB. MTDC_GENS: number of visits of
# all pages.
#
# job: test,long swap --mem 112 --reserve 112 --timeout 600
# job: kernel kernelswap --mem 112 --reserve 112 --timeout 900
# job: mthp mthpswap --mem 112 --reserve 112 --timeout 900 --env MTDC_MTHP=always
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/swaplib.sh"

: "${MTDC_GENS:=1}"
phram low 0 $((MTDC_RESERVE_SIZE / 1024))
load

lru=/sys/kernel/mm/lru_gen/enabled
[ ! -e $lru ] || echo n > $lru
twice=$((total_mib * 21 / 10))
much=$(amount $(($(left_mib) + beyond)) $twice)
keep=$(amount 8 16)

if [ -e $lru ]; then
	echo y > $lru
	attach "low,comp=zstd,name=swp"
	pressure "zstd, multi-generational LRU" "$BLOCK" swp -m "$much" -g 1 -k "$keep"
	detach swp
	echo n > $lru
else
	skip "zstd, multi-generational LRU" "this kernel has none"
fi

# Three children, each with its own copy of a third of the pages: twice the memory.
attach "low,comp=lzo,alloc=largest,name=swp"
pressure "lzo, parent and children" "$BLOCK" swp \
	-m "$(amount $((much / 2)) $((total_mib * 11 / 10)))" -g "$(amount 0 1)" -c 3 -k "$keep"
detach swp

# Beside another swap area, and swapped off while full: all pages must come back.
attach "low,comp=lz4,size=96M,name=swp"
must mkswap "$BLOCK"
must swapon "$BLOCK"
memsig -s 99 -m "$(amount $((much - beyond / 2)) $((total_mib * 8 / 10)))" -g "$(amount 0 1)" \
	-k "$(amount "$keep" $((total_mib * 4 / 10)))" -w "$TMP/rest" > "$TMP/memsig" 2>&1 &
job=$!
wait_for "$TMP/rest"
check "swapoff with pages out" limited 300 swapoff "$BLOCK"
: > "$TMP/rest.go"
wait $job
result $? "all of them are verified afterwards"
is "the device is unused now" "$(put detach swp)" ok
refused "the memory checker notices one flipped bit" env MEMSIG_BREAK=1 memsig -m 8 -g 1

attach "low,comp=zlib,alloc=best,name=swp"
pressure "zlib" "$BLOCK" swp -m "$much" -g "$(amount 0 1)" -k "$keep"
detach swp
long_from_here

attach "low,comp=lz4,name=swp"
pressure "lz4, $much MiB in $total_mib MiB" "$BLOCK" swp -m "$much" -g "$MTDC_GENS" -k "$keep"
detach swp
