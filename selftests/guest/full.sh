#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# A full medium: the write is refused, every old page is still there, the error is reported and
# counted, and writes succeed again after pages were freed.
#
# job: test,long,debug basic
. "$(dirname "$0")/lib.sh"

phram low 0 1024
load
attach "low,comp=lz4,ratio=300,name=full"

# word N TEXT: the Nth word
word()
{
	word_n=$1
	shift
	# shellcheck disable=SC2048,SC2086 # to be split
	set -- $*
	shift $((word_n - 1))
	echo "$1"
}

random()
{
	patio -k random -s "$MTDC_SEED" "$@"
}

mark
out=$(random write "$CHAR" 0 768 1)
stored=$(word 2 "$out")
holds "incompressible pages fill 1 MiB with $stored pages: most of the 256 that fit" \
	"$stored" -ge 248
holds "and not more than fit" "$stored" -le 256
is "the next one fails with ENOSPC" "$(word 6 "$out")" ENOSPC
is "and so do all after it" "$(word 4 "$out")" $((768 - stored))
is "all $stored pages are intact" "$(random verify "$CHAR" 0 "$stored" 1)" \
	"ok $stored error 0 wrong 0 first none"
is "a refused page still reads 0xFF" \
	"$(mtdop is "$CHAR" $((stored * PAGE)) $(((768 - stored) * PAGE)) 0xff)" ok
is "err_full counts the refused writes" "$(stat err_full full)" $((768 - stored))
is "the state says so" "$(stat state full)" full
holds "pages_stored counts the others" "$(stat pages_stored full)" -eq "$stored"
lines=$(messages | grep -ci 'full\|space')
holds "a message says so" "$lines" -ge 1
holds "but not for each of the $((768 - stored)) failures ($lines)" "$lines" -le 12
identities "the figures are consistent" full

# mtdblock: the error reaches every kind of writer.
out=$(random -d write "$BLOCK" $((stored + 10)) 4 1)
is "O_DIRECT through mtdblock: EIO or ENOSPC" "$(word 6 "$out")" "EIO|ENOSPC"
is "none of these pages was accepted" "$(word 2 "$out")" 0
out=$(random write "$BLOCK" $((stored + 20)) 8 1)
is "a cached writer learns of it by fsync: EIO or ENOSPC" "$(word 6 "$out")" "EIO|ENOSPC"
# The device has refused the pages that the page cache holds now.
mtdop flush "$BLOCK" > "$TMP/out" 2>&1
echo 3 > /proc/sys/vm/drop_caches
is "the pages refused by fsync read 0xFF" \
	"$(mtdop is "$CHAR" $(((stored + 20) * PAGE)) $((8 * PAGE)) 0xff)" ok

# An overwrite with a page as large: the old copy is freed after the new one is written, so the
# write may be refused; then the old copy must be there.
random write "$CHAR" 0 32 2 > "$TMP/out"
out=$(random either "$CHAR" 0 32 2)
is "overwriting at full: each page is the new or the old one" \
	"$(word 6 "$out") $(word 8 "$out")" "0 0"
refusals=$(word 4 "$(cat "$TMP/out")")
is "and the old one exactly where the write was refused" "$(word 4 "$out")" "$refusals"
is "the pages not overwritten are intact" \
	"$(random verify "$CHAR" 32 $((stored - 32)) 1)" \
	"ok $((stored - 32)) error 0 wrong 0 first none"

# Pages that need no media, after a refused one.
random write "$CHAR" 721 1 1 > "$TMP/out"
is "pages of one word are still accepted" \
	"$(patio -k fill write "$CHAR" 700 20 1)" "ok 20 error 0 first none last-ok 719"
is "and read back" "$(patio -k fill verify "$CHAR" 700 20 1)" \
	"ok 20 error 0 wrong 0 first none"
is "which does not make the media less full" "$(stat state full)" full

# A partial write, of a page with a copy and of one without: the device may refuse it at once or
# when it stores the page, but must not accept it silently and then drop it.
partial()
{
	before=$(stat err_full full)
	mtdop fill "$CHAR" $(($1 * PAGE + 1024)) 512 0x77 > "$TMP/partial"
	# The last close of the writer has synced; another page evicts the rest.
	mtdop is "$CHAR" $((5 * PAGE)) 4096 0 > "$TMP/out"
	now=$(mtdop is "$CHAR" $(($1 * PAGE + 1024)) 512 0x77)
	after=$(stat err_full full)
	case "$(cat "$TMP/partial") $now" in
	"ok ok")
		echo kept ;;
	"ENOSPC differs")
		echo refused ;;
	"ok differs")
		# Lost at close, which can't return an error: it must at least be counted.
		[ "$after" -gt "$before" ] && echo counted || echo silent ;;
	*)
		echo "$(cat "$TMP/partial") $now" ;;
	esac
}
is "512 bytes into a stored page at full" "$(partial 40)" "kept|refused"
is "512 bytes into an empty page at full" "$(partial $((stored + 100)))" "kept|refused"
out=$(patio -k random -s "$MTDC_SEED" verify "$CHAR" 41 $((stored - 41)) 1)
is "the neighbours of these pages are intact" "$out" \
	"ok $((stored - 41)) error 0 wrong 0 first none"
is "no page was lost" "$(stat pages_lost full)" 0
out=$(dd if=/dev/urandom of="$BLOCK" bs=512 seek=$(((stored + 110) * 8)) count=8 \
	oflag=direct 2>&1 >/dev/null)
case $out in
*"No space"*|*"nput/output error"*)
	result 0 "a page of eight sectors, as swap writes it: the error is seen" ;;
*)
	result 1 "a page of eight sectors, as swap writes it: the error is seen"
	diag "$out" ;;
esac
is "and the page is empty, not in parts" \
	"$(mtdop is "$CHAR" $(((stored + 110) * PAGE)) 4096 0xff)" ok

# Recovery.
is "erasing 100 pages" "$(mtdop erase "$CHAR" $((100 * PAGE)) $((100 * PAGE)))" ok
out=$(random write "$CHAR" 300 90 3)
is "makes room for 90 others" "$out" "ok 90 error 0 first none last-ok 389"
is "and the state is well again" "$(stat state full)" ok
is "which are read back" "$(random verify "$CHAR" 300 90 3)" \
	"ok 90 error 0 wrong 0 first none"
is "the old ones are still intact" "$(random verify "$CHAR" 41 59 1)" \
	"ok 59 error 0 wrong 0 first none"
is "overwriting by compressible pages frees media" \
	"$(patio -k text write "$CHAR" 300 90 4)" "ok 90 error 0 first none last-ok 389"
holds "which is then free" "$(stat media_free_bytes full)" -gt 200000
is "text pages now find room, in the gaps" \
	"$(patio -k text write "$CHAR" 400 80 4)" "ok 80 error 0 first none last-ok 479"
is "and are read back" "$(patio -k text verify "$CHAR" 400 80 4)" \
	"ok 80 error 0 wrong 0 first none"
holds "err_full kept its count" "$(stat err_full full)" -ge $((768 - stored))
is "erasing everything" "$(mtdop erase "$CHAR" 0 3145728)" ok
out=$(random write "$CHAR" 256 "$stored" 5)
is "as many incompressible pages as at first fit again: nothing has leaked" \
	"$out" "ok $stored error 0 first none last-ok $((255 + stored))"
is "and are read back" "$(random verify "$CHAR" 256 "$stored" 5)" \
	"ok $stored error 0 wrong 0 first none"

# A burst of writes: most are refused without a try, but not for ever.
before=$(stat err_full full) untried=$(stat full_untried full)
out=$(random write "$CHAR" 0 250 6)
is "250 pages more are refused" "$(word 4 "$out")" 250
is "and counted" "$(($(stat err_full full) - before))" 250
holds "most of them were not compressed any more" \
	$(($(stat full_untried full) - untried)) -ge 190
sleep 2
is "but whoever comes later is not refused for that" \
	"$(patio -k text write "$CHAR" 300 10 7)" "ok 10 error 0 first none last-ok 309"
