#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Encrypted media do not show what they hold. A program writes and frees pages with a secret; the
# media are dumped meanwhile, when the program is killed, when the power is cut, when the device is
# detached and when the module is unloaded. No dump has 12 bytes of the secret in a row, nor 16 of a
# compressed page; without encryption the same search finds both. MTDC_SEED makes the secret.
#
# job: test,long crypt seconds=110 --mem 128 --reserve 16 --timeout 600
# shellcheck disable=SC2119,SC2154 # cryptlib.sh's churn, and its variables
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/simlib.sh"
. "$(dirname "$0")/cryptlib.sh"

load

# plain KIND OPTIONS: the control: the same without encryption, which also makes COMPRESSED; three
# results
plain()
{
	media_begin "$1"
	device "crypt=off,$2"
	plain_what="$1, $2, crypt=off"
	must secretio write "$DISK" 0 "$pages"
	search -o "$COMPRESSED"
	churn
	finds "$plain_what, while pages are written and freed"
	end_churn
	must secretio free "$DISK" 0 "$pages"
	finds "$plain_what, when all are free"
	detach sec
	finds "$plain_what, after a detach"
	media_end
}

# power_cut: the power goes off in the middle of a write, and comes back; two results
power_cut()
{
	set_knob torn_at 20
	cut_tries=200
	until [ "$(counter power)" = off ]; do
		cut_tries=$((cut_tries - 1))
		[ $cut_tries -gt 0 ] || bail "no program in a long time: $(cat "$SIM/$DEV/counters")"
		sleep 0.05
	done
	is "$what: the power was cut" "$(counter power_cuts)" 1
	set_knob power_on 1
	finds_none "$what, after a power cut"
}

# sealed KIND OPTIONS: nothing is found; 7 results, 9 on mtdsim's flash
sealed()
{
	media_begin "$1"
	device "$2"
	what="$1, $2"
	is "$what: it is encrypted" "$(stat crypt sec)" chacha20poly1305
	must secretio write "$DISK" 0 "$pages"
	check "$what: its pages can be read" secretio read "$DISK" 0 "$pages"
	must secretio -S 2 free "$DISK" 0 $((pages / 2))
	churn
	finds_none "$what, while pages are written and freed" -n "$(amount 4 20)" -m 200
	end_churn
	finds_none "$what, when the writer is killed"
	case $1 in
	nand|nor)
		churn
		power_cut
		end_churn ;;
	esac
	holds "$what: the media hold pages" "$(stat compressed_bytes sec)" -gt 100000
	churn
	sleep 0.2
	in_the_middle put detach sec
	finds_none "$what, after a detach between two writes"
	wait "$writer"
	device "$2"
	churn
	sleep 0.2
	in_the_middle rmmod mtdcompr
	finds_none "$what, after the module is gone"
	wait "$writer"
	must modprobe mtdcompr
	media_end
}

# each KIND OPTIONS: the control and the test
each()
{
	plain "$1" "$2"
	sealed "$1" "$2${3:-}"
}

for comp in lz4 zstd zlib none; do
	each nand "comp=$comp"
done
# Pages that the log moves. COMPRESSED is the last one's: not compressed.
media_begin nand
device comp=none 1400K
must secretio write "$DISK" 0 340
for stride in 2 3 5 7; do
	must secretio -S $stride write "$DISK" 0 $((340 / stride))
done
holds "blocks that are emptied: pages were moved" "$(stat log_moved_bytes sec)" -gt 20000
finds_none "blocks that are emptied"
detach sec
media_end

for comp in $(amount "zstd" "lz4 zstd zlib none"); do
	each nandsim "comp=$comp" ,crypt=auto
done
for comp in $(amount "lz4 none" "lz4 zstd zlib none"); do
	each phram "comp=$comp" ,crypt=on
done

# Through the cache of eraseblocks.
each nor cache=1,comp=lz4

# ------------------------------------------------- swap

# swapping: swap on the device, and a program whose memory has the secret, most of it out
swapping()
{
	must mkswap "$DISK"
	must swapon "$DISK"
	command secretio -s "$MTDC_SEED" swap "$DISK" 0 200 > "$TMP/churn" 2>&1 &
	writer=$!
	swap_tries=200
	until [ "$(stat page_writes sec)" -gt 400 ]; do
		swap_tries=$((swap_tries - 1))
		[ $swap_tries -gt 0 ] || bail "no page is swapped out: $(cat "$TMP/churn" "$PROC/sec")"
		sleep 0.05
	done
}

end_swapping()
{
	end_churn
	must swapoff "$DISK"
}

media_begin nand
device crypt=off,comp=lz4
swapping
finds "swap, crypt=off, while the program runs"
end_swapping
finds "swap, crypt=off, when it has ended"
detach sec
media_end

media_begin nand
device comp=lz4
swapping
finds_none "swap, while the program runs" -n "$(amount 4 20)" -m 200
end_churn
finds_none "swap, when it is killed"
must swapoff "$DISK"
finds_none "swap, when swap is off"
detach sec
media_end

