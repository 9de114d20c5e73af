#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Unmodified tests of other projects on the device: the kernel's MTD tests, nandtest, fio,
# badblocks, and ext4 with a real file tree; tests for block devices through mtdblock and the
# driver's block device. The short form runs each kind once, and less of it.
#
# job: test inputs
# job: long thirdparty --mem 512 --reserve 64 --timeout 600 --smp 2
# job: debug thirdparty --mem 512 --reserve 64 --timeout 300 --smp 2
. "$(dirname "$0")/lib.sh"

phram low 0 32768
phram small 32768 4096
load
attach "small,comp=lz4,size=4M,alloc=best,name=tp"

# The module is finished when insmod returns, and its result is in the log.
# kernel_test NAME PATTERN PARAMETERS...
kernel_test()
{
	test_name=$1
	pattern=$2
	shift 2
	if ! modinfo "$test_name" > "$TMP/out" 2>&1; then
		skip "$test_name" "not built, no kernel source"
		return
	fi
	modprobe mtd_test 2> "$TMP/out"
	mark
	check "$test_name $*: it loads" modprobe "$test_name" "dev=$NUM" "$@"
	dmesg | sed -n "/mtdc-test: mark $$\.$mark_id\$/,\$p" > "$TMP/log"
	is "$test_name: it has finished" "$(grep -c "$test_name: $pattern" "$TMP/log")" 1
	is "$test_name: without an error" "$(grep -c 'error\|fail\|mtdcompr: ' "$TMP/log")" 0
	grep 'speed is' "$TMP/log" | sed 's/^/# /'
	rmmod "$test_name"
}
kernel_test mtd_readtest finished
count=$(amount 1000 3000)
kernel_test mtd_stresstest "finished, $count operations" "count=$count"
kernel_test mtd_torturetest "finished after 4 erase" eb=8 ebcnt=64 cycles_count=4 gran=2
kernel_test mtd_speedtest finished count=64
identities "the figures are consistent after the kernel's tests" tp

passes=$(amount 1 3)
check "nandtest: erase, write, read back, $passes passes" \
	nandtest -p "$passes" -s "$MTDC_SEED" -l 0x100000 "$CHAR"
check "nandtest with the old contents kept" nandtest -k -p 1 -l 0x80000 "$CHAR"
detach tp

attach "low,comp=lz4,size=40M,name=tp"
if command -v fio > "$TMP/out"; then
	# fio writes its state to the current directory.
	cd "$TMP" || exit 1
	# fio_verify WHAT ARGUMENTS...
	fio_verify()
	{
		fio_what=$1
		shift
		check "fio --verify=crc32c: $fio_what" fio --name=verify --filename="$fio_on" \
			--ioengine=psync --verify=crc32c --verify_fatal=1 --do_verify=1 \
			--randseed="$MTDC_SEED" --refill_buffers --allow_file_create=0 "$@"
	}
	fio_on=$BLOCK
	fio_verify "512 B to 64 KiB mixed, cached" --rw=randwrite --bsrange=512-64k --bs_unaligned=0 \
		--size="$(amount 3 16)M" --fsync=64 --buffer_compress_percentage=30
	if [ -n "${MTDC_LONG:-}" ]; then
		fio_verify "512 B, O_DIRECT, incompressible" --rw=randwrite --bs=512 --size=2M --direct=1
		fio_verify "4 KiB, O_DIRECT, half compressible" --rw=randwrite --bs=4k --size=16M \
			--direct=1 --buffer_compress_percentage=50
		fio_verify "64 KiB, O_DIRECT, 80 % compressible" --rw=randwrite --bs=64k --size=32M \
			--direct=1 --buffer_compress_percentage=80
		fio_verify "1 MiB, cached" --rw=write --bs=1m --size=24M --fsync=4 \
			--buffer_compress_percentage=60
		fio_verify "reads and writes mixed, verified as it goes" --rw=randrw --bs=4k --size=8M \
			--direct=1 --verify_backlog=256 --buffer_compress_percentage=50
	fi
	identities "the figures are consistent after fio" tp
	detach tp
	attach "low,comp=lz4,size=40M,name=tp"
	fio_on=/dev/$(stat disk tp)
	# A trimmed page reads 0xFF, not zero.
	fio_verify "own disk, a third trimmed as it goes" --rw=randwrite --bs=4k \
		--size="$(amount 3 16)M" --direct=1 --verify_backlog=64 --trim_percentage=33 \
		--trim_backlog=64 --trim_verify_zero=0 --buffer_compress_percentage=50
	if [ -n "${MTDC_LONG:-}" ]; then
		fio_verify "own disk, 4 KiB, O_DIRECT, half compressible" --rw=randwrite --bs=4k \
			--size=16M --direct=1 --buffer_compress_percentage=50
		fio_verify "own disk, 64 KiB, O_DIRECT, incompressible" --rw=randwrite --bs=64k \
			--size=16M --direct=1
		fio_verify "own disk, 4 to 64 KiB mixed, cached" --rw=randwrite --bsrange=4k-64k \
			--size=16M --fsync=64 --buffer_compress_percentage=30
		fio_verify "own disk, reads and writes mixed, verified as it goes" --rw=randrw \
			--bs=4k --size=8M --direct=1 --verify_backlog=256 --buffer_compress_percentage=50
		fio_verify "own disk, two jobs with 16 requests each" --rw=randwrite --bs=4k --size=8M \
			--direct=1 --ioengine=libaio --iodepth=16 --numjobs=2 --offset_increment=16M \
			--buffer_compress_percentage=50
	fi
	identities "own disk: the figures are consistent after fio" tp
	cd /
else
	skip "fio --verify" "fio is not installed"
fi
detach tp

attach "low,comp=zlib,size=$(amount 4 24)M,name=tp"
is "badblocks with random patterns finds none" \
	"$(badblocks -w -t random -b 4096 "$BLOCK" 2>&1)" ""
if [ -n "${MTDC_LONG:-}" ]; then
	is "badblocks with its four patterns in small blocks finds none" \
		"$(badblocks -w -b 512 -c 128 "$BLOCK" 8192 2>&1)" ""
fi
detach tp

# A real tree of text and executables, of about 20 MiB; in the short form 2.
tree=/usr/include
dirs=$(amount "mtd rdma" "linux sound rdma mtd asm-generic")
again=${dirs%% *}
program=/usr/bin/qemu-system-x86_64
program_kib=$(amount 1024 6144)
mkdir -p "$TMP/mnt"
compare()
{
	for dir in "$TMP"/mnt/tree/*; do
		diff -r "$dir" "$tree/${dir##*/}" || return 1
	done
	cmp -n $((program_kib * 1024)) "$TMP/mnt/program" $program
}
# tree_test ROAD DEVICE
tree_test()
{
	check "$1: mkfs.ext4" mkfs.ext4 -q -F "$2"
	check "$1: mount" mount -t ext4 "$2" "$TMP/mnt"
	must mkdir "$TMP/mnt/tree"
	# shellcheck disable=SC2086 # a list of words
	tar -C $tree -cf - $dirs 2>/dev/null |
		tar -C "$TMP/mnt/tree" -xf -
	must dd if=$program of="$TMP/mnt/program" bs=64k count=$((program_kib / 64)) status=none
	diag "$(du -sm "$TMP/mnt" | cut -f1) MiB of files"
	must umount "$TMP/mnt"
	echo 3 > /proc/sys/vm/drop_caches
	must mount -t ext4 "$2" "$TMP/mnt"
	check "$1: every file of the tree is as it was" compare
	# Remove, write again, compare once more.
	must rm -r "$TMP/mnt/tree/$again"
	must mkdir "$TMP/mnt/tree/$again"
	tar -C "$tree/$again" -cf - . | tar -C "$TMP/mnt/tree/$again" -xf -
	must umount "$TMP/mnt"
	check "$1: e2fsck -f finds nothing" e2fsck -f -n "$2"
	must mount -t ext4 "$2" "$TMP/mnt"
	check "$1: and again after removing and rewriting a part" compare
	diag "$(grep -E '^(ratio_percent|pages_stored|media_used_bytes):' "$PROC/tp" | tr '\n' ' ')"
}
attach "low,comp=zstd,size=48M,name=tp"
tree_test "own disk" "/dev/$(stat disk tp)"
sync
before=$(stat media_used_bytes tp)
must rm -r "$TMP/mnt/tree" "$TMP/mnt/program"
# Blocks become free at the commit of the journal.
sync
check "own disk: fstrim" fstrim "$TMP/mnt"
must umount "$TMP/mnt"
holds "own disk: and a tenth of the media is in use, at most" \
	"$(($(stat media_used_bytes tp) * 10))" -lt "$before"
identities "own disk: the figures are consistent after ext4" tp
detach tp
long_from_here

attach "low,comp=zstd,size=48M,name=tp"
tree_test mtdblock "$BLOCK"
must umount "$TMP/mnt"
identities "mtdblock: the figures are consistent after ext4" tp
is "mtdblock: no error was counted" "$(grep '^err_\|^pages_lost' "$PROC/tp" | grep -vc ': 0$')" 0
