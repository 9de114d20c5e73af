#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# A lower MTD that fails: errors, short transfers, torn writes, corrected bit flips. Acknowledged
# data stay readable or give an error, and never read as other data.
#
# job: test basic
# job: long,debug media
# job: faults garbage
. "$(dirname "$0")/lib.sh"

if ! modprobe mtdc_faultmtd size_kib=4096; then
	skip_rest "errors of the lower MTD" "the test module mtdc_faultmtd is not there"
fi
knob=/sys/module/mtdc_faultmtd/parameters
load
attach "faultmtd,comp=lz4,size=8M,name=flt"

set_knobs()
{
	for setting; do
		echo "${setting#*=}" > "$knob/${setting%%=*}"
	done
}

calm()
{
	set_knobs read_error=0 write_error=0 every=1 torn=0 shorted=0
}

verify()
{
	patio -s "$MTDC_SEED" verify "$CHAR" "$@"
}

good="ok 600 error 0 wrong 0 first none"
must patio -s "$MTDC_SEED" write "$CHAR" 0 600 1
is "600 pages on a healthy medium" "$(verify 0 600 1)" "$good"

# Failed writes: the old copy stays.
set_knobs write_error=5
out=$(patio -s "$MTDC_SEED" write "$CHAR" 0 100 2)
# A page that repeats one word needs no media, so its write does not fail.
is "failed writes are reported as EIO" "$(echo "$out" | cut -d' ' -f6)" EIO
failed=$(echo "$out" | cut -d' ' -f4)
holds "most of 100 fail" "$failed" -ge 60
holds "they are counted" "$(stat err_media_write flt)" -ge "$failed"
calm
is "pages whose write failed have their old contents, the others the new" \
	"$(patio -s "$MTDC_SEED" either "$CHAR" 0 100 2)" \
	"new $((100 - failed)) old $failed error 0 wrong 0"
is "all others are intact" "$(verify 100 500 1)" "ok 500 error 0 wrong 0 first none"
identities "nothing has leaked" flt

# Torn writes: half of the bytes are on the medium when the error comes. The device may try again
# elsewhere, so an error of the medium need not fail a page.
before=$(stat err_media_write flt)
set_knobs torn=1 write_error=5 every=3
out=$(patio -s "$MTDC_SEED" write "$CHAR" 100 200 2)
failed=$(echo "$out" | cut -d' ' -f4)
calm
holds "one in three writes torn: these are counted" $(($(stat err_media_write flt) - before)) -ge 20
is "each page is the new or the old one" \
	"$(patio -s "$MTDC_SEED" either "$CHAR" 100 200 2)" \
	"new $((200 - failed)) old $failed error 0 wrong 0"
identities "nothing has leaked" flt

# A short transfer without an error code counts as an error.
before=$(stat err_media_write flt)
set_knobs shorted=1 every=2
out=$(patio -s "$MTDC_SEED" write "$CHAR" 300 100 2)
failed=$(echo "$out" | cut -d' ' -f4)
holds "short writes are errors" $(($(stat err_media_write flt) - before)) -ge 20
set_knobs every=1
out=$(verify 400 100 1)
calm
is "short reads are errors, not data" "$(echo "$out" | cut -d' ' -f6)" 0
holds "many of them" "$(echo "$out" | cut -d' ' -f4)" -ge 60
is "each page written is the new or the old one" \
	"$(patio -s "$MTDC_SEED" either "$CHAR" 300 100 2 | cut -d' ' -f5-8)" \
	"error 0 wrong 0"

# Failed reads.
before=$(stat err_media_read flt)
set_knobs read_error=5
out=$(verify 400 200 1)
calm
is "failed reads are EIO" "$(echo "$out" | cut -d' ' -f8)" EIO
is "and never data" "$(echo "$out" | cut -d' ' -f6)" 0
holds "they are counted" "$(stat err_media_read flt)" -gt "$before"
is "with the error gone, the pages are there" "$(verify 400 200 1)" \
	"ok 200 error 0 wrong 0 first none"
set_knobs read_error=74
out=$(verify 400 200 1)
calm
is "uncorrectable (EBADMSG) is an error, never data" "$(echo "$out" | cut -d' ' -f6)" 0
holds "of most pages" "$(echo "$out" | cut -d' ' -f4)" -ge 100
set_knobs read_error=117
is "corrected bitflips (EUCLEAN) are good data" "$(verify 400 200 1)" \
	"ok 200 error 0 wrong 0 first none"
calm

# A partial write needs the old page: if that can't be read, it must not be replaced by a page with
# only the new bytes right.
set_knobs read_error=5
mtdop is "$CHAR" $((590 * PAGE)) 16 0 > "$TMP/out"
mtdop fill "$CHAR" $((500 * PAGE + 100)) 50 0x33 > "$TMP/partial"
calm
case $(cat "$TMP/partial") in
ok)
	is "a partial write that was accepted keeps the rest of the page" \
		"$(mtdop is "$CHAR" $((500 * PAGE + 100)) 50 0x33)" ok ;;
*)
	is "a partial write onto a page that cannot be read is refused" \
		"$(cat "$TMP/partial")" EIO ;;
esac
patio -s "$MTDC_SEED" write "$CHAR" 500 1 1 > "$TMP/out"
is "rewriting it makes it good" "$(verify 500 1 1)" "ok 1 error 0 wrong 0 first none"

# Random errors in many rounds, with a full comparison at the end.
set_knobs write_error=5 every=7 torn=1
n=2
bad=0
while [ $n -lt 6 ]; do
	patio -s "$MTDC_SEED" -r 100 write "$CHAR" 0 600 $n > "$TMP/out"
	n=$((n + 1))
	[ "$(verify 0 600 $((n - 1)))" = "$good" ] || bad=$((bad + 1))
done
is "4 generations written with one write in seven torn, and tried again" $bad 0
calm
identities "nothing has leaked" flt
is "no page was lost" "$(stat pages_lost flt)" 0
must mtdop erase "$CHAR" 0 8388608
is "after erasing all, no medium is in use" "$(stat media_used_bytes flt)" 0

# Full media that fail: a page can be overwritten only in the place of its old copy, and a torn
# write loses both. The driver must report that.
out=$(patio -k random write "$CHAR" 0 2000 1)
full=$(echo "$out" | cut -d' ' -f2)
is "the medium is full" "$(echo "$out" | cut -d' ' -f6)" ENOSPC
set_knobs torn=1 write_error=5 every=2
patio -k random write "$CHAR" 0 100 2 > "$TMP/out"
calm
# shellcheck disable=SC2046 # words: new N old N error N wrong N
set -- $(patio -k random either "$CHAR" 0 100 2)
diag "torn at full: $*"
is "torn at full: no page has other data" "$8" 0
is "torn at full: each page that is an error is counted as lost" \
	"$(stat pages_lost flt)" "$6"
is "torn at full: the other pages are intact" \
	"$(patio -k random verify "$CHAR" 100 $((full - 100)) 1)" \
	"ok $((full - 100)) error 0 wrong 0 first none"
identities "torn at full: nothing has leaked" flt
patio -k random write "$CHAR" 0 100 3 > "$TMP/out"
is "torn at full: writing the pages again heals them" \
	"$(patio -k random verify "$CHAR" 0 100 3)" "ok 100 error 0 wrong 0 first none"
