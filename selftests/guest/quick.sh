#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Everything once, in some seconds, for `make quick`. Each part is a small piece of another script:
# both stores and the cache, all interfaces of a device, swap, full media, media that fail or go,
# bad input, the figures. MTDC_OPS: random operations on each interface.
#
# job: quick quick --mem 128 --reserve 48 --smp 2 --timeout 300
# shellcheck disable=SC2154 # s_KEY are set by load_stats, by name
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/memlib.sh"
. "$(dirname "$0")/simlib.sh"
. "$(dirname "$0")/flashlib.sh"

: "${MTDC_OPS:=200}"
phram low 0 4096
phram tight 4096 256
phram swap 8192 16384
load

# quiet WHAT DEVICE: no error was counted, and the figures are consistent. Two results.
quiet()
{
	is "$1: no error was counted" \
		"$(grep '^err_\|^pages_lost\|^log_lost' "$PROC/$2" | grep -v ': 0$')" ""
	identities "$1: the figures are consistent" "$2"
}

# ------------------------------------------------- in place, on memory

for comp in zlib,alloc=largest lzo,alloc=best zstd none lz4; do
	attach "low,comp=$comp,size=6M,name=q"
	is "$comp: what was written is what is read" \
		"$(write mix 1200 48 1) $(verify mix 1200 48 1)" "$(written 48 1247) $(good 48)"
	[ $comp = lz4 ] || detach q
done
DISK=$(own_disk q)
check "/dev/mtdN and mtdblock: $MTDC_OPS random operations against a model" \
	modelio -s "$MTDC_SEED" -n "$MTDC_OPS" -p 256 random "$CHAR" "$BLOCK"
check "the block device: $MTDC_OPS random operations against a model" \
	blkio -s "$MTDC_SEED" -n "$MTDC_OPS" -f 256 -p 256 "$DISK"
check "several at once on the same pages" \
	racio -s "$MTDC_SEED" -n "$MTDC_OPS" -f 600 -p 32 -r "$CHAR" "$DISK"
is "what the block device was given, the MTD reads" \
	"$(patio -d -s "$MTDC_SEED" write "$DISK" 1000 64 2) $(verify mix 1000 64 2)" \
	"$(written 64 1063) $(good 64)"
is "erased pages read 0xFF" \
	"$(mtdop erase "$CHAR" 0 $((512 * PAGE))) $(mtdop is "$DISK" 0 $((512 * PAGE)) 0xff)" "ok ok"
is "and what is discarded, too" "$(blkdiscard -o $((1000 * PAGE)) -l $((64 * PAGE)) "$DISK" 2>&1
	mtdop is "$CHAR" $((1000 * PAGE)) $((64 * PAGE)) 0xff)" ok
quiet "memory" q

# Damage the media, then restore them.
must patio -s "$MTDC_SEED" -k random write "$CHAR" 0 64 1
low=/dev/mtd$(mtd_num low)
must dd if="$low" of="$TMP/media" bs=64k
must dd if=/dev/zero of="$low" bs=64k count=64
is "media that are overwritten: each page is an error, none has other data" \
	"$(verify random 0 64 1)" "ok 0 error 64 wrong 0 first EIO"
is "and each is counted" "$(stat err_checksum q)" 64
must dd if="$TMP/media" of="$low" bs=64k
rm "$TMP/media"
is "put back, all are there" "$(verify random 0 64 1)" "$(good 64)"

# ------------------------------------------------- permissions

# bad WHAT ERRNO ATTRIBUTE STRING PATTERN: refused, with one message
bad()
{
	mark
	bad_got=$(put "$3" "$4")
	messages > "$TMP/messages"
	is "$1: one message" "$bad_got $(wc -l < "$TMP/messages") $(grep -c "$5" "$TMP/messages")" \
		"$2 1 1"
}
bad "an unknown algorithm" EINVAL attach tight,comp=rot13 rot13
bad "an MTD that is used already" EBUSY attach low already
exec 3< "$CHAR"
bad "detach while the MTD is open" EBUSY detach q "q"
is "then the block device can't be written to" "$(mtdop fill "$DISK" 0 "$PAGE" 1)" EBUSY
refused "nor can the module be unloaded" rmmod mtdcompr
exec 3<&-
detach q

# ------------------------------------------------- full media

attach "tight,comp=lz4,ratio=300,name=q"
out=$(write random 0 96 1)
is "full: the next write is ENOSPC" "$(echo "$out" | cut -d' ' -f6) $(stat state q)" "ENOSPC full"
most=$(echo "$out" | cut -d' ' -f2)
holds "full: after most of the 64 pages that fit" "$most" -ge 56 -a "$most" -le 64
is "full: all of them are intact" "$(verify random 0 "$most" 1)" "$(good "$most")"
must mtdop erase "$CHAR" 0 $((96 * PAGE))
is "full: erased, nothing is in use" "$(stat media_used_bytes q)" 0
detach q

# ------------------------------------------------- swap

# squeeze ROAD DEVICE: run a program that has half of its pages in swap. Five results.
memory_group 3
squeeze()
{
	must mkswap "$2"
	must swapon "$2"
	rm -f "$TMP/kept" "$TMP/kept.go"
	in_group memsig -s "$MTDC_SEED" -m 6 -g 1 -k 4 -w "$TMP/kept" > "$TMP/memsig" 2>&1 &
	job=$!
	while [ ! -e "$TMP/kept" ] && kill -0 $job 2> "$TMP/out"; do
		sleep 0.1
	done
	holds "$1: pages went out, and came back" \
		"$(stat page_writes q)" -gt 1000 -a "$(stat page_reads q)" -gt 1000
	check "$1: swapoff with pages out" limited "${MTDC_SWAP_LIMIT:-400}" swapoff "$2"
	: > "$TMP/kept.go"
	wait $job
	result $? "$1: every page has the right contents"
	diag "$(cat "$TMP/memsig") $(grep '^page_[rw]' "$PROC/q" | tr '\n' ' ')"
	quiet "$1" q
}
attach "swap,comp=lz4,name=q"
squeeze "swap through mtdblock" "$BLOCK"
detach q
attach "swap,comp=lzo,name=q"
squeeze "swap on the block device" "$(own_disk q)"
detach q
no_group

# ------------------------------------------------- flash

sim_load name=nand,type=nand,size=2M,erasesize=64K,bad=3 name=nor,type=nor,size=1M,erasesize=32K
attach "nand,comp=none,size=1M,name=q"
check "log on NAND: $MTDC_OPS random operations against a model" \
	modelio -s "$MTDC_SEED" -n "$MTDC_OPS" -p 256 random "$CHAR" "$BLOCK"
for gen in 1 2 3; do
	patio -s "$MTDC_SEED" -k random -S $gen write "$CHAR" 0 $((256 / gen)) $gen
done > "$TMP/out"
holds "log on NAND: blocks were collected" "$(stat log_collected q)" -gt 3
is "log on NAND: all can be written over" "$(write random 0 256 4) $(verify random 0 256 4)" \
	"$(written 256 255) $(good 256)"
quiet "log on NAND" q
set_knob power_cut_at 200
out=$(write random 0 256 5)
failed=$(echo "$out" | cut -d' ' -f4)
is "log on NAND: the power goes" "$(echo "$out" | cut -d' ' -f6) $(stat state q)" "EIO failing"
set_knob power_on 1
is "log on NAND: with the power back, each page is the new or the old one" \
	"$(either random 0 256 5)" "new $((256 - failed)) old $failed error 0 wrong 0"
detach q
is "log on NAND: it saw no violation of its rules" "$(counter violations)" 0

# UBI accepts only blank flash.
set_knob renew 1
must modprobe ubi
must ubiattach -d 0 -m "$(mtd_num nand)"
must ubimkvol /dev/ubi0 -N vol -m
attach "ubi0:vol,comp=lz4,size=1M,name=q"
is "a log on a volume of UBI: what was written is what is read" \
	"$(write mix 0 192 1) $(verify mix 0 192 1)" "$(written 192 191) $(good 192)"
detach q
must ubidetach -d 0

# NOR has no ECC: the checksum must find wrong bits.
DEV=nor
attach "nor,comp=none,size=512K,name=q"
must patio -s "$MTDC_SEED" -k random write "$CHAR" 0 120 1
set_knob flip $((4 * 32768 + 9000))
is "log on NOR: a wrong bit is an error, no other data" \
	"$(verify random 0 120 1) $(stat err_checksum q)" "ok 119 error 1 wrong 0 first EIO 1"
detach q

attach "nor,cache=1,comp=zstd,name=q"
check "cache on NOR: $MTDC_OPS random operations against a model" \
	modelio -s "$MTDC_SEED" -n "$MTDC_OPS" -p 256 random "$CHAR" "$BLOCK"
set_knob break_block 7
is "cache on NOR: a block breaks, nobody notices" "$(write random 0 224 1) $(
	write random 0 224 2) $(verify random 0 224 2)" "$(written 224 223) $(written 224 223) $(
	good 224)"
is "cache on NOR: a spare one took its place" "$(stat blocks_retired q)" 1
quiet "cache on NOR" q
detach q
is "cache on NOR: it saw no violation of its rules" "$(counter violations)" 0
sim_unload

# ------------------------------------------------- media that fail, media that go

must modprobe mtdc_faultmtd size_kib=2048
knob=/sys/module/mtdc_faultmtd/parameters
attach "faultmtd,comp=lz4,name=q"
must patio -s "$MTDC_SEED" -k text write "$CHAR" 0 64 1
echo 5 > $knob/read_error
is "reads that fail are EIO, never other data" \
	"$(verify text 0 64 1)" "ok 0 error 64 wrong 0 first EIO"
echo 0 > $knob/read_error
is "and are counted" "$(stat err_media_read q)" 64
echo 5 > $knob/write_error
out=$(write text 0 64 2)
echo 0 > $knob/write_error
is "so are writes, which leave the old page" "$(echo "$out" | cut -d' ' -f1-6) $(
	verify text 0 64 1)" "ok 0 error 64 first EIO $(good 64)"
holds "and are counted" "$(stat err_media_write q)" -ge 64
echo 1 > $knob/vanish
is "a medium that has gone is ENODEV" "$(stat state q) $(verify text 10 1 1)" \
	"gone ok 0 error 1 wrong 0 first ENODEV"
detach q
check "all can be unloaded in the end" rmmod mtdcompr mtdc_faultmtd phram ubi
