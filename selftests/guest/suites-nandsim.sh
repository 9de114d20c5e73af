#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The device on nandsim with all of its options: chips of every page size that it knows, each with
# every error correction, bad blocks, tables of bad blocks, blocks and pages that wear out, pages
# that lose their data, bit flips within and beyond the ECC's limit, delays, partitions, a file for
# its memory. A read returns the written data, or an I/O error; corrected or replaced data cause no
# error. MTDC_SEED and MTDC_OPS set the random part. For a guest of 144 MiB.
#
# job: suites nandsim --mem 144 --timeout 600
# shellcheck disable=SC2154 # s_KEY are set by load_stats, by name
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/swaplib.sh"
. "$(dirname "$0")/suitelib.sh"

: "${MTDC_OPS:=2000}"
ops=$((MTDC_OPS / 5))
no_autoload
load

# Answers of the chips to "read ID". With overridesize a chip must stay below the size whose
# addresses need another byte: 32 MiB with small pages, otherwise 128 MiB.
# small=0x20,0x33 # pages of 512 bytes, eraseblocks of 16 KiB
small=0x20,0x33			# pages of 512 bytes, eraseblocks of 16 KiB
large=0xec,0xa1,0x00,0x15	# 2 KiB, 128 KiB
wide=0xec,0xb1,0x00,0x55	# the same with a bus of 16 bits
huge=0x20,0xa1,0x00,0x26	# 4 KiB, 256 KiB
corrected=0
retries=3
driver=nandsim

# sim ID BLOCKS_LOG2 PARAMETERS...: load it; $nand is the number of its last MTD, which holds the
# space without a partition
sim()
{
	sim_id=$1 sim_log2=$2
	shift 2
	must modprobe $driver "id_bytes=$sim_id" "overridesize=$sim_log2" "$@"
	nand=$(sed -n 's/^mtd\([0-9]*\):.*"NAND simulator.*/\1/p' /proc/mtd | tail -n 1)
	[ -n "$nand" ] || bail "no nandsim MTD: $(cat /proc/mtd)"
}

# sim_attach OPTIONS
sim_attach()
{
	attach "$nand,cache=1,$1,name=ns"
	pages=$(($(stat size_bytes ns) / PAGE))
}

sim_end()
{
	detach ns
	must rmmod $driver
}

write() { patio -k random -s "$MTDC_SEED" -r "$retries" write "$CHAR" 0 "$pages" "$gen"; }
verify() { patio -k random -s "$MTDC_SEED" verify "$CHAR" 0 "$pages" "$gen" 2>&1; }
either() { patio -k random -s "$MTDC_SEED" either "$CHAR" 0 "$pages" "$gen" 2>&1; }
written() { echo "ok $pages error 0 first none last-ok $((pages - 1))"; }
good() { echo "ok $pages error 0 wrong 0 first none"; }
# errors RESULT, wrong RESULT: of patio
errors() { echo "$1" | sed -n 's/.*error \([0-9]*\).*/\1/p'; }
wrong() { echo "$1" | sed -n 's/.*wrong \([0-9]*\).*/\1/p'; }

no_errors()
{
	is "$1: no error was counted" \
		"$(grep '^err_\|^pages_lost' "$PROC/ns" | grep -vc ': 0$')" 0
}

# model WHAT OPERATIONS GEOMETRY: random operations on the present device. The geometry of the chip:
# bytes of a page and of an eraseblock; and the final number of bad, spare and retired blocks.
model()
{
	read -r model_from _ < /proc/uptime
	check "$1: $2 random operations against a model" \
		modelio -s "$MTDC_SEED" -n "$2" -p 768 random "$CHAR" "$BLOCK"
	read -r model_to _ < /proc/uptime
	load_stats ns
	is "$1: the chip, bad blocks, spare ones" "$(cat "/sys/class/mtd/mtd$nand/writesize") \
$s_block_bytes $s_blocks_bad $s_blocks_spare $s_blocks_retired" "$3"
	no_errors "$1"
	model_bits=$(cat "/sys/class/mtd/mtd$nand/corrected_bits")
	corrected=$((corrected + model_bits))
	diag "$((${model_to%.*} - ${model_from%.*})) s, $s_block_erases erases, $model_bits bits corrected"
	identities "$1: the figures are consistent" ns
}

# ------------------------------------------------- corrected or replaced

sim $small 9
sim_attach comp=lz4,size=6M
model "512 B pages" $ops "512 16384 0 10 0"
sim_end

sim $small 9 badblocks=1,100,511 bitflips=1
sim_attach comp=zlib,size=6M
model "512 B pages, bad blocks, bit flips" $ops "512 16384 3 10 0"
sim_end

sim $large 6 bch=4 bitflips=4 badblocks=0,17,63
sim_attach comp=lzo,size=6M
model "2 KiB pages, BCH of 4 bits, as many flips" $ops "2048 131072 3 1 0"
sim_end

sim $large 6 bch=8 bitflips=8
sim_attach comp=zstd,size=6M
model "2 KiB pages, BCH of 8 bits, as many flips" $ops "2048 131072 0 1 0"
sim_end

# With correct column addresses, see below.
driver=nandsim16
sim $wide 6 bus_width=16 bitflips=1
sim_attach comp=lz4,size=6M
model "2 KiB pages, 16 bits wide" $ops "2048 131072 0 1 0"
sim_end
driver=nandsim

sim $huge 5 bch=4 bitflips=4 badblocks=2,31
sim_attach comp=lz4,size=6M
model "4 KiB pages, BCH of 4 bits, as many flips" $ops "4096 262144 2 1 0"
sim_end

# The tables are in the last four blocks, which the driver sees as bad.
sim $large 6 bbt=1 badblocks=7
sim_attach comp=lz4,size=6M
model "a table of bad blocks" $ops "2048 131072 5 1 0"
sim_end

sim $large 6 bbt=2 bch=4 bitflips=4
sim_attach comp=zlib,size=6M
model "a table of bad blocks in the data area" $ops "2048 131072 4 1 0"
sim_end

# A block fails its third erase, and a page of another block fails its third program. 2 of 128
# blocks are spare.
sim $large 7 weakblocks=3:2 weakpages=650:2
sim_attach comp=none,size=14M
gen=0 out=
while [ "$gen" -lt 6 ] && [ "$(stat blocks_retired ns)" -lt 2 ]; do
	gen=$((gen + 1))
	out="$(write) $(verify)"
	[ "$out" = "$(written) $(good)" ] || break
done
is "a weak block, a weak page: nobody notices" "$out" "$(written) $(good)"
must flash_erase -q "$CHAR" 0 0
model "a weak block, a weak page, after $gen versions" $ops "2048 131072 2 0 2"
sim_end

sim $large 6 do_delays=1 access_delay=25 programm_delay=200 erase_delay=2 \
	output_cycle=25 input_cycle=50
sim_attach comp=lz4,size=6M
model "delays of a real chip" $((ops / 2)) "2048 131072 0 1 0"
sim_end

sim $large 6 cache_file="$TMP/nandsim" bitflips=1
sim_attach comp=lz4,size=6M
model "a file for its memory" $ops "2048 131072 0 1 0"
sim_end

sim $large 6 parts=4,4 badblocks=9
first=$((nand - 2))
must dd if=/dev/urandom of="$TMP/part" bs=128k count=4
must nandwrite -q "/dev/mtd$first" "$TMP/part"
sim_attach comp=lz4,size=6M
model "the last of three partitions" $ops "2048 131072 1 1 0"
check "the first is as it was" sh -c \
	"nanddump -q --bb=dumpbad '/dev/mtd$first' 2> /dev/null | cmp - '$TMP/part'"
is "and so is the second" "$(mtdop is "/dev/mtd$((first + 1))" 0 524288 0xff)" ok
sim_end

holds "of the flips some were in what was read" $corrected -gt 0

# ------------------------------------------------- beyond correction

# The column address of a 16-bit chip counts words, but nandsim, which warns that it was not tested
# with these chips, takes it for bytes: it doubles the column before the address arrives, when it is
# still 0. So whole pages are right; a read from the middle of a page returns other bytes, and so do
# the ECC bytes for any part of a page. So the ECC of such a read fails each time, with or without
# flips. The tests above use nandsim16, with the right column. The first two tests here are of
# nandsim alone; when they fail, nandsim is corrected, and nandsim16 can go. On the original
# nandsim, the cache loads whole eraseblocks, so no write fails; pages are read in parts, so they
# give I/O errors unless they are in the cache.
sim $wide 6 bus_width=16 bitflips=1
what="nandsim of 16 bits"
must dd if=/dev/urandom of="$TMP/block" bs=128k count=1
must nandwrite -q "/dev/mtd$nand" "$TMP/block"
ecc_failures() { cat "/sys/class/mtd/mtd$nand/ecc_failures"; }
# chip BYTES NUMBER: is this piece of the chip right? And the number of ECC failures
chip()
{
	dd if="$TMP/block" of="$TMP/piece" bs="$1" skip="$2" count=1 2> "$TMP/err"
	dd if="/dev/mtd$nand" bs="$1" skip="$2" count=1 2> "$TMP/err" |
		cmp -s - "$TMP/piece"
	echo "$? $(ecc_failures)"
}
is "$what: whole pages are right" "$(chip 131072 0) $(chip 2048 1)" "0 0 0 0"
is "$what: parts of pages never are" "$(chip 256 1) $(chip 256 8)" "1 1 0 2"
must flash_erase -q "/dev/mtd$nand" 0 1
# Without wear levelling: a move would read the page, and count a further failure.
sim_attach comp=none,wearlevel=0,size=6M
pages=100 gen=1	# pages that end in the middle of a block
is "$what: no write is refused" "$(write)" "$(written)"
out=$(verify)
diag "$out"
load_stats ns
is "$what: no other data" "$(wrong "$out")" 0
holds "$what: I/O errors where parts of pages are read" "$(errors "$out")" -gt 0
is "$what: each was counted, and nothing else" \
	"$s_err_media_read $s_err_checksum $s_err_media_write $s_pages_lost $s_blocks_retired" \
	"$(errors "$out") 0 0 0 0"
holds "$what: what is in the cache can be read" "$(errors "$out")" -lt $pages
sim_end

# Flips beyond correction differ at each read: the next read of the same page may be right, and the
# checksum must find wrong data without an ECC error.
for chip in "$small 9 bitflips=16" "$large 6 bitflips=40" "$large 6 bch=4 bitflips=200" \
	"$huge 5 bch=8 bitflips=400"; do
	what="bit flips beyond correction ($chip)"
	# shellcheck disable=SC2086 # words
	sim $chip
	sim_attach comp=none,size=5M
	gen=1 wrong=0 errors=0 refused=0
	must write
	while [ $gen -lt 4 ]; do
		out=$(verify)
		wrong=$((wrong + $(wrong "$out"))) errors=$((errors + $(errors "$out")))
		gen=$((gen + 1))
		out=$(write)
		refused=$((refused + $(errors "$out")))
		out=$(either)
		wrong=$((wrong + $(wrong "$out"))) errors=$((errors + $(errors "$out")))
	done
	load_stats ns
	diag "$errors reads and $refused writes of $pages pages failed; $s_block_bad_units" \
		"units and $s_err_checksum checksums bad; ECC failures:" \
		"$(cat "/sys/class/mtd/mtd$nand/ecc_failures")"
	is "$what: no other data" $wrong 0
	holds "$what: there were some" "$(cat "/sys/class/mtd/mtd$nand/ecc_failures")" -gt 0
	is "$what: no write was refused" $refused 0
	holds "$what: every error was counted" \
		$((s_err_checksum + s_err_media_read + s_pages_lost >= errors)) = 1
	is "$what: no block was given up for it" "$s_blocks_retired" 0
	sim_end
done

# Pages that lose their data after some reads, on each kind of chip, with all other options.
for chip in "$small 9 gravepages=300:2,900:2,2500:2" "$large 6 gravepages=200:2,600:2,1000:2" \
	"$huge 5 gravepages=100:2,300:2,700:2"; do
	what="grave pages ($chip)"
	# shellcheck disable=SC2086 # words
	sim $chip
	sim_attach comp=none,size=5M
	gen=1
	must write
	verify > "$TMP/out"
	verify > "$TMP/out"
	out=$(verify)
	diag "$what: $out"
	is "$what: errors, and no other data" \
		"$(wrong "$out") $(($(errors "$out") > 0))" "0 1"
	sim_end
done

# More blocks wear out than are spare.
sim $large 6 weakblocks=1:1,2:1,20:1,30:1
sim_attach comp=none,size=6M
gen=0
must write
# Each try causes a message of nandsim, and the log must keep the driver's messages.
refused=0 wrong=0 retries=0
while [ "$gen" -lt 8 ] && [ "$refused" = 0 ]; do
	gen=$((gen + 1))
	refused=$(errors "$(write)")
	wrong=$((wrong + $(wrong "$(either)")))
done
diag "worn out: at version $gen $refused writes were refused"
holds "worn out: in the end writes are refused" "$refused" -gt 0
is "worn out: no other data" $wrong 0
is "worn out: one block was replaced, as there was one spare" \
	"$(stat blocks_retired ns) $(stat blocks_spare ns)" "1 0"
dmesg > "$TMP/log"
holds "worn out: it is said why" "$(grep -c 'no spare one is left' "$TMP/log")" -ge 1
is "worn out: every page can be read" "$(errors "$(either)")" 0
sim_end
retries=3

# All options together. Only the data on the grave pages fail.
sim $large 7 badblocks=0,5 weakblocks=20:4 weakpages=1500:3 gravepages=2000:6 bitflips=4 \
	bch=4 bbt=1 output_cycle=25
sim_attach comp=lz4,size=12M
gen=0 wrong=0 errors=0
while [ $gen -lt 5 ]; do
	gen=$((gen + 1))
	out=$(write)
	out=$(verify)
	wrong=$((wrong + $(wrong "$out"))) errors=$((errors + $(errors "$out")))
done
diag "all at once: $errors errors"
is "all at once: no other data" $wrong 0
holds "all at once: few errors" $errors -le $((5 * 64))
identities "all at once: the figures are consistent" ns
sim_end

# ------------------------------------------------- swap

sim $small 10 bitflips=1 badblocks=3,500 weakblocks=9:1,200:1,400:1
sim_attach comp=lz4,size=24M
limit_memory 12
enter swapped
pressure "swap on 512 B pages with flips, bad and weak blocks" "$BLOCK" ns -m 24 -g 1 -k 4
enter others
load_stats ns
holds "swap: weak blocks were replaced" "$s_blocks_retired" -gt 0
holds "swap: bits were corrected" "$(cat "/sys/class/mtd/mtd$nand/corrected_bits")" -gt 0
unlimit_memory
sim_end

# The same with a log.
sim $small 10 bitflips=1 badblocks=3,500 weakblocks=9:1,200:1,400:1
attach "$nand,comp=lz4,size=24M,name=ns"
limit_memory 12
enter swapped
pressure "swap on a log with flips, bad and weak blocks" "/dev/$(stat disk ns)" ns -m 24 -g 1 -k 4
enter others
# A block is given up after three tests at the same step. They run when no page was read or written
# for some seconds, and others are programmed between them.
rounds=0
while [ "$(stat blocks_retired ns)" -lt 3 ] && [ $rounds -lt 15 ]; do
	rounds=$((rounds + 1))
	dd if=/dev/urandom of="/dev/$(stat disk ns)" bs=4k count=256 conv=fsync 2> "$TMP/dd" ||
		diag "$(cat "$TMP/dd")"
	sleep 7
done
diag "swap on a log: $rounds rounds of writes until the weak blocks were given up"
load_stats ns
is "swap on a log: weak blocks were given up" "$s_blocks_retired" 3
holds "swap on a log: bits were corrected" \
	"$(cat "/sys/class/mtd/mtd$nand/corrected_bits")" -gt 0
unlimit_memory
sim_end

warnings=$(dmesg | grep -c 'nandsim.* warning: ')
holds "nandsim has said what it does" "$warnings" -gt 20
diag "$warnings warnings, which are no errors of the log"
