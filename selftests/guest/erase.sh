#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Erasing: a write does not need it, but other tools erase, and expect 0xFF afterwards. It must also
# give media back.
#
# job: test,long,debug basic
# job: kernel kernel
. "$(dirname "$0")/lib.sh"

phram low 0 8192
load
attach "low,comp=lz4,size=8M,name=er"

fill_all()
{
	must patio -s "$MTDC_SEED" write "$CHAR" 0 1024 "$1"
}

verify()
{
	patio -s "$MTDC_SEED" verify "$CHAR" "$1" "$2" "$3"
}

fill_all 1
holds "1024 written pages use media" "$(stat media_used_bytes er)" -gt 1000000
check "flash_erase erases the whole device" flash_erase -q "$CHAR" 0 0
is "all of it reads 0xFF" "$(mtdop is "$CHAR" 0 8388608 0xff)" ok
is "no media is used any more" "$(stat media_used_bytes er)" 0
is "and no page counts as stored" "$(stat pages_stored er)" 0
holds "the erased pages are counted" "$(stat page_erases er)" -ge 1024

fill_all 2
used=$(stat media_used_bytes er)
is "MEMERASE of 10 pages in the middle" "$(mtdop erase "$CHAR" 409600 40960)" ok
is "these read 0xFF" "$(mtdop is "$CHAR" 409600 40960 0xff)" ok
is "the pages before are intact" "$(verify 0 100 2)" \
	"ok 100 error 0 wrong 0 first none"
is "the pages after are intact" "$(verify 110 914 2)" \
	"ok 914 error 0 wrong 0 first none"
holds "the media of the 10 pages is free" "$(stat media_used_bytes er)" -lt "$used"
is "MEMERASE64 of the last page" "$(mtdop erase64 "$CHAR" 8384512 4096)" ok
is "which reads 0xFF" "$(mtdop is "$CHAR" 8384512 4096 0xff)" ok

is "an offset inside a page is refused" "$(mtdop erase "$CHAR" 512 4096)" EINVAL
is "a length of half a page is refused" "$(mtdop erase "$CHAR" 4096 2048)" EINVAL
is "a range beyond the end is refused" "$(mtdop erase "$CHAR" 8384512 8192)" EINVAL
is "refused erases erased nothing" "$(verify 0 100 2)" \
	"ok 100 error 0 wrong 0 first none"

# A page that is still being gathered must be dropped as well.
must mtdop fill "$CHAR" 409600 512 0x11
is "an erase forgets a page of which one sector was written" \
	"$(mtdop erase "$CHAR" 409600 4096) $(mtdop is "$CHAR" 409600 4096 0xff)" "ok ok"
must mtdop fill "$CHAR" 409700 100 0x22
is "after it, the bytes around a partial write read 0xFF" \
	"$(mtdop is "$CHAR" 409600 100 0xff)$(mtdop is "$CHAR" 409700 100 0x22)$(
		mtdop is "$CHAR" 409800 3896 0xff)" \
	okokok
must mtdop fill "$CHAR" 409600 4096 0xff
is "a page of 0xFF that was written reads the same" \
	"$(mtdop is "$CHAR" 409600 4096 0xff)" ok
fill_all 3
is "everything can be written again" "$(verify 0 1024 3)" \
	"ok 1024 error 0 wrong 0 first none"
identities "the figures are consistent" er
