#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The log (store=log) on flash: nandsim, mtdsim as NAND and as NOR. Pages read as written, whatever
# the flash does; no promised write is refused; wear levelling, and the erase counts after a detach;
# bad blocks, blocks that go bad, and blocks that only seem bad. MTDC_SEED and MTDC_OPS set the
# random part.
#
# 128 KiB eraseblocks unless said otherwise: 8 MiB are 64 blocks, one of them spare.
#
# job: test flashes
# job: long log --mem 192 --reserve 64 --timeout 400
# job: debug flash --mem 192 --reserve 64 --timeout 600
# job: sim kernelflash --mem 192 --reserve 64 --timeout 600
# job: mthp mthpflash
# shellcheck disable=SC2154 # s_KEY are set by load_stats, by name
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/simlib.sh"
. "$(dirname "$0")/flashlib.sh"
flash_device log log

: "${MTDC_OPS:=2000}"
ops=$((MTDC_OPS / 5))
load

# move PAGES: write each second page, over and over, so that GC moves the others
move()
{
	for move_gen in 2 3 4 5; do
		patio -k random -s "$MTDC_SEED" -S 2 write "$CHAR" 0 $(($1 / 2)) $move_gen > "$TMP/out"
	done
	patio -k random -s "$MTDC_SEED" -S 2 verify "$CHAR" 1 $(($1 / 2)) 1 | cut -d' ' -f4,6
}

# figures BLOCKS: relations between the figures of a log on flash with BLOCKS blocks
figures()
{
	t "$s_cache" = 0
	t "$s_store" = log
	t $((s_blocks + s_blocks_bad)) = "$1"
	t "$s_media_bytes" -lt $((s_blocks * s_block_bytes))
	t "$s_blocks_retired" -le "$s_blocks_bad"
	t "$s_erases_least" -le "$s_erases_mean"
	t "$s_erases_mean" -le "$s_erases_most"
	t "$s_block_written_bytes" -le $(((s_block_erases + 2) * s_block_bytes))
	t $((s_log_host_bytes + s_log_moved_bytes)) -ge "$s_media_used_bytes"
}

# ------------------------------------------------- flash that works

nandsim 6 badblocks=0,17,63 bitflips=1
must flash_erase -N "$LOWER" 0 0
must dd if=/dev/urandom of="$LOWER" bs=128k count=61
attach "$LOWER_NUM,comp=lz4,size=8M,name=log"
load_stats log
is "nandsim: a log is what flash gets; bad blocks are skipped" \
	"$s_store $s_blocks $s_blocks_bad $s_blocks_spare" "log 61 3 1"
is "nandsim: on flash that has been used, a new device is empty" \
	"$(mtdop is "$CHAR" 0 8388608 0xff)" ok
integrity "nandsim, bit flips" 2048 64
holds "nandsim: there were bit flips" \
	"$(cat "/sys/class/mtd/mtd$LOWER_NUM/corrected_bits")" -gt 0
diag "$(grep -E '^(log_|erases_|block_)' "$PROC/log" | tr '\n' ' ')"
end_nandsim

sim nand,size=8M,bad=3/4/62 comp=zlib,size=8M
integrity "mtdsim nand" 2048 64
sim_agrees "mtdsim nand"
end_sim

sim nor,size=8M comp=lzo,size=8M
integrity "mtdsim nor" 2048 64
sim_agrees "mtdsim nor"
end_sim

# The log takes 16 small sectors as one block; and flash with few blocks.
sim nor,size=4M,erasesize=4K comp=lz4,size=4M
load_stats log
is "nor of 4 KiB blocks: 64 KiB is a block" "$s_block_bytes $s_blocks $s_blocks_spare" "65536 64 1"
integrity "nor of 4 KiB blocks" 1024 64
sim_agrees "nor of 4 KiB blocks" 16
end_sim
sim nand,size=16M,erasesize=1M,writesize=4K,oobsize=224 comp=none,ratio=90
integrity "nand of 1 MiB blocks, comp=none" 1600 16
sim_agrees "nand of 1 MiB blocks"
end_sim

# ------------------------------------------------- the whole promise

for type in nand nor; do
	what="full $type"
	sim $type,size=8M comp=none,ratio=150
	out=$(write random 0 2400 1)
	most=$(echo "$out" | cut -d' ' -f2)
	# A page that does not compress, and its tag.
	is "$what: what is promised can be written, then it is ENOSPC" \
		"$(echo "$out" | cut -d' ' -f6) $((most * 4112 <= $(stat media_bytes log))) $((
			(most + 1) * 4112 > $(stat media_bytes log)))" "ENOSPC 1 1"
	is "$what: and the state says so" "$(stat state log)" full
	# During a burst of refusals, other writes are refused without a try.
	sleep 2
	out=
	for gen in 2 3 4; do
		out="$out $(write random 0 "$most" $gen | cut -d' ' -f1-4)"
	done
	is "$what: to the last page it can be written over and over" "$out" \
		" ok $most error 0 ok $most error 0 ok $most error 0"
	is "$what: everything is as written" "$(verify random 0 "$most" 4)" "$(good "$most")"
	patio -s "$MTDC_SEED" -k random -S 7 write "$CHAR" 3 $((most / 7 - 1)) 5 > "$TMP/out"
	for n in 1 2 3 4 5 6 7 8 9; do
		patio -s "$MTDC_SEED" -k random -S 7 write "$CHAR" 3 $((most / 7 - 1)) $n >> "$TMP/out"
	done
	is "$what: and some of it more often" "$(sort -u "$TMP/out")" \
		"ok $((most / 7 - 1)) error 0 first none last-ok $((3 + 7 * (most / 7 - 2)))"
	load_stats log
	diag "$what: $(grep -E '^(log_|erases_|block_)' "$PROC/log" | tr '\n' ' ')"
	holds "$what: blocks were collected" "$s_log_collected" -gt 20
	sim_agrees "$what"
	must mtdop erase "$CHAR" 0 $((100 * 4096))
	is "$what: what was erased gives room to as many" "$(write random "$most" 100 1)" \
		"$(written 100 $((most + 99)))"
	is "$what: the state is ok again" "$(stat state log)" ok
	consistent "$what" 64
	end_sim
done

# ------------------------------------------------- blocks that break

# In the short form the same 64 blocks, but smaller ones.
size=$(amount 2M,erasesize=32K 8M)
room=$(amount 320 1536) all=$(amount 310 1500)
kept=$((all / 5)) few=$((all / 6))
for type in $(amount nand "nand nor"); do
	what="mtdsim $type"
	sim "$type,size=$size" "comp=none,size=$((room * 4))K"
	is "$what: $all random pages" "$(write random 0 "$all" 1)" "$(written "$all" $((all - 1)))"
	# A single failure may need no new block, but a broken block is lost.
	set_knob fail_erase_at 20
	set_knob fail_program_at $((all * 7 / 15))
	is "$what: an erase and a program fail, nobody notices" \
		"$(write random 0 "$all" 2) $(write random 0 "$all" 3)" \
		"$(written "$all" $((all - 1))) $(written "$all" $((all - 1)))"
	set_knob fail_erase_at off
	set_knob fail_program_at off
	is "$what: everything is as written" "$(verify random 0 "$all" 3)" "$(good "$all")"
	holds "$what: there were some" "$(counter erase_errors)" -gt 0 -a "$(counter program_errors)" -gt 0
	is "$what: their blocks have passed their tests, or will" "$(stat blocks_retired log)" 0
	is "$what: the state is ok" "$(stat state log)" ok

	# Block after block breaks: space shrinks until no write works; all pages stay readable. The
	# pages fill nine blocks, eight are held back, and some failed last and can't be tested any
	# more. With four at a time, more are left when the first write fails.
	must mtdop erase "$CHAR" $((kept * PAGE)) $(((room - kept) * PAGE))
	mark
	gen=3
	now="error 0 wrong 0"
	at_once=$(amount 4 1) n=0
	for block in $(seq 1 3 62) $(seq 2 3 62) $(seq 0 3 63); do
		set_knob break_block "$block"
		n=$((n + 1))
		[ $((n % at_once)) = 0 ] || continue
		gen=$((gen + 1))
		# If three blocks in a row fail their tests, the log blames the media: each write
		# fails until one works.
		limited 100 patio -k random -s "$MTDC_SEED" -r 8 write "$CHAR" 0 $few $gen > "$TMP/out"
		out=$(cat "$TMP/out")
		now=$(either random 0 $few $gen | cut -d' ' -f5-8)
		[ "$out $now" = "$(written $few $((few - 1))) error 0 wrong 0" ] || break
	done
	diag "$what: $out: $(grep -E '^(blocks|state|log_fa)' "$PROC/log" | tr '\n' ' ')"
	is "$what: block after block breaks: each page is always the new or the old one" \
		"$now" "error 0 wrong 0"
	[ "$at_once" -gt 1 ] ||
		holds "$what: until nothing more has room" "$(stat blocks log)" -le 20
	is "$what: with a message" "$(messages | grep -c 'than was promised')" 1
	for block in $(seq 0 63); do
		set_knob break_block "$block"
	done
	write random 0 40 $((gen + 1)) > "$TMP/out"
	write random 0 40 $((gen + 1)) > "$TMP/out"
	is "$what: without a block that works, a write is an error" \
		"$(write random 0 5 99 | cut -d' ' -f2-6)" "0 error 5 first EIO|0 error 5 first ENOSPC"
	is "$what: what was not written since is all there" \
		"$(verify random $few $((kept - few)) 3)" "$(good $((kept - few)))"
	diag "$what: $(grep -E '^(blocks|state|log_fa)' "$PROC/log" | tr '\n' ' ')"
	is "$what: the flash saw no violation of its rules" "$(counter violations)" 0
	end_sim
done

# ------------------------------------------------- media that come back

# comes_back WHAT SECONDS TEXT: write the next generation over and over for SECONDS, while
# fail_program_at is TEXT; then without faults. Six results.
comes_back()
{
	back_what="$what, $1" back_until=$(($(date +%s) + $2))
	gen=$((gen + 1))
	set_knob fail_program_at "$3"
	while :; do
		limited 100 patio -k random -s "$MTDC_SEED" write "$CHAR" 0 "$all" $gen > "$TMP/out"
		[ "$(date +%s)" -lt $back_until ] || break
	done
	diag "$back_what: $(cat "$TMP/out"): $(grep -E '^(state|blocks|log_fa)' "$PROC/log" | tr '\n' ' ')"
	is "$back_what: each page is the new or the old one" \
		"$(either random 0 "$all" $gen | cut -d' ' -f5-8)" "error 0 wrong 0"
	set_knob fail_program_at off
	set_knob fail_erase_at off
	is "$back_what: when all works again, so do writes, at the ninth try at the latest" \
		"$(limited 100 patio -k random -s "$MTDC_SEED" -r 8 write "$CHAR" 0 "$all" $gen)" \
		"$(written "$all" $((all - 1)))"
	gen=$((gen + 1))
	is "$back_what: and then at the first" "$(write random 0 "$all" $gen)" \
		"$(written "$all" $((all - 1)))"
	is "$back_what: everything is as written" "$(verify random 0 "$all" $gen)" "$(good "$all")"
	load_stats log
	is "$back_what: no block is given up, no page lost, and the state is ok" \
		"$s_blocks_retired $s_pages_lost $s_log_lost $s_state" "0 0 0 ok"
	is "$back_what: the flash saw no violation of its rules" "$(counter violations)" 0
}

for type in $(amount nand "nand nor"); do
	what="comes back, $type"
	# The log programs about 2 to 4 pages of NAND at a time, or 8 to 16 write buffers of NOR. A
	# number without a common divisor hits every second program, but not always the same one.
	[ "$type" = nand ] && n=7 || n=61
	for fault in "every second program fails:every $n" "half of the programs fail:random $n" \
		"nothing can be written:every 1"; do
		sim "$type,size=$size" "comp=none,size=$((room * 4))K"
		must patio -k random -s "$MTDC_SEED" write "$CHAR" 0 "$all" 1
		gen=1
		case $fault in
		nothing*)
			set_knob fail_erase_at "every 1"
			comes_back "${fault%:*}" "$(amount 4 60)" "${fault#*:}" ;;
		*)
			comes_back "${fault%:*}" "$(amount 2 20)" "${fault#*:}" ;;
		esac
		end_sim
	done

	# A block of 64 breaks.
	sim "$type,size=$size" "comp=none,size=$((room * 4))K"
	must patio -k random -s "$MTDC_SEED" write "$CHAR" 0 "$all" 1
	set_knob break_block 7
	out=
	for gen in 2 3 4 5; do
		out="$out$(write random 0 "$all" $gen) $(verify random 0 "$all" $gen)|"
	done
	is "$what: a block breaks, nobody notices" "$(echo "$out" | tr '|' '\n' | sort -u | sed 1d)" \
		"$(written "$all" $((all - 1))) $(good "$all")"
	# The log tests the block while idle.
	sleep 6
	load_stats log
	is "$what: it is given up, and no other" "$s_blocks_retired $s_pages_lost $s_state" "1 0 ok"
	is "$what: the flash saw no violation of its rules" "$(counter violations)" 0
	end_sim
done

# ------------------------------------------------- blocks that only seem to be bad

for type in $(amount nand "nand nor"); do
	[ "$type" = nand ] && n=$((all / 3)) || n=$((all * 2))
	power_cuts "$type,size=$size" "comp=none,size=$((room * 4))K" $((all * 14 / 15)) "$n"
done
wrong_bits 1400

long_from_here

# ------------------------------------------------- time of writes

sim nand,size=8M comp=none,size=6M
exec 3<> "$CHAR"
(printf 'ONE-OF-A-KIND'; head -c 4083 /dev/urandom) >&3
is "a page that was written is readable" "$(dd if="$CHAR" bs=13 count=1 status=none)" ONE-OF-A-KIND
sleep 8
is "and after some seconds on the flash" "$(on_media ONE-OF-A-KIND)" 1
before=$(counter bytes_programmed)
sleep 8
is "once" "$(counter bytes_programmed)" "$before"
(printf 'SECOND-OF-ITS-KIND'; head -c 600 /dev/urandom; head -c 3478 /dev/zero) >&3
exec 3>&-
is "a close, which is a sync, puts it there" "$(on_media SECOND-OF-ITS-KIND)" 1
before=$(counter bytes_programmed)
exec 3<> "$CHAR"
exec 3>&-
is "a sync that has nothing to do costs nothing" "$(counter bytes_programmed)" "$before"
end_sim

# ------------------------------------------------- wear

# Half of the pages are never rewritten. The erase counts survive a detach, and are right.
sim nand,size=4M comp=none,size=2M,spread=4
must patio -k random -s "$MTDC_SEED" write "$CHAR" 0 500 1
for gen in $(seq 40); do
	patio -k random -s "$MTDC_SEED" write "$CHAR" 250 250 "$gen" >> "$TMP/out"
done
load_stats log
diag "wear: $s_erases_least to $s_erases_most, $s_log_levelled levelled"
holds "spread=4: cold blocks are erased, too" $((s_erases_most - s_erases_least)) -le 8
holds "spread=4: by moving their data" "$s_log_levelled" -gt 2
is "cold pages are as they were" "$(verify random 0 250 1)" "$(good 250)"
wear() { awk '$1 ~ /^[0-9]+$/ { print $2 }' "$SIM/sim/wear" | sort -n | tr '\n' ' '; }
diag "$(head -n 3 "$SIM/sim/wear")"
is "the flash has counted the same" \
	"$(wear | awk '{ print $1, $NF }')" "$s_erases_least $s_erases_most"
detach log
attach "sim,comp=none,size=2M,name=log"
is "after a detach, the next one knows them" \
	"$(stat erases_least log) $(stat erases_most log)" "$(wear | awk '{ print $1, $NF }')"
must patio -k random -s "$MTDC_SEED" write "$CHAR" 0 500 1
set_knob power_on 0
detach log
set_knob power_on 1
attach "sim,comp=none,size=2M,name=log"
load_stats log
holds "when the power has failed, some are guessed" \
	"$((s_erases_most <= $(wear | awk '{ print $NF }') + 1))" = 1
holds "but not the most worn as if it were new: it is within spread= of the others" \
	"$s_erases_most" -ge $(($(wear | awk '{ print $NF }') - 8))
holds "and none is less than it was by more than a few" \
	"$s_erases_least" -ge $(($(wear | awk '{ print $1 }') - 1))
is "the device is empty, and can be filled" \
	"$(mtdop is "$CHAR" 0 2097152 0xff) $(write random 0 500 1)" "ok $(written 500 499)"
end_sim

# ------------------------------------------------- blocks that go bad

nandsim 7 weakblocks=5:4 weakpages=1290:4
attach "$LOWER_NUM,comp=none,size=12M,name=log"
mark
n=0
while [ $n -lt 14 ] && [ "$(stat blocks_retired log)" -lt 2 ]; do
	n=$((n + 1))
	out=$(write random 0 3000 $n)
	[ "$out" = "$(written 3000 2999)" ] || break
done
is "weak nandsim: nobody notices" "$out" "$(written 3000 2999)"
# The log tests the blocks while idle, some of them after each write.
for _ in 1 2 3; do
	write random 0 100 $n > "$TMP/out"
	sleep 7
done
load_stats log
is "weak nandsim: an erase and a program have failed, the blocks are given up" \
	"$s_blocks $s_blocks_bad $s_blocks_spare $s_blocks_retired" "126 2 0 2"
is "weak nandsim: the blocks are marked bad" \
	"$(mtdop isbad "$LOWER" $((5 * 131072))) $(mtdop isbad "$LOWER" $((20 * 131072)))" "1 1"
is "weak nandsim: no other" "$(cat "/sys/class/mtd/mtd$LOWER_NUM/bad_blocks")" 2
is "weak nandsim: everything is as written" "$(verify random 0 3000 $n)" "$(good 3000)"
is "weak nandsim: no write has failed, no page is lost" \
	"$(stat err_media_write log) $(stat pages_lost log)" "0 0"
consistent "weak nandsim" 128
detach log
attach "$LOWER_NUM,comp=lz4,name=log"
load_stats log
is "weak nandsim: the next device skips them" \
	"$s_blocks $s_blocks_bad $s_blocks_retired" "126 2 0"
end_nandsim

grave_pages 1400 comp=none,size=6M
end_nandsim

# ------------------------------------------------- data that can't be read

rots_alone
unreadable 1400 2
# Flips that the ECC corrects now, but not much longer.
set_knob corrected_at "every 100"
is "corrected bit flips are no errors" "$(verify random 0 1400 6)" "$(good 1400)"
set_knob corrected_at off
sleep 15
load_stats log
holds "their blocks are written anew when nobody waits" "$s_log_scrubbed" -ge 5
is "and nothing is lost by that" "$(verify random 0 1400 6)" "$(good 1400)"
consistent "bad units" 64
end_sim

# ------------------------------------------------- everything at once

for type in nand,size=8M,erasesize=32K nor,size=4M,erasesize=32K; do
	what="storm, ${type%%,*}"
	sim $type comp=none,ratio=70
	pages=$(($(stat size_bytes log) / PAGE))
	must patio -k random -s "$MTDC_SEED" write "$CHAR" 0 $pages 1
	# Failing blocks are given up, and only few may be.
	[ "${type%%,*}" = nand ] && n=1500 || n=9000
	set_knob fail_erase_at "random 100"
	set_knob fail_program_at "random $n"
	set_knob fail_read_at "random 60"
	set_knob ecc_fail_at "random 40"
	gen=1
	bad=0
	while [ $gen -lt 4 ]; do
		gen=$((gen + 1))
		out=$(limited 100 patio -k random -s "$MTDC_SEED" -r 20 write "$CHAR" 0 $pages $gen)
		[ "$out" = "$(written $pages $((pages - 1)))" ] || diag "$gen: $out"
		case $(patio -k random -s "$MTDC_SEED" -r 200 either "$CHAR" 0 $pages $gen) in
		*"wrong 0")	;;
		*)		bad=$((bad + 1)) ;;
		esac
	done
	is "$what: never other data" $bad 0
	for knob in fail_erase_at fail_program_at fail_read_at ecc_fail_at; do
		set_knob $knob off
	done
	out=$(either random 0 $pages $gen)
	diag "$what: $out: $(grep -E '^(state|blocks|log_fa|log_lost|pages_lost)' "$PROC/log" | tr '\n' ' ')"
	is "$what: when it is over, all can be read but for what the ECC could not correct" \
		"$(echo "$out" | cut -d' ' -f7-8) $(($(echo "$out" | cut -d' ' -f6) <= $(stat pages_lost log)))" \
		"wrong 0 1"
	holds "$what: there were some" "$(stat log_failed_programs log)" -gt 0
	is "$what: the flash saw no violation of its rules" "$(counter violations)" 0
	end_sim
done

# ------------------------------------------------- drivers that need memory

wants_memory 2M 500
end_sim

# ------------------------------------------------- flash that goes away

must modprobe mtdc_faultmtd size_kib=4096 must_erase=1 erasesize=65536
attach "faultmtd,comp=lz4,name=log"
must patio -s "$MTDC_SEED" write "$CHAR" 0 600 1
knobs=/sys/module/mtdc_faultmtd/parameters
echo 117 > $knobs/read_error
is "RAM that has to be erased: corrected bit flips (EUCLEAN) are data" \
	"$(verify mix 0 600 1) $(write mix 0 600 2)" "$(good 600) $(written 600 599)"
echo 0 > $knobs/read_error
goes_away

# ------------------------------------------------- tests of other projects

tests_above

# The kernel's tests on the lower MTD: the flash is sane before the driver uses it, and after.
# between WHAT: use the flash with the driver
between()
{
	bad=$(cat "/sys/class/mtd/mtd$LOWER_NUM/bad_blocks")
	attach "$LOWER_NUM,comp=lz4,size=1M,name=log"
	for gen in 1 2 3 4; do
		out=$(write mix 0 256 $gen)
	done
	is "$1: we write, and read" "$out $(verify mix 0 256 4)" "$(written 256 255) $(good 256)"
	detach log
	is "$1: and leave no block marked bad" "$(cat "/sys/class/mtd/mtd$LOWER_NUM/bad_blocks")" "$bad"
}

sim_load name=sim,type=nand,size=2M,erasesize=64K,bad=9
LOWER_NUM=$NUM
sane "mtdsim, before us"
between "mtdsim"
sane "mtdsim, after us"
is "mtdsim: no rule was violated" "$(counter violations)" 0
sim_unload
nandsim 4
sane "nandsim, before us"
between "nandsim"
sane "nandsim, after us"
must rmmod nandsim
