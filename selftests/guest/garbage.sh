#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# A new device begins empty, or is refused, whatever the media contain: noise, zeros, ones, an
# earlier device, half of that. It must never read old contents, even if the medium loses a write
# over them. Only a log keeps its erase counts.
#
# job: test basic
# job: long,debug media
# job: faults garbage --mem 192 --reserve 64 --timeout 400
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/simlib.sh"

load

# blank FIRST COUNT: are these pages blank, through both interfaces?
blank()
{
	mtdop flush "$BLOCK" > "$TMP/out"
	echo "$(mtdop is "$CHAR" $(($1 * PAGE)) $(($2 * PAGE)) 0xff)" \
		"$(mtdop is "$BLOCK" $(($1 * PAGE)) $(($2 * PAGE)) 0xff)"
}

# begins_empty WHAT OPTIONS: check a device made on LOWER of LOWER_NAME
begins_empty()
{
	what=$1
	[ ! -d "$SIM/$LOWER_NAME" ] || reads=$(DEV=$LOWER_NAME counter reads)
	attach "$LOWER_NAME,$2,name=gar"
	[ ! -d "$SIM/$LOWER_NAME" ] || reads=$(($(DEV=$LOWER_NAME counter reads) - reads))
	# Reads of the labels of the blocks.
	[ "$(stat store gar)" != log ] || reads=0
	is "$what: nothing is stored, and nothing was read" \
		"$(stat pages_stored gar) $(stat media_read_bytes gar) ${reads:-0}" "0 0 0"
	is "$what: all 64 pages are blank" "$(blank 0 64)" "ok ok"
	# A few sectors, and some pages.
	must mtdop fill "$CHAR" $((5 * PAGE + 1024)) 512 0x33
	must mtdop fill "$CHAR" $((7 * PAGE)) 700 0x44
	must patio -s "$MTDC_SEED" write "$CHAR" 16 16 1
	is "$what: what is beside a sector that was written is blank" "$(
		mtdop is "$CHAR" $((5 * PAGE)) 1024 0xff) $(
		mtdop is "$CHAR" $((5 * PAGE + 1024)) 512 0x33) $(
		mtdop is "$CHAR" $((5 * PAGE + 1536)) 2560 0xff) $(
		mtdop is "$CHAR" $((7 * PAGE)) 700 0x44) $(
		mtdop is "$CHAR" $((7 * PAGE + 700)) 3396 0xff)" "ok ok ok ok ok"
	is "$what: and so are the pages beside those that were" \
		"$(patio -s "$MTDC_SEED" verify "$CHAR" 16 16 1) $(blank 8 8) $(blank 32 32)" \
		"ok 16 error 0 wrong 0 first none ok ok ok ok"
	must mtdop erase "$CHAR" $((20 * PAGE)) "$PAGE"
	is "$what: and an erased one; no error was counted" "$(blank 20 1) $(
		grep '^err_\|^pages_lost' "$PROC/gar" | grep -vc ': 0$')" "ok ok 0"
	detach gar
}

# fill_lower KIND: fill the media
fill_lower()
{
	must flash_erase -q "$LOWER" 0 0
	blocks=$(($(cat "/sys/class/mtd/${LOWER#/dev/}/size") / 16384))
	case $1 in
	noise)	must dd if=/dev/urandom of="$LOWER" bs=16k count=$blocks ;;
	zeros)	must dd if=/dev/zero of="$LOWER" bs=16k count=$blocks ;;
	ones)	;;
	esac
}

# leave_behind OPTIONS: fill a device with pages, and detach it
leave_behind()
{
	attach "$LOWER_NAME,$1,name=old"
	patio -k half -s 99 write "$CHAR" 0 100 1 > "$TMP/out"
	detach old
}

# medium OPTIONS OTHER_OPTIONS
medium()
{
	for kind in $(amount noise "noise zeros ones"); do
		fill_lower "$kind"
		begins_empty "$LOWER_NAME: $kind" "$1"
	done
	leave_behind "$1"
	begins_empty "$LOWER_NAME: what a device of the same kind left" "$1"
	leave_behind "$2"
	begins_empty "$LOWER_NAME: what another one left" "$1"
	leave_behind "$2"
	must flash_erase -q "$LOWER" 0 8
	begins_empty "$LOWER_NAME: half of it erased" "$1"
}

phram low 0 256
LOWER_NAME=low LOWER=/dev/mtd$(mtd_num low)
medium comp=lz4,size=512K comp=zlib,alloc=largest,size=1M
sim_load name=nor,type=nor,size=256K,erasesize=16K
LOWER_NAME=nor LOWER=$CHAR
medium cache=1,comp=zstd,size=512K cache=1,comp=lz4,alloc=best,size=1M
sim_unload
sim_load name=nand,type=nand,size=256K,erasesize=16K,writesize=512
LOWER_NAME=nand LOWER=$CHAR
medium cache=1,comp=none,size=256K cache=1,comp=lzo,size=1M

sim_unload
sim_load name=nand,type=nand,size=1M,erasesize=16K,writesize=512
LOWER_NAME=nand LOWER=$CHAR
medium store=log,comp=zlib,size=512K cache=1,comp=lzo,size=1M

# ------------------------------------------- bad block markers, no power

sim_unload
bad=$(seq -s/ 0 14)
sim_load "name=nand,type=nand,size=256K,erasesize=16K,writesize=512,bad=$bad"
before=$(cat /proc/mtd)
mark
is "one good block of 16: refused" "$(put attach nand,cache=1,name=gar)" ENOSPC
is "with one message, and nothing is left" \
	"$(messages | wc -l) $(cat /proc/mtd; ls "$PROC")" "1 $before"
sim_unload

# ------------------------------------- lost writes over old contents

# Each write goes to the same offset, and the old contents are a valid page except for the seed of
# its checksum. The media are one block, so a write is one operation.
sim_load name=ram,type=ram,size=64K,erasesize=64K
LOWER_NAME=ram LOWER=$CHAR
old_options="ram,comp=none,alloc=best,size=128K,name=gar"

random_page() { patio -k random -s "$MTDC_SEED" "$1" "$CHAR" "$2" 1 "$3" | cut -d' ' -f1-6; }

# lost_over WHAT PAGE: write version 2, but the medium drops the write
lost_over()
{
	set_knob lost_program_at 1
	is "lost over $1: the write is reported as done, the page is an error" \
		"$(random_page write "$2" 2) $(knob lost_program_at) $(random_page verify "$2" 2)" \
		"ok 1 error 0 first none off hits $hits ok 0 error 1 wrong 0"
	is "lost over $1: it is counted; written again it is good" \
		"$(stat err_checksum gar) $(random_page write "$2" 3) $(random_page verify "$2" 3)" \
		"1 ok 1 error 0 first none ok 1 error 0 wrong 0"
	hits=$((hits + 1))
}

hits=1
attach "$old_options"
is "a raw page" "$(random_page write 3 1) $(random_page verify 3 1)" \
	"ok 1 error 0 first none ok 1 error 0 wrong 0"
detach gar
attach "$old_options"
lost_over "the same page of an earlier attachment" 3
detach gar
attach "$old_options"
must random_page write 3 1
must mtdop erase "$CHAR" $((3 * PAGE)) "$PAGE"
lost_over "an earlier version of the page" 3
detach gar
attach "$old_options"
must random_page write 4 1
must mtdop erase "$CHAR" $((4 * PAGE)) "$PAGE"
lost_over "another page" 3
detach gar
sim_unload
