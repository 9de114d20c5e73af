#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Keys are gone from the guest's memory when the pages that they encrypt are dead. keyfind tries each
# 32 bytes of memory as the key of a known page, and finds it while the page lives. When all pages of
# the block have died or moved, these bytes are nowhere in memory; nor are they when the device is
# detached or the module unloaded, and then memory has no secret of a page either.
#
# job: test,long cryptkeys seconds=90 --mem 112 --reserve 16 --timeout 600
# shellcheck disable=SC2119,SC2154 # cryptlib.sh's churn, and its variables
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/simlib.sh"
. "$(dirname "$0")/cryptlib.sh"

case $(uname -m) in
x86_64)	;;
*)	skip_rest "keys in memory" "keyfind knows the memory of x86-64 only" ;;
esac
[ -r /proc/kcore ] || skip_rest "keys in memory" "the kernel has no /proc/kcore"
load
KEY=$TMP/key
# Another secret than in the other scripts: programs that are killed leave theirs in memory.
MTDC_SEED=$((MTDC_SEED + 1000))

# knows WHAT PAGE BLOCK LABEL NONCES: search for the key of PAGE, the first one on the media; two
# results
knows()
{
	read -r knows_from _ < /proc/uptime
	knows_out=$(keyfind -s "$MTDC_SEED" learn "$KEY" "$LOWER" "$3" "$4" "$(stat granule_bytes sec)" \
		"$5" "$2") || bail "keyfind: $knows_out"
	read -r knows_to _ < /proc/uptime
	diag "$knows_out, $((${knows_to%.*} - ${knows_from%.*})) s"
	# words: keys N tried N record N
	# shellcheck disable=SC2086
	set -- "$1" $knows_out
	holds "$1: the key is found" "$3" -gt 0
	lives "$1"
}

places()
{
	places_out=$(keyfind look "$KEY") || bail "keyfind: $places_out"
	places_out=${places_out#places }
	echo "${places_out%% *}"
}

lives() { holds "$1: its bytes are in memory" "$(places)" -gt 0; }
gone() { is "$1: its bytes are nowhere in memory" "$(places)" 0; }

# log_begin WHAT [SIZE]: a log with seven pages in its first block; three results
log_begin()
{
	media_begin nand
	device comp=none "${2:-1M}"
	must secretio write "$DISK" 1 7
	knows "$1" 1 32768 32 0
}

log_begin "log, a block of seven pages"
must secretio free "$DISK" 1 6
lives "log, when six are free"
must secretio free "$DISK" 7 1
gone "log, when all are free"
detach sec
gone "log, when the device is detached"
media_end

log_begin "log, a block that others follow"
must secretio write "$DISK" 8 $((pages - 8))
lives "log, while its pages live"
must secretio write "$DISK" 1 7
gone "log, when all of them are overwritten"
detach sec
media_end

# Page 1 is not written again. The media are nearly full, so its block is emptied.
log_begin "log, a block that is emptied" 1400K
must secretio write "$DISK" 8 330
for stride in 2 3 5 7; do
	must secretio -S $stride write "$DISK" 2 $((330 / stride))
done
holds "log: pages were moved" "$(stat log_moved_bytes sec)" -gt 0
gone "log, when its last page was moved"
detach sec
media_end

log_begin "log, with live pages"
detach sec
gone "log, detached with live pages"
media_end

media_begin phram
device crypt=on,comp=none
must secretio write "$DISK" 1 7
knows "in place, seven pages" 1 2097152 0 2
detach sec
gone "in place, when the device is detached"
device crypt=on,comp=none
must dd if=/dev/zero of="$LOWER" bs=64k count=32
must secretio write "$DISK" 1 7
knows "in place, the next device" 1 2097152 0 2
must rmmod mtdcompr
gone "in place, when the module is unloaded"
must modprobe mtdcompr
media_end

# ------------------------------------------------- plaintext

# The buffers of the driver and of its compressors hold pages and records, until the detach.
keyfind -s "$MTDC_SEED" secret "$KEY"
for setup in nand,comp=none nand,comp=lz4 nand,comp=zlib nand,comp=zstd nor,comp=lz4,cache=1 \
	phram,comp=zstd,crypt=on; do
	media_begin "${setup%%,*}"
	device "${setup#*,}"
	must secretio write "$DISK" 0 40
	must secretio read "$DISK" 0 40
	lives "$setup, the secret"
	detach sec
	gone "$setup, the secret, after a detach"
	media_end
done
