#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# load_stats sets the figures s_KEY by name.
# shellcheck disable=SC2154
#
# The block device: its attributes, right data through every interface, discard and zeroing, which
# side may write, full media, flash, many users at once, hotplug of processors, changes of the
# scheduler, and a lower MTD that goes.
#
# job: test blk
# job: long,debug blk --mem 192 --reserve 64 --timeout 400 --smp 2
# job: kcsan blk --mem 192 --reserve 64 --timeout 400 --smp 4
# job: kernel kernel
. "$(dirname "$0")/lib.sh"

: "${MTDC_OPS:=$(amount 300 2000)}"
phram low 0 16384
load

# blk_attach OPTIONS: sets DISK, too
blk_attach()
{
	attach "$1"
	DISK=/dev/$(stat disk "$NAME")
}
# model [ARGUMENTS...]
model() { blkio -s "$MTDC_SEED" -n "$MTDC_OPS" "$@" "$DISK"; }
queue() { cat "/sys/block/${DISK#/dev/}/queue/$1"; }
# try_open DEVICE: the errno, or ok
try_open() { mtdop is "$1" 0 0 0; }
no_errors() { is "$1: no error was counted" "$(grep -c '^err_.*: 0$' "$PROC/$2")" 6; }

blk_attach "low,comp=lz4,size=8M,name=bd"
is "it is called after the number of the device" "$DISK" \
	"/dev/mtdcompr$(stat device bd)"
is "it is as large as the MTD" "$(blockdev --getsize64 "$DISK")" 8388608
is "its blocks are pages, to address and to write, at best one by one" \
	"$(queue logical_block_size) $(queue physical_block_size)
$(queue minimum_io_size) $(queue optimal_io_size)" \
	"$PAGE $PAGE
$PAGE $PAGE"
is "and so is what can be discarded" "$(queue discard_granularity)" "$PAGE"
holds "what is zeroed at once is no more than a bio can say" \
	"$(queue write_zeroes_max_bytes)" -lt 4294967296
holds "all of it at once" "$(queue discard_max_bytes)" -ge 8388608
is "pages do not change while they are written" "$(queue stable_writes)" 1
is "memory has no cache that would have to be flushed" "$(queue write_cache)" \
	"write through"
is "it has no partitions" "$(echo /sys/block/"${DISK#/dev/}"/"${DISK#/dev/}"p*)" \
	"/sys/block/${DISK#/dev/}/${DISK#/dev/}p*"
is "a page that was never written reads 0xFF" "$(mtdop is "$DISK" 1048576 65536 0xff)" ok

# Contents, with each compressor and each policy.
detach bd
for combo in lz4,alloc=rotate zlib,alloc=largest lzo,alloc=best zstd,alloc=rotate none; do
	blk_attach "low,comp=$combo,size=8M,name=bd"
	check "$combo: $MTDC_OPS random operations against a model" model -p 512
	identities "$combo: the figures are consistent afterwards" bd
	no_errors "$combo" bd
	check "$combo: all of it is discarded" blkdiscard "$DISK"
	load_stats bd
	is "$combo: then all of the media is free in one fragment" \
		"$s_media_used_bytes $s_pages_stored $s_free_fragments" "0 0 1"
	detach bd
done
blk_attach "low,comp=lz4,size=8M,name=bd"
BLKIO_BREAK=1
export BLKIO_BREAK
refused "the checker notices one flipped bit" model -p 64
unset BLKIO_BREAK

# Zeroing writes pages of zeros: a page that was never written does not read as zero.
check "zeroing" blkdiscard -z -o 1048576 -l 1048576 "$DISK"
is "what was zeroed reads 0" "$(mtdop is "$DISK" 1048576 1048576 0)" ok
holds "and takes no media" "$(stat pages_filled bd)" -ge 256
is "an offset within a page is refused" \
	"$(blkdiscard -o 512 -l "$PAGE" "$DISK" 2>&1 | grep -c 'not aligned\|Invalid')" 1

# direct OFFSET BYTES: result of direct I/O there, read and write
direct()
{
	LC_ALL=C dd if="$DISK" of=/dev/null bs="$2" iflag=direct,skip_bytes skip="$1" count=1 \
		2>&1 | grep -o 'Invalid argument'
	LC_ALL=C dd if=/dev/zero of="$DISK" bs="$2" oflag=direct,seek_bytes seek="$1" count=1 \
		conv=notrunc 2>&1 | grep -o 'Invalid argument'
}
must mtdop fill "$DISK" 0 $((3 * PAGE)) 0x5c
is "direct I/O at an offset within a page is refused" \
	"$(direct 512 "$PAGE" | uniq -c | tr -s ' ')" " 2 Invalid argument"
is "and that of a part of a page" \
	"$(direct 0 512 | uniq -c | tr -s ' ')" " 2 Invalid argument"
is "and that of a page and a half" \
	"$(direct "$PAGE" $((PAGE * 3 / 2)) | uniq -c | tr -s ' ')" " 2 Invalid argument"
is "nothing has changed by that" "$(mtdop is "$DISK" 0 $((3 * PAGE)) 0x5c)" ok
detach bd

# The MTD and the block device.
blk_attach "low,comp=lz4,size=8M,name=bd"
must patio -k text -s 7 write "$CHAR" 0 64 1
is "what the MTD was given, the block device reads" \
	"$(patio -d -k text -s 7 verify "$DISK" 0 64 1)" "ok 64 error 0 wrong 0 first none"
must patio -d -b "$PAGE" -k text -s 7 write "$DISK" 32 64 2
is "what the block device was given, the MTD reads" \
	"$(patio -k text -s 7 verify "$CHAR" 32 64 2)" "ok 64 error 0 wrong 0 first none"
is "and mtdblock, too" \
	"$(patio -d -k text -s 7 verify "$BLOCK" 32 64 2)" "ok 64 error 0 wrong 0 first none"
mark
for side in "$CHAR" "$BLOCK"; do
	exec 3< "$side"
	is "while ${side%%[0-9]*} is open: writing to the block device is refused" \
		"$(mtdop fill "$DISK" 0 "$PAGE" 1)" EBUSY
	is "while ${side%%[0-9]*} is open: reading it is not" "$(try_open "$DISK")" ok
	exec 3<&-
done
is "each refusal says why" "$(messages | grep -c "can't be opened for writing: its MTD is open")" 2
(
	exec 4< "$CHAR"
	sleep 0.3
) &
glance=$!
sleep 0.1
is "a glance at the MTD is waited for" "$(mtdop fill "$DISK" 0 "$PAGE" 1)" ok
wait $glance
exec 3<> "$DISK"
mark
is "while the block device is open for writing: the MTD can be opened" "$(try_open "$CHAR")" ok
is "and read" "$(patio -k text -s 7 verify "$CHAR" 32 64 2)" "ok 64 error 0 wrong 0 first none"
is "but not be written to" "$(mtdop fill "$CHAR" 0 "$PAGE" 2)" EBUSY
is "nor be erased" "$(mtdop erase "$CHAR" 0 "$PAGE")" EBUSY
is "nor be written to through mtdblock" \
	"$(patio -d -b "$PAGE" write "$BLOCK" 0 1 1 | cut -d' ' -f1-6)" "ok 0 error 1 first EIO"
is "what was there is there still" "$(mtdop is "$CHAR" 0 "$PAGE" 1)" ok
holds "a refusal says why" "$(messages | grep -c "can't be written to: /dev/mtdcompr")" -ge 1
is "a device whose block device is open stays attached" "$(put detach bd)" EBUSY
refused "and the module loaded" rmmod mtdcompr
exec 4< "$DISK"
exec 3<&-
is "who was a writer is not asked when he leaves: it is the block device's until all have left" \
	"$(mtdop fill "$CHAR" 0 "$PAGE" 3)" EBUSY
exec 4<&-
is "then the MTD can be written to" "$(mtdop fill "$CHAR" 0 "$PAGE" 3)" ok
exec 3< "$DISK"
is "a reader of the block device is in nobody's way" "$(mtdop fill "$CHAR" 0 "$PAGE" 4)" ok
exec 3<&-
# A file system mounted read-only opens the device for reading.
must mkfs.ext4 -q "$DISK"
mkdir -p "$TMP/mnt"
must mount -t ext4 -o ro "$DISK" "$TMP/mnt"
exec 3< "$CHAR"
refused "nor may one be mounted for writing while the MTD is open" \
	sh -c "mount -o remount,rw $TMP/mnt && touch $TMP/mnt/file && sync -f $TMP/mnt/file"
exec 3<&-
umount "$TMP/mnt"
must mount -t ext4 -o ro "$DISK" "$TMP/mnt"
check "it may when that is closed" mount -o remount,rw "$TMP/mnt"
must touch "$TMP/mnt/file"
must sync -f "$TMP/mnt/file"
is "then the MTD can't be written to" "$(mtdop fill "$CHAR" 0 "$PAGE" 4)" EBUSY
must umount "$TMP/mnt"
is "and its file is there" "$(mount -t ext4 -o ro "$DISK" "$TMP/mnt" && ls "$TMP/mnt/file")" \
	"$TMP/mnt/file"
must umount "$TMP/mnt"
detach bd

# Media that are sometimes full.
phram tight 16384 896
blk_attach "tight,comp=lz4,size=4M,name=bdtight"
# Fewer operations would not fill it.
[ "$MTDC_OPS" -ge 1000 ] && ops=$MTDC_OPS || ops=1000
check "random operations on a medium that is full now and then" model -e -p 900 -n "$ops"
diag "$(cat "$TMP/check.out")"
holds "it was full" "$(stat err_full bdtight)" -gt 0
is "no page was lost" "$(stat pages_lost bdtight)" 0
identities "the figures are consistent there, too" bdtight
detach bdtight

# Media whose operations sleep, and have a cache above them.
. "$(dirname "$0")/simlib.sh"
if modinfo mtdsim > "$TMP/out" 2>&1; then
	for store in log cache; do
		option=store=log
		[ $store = log ] || option=cache=1
		sim_load name=sim,type=nand,size=16M
		is "NAND, $store: sync=1 is for memory" \
			"$(put attach "sim,$option,sync=1,name=no")" EINVAL
		blk_attach "sim,comp=lzo,size=12M,$option,name=bdnand"
		check "NAND, $store: random operations against a model" model -p 512
		identities "NAND, $store: the figures are consistent" bdnand
		no_errors "NAND, $store" bdnand
		is "NAND, $store: what it caches can be flushed" "$(queue write_cache)" "write back"
		must dd if=/dev/urandom of="$DISK" bs="$PAGE" count=8 oflag=direct conv=notrunc
		before=$(stat block_written_bytes bdnand)
		must mtdop flush "$DISK"
		holds "NAND, $store: a flush has it written" \
			"$(stat block_written_bytes bdnand)" -gt "$before"
		detach bdnand
		sim_unload
	done
else
	skip "NAND" "mtdsim is for another kernel"
fi

# Many processes at once, each with its own pages; then several on the same pages, while processors
# come and go.
blk_attach "low,comp=lz4,size=16M,name=bd"
racio -s "$MTDC_SEED" -n "$MTDC_OPS" -f 3000 "$DISK" > "$TMP/job0" 2>&1 &
jobs=$!
for n in 1 2 3 4; do
	blkio -c -s $((MTDC_SEED + n)) -n "$MTDC_OPS" -f $((n * 600)) -p 512 "$DISK" \
		> "$TMP/job$n" 2>&1 &
	jobs="$jobs $!"
done
: > "$TMP/went"
(
	while [ ! -e "$TMP/stop" ]; do
		cat "$PROC/bd" > "$TMP/read"
		# Take all processors but the first offline and online, in turn.
		for cpu in /sys/devices/system/cpu/cpu[1-9]*/online; do
			[ -e "$cpu" ] || continue
			echo 0 > "$cpu" && echo "$cpu" >> "$TMP/went"
			sleep 0.2
			echo 1 > "$cpu"
			sleep 0.2
		done
	done
) &
hotplug=$!
n=0
for job in $jobs; do
	wait "$job"
	result $? "process $n has right contents"
	[ ! -s "$TMP/job$n" ] || diag "$(cat "$TMP/job$n")"
	n=$((n + 1))
done
: > "$TMP/stop"
wait $hotplug
went=$(wc -l < "$TMP/went")
holds "processors have come and gone meanwhile, $went times" "$went" -ge $(($(nproc) - 1))
identities "the figures are consistent after that" bd
no_errors "many at once" bd
is "what is bio-based has no scheduler" "$(queue scheduler 2>/dev/null || echo none)" none
detach bd

# Change the scheduler of mtdblock while it is in use.
must modprobe mtdblock
attach "low,comp=lz4,size=16M,name=bd"
scheduler=/sys/block/${BLOCK#/dev/}/queue/scheduler
schedulers=$(tr -d '[]' < "$scheduler")
modelio -s "$MTDC_SEED" -n "$MTDC_OPS" -p 512 random "$CHAR" "$BLOCK" > "$TMP/model" 2>&1 &
job=$!
switched=0
# At least twice, even if the model is fast.
for round in $(seq 1000); do
	[ "$round" -le 2 ] || kill -0 $job 2>/dev/null || break
	for name in $schedulers; do
		echo "$name" > "$scheduler" && switched=$((switched + 1))
		sleep 0.1
	done
done
wait $job
result $? "mtdblock under schedulers that change ($schedulers): random operations"
[ ! -s "$TMP/model" ] || diag "$(cat "$TMP/model")"
holds "there was a choice, $switched times" "$switched" -ge 2
no_errors "schedulers" bd
detach bd
for comp in lz4 lzo zlib zstd none; do
	blk_attach "low,comp=$comp,size=8M,name=bd"
	check "$comp: all on the same pages, read by the MTD, too" \
		racio -s "$MTDC_SEED" -n "$MTDC_OPS" -r "$CHAR" "$DISK"
	check "$comp: all write and discard the same few" \
		racio -a -s "$MTDC_SEED" -n "$MTDC_OPS" -p 8 -r "$CHAR" "$DISK"
	identities "$comp: the figures are consistent after that" bd
	detach bd
done
blk_attach "low,comp=lz4,size=8M,name=bd"
RACIO_BREAK=1
export RACIO_BREAK
refused "that checker notices another version" racio -n "$MTDC_OPS" "$DISK"
unset RACIO_BREAK
detach bd

# Media that fail, for operations outside the device lock.
if modprobe mtdc_faultmtd size_kib=4096; then
	knob=/sys/module/mtdc_faultmtd/parameters
	both() { patio -d -b "$PAGE" -s "$MTDC_SEED" "$@"; }
	pages=$(amount 200 600)
	good="ok $pages error 0 wrong 0 first none"
	blk_attach "faultmtd,comp=lz4,size=8M,name=bdflt"
	must both write "$DISK" 0 "$pages" 1
	echo 5 > $knob/read_error
	out=$(both verify "$DISK" 0 "$pages" 1)
	is "failed reads are EIO" "${out##* }" EIO
	holds "of most pages" "$(echo "$out" | cut -d' ' -f4)" -ge $((pages / 2))
	is "and never data" "$(echo "$out" | cut -d' ' -f6)" 0
	holds "they are counted" "$(stat err_media_read bdflt)" -ge $((pages / 2))
	echo 5 > $knob/write_error
	echo 2 > $knob/every
	out=$(both write "$DISK" 0 "$pages" 2)
	echo 0 > $knob/write_error
	echo 0 > $knob/read_error
	failed=$(echo "$out" | cut -d' ' -f4)
	holds "so are writes, $failed" "$(stat err_media_write bdflt)" -ge "$failed"
	is "each page is the new one, or the old one if that was said" \
		"$(both either "$DISK" 0 "$pages" 2)" \
		"new $((pages - failed)) old $failed error 0 wrong 0"
	must both write "$DISK" 0 "$pages" 1
	is "and all works again" "$(both verify "$DISK" 0 "$pages" 1)" "$good"
	identities "the figures are consistent after that" bdflt
	detach bdflt
	must rmmod mtdc_faultmtd
else
	skip "media that fail" "the test module mtdc_faultmtd is not there"
fi

# The lower MTD goes.
LOW=$(mtd_num low)
must mtdpart add "/dev/mtd$LOW" part 0 8388608
part=$(mtd_num part)
blk_attach "part,comp=lzo,size=12M,name=bdvan"
(
	for _ in $(seq 100); do
		patio -d -b "$PAGE" write "$DISK" 0 2000 1 > "$TMP/writer"
		grep -q 'first none' "$TMP/writer" || break
	done
) &
writer=$!
sleep 1
check "the lower MTD can go during I/O" mtdpart del "/dev/mtd$LOW" "$part"
wait $writer
is "writers get an error" "$(grep -c 'first EIO\|first ENODEV' "$TMP/writer")" 1
is "and readers" "$(mtdop is "$DISK" 0 "$PAGE" 0 | grep -c 'EIO\|ENODEV')" 1
refused "discard is refused" blkdiscard "$DISK"
is "and it can be detached" "$(put detach bdvan)" ok
