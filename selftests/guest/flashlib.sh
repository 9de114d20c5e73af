# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Sourced by the guest scripts for flash, after lib.sh and simlib.sh: nandsim or mtdsim below the
# device, pages on it, and checks of its figures. `ops` is the number of random operations; each
# script defines figures BLOCKS.
# shellcheck disable=SC2154 # s_KEY are set by load_stats, by name

# flash_device NAME WHAT [OPTION]: name and option of the device; WHAT: the part of the driver under
# test
flash_device()
{
	flash_name=$1 flash_what=$2 flash_option=${3:+$3,}
}

# nandsim BLOCKS_LOG2 PARAMETERS...: load it; sets LOWER and LOWER_NUM
nandsim()
{
	nandsim_log2=$1
	shift
	must modprobe nandsim id_bytes=0xec,0xa1,0x00,0x15 overridesize="$nandsim_log2" "$@"
	LOWER_NUM=$(sed -n 's/^mtd\([0-9]*\):.*"NAND simulator.*/\1/p' /proc/mtd)
	[ -n "$LOWER_NUM" ] || bail "no nandsim MTD: $(cat /proc/mtd)"
	LOWER=/dev/mtd$LOWER_NUM
}

end_nandsim()
{
	detach "$flash_name"
	must rmmod nandsim
}

# sim TYPE[,OPTIONS] ATTACH_OPTIONS: a device of mtdsim, and a device of the driver on it; LOWER and
# LOWER_NUM belong to the former.
sim()
{
	sim_load "name=sim,type=$1"
	LOWER=$CHAR LOWER_NUM=$NUM
	attach "sim,$flash_option$2,name=$flash_name"
}

end_sim()
{
	detach "$flash_name"
	sim_unload
}

# rot READSIZE: pages of about 1,400 bytes, and wrong bits in one ECC step of each block, with a
# driver that reads READSIZE bytes together. Sets rotten to the number of unreadable pages, and
# prints findings.
rot()
{
	sim "nand,size=8M,readsize=$1" comp=lz4,size=6M
	[ "$(write text 0 1400 1)" = "$(written 1400 1399)" ] || echo "not written"
	for rot_block in $(seq 0 63); do
		set_knob flip "$((rot_block * 131072 + 4096)) 5"
	done
	out=$(verify text 0 1400 1)
	rotten=$(echo "$out" | cut -d' ' -f4)
	[ "$(echo "$out" | cut -d' ' -f6)" = 0 ] || echo "wrong bytes: $out"
	# The writes move the other pages, or write them back with their block.
	patio -k text -s "$MTDC_SEED" -S 2 write "$CHAR" 0 700 2 > "$TMP/out"
	sleep 4
	out=$(patio -k text -s "$MTDC_SEED" -S 2 verify "$CHAR" 1 700 1)
	[ "$(echo "$out" | cut -d' ' -f4)" -le "$rotten" ] || echo "more of them later: $out"
	[ "$(echo "$out" | cut -d' ' -f6)" = 0 ] || echo "wrong bytes later: $out"
	end_sim
}

# rots_alone: a page is lost only if its own bytes are wrong, whatever the driver reads with them.
# Three results.
rots_alone()
{
	rot 512 > "$TMP/rot"
	rots_few=$rotten
	rot 2048 >> "$TMP/rot"
	holds "wrong bits, five of which are too many, cost $rots_few pages" "$rots_few" -ge 1
	is "as many where the driver reads all of a NAND page to read a part" "$rotten" "$rots_few"
	is "and nothing else was wrong, or lost later" "$(cat "$TMP/rot")" ""
}

# on_media PATTERN: number of matching lines on the medium
on_media() { dd if="$LOWER" bs=128k 2> "$TMP/out" | grep -c "$1"; }

write() { patio -s "$MTDC_SEED" -k "$1" write "$CHAR" "$2" "$3" "$4"; }
verify() { patio -s "$MTDC_SEED" -k "$1" verify "$CHAR" "$2" "$3" "$4"; }
either() { patio -s "$MTDC_SEED" -k "$1" either "$CHAR" "$2" "$3" "$4"; }
good() { echo "ok $1 error 0 wrong 0 first none"; }
written() { echo "ok $1 error 0 first none last-ok $2"; }

# t EXPRESSION...: exit with the statistics if the expression is false
t()
{
	[ "$@" ] || {
		echo "not true: $*"
		cat "$TMP/stats"
		exit 1
	}
}

# consistent WHAT BLOCKS: check the figures of the device on flash of BLOCKS blocks
consistent()
{
	identities "$1: the figures are consistent" "$flash_name"
	(
		figures "$2"
	) > "$TMP/check.out" 2>&1
	result $? "$1: and so are those of the $flash_what"
	[ ! -s "$TMP/check.out" ] || sed 's/^/# /' "$TMP/check.out"
}

flash_counts() { echo "$(counter erases) $(counter bytes_programmed)"; }

# sim_agrees WHAT [N]: driver and flash have counted the same; only valid without a power cut. N
# eraseblocks of the flash form one of the driver. The cache counts all bytes it reads.
sim_agrees()
{
	# Read both counters again if the log has worked in the meantime.
	while :; do
		agrees_flash=$(flash_counts)
		load_stats "$flash_name"
		[ "$agrees_flash" != "$(flash_counts)" ] || break
	done
	agrees_ours="$((s_block_erases * ${2:-1})) $s_block_written_bytes"
	if [ "$s_cache" = 1 ]; then
		agrees_ours="$agrees_ours $s_block_read_bytes"
		agrees_flash="$agrees_flash $(counter bytes_read)"
	fi
	is "$1: the flash has counted the same erases and bytes, and no violation" \
		"$agrees_ours 0" "$agrees_flash $(counter violations)"
}

no_errors()
{
	is "$1: no error was counted" "$(grep '^err_\|^pages_lost\|^log_lost\|^log_failed' \
		"$PROC/$flash_name" | grep -vc ': 0$')" 0
}

# integrity WHAT PAGES BLOCKS: contents on flash without failures, at first all 0xff
integrity()
{
	check "$1: $ops random operations against a model" \
		modelio -s "$MTDC_SEED" -n "$ops" -p 768 random "$CHAR" "$BLOCK"
	is "$1: all of it can be written" "$(write mix 0 "$2" 1)" "$(written "$2" $(($2 - 1)))"
	is "$1: and read" "$(verify mix 0 "$2" 1)" "$(good "$2")"
	# Each page in another block than the one before.
	patio -s "$MTDC_SEED" -S 64 write "$CHAR" 1 $(($2 / 64 - 1)) 2 > "$TMP/out"
	is "$1: pages here and there are written over" \
		"$(patio -s "$MTDC_SEED" -S 64 verify "$CHAR" 1 $(($2 / 64 - 1)) 2)" \
		"$(good $(($2 / 64 - 1)))"
	is "$1: which leaves their neighbours alone" "$(verify mix 2 63 1)" "$(good 63)"
	no_errors "$1"
	consistent "$1" "$3"
}

# power_cuts TYPE,OPTIONS ATTACH_OPTIONS PAGES PROGRAMS: the power goes off in the middle of a
# program, after PROGRAMS others, and in the middle of an erase; 24 results
power_cuts()
{
	what="power cut, ${1%%,*}" cut_pages=$3 cut_at=$4
	sim "$1" "$2"
	must patio -k random -s "$MTDC_SEED" write "$CHAR" 0 "$cut_pages" 1
	cut_gen=1
	for fault in power_cut_at torn_at torn_erase_at; do
		cut_gen=$((cut_gen + 1))
		[ $fault = torn_erase_at ] && cut_at=7
		set_knob $fault "$cut_at"
		out=$(limited 60 patio -k random -s "$MTDC_SEED" write "$CHAR" 0 "$cut_pages" $cut_gen)
		failed=$(echo "$out" | cut -d' ' -f4)
		diag "$what, $fault: $out"
		is "$what, $fault: errors, in the end" "$(echo "$out" | cut -d' ' -f6) $(counter power)" "EIO off"
		is "$what, $fault: the state says so" "$(stat state "$flash_name")" failing
		out=$(verify random 0 "$cut_pages" $cut_gen)
		diag "$what, $fault, off: $out"
		holds "$what, $fault: reads fail, too" "$(echo "$out" | cut -d' ' -f4)" -gt $((cut_pages * 5 / 7))
		load_stats "$flash_name"
		is "$what, $fault: no block is given up for it" \
			"$s_blocks_retired $s_blocks_spare $(counter blocks_bad)" "0 1 0"
		set_knob power_on 1
		is "$what, $fault: with the power back, each page is the new or the old one" \
			"$(either random 0 "$cut_pages" $cut_gen)" \
			"new $((cut_pages - failed)) old $failed error 0 wrong 0"
		is "$what, $fault: and all can be written again" "$(write random 0 "$cut_pages" $cut_gen)" \
			"$(written "$cut_pages" $((cut_pages - 1)))"
	done
	is "$what: and the state is well again" "$(stat state "$flash_name")" ok
	is "$what: everything is as written" "$(verify random 0 "$cut_pages" $cut_gen)" "$(good "$cut_pages")"
	is "$what: the flash saw no violation of its rules" "$(counter violations)" 0
	consistent "$what" 64
	end_sim
}

# The functions below need move PAGES of the script: it writes some of the PAGES, so that the blocks
# of the others are rewritten, and prints the number of unreadable pages among the others, and of
# pages with wrong bytes.

# wrong_bits PAGES: NOR has no ECC, so the checksum must find a wrong bit, also after its page was
# moved; three results
wrong_bits()
{
	sim nor,size=8M comp=none,size=6M
	must patio -k random -s "$MTDC_SEED" write "$CHAR" 0 "$1" 1
	set_knob flip $((10 * 131072 + 5000))
	set_knob flip $((12 * 131072 + 9000))
	is "wrong bits of NOR are errors, not data" "$(verify random 0 "$1" 1)" \
		"ok $(($1 - 2)) error 2 wrong 0 first EIO"
	out=$(move "$1")
	is "also after their blocks were written" "${out#* }" 0
	holds "they are counted" "$(stat err_checksum "$flash_name")" -ge 2
	end_sim
}

# grave_pages PAGES ATTACH_OPTIONS: some pages of nandsim lose their data after some reads: errors,
# no other data; five results
grave_pages()
{
	nandsim 6 gravepages=200:2,600:2,1000:2
	attach "$LOWER_NUM,$flash_option$2,name=$flash_name"
	must patio -k random -s "$MTDC_SEED" write "$CHAR" 0 "$1" 1
	for _ in 1 2 3; do
		out=$(verify random 0 "$1" 1)
	done
	diag "grave pages: $out"
	is "grave pages: no other data" "$(echo "$out" | cut -d' ' -f5-6)" "wrong 0"
	holds "grave pages: but errors" "$(echo "$out" | cut -d' ' -f4)" -gt 0
	holds "grave pages: of few pages" "$(echo "$out" | cut -d' ' -f4)" -le 12
	out=$(move "$1")
	is "grave pages: still no other data, when their blocks were written" "${out#* }" 0
	is "grave pages: no block was given up for it" "$(stat blocks_retired "$flash_name")" 0
}

# unreadable PAGES MOST: failed reads, and an ECC error that may cost at most MOST pages; the device
# stays; 11 results
unreadable()
{
	sim nand,size=8M comp=none,size=6M
	must patio -k random -s "$MTDC_SEED" write "$CHAR" 0 "$1" 1
	set_knob ecc_fail_at "every 50"
	is "what the ECC can't correct once, it can the next time" "$(verify random 0 "$1" 1)" "$(good "$1")"
	set_knob ecc_fail_at off
	set_knob fail_read_at "random 10"
	out=$(verify random 0 "$1" 1)
	holds "reads that fail are errors" "$(echo "$out" | cut -d' ' -f4)" -gt 20
	is "and never other data" "$(echo "$out" | cut -d' ' -f6)" 0
	set_knob fail_read_at off
	is "after that, all is there" "$(verify random 0 "$1" 1)" "$(good "$1")"
	# Five wrong bits in a step of 512 bytes; the ECC corrects four.
	set_knob flip "$((10 * 131072 + 4096)) 5"
	out=$(verify random 0 "$1" 1)
	lost=$(echo "$out" | cut -d' ' -f4)
	diag "five bits: $out"
	holds "five wrong bits cost a page or two" $((lost > 0 && lost <= $2)) = 1
	is "and no other data" "$(echo "$out" | cut -d' ' -f6)" 0
	is "and the error is one to mtdchar, which takes EBADMSG for data" "$(echo "$out" | cut -d' ' -f8)" EIO
	out=$(move "$1")
	diag "five bits, when others were written: $out"
	is "no page has other data" "${out#* }" 0
	holds "the rest of the block is saved" "${out% *}" -le "$lost"
	is "no block was given up for that" "$(stat blocks_retired "$flash_name")" 0
	is "pages that are written again are good" \
		"$(write random 0 "$1" 6) $(verify random 0 "$1" 6)" \
		"$(written "$1" $(($1 - 1))) $(good "$1")"
}

# kernel_test WHEN NAME PATTERN PARAMETERS...: run one of the kernel's MTD tests on the MTD
# LOWER_NUM. It is finished when insmod returns, and its result is in the log.
kernel_test()
{
	test_when=$1 test_name=$2 test_pattern=$3
	shift 3
	if ! modinfo "$test_name" > "$TMP/out" 2>&1; then
		skip "$test_when: $test_name" "not built, no kernel source"
		return
	fi
	mark
	modprobe "$test_name" "dev=$LOWER_NUM" "$@" > "$TMP/out" 2>&1
	dmesg | sed -n "/mtdc-test: mark $$\.$mark_id\$/,\$p" > "$TMP/log"
	test_ends=$(grep -c "$test_name: $test_pattern" "$TMP/log")
	is "$test_when: $test_name $*: $test_pattern, and no error" \
		"$test_ends $(grep -v 'with 0 errors' "$TMP/log" | grep -c 'rror\|fail')" "1 0"
	[ "$test_ends" = 1 ] || diag "$(tail -n 20 "$TMP/log")"
	[ ! -d "/sys/module/$test_name" ] || rmmod "$test_name"
}

# sane WHEN: run the kernel's tests for NAND while the flash has no other user; six results
sane()
{
	kernel_test "$1" mtd_readtest finished
	kernel_test "$1" mtd_pagetest "finished with 0 errors"
	kernel_test "$1" mtd_subpagetest "finished with 0 errors"
	kernel_test "$1" mtd_stresstest "finished, 200 operations done" count=200
	kernel_test "$1" mtd_torturetest "finished after 1 erase" eb=3 ebcnt=2 cycles_count=1 gran=1
	kernel_test "$1" mtd_speedtest finished count=2
}

# wants_memory SIZE PAGES: some programs fail with ENOMEM, on a device of its own, which stays;
# three results
wants_memory()
{
	sim nand,size=4M "comp=none,size=$1"
	set_knob no_memory_at "random 9"
	is "programs that want memory: all of it can be written" "$(write random 0 "$2" 1)" \
		"$(written "$2" $(($2 - 1)))"
	set_knob no_memory_at off
	is "and read" "$(verify random 0 "$2" 1)" "$(good "$2")"
	is "no page was programmed twice, no block given up" \
		"$(counter violations) $(stat blocks_retired "$flash_name")" "0 0"
}

# goes_away: the flash, of mtdc_faultmtd, goes while the device is open; four results
goes_away()
{
	exec 3<> "$CHAR"
	head -c 4096 /dev/urandom >&3
	echo 1 > /sys/module/mtdc_faultmtd/parameters/vanish
	is "gone: the state says so" "$(stat state "$flash_name")" gone
	is "gone: reads fail with ENODEV" "$(verify mix 50 1 1)" "ok 0 error 1 wrong 0 first ENODEV"
	is "gone: writes, too" "$(write random 3 1 2 | cut -d' ' -f1-6)" "ok 0 error 1 first ENODEV"
	exec 3>&-
	is "gone: detach works" "$(put detach "$flash_name")" ok
	must rmmod mtdc_faultmtd
}

# tests_above: tests of other projects on the device; six results
tests_above()
{
	sim nand,size=8M comp=lz4,size=6M
	LOWER_NUM=$NUM
	kernel_test above mtd_readtest finished
	kernel_test above mtd_stresstest "finished, 500 operations done" count=500
	kernel_test above mtd_torturetest "finished after 2 erase" eb=8 ebcnt=64 cycles_count=2 gran=2
	kernel_test above mtd_speedtest finished count=64
	check "nandtest: erase, write, read back" nandtest -p 1 -s "$MTDC_SEED" -l 0x200000 "$CHAR"
	no_errors "afterwards"
	end_sim
}
