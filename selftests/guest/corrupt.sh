#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The figures s_KEY are set by load_stats, by name.
# shellcheck disable=SC2154
#
# Damage on the media below: a page that was hit is an I/O error, counted, and
# never other data; all other pages are intact; writing the page heals it.
. "$(dirname "$0")/lib.sh"

: "${MTDC_ROUNDS:=40}"
pages=160
plan 44
phram low 0 384
load
lower=/dev/mtd$(mtd_num low)

# damages NAME COUNT KIND: every mode; sets total_eio, total_hit, other and wrong
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

for setup in lz4,alloc=rotate zlib,alloc=largest lzo,alloc=best zstd,alloc=rotate \
	none,alloc=rotate; do
	attach "low,comp=$setup,size=768K,name=cor"
	count=$pages
	# Without compression fewer pages fit.
	[ "${setup%%,*}" != none ] || count=80
	# Twice in odd order, so that the media has gaps and chains.
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
	# Lasting damage, then new contents for what is lost.
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

# Chains: the media filled with small pages, every second one erased, then larger
# ones that must be split to fit into the gaps.
attach "low,comp=lz4,alloc=largest,size=2M,name=cor"
patio -k text write "$CHAR" 100 300 1 > "$TMP/out"
filled=$(cut -d' ' -f2 "$TMP/out")
n=100
while [ $n -lt $((100 + filled)) ]; do
	mtdop erase "$CHAR" $((n * PAGE)) $PAGE > "$TMP/out"
	n=$((n + 2))
done
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
