#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Another kind of machine than the PC (qemu/machine): another byte order, page size or word size.
# Contents through every interface and with every compressor compared with a model, the figures,
# swap under pressure with every byte verified, on RAM and on flash, and unloading. For a machine of
# 64 MiB or more with a reserve of 64 MiB.
#
# job: machine arm64 --machine arm64 --mem 112 --reserve 64 --timeout 600
# job: machine mips-be-16k --machine mips --mem 64 --reserve 64 --timeout 600
# job: machine i386-highmem --machine i386 --mem 112 --reserve 96 --timeout 600
# shellcheck disable=SC2154 # s_KEY are set by load_stats, by name
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/swaplib.sh"
. "$(dirname "$0")/simlib.sh"

: "${MTDC_OPS:=1000}"

# Properties of this machine.
# byte_order: as in the headers of programs
byte_order()
{
	case $(head -c 6 /bin/busybox | tail -c 1 | tr '\001\002' 'lb') in
	l)	echo little ;;
	b)	echo big ;;
	esac
}
case $MTDC_MACHINE in
mips)	want="mips big 16384" ;;
arm64)	want="aarch64 little 4096" ;;
i386)	want="i686 little 4096" ;;
*)	bail "what is to be expected of $MTDC_MACHINE?" ;;
esac
is "it is another kind of machine" "$(uname -m) $(byte_order) $PAGE" "$want"
mended=$(mended)

# Memory outside the kernel's, mapped as memory. With its parameter, phram on ARM would map it as
# registers, which memcpy() must not access.
sim_load "name=low,type=ram,size=48M,base=$MTDC_RESERVE_ADDR"
load

attach "low,comp=lz4,size=32M,name=mach"
load_stats mach
is "a page of the device is one of the machine's" "$s_page_bytes" "$PAGE"
is "and what its MTD erases" "$(mtdop info "$CHAR")" \
	"type=1 flags=0x1c00 size=33554432 erasesize=$PAGE writesize=1"
is "a page that was never written reads 0xFF" "$(mtdop is "$CHAR" 1048576 65536 0xff)" ok

# model MODE [ARGUMENTS...]
model()
{
	mode=$1
	shift
	modelio -s "$MTDC_SEED" "$@" "$mode" "$CHAR" "$BLOCK"
}
for mode in sizes edges partial interleave; do
	mtdop erase "$CHAR" 0 33554432 > "$TMP/out"
	check "contents: $mode" model "$mode" -p 128
done

mtdop erase "$CHAR" 0 33554432 > "$TMP/out"
first=0
for kind in random text struct fill zero half sparse; do
	patio -k $kind -s "$MTDC_SEED" write "$CHAR" $first 32 1 > "$TMP/out"
	is "32 pages of kind $kind are read back" \
		"$(patio -k $kind -s "$MTDC_SEED" verify "$CHAR" $first 32 1)" \
		"ok 32 error 0 wrong 0 first none"
	is "kind $kind: and in pieces of 512 bytes through mtdblock" \
		"$(patio -d -b 512 -k $kind -s "$MTDC_SEED" verify "$BLOCK" $first 32 1)" \
		"ok 32 error 0 wrong 0 first none"
	first=$((first + 32))
done
load_stats mach
is "random pages are stored raw, pages of one word only noted, others compressed" \
	"$s_pages_raw $s_pages_filled $s_pages_compressed" "32 64 128"
is "what the pages would take is counted in bytes" "$s_orig_bytes" $((160 * PAGE))
identities "the figures are consistent" mach
n=0
for byte in 0x80 0xff 0x7f 0x01; do
	mtdop fill "$CHAR" $((n * PAGE)) "$PAGE" $byte > "$TMP/out"
	n=$((n + 1))
done
is "pages of one byte, with and without the highest bit" \
	"$(mtdop is "$CHAR" 0 "$PAGE" 0x80)$(mtdop is "$CHAR" "$PAGE" "$PAGE" 0xff)$(
		mtdop is "$CHAR" $((2 * PAGE)) "$PAGE" 0x7f)$(
		mtdop is "$CHAR" $((3 * PAGE)) "$PAGE" 0x01)" okokokok
# A page that repeats eight different bytes: tests the order of the word's halves.
yes 'abcdefg' | head -c "$PAGE" > "$TMP/word"
dd if="$TMP/word" of="$CHAR" bs="$PAGE" seek=9 conv=notrunc 2> "$TMP/out"
dd if="$CHAR" of="$TMP/read" bs="$PAGE" skip=9 count=1 2> "$TMP/out"
check "a page of one word of eight different bytes" cmp "$TMP/word" "$TMP/read"
detach mach

for comp in lz4 lzo zlib zstd none; do
	attach "low,comp=$comp,size=24M,name=mach"
	check "$comp: $MTDC_OPS random operations against a model" \
		model random -n "$MTDC_OPS" -p 256
	identities "$comp: the figures are consistent" mach
	is "$comp: no error was counted" "$(grep -c '^err_.*: 0$' "$PROC/mach")" 6
	detach mach
done

# Media that are sometimes full: chains of fragments.
sim_unload_all()
{
	must rmmod mtdcompr
	sim_unload
}
sim_unload_all
sim_load "name=tight,type=ram,size=$((PAGE * 160)),base=$MTDC_RESERVE_ADDR"
load
attach "tight,comp=lz4,size=$((PAGE * 1024)),name=mach"
check "1000 random operations on a medium that is full now and then" \
	model -e random -n 1000 -p 900
holds "it was full" "$(stat err_full mach)" -gt 0
diag "$(grep -E 'chain|fragments|media_free|err_full' "$PROC/mach" | tr '\n' ' ')"
detach mach
sim_unload_all

# The swap area is as large as the media allow with the patterns, which lz4 compresses to 52 %: the
# kernel uses all of it, and mtdblock does not report free slots. The program uses the free memory
# and half of the swap.
size=$((MTDC_RESERVE_SIZE * 17 / 10485760))
free_mib=$(awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo)
more=$((free_mib + size / 2))
must modprobe mtdblock
sim_load "name=low,type=ram,size=$((MTDC_RESERVE_SIZE)),base=$MTDC_RESERVE_ADDR"
swap_on "low,comp=lz4,size=${size}M" $more "lz4, $more MiB where $free_mib are left"
for comp in lzo zlib zstd; do
	swap_on "low,comp=$comp,size=${size}M" $((free_mib + 32)) "$comp"
done
is "the medium saw no violation of its rules" "$(counter violations)" 0
sim_unload
is "nothing is left" "$(cat /proc/mtd /proc/swaps | grep -c 'mtdcompr\|mtdblock')" 0

# Flash, which needs erases, through the eraseblock cache. The swap area is much larger than needed:
# pages that were read back keep their slots (28 MiB of 64 were seen).
for type in nand nor; do
	sim_load "name=sim,type=$type,size=48M,base=$MTDC_RESERVE_ADDR"
	swap_on sim,comp=lz4,cache=1,size=80M $((free_mib + 32)) "$type"
	is "$type: it saw no violation of its rules" "$(counter violations)" 0
	holds "$type: blocks were erased" "$(counter erases)" -gt 0
	sim_unload
done

# The block device: on memory, where the caller does the I/O, and on flash with a log, where a
# worker does it.
# swap_on_disk OPTIONS MIB WHAT: as swap_on
swap_on_disk()
{
	must modprobe mtdcompr "mtd=$1"
	pressure "$3" "/dev/$(stat disk mtdcompr0)" mtdcompr0 -m "$2" -g 1 -k 8
	check "$3: the module can be unloaded" rmmod mtdcompr
}

sim_load "name=low,type=ram,size=$((MTDC_RESERVE_SIZE)),base=$MTDC_RESERVE_ADDR"
load
attach "low,comp=lz4,size=16M,name=mach"
DISK=/dev/$(stat disk mach)
check "block device: $MTDC_OPS random operations against a model" \
	blkio -s "$MTDC_SEED" -n "$MTDC_OPS" -p 256 "$DISK"
check "block device: several on the same pages" \
	racio -s "$MTDC_SEED" -n "$MTDC_OPS" -p 64 -r "$CHAR" "$DISK"
check "block device: all write and discard the same few" \
	racio -a -s "$MTDC_SEED" -n "$MTDC_OPS" -p 8 -r "$CHAR" "$DISK"
identities "block device: the figures are consistent" mach
detach mach
must rmmod mtdcompr
swap_on_disk "low,comp=lz4,size=${size}M" $((free_mib + 32)) "block device"
sim_unload
sim_load "name=sim,type=nand,size=48M,base=$MTDC_RESERVE_ADDR"
swap_on_disk sim,comp=lz4,size=80M $((free_mib + 24)) "log"
is "log: the flash saw no violation of its rules" "$(counter violations)" 0
sim_unload

is "nothing is left in the end" "$(cat /proc/mtd /proc/swaps | grep -c 'mtdcompr\|mtdblock')" 0
is "no access had to be mended by a trap" "$(mended)" "$mended"
