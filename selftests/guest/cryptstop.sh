#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# cryptstop.sh halt|off|restart idle|busy: the guest of selftests/cryptstop.sh. It writes the same
# page everywhere on encrypted media, tells the host that it is ready, and stops when the host says
# so. While it is busy it writes, also to a chip of nandsim that takes 3 ms for each page.
# shellcheck disable=SC2154 # cryptlib.sh's variables
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/simlib.sh"
. "$(dirname "$0")/cryptlib.sh"
how=$1 work=$2
load
mkdir -p "$MTDC_OUT"
must mount -t 9p -o trans=virtio,version=9p2000.L out "$MTDC_OUT"
must dd if=/dev/urandom of="$MTDC_OUT/page" bs=4096 count=1
for _ in $(seq $pages); do
	cat "$MTDC_OUT/page"
done > "$TMP/pages"

# again FIRST: write the pages from FIRST on for ever
again()
{
	while dd if="$TMP/pages" of="$1" bs=4k seek="$2" count=$((pages - $2)) oflag=direct conv=notrunc
	do
		:
	done > /dev/null 2>&1
}

# filled NAME MTD BLOCK LABEL NONCES: a device full of the page; the host gets what keydump needs
filled()
{
	attach "$2,size=1M,crypt=on,comp=none,name=$1"
	must dd if="$TMP/pages" of="$(own_disk "$1")" bs=4k oflag=direct conv=notrunc
	echo "$3 $4 $(stat granule_bytes "$1") $5" > "$MTDC_OUT/$1"
}

media_begin nand
filled log "$LOWER_NUM" 32768 32 0
media_begin phram
filled inplace "$LOWER_NUM" 2097152 0 2
[ "$work" = idle ] || {
	must modprobe nandsim id_bytes=0xec,0xa1,0x00,0x15 overridesize=4 do_delays=1 \
		programm_delay=3000
	LOWER_NUM=$(sed -n 's/^mtd\([0-9]*\):.*"NAND simulator.*/\1/p' /proc/mtd)
	filled nandsim "$LOWER_NUM" 131072 32 0
	# Its pages are anywhere in memory.
	must dd if="/dev/mtd$LOWER_NUM" of="$MTDC_OUT/media" bs=128k
	for name in log inplace nandsim nandsim; do
		again "$(own_disk $name)" 1 &
	done
	sleep 2
}
printf '%d\n' "$MTDC_RESERVE_ADDR" > "$MTDC_OUT/reserve"
: > "$MTDC_OUT/ready"
until [ -e "$MTDC_OUT/go" ]; do
	sleep 0.1
done
exec mtdop stop "$how"
