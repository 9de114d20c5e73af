#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# load_stats sets the figures s_KEY by name.
# shellcheck disable=SC2154
#
# Damage to the media below: a damaged page gives a counted I/O error, and never other data; all
# other pages are intact; writing the page repairs it. First random damage, then each bit of each
# field in the fragments of a page.
#
# MTDC_EVERY: in the second part, flip one bit in MTDC_EVERY of the payload (29, in the long form 7;
# 1 in the lane "faults").
#
# job: test basic
# job: long,debug media --mem 192 --reserve 64 --timeout 400
# job: faults corrupt --mem 192 --reserve 64 --timeout 3000 --env MTDC_EVERY=1 --env MTDC_ROUNDS=400
. "$(dirname "$0")/lib.sh"

: "${MTDC_ROUNDS:=$(amount 20 40)}" "${MTDC_EVERY:=$(amount 29 7)}"
pages=160
phram low 0 384
load
lower=/dev/mtd$(mtd_num low)

# damages NAME COUNT KIND: run every mode; sets total_eio, total_hit, other and wrong
damages()
{
	label=$1 n_pages=$2 kind=$3
	total_eio=0
	total_hit=0
	wrong=0
	other=0
	for mode in bit byte burst zero ones misplaced; do
		case $mode in
		bit)	rounds=$MTDC_ROUNDS ;;
		*)	rounds=$((MTDC_ROUNDS / 4)) ;;
		esac
		# shellcheck disable=SC2046 # words: ok N eio N other N wrong N hit N
		set -- $(corrupter -s "$MTDC_SEED" -n "$rounds" -m $mode -k "$kind" \
			"$CHAR" "$lower" "$n_pages" 393216)
		[ $# = 10 ] || bail "corrupter: $*"
		diag "$label $mode: $*"
		total_eio=$((total_eio + $4))
		total_hit=$((total_hit + ${10}))
		other=$((other + $6))
		wrong=$((wrong + $8))
	done
}

# gaps FIRST COUNT: every second of these pages gives its media back
gaps()
{
	must patio -k zero -S 2 write "$CHAR" "$1" $((($2 + 1) / 2)) 2
}

for setup in lz4,alloc=rotate zlib,alloc=largest lzo,alloc=best zstd,alloc=rotate \
	none,alloc=rotate; do
	attach "low,comp=$setup,size=768K,name=cor"
	count=$pages
	# Without compression fewer pages fit.
	[ "${setup%%,*}" != none ] || count=80
	# Write twice in odd order, so that the media get gaps and chains.
	patio -s "$MTDC_SEED" write "$CHAR" 0 $count 0 > "$TMP/out"
	for start in 2 0 1; do
		patio -s "$MTDC_SEED" -S 3 write "$CHAR" $start $(((count - start + 2) / 3)) 1 \
			> "$TMP/out"
	done
	is "$setup: $count pages before any damage" \
		"$(patio -s "$MTDC_SEED" verify "$CHAR" 0 $count 1)" \
		"ok $count error 0 wrong 0 first none"
	load_stats cor
	diag "chains: $s_chain_1 $s_chain_2 $s_chain_3_4 $s_chain_5_8," \
		"used $s_media_used_bytes of $s_media_bytes"
	errors=$s_err_checksum
	damages "$setup" $count mix
	is "$setup: $((MTDC_ROUNDS * 9 / 4)) damages: never other data" $wrong 0
	is "$setup: and never another errno than EIO" $other 0
	holds "$setup: many damages were noticed ($total_hit)" $total_hit -ge $((MTDC_ROUNDS / 2))
	holds "$setup: they are counted as checksum errors" \
		$(($(stat err_checksum cor) - errors)) -ge $((total_eio * 9 / 10))
	is "$setup: repaired media gives all pages back" \
		"$(patio -s "$MTDC_SEED" verify "$CHAR" 0 $count 1)" \
		"ok $count error 0 wrong 0 first none"
	# Lasting damage; then write new contents to the lost pages.
	at=1000
	while [ $at -lt 393216 ]; do
		mtdop xor "$lower" $at 0x10 > "$TMP/out"
		at=$((at + 20011))
	done
	patio -s "$MTDC_SEED" -w "$TMP/lost" verify "$CHAR" 0 $count 1 > "$TMP/out"
	while read -r page; do
		patio -s "$MTDC_SEED" write "$CHAR" "$page" 1 1 > "$TMP/healed"
	done < "$TMP/lost"
	is "$setup: writing the $(wc -l < "$TMP/lost") lost pages again heals all" \
		"$(patio -s "$MTDC_SEED" verify "$CHAR" 0 $count 1)" \
		"ok $count error 0 wrong 0 first none"
	detach cor
done

# Chains: fill the media with small pages, zero every second one, then write larger pages, which
# must be split to fit into the gaps.
attach "low,comp=lz4,alloc=largest,size=2M,name=cor"
patio -k text write "$CHAR" 100 300 1 > "$TMP/out"
filled=$(cut -d' ' -f2 "$TMP/out")
gaps 100 "$filled"
patio -k half -s "$MTDC_SEED" write "$CHAR" 0 35 1 > "$TMP/out"
load_stats cor
diag "chains: $s_chain_1 $s_chain_2 $s_chain_3_4 $s_chain_5_8"
holds "35 pages of two fragments or more" $((s_chain_2 + s_chain_3_4 + s_chain_5_8)) -ge 30
is "chains: all pages before any damage" \
	"$(patio -k half -s "$MTDC_SEED" verify "$CHAR" 0 35 1)" "ok 35 error 0 wrong 0 first none"
identities "chains: the figures are consistent" cor
damages chains 35 half
is "chains: $((MTDC_ROUNDS * 9 / 4)) damages: never other data" $wrong 0
is "chains: and never another errno than EIO" $other 0
holds "chains: damages were noticed ($total_hit)" $total_hit -ge $((MTDC_ROUNDS / 4))
is "chains: repaired media gives all pages back" \
	"$(patio -k half -s "$MTDC_SEED" verify "$CHAR" 0 35 1)" "ok 35 error 0 wrong 0 first none"
patio -k text -s "$MTDC_SEED" write "$CHAR" 0 35 2 > "$TMP/out"
is "chains: overwritten by small pages" \
	"$(patio -k text -s "$MTDC_SEED" verify "$CHAR" 0 35 2)" "ok 35 error 0 wrong 0 first none"
must mtdop erase "$CHAR" 0 2097152
is "chains: erasing gives all media back" \
	"$(stat media_used_bytes cor) $(stat free_fragments cor)" "0 1"
detach cor

# ------------------------------------------------------ field by field

flips=0 flips_eio=0
# flip_fields SETUP KIND LEAST: damage the fragments of a page of KIND, which must have at least
# LEAST; with LEAST 0 it must have none
flip_fields()
{
	errors=$(stat err_checksum cor)
	what="$1: $2" least=$3
	# words: fragments N header N payload N several N whole N eio N missed N wrong N other N
	# shellcheck disable=SC2046
	set -- $(fragflip -s "$MTDC_SEED" -k "$2" -e "$MTDC_EVERY" "$CHAR" "$lower" 450 \
		"$(stat granule_bytes cor)" 393216)
	[ $# = 18 ] || bail "fragflip: $*"
	errors=$(($(stat err_checksum cor) - errors))
	# Without fragments the damage hits the page beside it.
	[ "$least" -gt 0 ] || errors=0
	flips=$((flips + $4 + $6 + $8 + ${10})) flips_eio=$((flips_eio + ${12}))
	holds "$what: $2 fragments, damaged in $4 bits of headers, $6 of payload, $8 times in several, ${10} times replaced: ${12} EIO, missed ${14}, wrong ${16}, other ${18}" \
		"$2" -ge "$least" -a "$2" -le $((least * 64)) -a \
		"${14} ${16} ${18} ${12}" = "0 0 0 $errors"
}

# The media begin with other contents than will be written.
must dd if=/dev/urandom of="$lower" bs=64k count=6
for setup in lz4 zlib lzo zstd none; do
	attach "low,comp=$setup,size=2M,name=cor"
	for kind in text half; do
		flip_fields "$setup" $kind 1
	done
	detach cor
done
attach "low,comp=lz4,size=2M,name=cor"
flip_fields lz4 random 1
flip_fields lz4 struct 1
flip_fields lz4 fill 0
flip_fields lz4 zero 0
detach cor
for setup in zlib zstd; do
	attach "low,comp=$setup,alloc=largest,size=2M,name=cor"
	patio -k text write "$CHAR" 0 400 1 > "$TMP/out"
	filled=$(cut -d' ' -f2 "$TMP/out")
	gaps 0 "$filled"
	flip_fields "$setup, in gaps" random 3
	flip_fields "$setup, in gaps" half 2
	detach cor
done
holds "$flips damages field by field, $flips_eio times EIO" $flips -ge 4000
