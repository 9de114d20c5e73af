#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# block2mtd over the device mapper's dm-flakey: a disk that fails reads, fails writes, drops writes
# silently, or changes a byte of each transfer. A read returns the last written data, or an I/O
# error; never an older version of a page. MTDC_SEED, MTDC_OPS and MTDC_ROUNDS set the random part.
# For a guest of 192 MiB.
#
# block2mtd writes through the page cache, and does not report its write errors: to the driver the
# disk lies even if it returns errors. Only after the page cache is dropped do reads show the loss.
#
# job: suites flakey --mem 192 --timeout 600
# shellcheck disable=SC2154 # s_KEY are set by load_stats, by name
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/suitelib.sh"

: "${MTDC_OPS:=2000}"
: "${MTDC_ROUNDS:=60}"
rounds=$((MTDC_ROUNDS / 10))
no_autoload
must modprobe dm_mod
must modprobe dm_flakey
must modprobe block2mtd
load

mib=24
# No udev runs here to make its nodes.
export DM_DISABLE_UDEV=1
sectors=$((mib * 2048))
must modprobe brd rd_nr=1 rd_size=$((mib * 1024))

# disk UP DOWN FEATURES...: the disk works for UP seconds, then has the FEATURES for DOWN seconds,
# over and over; the first word of FEATURES is their number
disk()
{
	disk_up=$1
	disk_down=$2
	shift 2
	disk_table="0 $sectors flakey /dev/ram0 0 $disk_up $disk_down $*"
	if [ -e /dev/mapper/flakey ]; then
		must dmsetup suspend --nolockfs flakey
		must dmsetup reload flakey --table "$disk_table"
		must dmsetup resume flakey
	else
		must dmsetup create flakey --table "$disk_table"
	fi
}
works() { disk 3600 0; }
# shellcheck disable=SC2086 # words of a table
fails() { disk 0 3600 $1; }

# settle: write back the page cache of the disk, and drop it
settle()
{
	mtdop flush /dev/mapper/flakey > "$TMP/flush" 2>&1
	echo 1 > /proc/sys/vm/drop_caches
}

write() { patio -k "$kind" -s "$MTDC_SEED" write "$CHAR" 0 $pages "$1"; }
verify() { patio -k "$kind" -s "$MTDC_SEED" verify "$CHAR" 0 $pages "$1" 2>&1; }
either() { patio -k "$kind" -s "$MTDC_SEED" either "$CHAR" 0 $pages "$1" 2>&1; }
written() { echo "ok $pages error 0 first none last-ok $((pages - 1))"; }
good() { echo "ok $pages error 0 wrong 0 first none"; }
# errors RESULT, wrong RESULT: of verify
errors() { echo "$1" | sed -n 's/.*error \([0-9]*\).*/\1/p'; }
wrong() { echo "$1" | sed -n 's/.*wrong \([0-9]*\).*/\1/p'; }

works
must eval "echo '/dev/mapper/flakey,4096,flakey' > /sys/module/block2mtd/parameters/block2mtd"
[ -n "$(mtd_num flakey)" ] || bail "no block2mtd device: $(dmesg | tail -n 3)"

# ------------------------------------------------- a disk that works

attach "flakey,comp=lz4,size=20M,name=flk"
check "it works: $MTDC_OPS random operations against a model" \
	modelio -s "$MTDC_SEED" -n "$MTDC_OPS" -p 768 random "$CHAR" "$BLOCK"
is "it works: no error was counted" \
	"$(grep '^err_\|^pages_lost' "$PROC/flk" | grep -vc ': 0$')" 0
detach flk

# ------------------------------------------------- writes that never arrive

# lost WHAT FEATURES COMP: the disk drops all writes of version 2
lost()
{
	works
	attach "flakey,comp=$3,size=20M,alloc=$4,name=flk"
	must write 1
	settle
	is "$1: before, all can be read" "$(verify 1)" "$(good)"
	fails "$2"
	is "$1: nobody is told" "$(write 2)" "$(written)"
	settle
	out=$(verify 2)
	diag "$1: $out"
	is "$1: no older version, no other data" "$(wrong "$out")" 0
	holds "$1: but errors" "$(errors "$out")" -gt 100
	holds "$1: which are counted" "$(stat err_checksum flk)" -ge "$(errors "$out")"
	works
	settle
	write 3 > "$TMP/out"
	settle
	is "$1: when it is over, all can be written and read again" \
		"$(cat "$TMP/out") $(verify 3)" "$(written) $(good)"
	detach flk
}
pages=3000
kind=mix
lost "writes fail" "1 error_writes" lz4 rotate
lost "writes are dropped" "1 drop_writes" lz4 best
kind=random
lost "a byte of each write is changed" "5 corrupt_bio_byte 224 w 1 0" none rotate

# ------------------------------------------------- reads that fail

kind=mix
works
attach "flakey,comp=zlib,size=20M,name=flk"
must write 1
settle
fails 0
out=$(verify 1)
diag "reads fail: $out"
is "reads fail: errors, no data" "$(wrong "$out") $(($(errors "$out") > 1000))" "0 1"
holds "reads fail: which are counted" "$(stat err_media_read flk)" -gt 1000
out=$(write 2)
diag "reads fail: $out"
works
settle
out=$(either 2)
is "reads fail: each page is the new one or the old one, or an error" "$(wrong "$out")" 0
diag "reads fail: $out"
fails "5 corrupt_bio_byte 33 r 7 0"
settle
out=$(either 2)
diag "a byte of each read is changed: $out"
is "a byte of each read is changed: errors, no other data" \
	"$(wrong "$out") $(($(errors "$out") > 100))" "0 1"
works
settle
is "when it is over, all can be written and read again" "$(write 3) $(verify 3)" \
	"$(written) $(good)"
detach flk

# ------------------------------------------------- now and then

# write_range FIRST COUNT GENERATION: sets $out, and empties the cache
write_range()
{
	out=$(patio -k "$kind" -s "$MTDC_SEED" write "$CHAR" "$@")
	refused=$((refused + $(errors "$out")))
	settle
}

# Each round writes all pages, and then another thousand of them while the disk fails.
storm()
{
	attach "flakey,$3,size=20M,name=flk"
	must write 0
	gen=0 all_wrong=0 all_errors=0 refused=0
	while [ $gen -lt $rounds ]; do
		gen=$((gen + 1))
		from=$(((MTDC_SEED + gen) * 977 % (pages - 1000)))
		write_range 0 $from $gen
		fails "$2"
		write_range $from 1000 $gen
		works
		write_range $((from + 1000)) $((pages - from - 1000)) $gen
		out=$(verify $gen)
		all_wrong=$((all_wrong + $(wrong "$out")))
		all_errors=$((all_errors + $(errors "$out")))
	done
	diag "$1: $rounds times $pages pages, $refused writes refused, $all_errors reads are errors"
	is "$1: now and then: no write is refused" $refused 0
	is "$1: now and then: no older version, no other data" $all_wrong 0
	holds "$1: now and then: but errors" $all_errors -gt 0
	is "$1: when it is over, all can be written and read again" \
		"$(write $((gen + 1))) $(verify $((gen + 1)))" "$(written) $(good)"
	identities "$1: the figures are consistent" flk
	detach flk
}
storm "writes fail" "1 error_writes" comp=lz4,alloc=best
storm "writes are dropped" "1 drop_writes" comp=zstd,alloc=rotate
kind=random
storm "writes are dropped" "1 drop_writes" comp=none,alloc=largest
storm "a byte of each write is changed" "5 corrupt_bio_byte 40 w 1 0" comp=none,alloc=best

# ------------------------------------------------- swap

# A process with lost pages gets SIGBUS. No process except memsig may have pages in swap.
limit_memory 8
works
attach "flakey,comp=lz4,ratio=200,name=flk"
must mkswap "$BLOCK"
must swapon "$BLOCK"
# swapped_run SEED: print the outcome
swapped_run()
{
	# Limit only memsig.
	# shellcheck disable=SC2016 # to be expanded by that shell
	limited "${MTDC_SWAP_LIMIT:-400}" sh -c \
		'echo 0 > "$1"; exec memsig -m 16 -g 1 -s "$2"' sh \
		"$cgroups/swapped/cgroup.procs" "$1" > "$TMP/memsig" 2>&1
	swapped_status=$?
	case $swapped_status:$(cat "$TMP/memsig") in
	*"WRONG DATA"*)	echo wrong ;;
	0:*)		echo right ;;
	135:*)		echo SIGBUS ;;
	*)		echo "status $swapped_status: $(cat "$TMP/memsig")" ;;
	esac
}
is "swap: with a disk that works" "$(swapped_run "$MTDC_SEED")" right
holds "swap: pages went there and came back" "$(stat page_reads flk)" -gt 500
# Write back and drop the page cache of the disk all the time.
: > "$TMP/dropping"
while [ -e "$TMP/dropping" ]; do
	sync
	echo 1 > /proc/sys/vm/drop_caches
	sleep 0.2
done &
right=0 bus=0 other='' n=0
while [ $n -lt $rounds ]; do
	n=$((n + 1))
	if [ $((n % 2)) = 0 ]; then
		disk 1 1 1 drop_writes
	else
		disk 1 1 1 error_writes
	fi
	swapped=$(swapped_run $((MTDC_SEED + n)))
	case $swapped in
	right)	right=$((right + 1)) ;;
	SIGBUS)	bus=$((bus + 1)) ;;
	*)	other="$other $swapped: $(cat "$TMP/memsig")" ;;
	esac
done
rm "$TMP/dropping"
wait
diag "swap: $right runs had all their pages, $bus were ended by SIGBUS"
is "swap: a process has the right data, or SIGBUS" "$other" ""
holds "swap: some did get that" $bus -gt 0
works
must swapoff "$BLOCK"
holds "swap: the errors are counted" "$(stat err_checksum flk)" -gt 0
detach flk
unlimit_memory
must rmmod block2mtd
must dmsetup remove flakey
