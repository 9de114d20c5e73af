#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The eraseblock cache (cache=1) on flash: nandsim, mtdsim as NAND and as NOR. Pages read as
# written, whatever the flash does; the contents of the media, and the time of their writes; bad
# blocks, blocks that go bad, and blocks that only seem bad. MTDC_SEED and MTDC_OPS set the random
# part.
#
# 128 KiB eraseblocks unless said otherwise: 8 MiB are 64 blocks, one of them spare.
#
# job: test flashes
# job: long ebcache --mem 192 --reserve 64 --timeout 400
# job: debug flash
# shellcheck disable=SC2154 # s_KEY are set by load_stats, by name
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/simlib.sh"
. "$(dirname "$0")/flashlib.sh"
flash_device ebc cache cache=1

: "${MTDC_OPS:=2000}"
ops=$((MTDC_OPS / 5))
load

# move PAGES: write two pages of three once. The free space does not hold them all, so the others go
# to old places of pages, and the cache loads blocks that hold other pages.
move()
{
	patio -k random -s "$MTDC_SEED" -S 3 write "$CHAR" 0 $(($1 / 3)) 2 > "$TMP/out"
	patio -k random -s "$MTDC_SEED" -S 3 write "$CHAR" 1 $(($1 / 3)) 2 >> "$TMP/out"
	either random 0 "$1" 2 | cut -d' ' -f6,8
}

# figures BLOCKS: relations between the figures of a cache on flash with BLOCKS blocks
figures()
{
	t "$s_cache" = 1
	t $((s_blocks + s_blocks_spare + s_blocks_bad)) = "$1"
	t "$s_media_bytes" = $((s_blocks * s_block_bytes))
	t "$s_blocks_retired" -le "$s_blocks_bad"
	t "$s_block_written_bytes" -le $((s_block_erases * s_block_bytes))
	t "$s_block_read_bytes" -ge $((s_block_loads * s_block_bytes))
}

# ------------------------------------------------- flash that works

nandsim 6 badblocks=0,17,63 bitflips=1
must flash_erase -N "$LOWER" 0 0
must dd if=/dev/urandom of="$LOWER" bs=128k count=61
attach "$LOWER_NUM,cache=1,comp=lz4,size=8M,name=ebc"
load_stats ebc
is "nandsim: bad blocks are skipped, one is kept aside" \
	"$s_blocks $s_blocks_bad $s_blocks_spare $s_media_bytes" "60 3 1 7864320"
is "nandsim: on flash that has been used, a new device is empty" \
	"$(mtdop is "$CHAR" 0 8388608 0xff)" ok
integrity "nandsim, bit flips" 2048 64
holds "nandsim: there were bit flips" \
	"$(cat "/sys/class/mtd/mtd$LOWER_NUM/corrected_bits")" -gt 0
end_nandsim

sim nand,size=8M,bad=3/4/62 comp=zlib,size=8M
load_stats ebc
is "mtdsim nand: bad blocks are skipped" "$s_blocks $s_blocks_bad $s_blocks_spare" "60 3 1"
integrity "mtdsim nand" 2048 64
sim_agrees "mtdsim nand"
for n in 0 1 2; do
	patio -s $n write "$CHAR" $((n * 680)) 680 1 > "$TMP/out.$n" &
done
wait
out=
for n in 0 1 2; do
	out="$out $(patio -s $n verify "$CHAR" $((n * 680)) 680 1)"
done
is "mtdsim nand: three at a time" "$out" " $(good 680) $(good 680) $(good 680)"
end_sim

sim nor,size=8M comp=lzo,alloc=largest,size=8M
integrity "mtdsim nor" 2048 64
sim_agrees "mtdsim nor"
end_sim

# An eraseblock as small as a page, and one larger than most pages together.
sim nor,size=4M,erasesize=4K comp=lz4,alloc=best,size=4M
load_stats ebc
is "nor of 4 KiB blocks: 20 in 1024 are kept aside" "$s_blocks $s_blocks_spare" "1004 20"
integrity "nor of 4 KiB blocks" 1024 1024
sim_agrees "nor of 4 KiB blocks"
end_sim
sim nand,size=8M,erasesize=1M,writesize=4K,oobsize=224 comp=none,ratio=90
integrity "nand of 1 MiB blocks, comp=none" 1600 8
sim_agrees "nand of 1 MiB blocks"
end_sim

# ------------------------------------------------- time of writes

sim nand,size=2M comp=none,size=1M,crypt=off
exec 3<> "$CHAR"
(printf 'ONE-OF-A-KIND'; head -c 4083 /dev/urandom) >&3
is "a page that was written is readable" "$(dd if="$CHAR" bs=13 count=1 status=none)" ONE-OF-A-KIND
is "and not on the flash" "$(counter erases) $(on_media ONE-OF-A-KIND)" "0 0"
exec 3>&-
is "a close, which is a sync, puts it there" "$(counter erases) $(on_media ONE-OF-A-KIND)" "1 1"
exec 3<> "$CHAR"
exec 3>&-
is "a sync that has nothing to do costs nothing" "$(counter erases)" 1
dd if=/dev/urandom of="$BLOCK" bs=4096 count=1 seek=1 oflag=direct conv=notrunc 2> "$TMP/out" 3<> "$BLOCK"
before=$(counter erases)
must mtdop flush "$BLOCK"
holds "a flush of mtdblock leaves nothing unwritten" "$(counter erases)" -ge "$before"
before=$(counter erases)
exec 3<> "$CHAR"
head -c 524288 /dev/urandom >&3
holds "half a MiB needs the place in the cache four times" $(($(counter erases) - before)) -ge 3
exec 3>&-
# Detach writes what a failed sync has left in the cache.
exec 3<> "$CHAR"
(printf 'ANOTHER-ONE'; head -c 4085 /dev/urandom) >&3
set_knob power_on 0
mark
exec 3>&-
is "a sync that fails is said" "$(messages | grep -c 'sync failed')" 1
set_knob power_on 1
is "it is not there yet" "$(on_media ANOTHER-ONE)" 0
detach ebc
is "detach puts it there" "$(on_media ANOTHER-ONE)" 1
attach "sim,cache=1,comp=lz4,name=ebc"
must patio write "$CHAR" 0 100 1
exec 3<> "$CHAR"
head -c 4096 /dev/urandom >&3
set_knob power_on 0
exec 3>&-
mark
is "detach from flash that is dead works" "$(put detach ebc)" ok
is "and says what it means" "$(messages | grep -c 'did not take all')" 1
sim_unload

# ------------------------------------------------- blocks that break

# In the short form the same 64 blocks, but smaller ones.
size=$(amount 2M,erasesize=32K 8M)
room=$(amount 384 1536) all=$(amount 375 1500)
for type in $(amount nand "nand nor"); do
	what="mtdsim $type"
	sim "$type,size=$size" "comp=none,size=$((room * 4))K"
	is "$what: $all random pages" "$(write random 0 "$all" 1)" "$(written "$all" $((all - 1)))"
	# A single failure gives no block up.
	set_knob fail_erase_at "every 7"
	is "$what: an erase in seven fails, nobody notices" "$(write random 0 "$all" 2)" \
		"$(written "$all" $((all - 1)))"
	set_knob fail_erase_at off
	[ "$type" = nand ] && n=$((all / 5)) || n=$((all * 2))
	set_knob fail_program_at "every $n"
	is "$what: a program in $n fails, nobody notices" "$(write random 0 "$all" 3)" \
		"$(written "$all" $((all - 1)))"
	set_knob fail_program_at off
	holds "$what: there were some" $(($(counter erase_errors) * $(counter program_errors))) -gt 4
	is "$what: no block was given up for it" "$(stat blocks_retired ebc)" 0
	is "$what: everything is as written" "$(verify random 0 "$all" 3)" "$(good "$all")"
	consistent "$what, transient errors" 64

	# A permanent failure: the spare block replaces it.
	set_knob break_block 20
	is "$what: a block breaks, nobody notices" "$(write random 0 "$all" 4)" "$(written "$all" $((all - 1)))"
	# By then each block has been written.
	must patio -k random -s "$MTDC_SEED" write "$CHAR" 0 "$all" 4
	load_stats ebc
	is "$what: it was replaced" "$s_blocks_spare $s_blocks_retired $s_blocks_bad" "0 1 1"
	[ "$type" = nand ] && n="20 bad" || n=""
	is "$what: and marked bad, where that can be" \
		"$(sed -n 's/^\([0-9]*\) .* bad$/\1 bad/p' "$SIM/sim/wear")" "$n"
	is "$what: everything is as written" "$(verify random 0 "$all" 4)" "$(good "$all")"
	no_errors "$what, one block broken"

	# Another block breaks, with no spare block left.
	set_knob break_block 30
	mark
	out=$(limited 60 patio -k random -s "$MTDC_SEED" write "$CHAR" 0 "$all" 5)
	ok=$(echo "$out" | cut -d' ' -f2)
	is "$what: without a spare block, writes fail with EIO" "$(echo "$out" | cut -d' ' -f6)" EIO
	diag "$what: $out"
	holds "$what: for good" "$ok" -lt "$all"
	# The kernel limits the rate of messages, so the second type may lack it.
	[ "$type" = nor ] ||
		holds "$what: it is said why" "$(messages | grep -c 'no spare one is left')" -ge 1
	is "$what: no other block is given up" "$(stat blocks_retired ebc)" 1
	is "$what: the state says so" "$(stat state ebc)" worn
	is "$what: every page is the new or the old one" \
		"$(either random 0 "$all" 5 | cut -d' ' -f5-8)" "error 0 wrong 0"
	consistent "$what, no spare block" 64
	mark
	is "$what: detach works" "$(limited 60 mtdop put "$SYS/detach" ebc)" ok
	is "$what: and says that something is left" "$(messages | grep -c 'did not take all')" 1
	sim_unload
done

# ------------------------------------------------- blocks that only seem to be bad

for type in $(amount nand "nand nor"); do
	[ "$type" = nand ] && n=$((all / 3)) || n=$((all * 6))
	power_cuts "$type,size=$size" "comp=none,size=$((room * 4))K" "$all" "$n"
done
wrong_bits 1500

long_from_here

# ------------------------------------------------- blocks that go bad

# Blocks that can't be erased after some erases, pages that can't be programmed: two blocks of 128,
# which has spare ones. Page 1290 is in block 20.
nandsim 7 weakblocks=5:4 weakpages=1290:4
attach "$LOWER_NUM,cache=1,comp=none,size=14M,name=ebc"
load_stats ebc
is "weak nandsim: two spare blocks" "$s_blocks $s_blocks_bad $s_blocks_spare" "126 0 2"
mark
n=0
while [ $n -lt 10 ] && [ "$(stat blocks_retired ebc)" -lt 2 ]; do
	n=$((n + 1))
	out=$(write random 0 3500 $n)
	[ "$out" = "$(written 3500 3499)" ] || break
done
is "weak nandsim: nobody notices" "$out" "$(written 3500 3499)"
load_stats ebc
is "weak nandsim: an erase and a program have failed, the blocks were replaced" \
	"$s_blocks $s_blocks_bad $s_blocks_spare $s_blocks_retired" "126 2 0 2"
is "weak nandsim: the blocks are marked bad" \
	"$(mtdop isbad "$LOWER" $((5 * 131072))) $(mtdop isbad "$LOWER" $((20 * 131072)))" "1 1"
is "weak nandsim: no other" "$(cat "/sys/class/mtd/mtd$LOWER_NUM/bad_blocks")" 2
is "weak nandsim: each is one message" "$(messages | grep -c 'is retired')" 2
is "weak nandsim: everything is as written" "$(verify random 0 3500 $n)" "$(good 3500)"
no_errors "weak nandsim"
consistent "weak nandsim" 128
detach ebc
attach "$LOWER_NUM,cache=1,comp=lz4,name=ebc"
load_stats ebc
is "weak nandsim: the next device skips them" \
	"$s_blocks $s_blocks_bad $s_blocks_spare $s_blocks_retired" "124 2 2 0"
end_nandsim

grave_pages 1700 comp=none,size=7M
holds "grave pages: counted when their block is written" "$(stat block_bad_units ebc)" -gt 0
end_nandsim

# ------------------------------------------------- data that can't be read

rots_alone
unreadable 1500 3
holds "when their block is written, the unit is counted" "$(stat block_bad_units ebc)" -ge 1
consistent "bad units" 64
end_sim

# ------------------------------------------------- everything at once

# Small blocks, so that there are more spare ones: each block that fails twice in a row is given up.
# The writer tries again.
for type in nand,size=8M,erasesize=16K nor,size=2M,erasesize=4K; do
	what="storm, ${type%%,*}"
	sim $type comp=none,ratio=70
	pages=$(($(stat size_bytes ebc) / PAGE))
	must patio -k random -s "$MTDC_SEED" write "$CHAR" 0 $pages 1
	set_knob fail_erase_at "random 12"
	set_knob fail_program_at "random 60"
	set_knob fail_read_at "random 60"
	set_knob ecc_fail_at "random 40"
	gen=1
	bad=0
	while [ $gen -lt 4 ]; do
		gen=$((gen + 1))
		out=$(limited 100 patio -k random -s "$MTDC_SEED" -r 200 write "$CHAR" 0 $pages $gen)
		[ "$out" = "$(written $pages $((pages - 1)))" ] || diag "$gen: $out"
		case $(patio -k random -s "$MTDC_SEED" -r 200 verify "$CHAR" 0 $pages $gen) in
		*"wrong 0 "*)	;;
		*)		bad=$((bad + 1)) ;;
		esac
	done
	is "$what: never other data" $bad 0
	for knob in fail_erase_at fail_program_at fail_read_at ecc_fail_at; do
		set_knob $knob off
	done
	out=$(verify random 0 $pages $gen)
	diag "$what: $(grep -E '^(blocks_|block_(erases|loads|bad))' "$PROC/ebc" | tr '\n' ' ')"
	is "$what: when it is over, all is as written but for what the ECC could not correct" \
		"$(echo "$out" | cut -d' ' -f5-6) $(($(echo "$out" | cut -d' ' -f4) <= 2 * $(stat block_bad_units ebc)))" \
		"wrong 0 1"
	holds "$what: blocks were given up" "$(stat blocks_retired ebc)" -gt 0
	is "$what: the flash saw no violation of its rules" "$(counter violations)" 0
	consistent "$what" "$(($(cat "/sys/class/mtd/mtd$LOWER_NUM/size") / $(stat block_bytes ebc)))"
	end_sim
done

# ------------------------------------------------- drivers that need memory

# A repeated write must continue behind the part that was done: programming a page of NAND twice
# without an erase would be a violation.
wants_memory 3M 600
holds "there was no memory more than once" \
	"$(knob no_memory_at | sed 's/.*hits //')" -gt 9
end_sim

# ------------------------------------------------- flash that goes away

must modprobe mtdc_faultmtd size_kib=4096 must_erase=1 erasesize=65536
attach "faultmtd,cache=1,comp=lz4,name=ebc"
must patio -s "$MTDC_SEED" write "$CHAR" 0 900 1
knobs=/sys/module/mtdc_faultmtd/parameters
echo 117 > $knobs/read_error
is "RAM that has to be erased: corrected bit flips (EUCLEAN) are data" \
	"$(verify mix 0 900 1) $(write mix 0 900 2)" "$(good 900) $(written 900 899)"
echo 0 > $knobs/read_error
echo 7 > $knobs/every
echo 1 > $knobs/shorted
is "short transfers are errors, and tried again" \
	"$(patio -s "$MTDC_SEED" -r 50 write "$CHAR" 0 900 3) $(
		patio -s "$MTDC_SEED" -r 50 verify "$CHAR" 0 900 3)" "$(written 900 899) $(good 900)"
echo 0 > $knobs/shorted
is "nothing of them is left" "$(verify mix 0 900 3)" "$(good 900)"
# Half of the data are programmed when memory runs out; the driver writes the rest.
for setting in write_error=12 torn=1 every=2; do
	echo "${setting#*=}" > "$knobs/${setting%%=*}"
done
is "a program that wants memory goes on from where it stopped" "$(write mix 0 900 4)" \
	"$(written 900 899)"
echo 0 > $knobs/write_error
is "and all of it is there" "$(verify mix 0 900 4)" "$(good 900)"
is "no block was given up for that" "$(stat blocks_retired ebc)" 0
goes_away

# ------------------------------------------------- tests of other projects

tests_above
