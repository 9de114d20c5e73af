#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# wipe=1 leaves nothing of freed and overwritten pages on memory, neither plain nor compressed bytes.
# Every second page has a secret. With wipe=0 the same search finds it.
#
# job: test,long cryptkeys
# shellcheck disable=SC2119,SC2154 # cryptlib.sh's churn, and its variables
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/simlib.sh"
. "$(dirname "$0")/cryptlib.sh"

load
half=$((pages / 2))

# secrets, others: write the pages with the secret, and those without
secrets() { must secretio -S 2 write "$DISK" 0 "$half"; }
others() { must secretio -S 2 -n write "$DISK" 1 "$half"; }

# kept KIND OPTIONS: the control, which also makes COMPRESSED: of pages with the secret alone; two
# results
kept()
{
	kept_what="$1, $2, wipe=0"
	media_begin "$1"
	device "crypt=off,wipe=0,$2"
	secrets
	search -o "$COMPRESSED"
	others
	must secretio -S 2 free "$DISK" 0 "$half"
	finds "$kept_what, freed"
	detach sec
	finds "$kept_what, after a detach"
	media_end
}

# wiped KIND OPTIONS: ten results
wiped()
{
	what="$1, $2, wipe=1"
	media_begin "$1"
	device "crypt=off,wipe=1,$2"
	secrets
	others
	finds "$what, live"
	must secretio -S 2 free "$DISK" 0 "$half"
	finds_none "$what, freed"
	secrets
	must secretio -S 2 -n -g 1 write "$DISK" 0 "$half"
	finds_none "$what, overwritten"
	secrets
	must mtdop erase "$CHAR" 0 $((pages * PAGE))
	finds_none "$what, erased"
	# Holes and chains, and pages that wear levelling moves.
	others
	churn
	sleep "$(amount 1 10)"
	end_churn
	must secretio -S 2 write "$DISK" 1 "$half"
	finds "$what, live again"
	must secretio -n -g 2 write "$DISK" 0 "$pages"
	finds_none "$what, overwritten again"
	churn
	sleep "$(amount 1 10)"
	end_churn
	must secretio free "$DISK" 0 "$pages"
	finds_none "$what, freed again"
	must mkswap "$DISK"
	must swapon "$DISK"
	command secretio -s "$MTDC_SEED" swap "$DISK" 0 200 > "$TMP/churn" 2>&1 &
	writer=$!
	sleep 2
	finds "$what, swapped out"
	end_churn
	must swapoff "$DISK"
	finds_none "$what, when the program has ended"
	secrets
	detach sec
	finds_none "$what, after a detach"
	media_end
}

# chains: pages of several fragments, in the gaps that small pages leave; three results
chains()
{
	what="chains, wipe=1"
	media_begin phram
	device crypt=off,wipe=1,comp=lz4,alloc=largest 8M
	# From 6 on, each eighth page is random, and larger than the gaps.
	patio -k text -w "$TMP/full" write "$CHAR" "$pages" 1700 1 > "$TMP/out"
	filled=$(($(head -n 1 "$TMP/full") - pages))
	must patio -k zero -S 2 write "$CHAR" "$pages" $((filled / 2)) 2
	must secretio -S 8 write "$DISK" 6 30
	load_stats sec
	holds "$what: there are" $((s_chain_2 + s_chain_3_4 + s_chain_5_8)) -gt 20
	must secretio -S 16 -n -g 1 write "$DISK" 6 15
	must secretio -S 16 free "$DISK" 14 15
	finds_none "$what, half of them overwritten, half freed"
	is "$what: the others are as they were" \
		"$(patio -k text -S 2 verify "$CHAR" $((pages + 1)) $(((filled - 1) / 2)) 1)" \
		"ok $(((filled - 1) / 2)) error 0 wrong 0 first none"
	detach sec
	media_end
}

for comp in lz4 zstd none; do
	kept phram comp=$comp
	[ $comp != lz4 ] || chains
	wiped phram comp=$comp
done
kept mtdram comp=zlib
wiped mtdram comp=zlib
