#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# load_stats sets the figures s_KEY by name.
# shellcheck disable=SC2154
#
# Pages read as written: through every interface, with every size, every compressor and every
# allocation policy. MTDC_SEED and MTDC_OPS set the random part.
#
# job: test,long basic seconds=95 --mem 192 --reserve 64 --timeout 600
# job: debug basic --mem 192 --reserve 64 --timeout 300
# job: kernel kernel --mem 192 --reserve 64 --timeout 600
. "$(dirname "$0")/lib.sh"

: "${MTDC_OPS:=$(amount 600 2000)}"
combos="lz4,alloc=rotate zlib,alloc=rotate lzo,alloc=rotate zstd,alloc=rotate
	none,alloc=rotate lz4,alloc=largest lz4,alloc=best zlib,alloc=largest zstd,alloc=best"

phram low 0 16384
load

# model MODE [ARGUMENTS...]
model()
{
	mode=$1
	shift
	modelio -s "$MTDC_SEED" "$@" "$mode" "$CHAR" "$BLOCK"
}

attach "low,comp=lz4,size=8M,name=idir"
is "a page that was never written reads 0xFF" "$(mtdop is "$CHAR" 1048576 65536 0xff)" ok
is "its MTD is RAM that can be written byte by byte, without erasing" \
	"$(mtdop info "$CHAR")" \
	"type=1 flags=0x1c00 size=8388608 erasesize=4096 writesize=1"
for mode in sizes edges partial interleave; do
	case $mode in
	sizes)		what="512 B to 64 KiB through mtdblock, O_DIRECT and cached" ;;
	edges)		what="1 byte to 3 pages at odd offsets through /dev/mtdN" ;;
	partial)	what="partial pages are readable at once and survive flush, close and other pages" ;;
	interleave)	what="pages written sector by sector in turns" ;;
	esac
	mtdop erase "$CHAR" 0 8388608 > "$TMP/out"
	check "$what" model "$mode" -p 256
done

# The checker must be able to fail.
mtdop erase "$CHAR" 0 8388608 > "$TMP/out"
MODELIO_BREAK=1
export MODELIO_BREAK
refused "the checker notices one flipped bit" model edges -p 64
unset MODELIO_BREAK

# Each kind of contents, and how it is stored.
mtdop erase "$CHAR" 0 8388608 > "$TMP/out"
first=0
for kind in random text struct fill zero half sparse; do
	patio -k $kind -s "$MTDC_SEED" write "$CHAR" $first 32 1 > "$TMP/out"
	is "32 pages of kind $kind are read back" \
		"$(patio -k $kind -s "$MTDC_SEED" verify "$CHAR" $first 32 1)" \
		"ok 32 error 0 wrong 0 first none"
	first=$((first + 32))
done
load_stats idir
is "random pages are stored raw" "$s_pages_raw" 32
is "pages of one word are only noted" "$s_pages_filled" 64
is "all others are compressed" "$s_pages_compressed" 128
patio -k fill -s 5 write "$CHAR" 0 224 2 > "$TMP/out"
is "pages of one word take no media: none is used after overwriting all" \
	"$(stat media_used_bytes idir)" 0
is "and they are read back" "$(patio -k fill -s 5 verify "$CHAR" 0 224 2)" \
	"ok 224 error 0 wrong 0 first none"

# The write of a page is complete when write(2) returns, not at close.
exec 3<> "$CHAR"
printf 'once' >&3
is "written through one descriptor, read through another before any close" \
	"$(dd if="$CHAR" bs=4 count=1 status=none)" once
exec 3>&-

# A word with its highest bit set needs another kind of entry in the map, or none.
n=0
for byte in 0x80 0xff 0x7f 0x01; do
	mtdop fill "$CHAR" $((n * PAGE)) "$PAGE" $byte > "$TMP/out"
	n=$((n + 1))
done
is "pages of one byte, with and without the highest bit" \
	"$(mtdop is "$CHAR" 0 4096 0x80)$(mtdop is "$CHAR" 4096 4096 0xff)$(
		mtdop is "$CHAR" 8192 4096 0x7f)$(mtdop is "$CHAR" 12288 4096 0x01)" okokokok

# A new device on used media must not show pages of the first one.
patio -s "$MTDC_SEED" write "$CHAR" 0 512 3 > "$TMP/out"
detach idir
attach "low,comp=lz4,size=8M,name=idir2"
is "attached again, the device is empty: 0xFF, not old pages" \
	"$(mtdop is "$CHAR" 0 8388608 0xff)" ok
is "and counts no page as stored" "$(stat pages_stored idir2)" 0
detach idir2

for combo in $combos; do
	attach "low,comp=$combo,size=10M,name=irnd"
	check "$combo: $MTDC_OPS random operations against a model" \
		model random -n "$MTDC_OPS" -p 768
	identities "$combo: the figures are consistent afterwards" irnd
	is "$combo: no error was counted" \
		"$(grep -c '^err_.*: 0$' "$PROC/irnd")" 6
	mtdop erase "$CHAR" 0 10485760 > "$TMP/out"
	load_stats irnd
	is "$combo: after erasing all, all of the media is free in one fragment" \
		"$s_media_used_bytes $s_pages_stored $s_free_fragments $((s_media_free_bytes -
			s_free_largest_bytes))" \
		"0 0 1 0"
	detach irnd
done

# Every page is rewritten many times on a nearly full medium, so that chains form. With fewer
# operations the medium is smaller, or they would not fill it.
tight=$((MTDC_OPS * 896 / 2000 / 4 * 4))
[ $tight -le 896 ] || tight=896
[ $tight -ge 64 ] || tight=64
phram tight 16384 $tight
for alloc in rotate largest best; do
	attach "tight,comp=lz4,alloc=$alloc,size=$((tight * 4096 / 896))K,name=itight"
	check "$alloc: $MTDC_OPS random operations on a medium that is full now and then" \
		model -e random -n "$MTDC_OPS" -p $((tight * 900 / 896))
	diag "$(cat "$TMP/check.out")"
	identities "$alloc: the figures are consistent there, too" itight
	holds "$alloc: it was full" "$(stat err_full itight)" -gt 0
	is "$alloc: and no page was lost" "$(stat pages_lost itight)" 0
	diag "$(grep -E 'chain|fragments|media_free' "$PROC/itight" | tr '\n' ' ')"
	detach itight
done
