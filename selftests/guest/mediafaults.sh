#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Each read, write and erase that a workload makes on the medium below fails in turn, in each way
# that media fail: reported or not; done, half done or not done; once, for good, or by a power cut.
# Each sector then reads as one of its allowed versions or as an I/O error; lost pages are counted
# and can be written again; no space is lost.
#
# MTDC_STEP: only one operation in MTDC_STEP fails (97, in the long form 23; 1 in the lane
# "faults"). MTDC_OPS: length of the workload, 400 at most (OPS_MAX of mediafault.c). MTDC_SEED:
# selects the workload.
#
# job: test flashes seconds=60 --mem 192 --reserve 64 --timeout 600
# job: long mediafaults --mem 192 --timeout 400
# job: debug mediafaults --mem 192 --timeout 400 --env MTDC_STEP=97
# job: faults mediafaults --mem 192 --timeout 6000 --env MTDC_STEP=1
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/simlib.sh"

: "${MTDC_STEP:=$(amount 97 23)}" "${MTDC_OPS:=120}"
[ "$MTDC_OPS" -le 400 ] || MTDC_OPS=400
must modprobe mtdcompr

# faults SETUP LEAST OPTIONS SIM ATTACH FAULT...: turn the output of mediafault into one result for
# each fault. LEAST: minimum number of each fault
faults()
{
	setup=$1 least=$((($2 + MTDC_STEP - 1) / MTDC_STEP)) options=$3
	shift 3
	# shellcheck disable=SC2086 # a list of words
	mediafault -s "$MTDC_SEED" -n "$MTDC_OPS" -e "$MTDC_STEP" $options "$@" > "$TMP/faults" 2>&1
	grep '^WRONG' "$TMP/faults" | head -n 20 | sed 's/^/# /'
	shift 2
	for fault; do
		fault=${fault%%,*}
		# words: faults N reads N eio N writes N failed N lost N wrong N other N leaks N
		# shellcheck disable=SC2046
		set -- $(sed -n "s/^$fault faults/faults/p" "$TMP/faults")
		if [ $# != 18 ]; then
			result 1 "$setup: $fault: $(tail -n 1 "$TMP/faults")"
			continue
		fi
		total=$((total + $2)) reads=$((reads + $4)) eio=$((eio + $6))
		writes=$((writes + $8)) failed=$((failed + ${10})) lost=$((lost + ${12}))
		holds "$setup: $fault: $2 faults; of $4 reads $6 EIO, of $8 writes ${10} failed, ${12} pages lost; wrong ${14}, other ${16}, leaks ${18}" \
			"$2" -ge "$least" -a "${14} ${16} ${18}" = "0 0 0"
	done
}

total=0 reads=0 eio=0 writes=0 failed=0 lost=0
# Without a cache, a read and a write are one operation each.
in_place="fail_read_at ecc_fail_at corrected_at,invisible short_read_at flip_at,silent
	fail_program_at no_memory_at,invisible short_program_at lost_program_at,silent
	part_program_at,silent break_at torn_at,power power_cut_at,power"
# shellcheck disable=SC2086 # lists of words
{
	sim_load name=roomy,type=ram,size=96K name=tight,type=ram,size=48K \
		name=pcm,type=pcm,size=96K,erasesize=16K
	faults "RAM with room" 20 "" roomy comp=lz4,size=256K $in_place
	faults "RAM that is full" 20 "" tight comp=zlib,alloc=largest,size=256K $in_place
	faults PCM 20 "" pcm comp=zstd,alloc=best,size=256K $in_place
	sim_unload

	# The cache tries a block again and has a spare one, so a single failure costs nothing.
	erasing="fail_erase_at,invisible torn_erase_at,power lost_erase_at,invisible"
	sim_load name=nor,type=nor,size=128K,erasesize=16K \
		name=nand,type=nand,size=192K,erasesize=16K,writesize=512,bad=3
	faults "cache on NOR" 10 -c nor cache=1,comp=lzo,size=256K fail_read_at ecc_fail_at \
		corrected_at,invisible short_read_at flip_at,silent fail_program_at,invisible \
		no_memory_at,invisible short_program_at,invisible lost_program_at,silent \
		part_program_at,silent break_at,invisible torn_at,power power_cut_at,power $erasing
	faults "cache on NAND" 10 -c nand cache=1,comp=lz4,size=256K fail_read_at ecc_fail_at \
		flip_at,invisible short_read_at fail_program_at,invisible no_memory_at,invisible \
		short_program_at,invisible lost_program_at,silent part_program_at,silent \
		break_at,invisible torn_at,power power_cut_at,power $erasing
	sim_unload

	# A log continues in another block. It erases seven or eight times in all.
	sim_load name=nor,type=nor,size=640K,erasesize=16K \
		name=nand,type=nand,size=320K,erasesize=16K,writesize=512,bad=3
	faults "log on NOR" 10 -c nor comp=lzo,size=256K fail_read_at ecc_fail_at \
		corrected_at,invisible short_read_at flip_at,silent fail_program_at,invisible \
		no_memory_at,invisible short_program_at,invisible lost_program_at,silent \
		part_program_at,silent break_at,invisible torn_at,power power_cut_at,power
	faults "log on NOR" 7 -c nor comp=lzo,size=256K $erasing
	faults "log on NAND" 10 -c nand comp=lz4,size=256K fail_read_at ecc_fail_at \
		flip_at,invisible short_read_at fail_program_at,invisible no_memory_at,invisible \
		short_program_at,invisible lost_program_at,silent part_program_at,silent \
		break_at,invisible torn_at,power power_cut_at,power
	faults "log on NAND" 7 -c nand comp=lz4,size=256K $erasing
	sim_unload
}
holds "in all $total faults; of $reads reads $eio EIO, of $writes writes $failed failed, $lost pages lost" \
	"$total" -ge $((3000 / MTDC_STEP))
