#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# fsx, the file system exerciser, on ext4 on a device: random reads, writes, mapped reads and
# writes, truncations and holes, each read compared with the expected data. Meanwhile the page cache
# is dropped all the time, so that reads come from the device. MTDC_SEED and MTDC_OPS set the random
# part; selftests/suites/build.sh builds the program.
#
# job: suites fsx --mem 192 --reserve 32 --timeout 600
. "$(dirname "$0")/lib.sh"

: "${MTDC_OPS:=2000}"
phram low 0 12288
load

# drop_caches FILE: as long as FILE exists
drop_caches()
{
	while [ -e "$1" ]; do
		sync
		echo 3 > /proc/sys/vm/drop_caches
		sleep 0.1
	done
}

# in_mount COMMAND...: fsx needs its file in the current directory
in_mount()
{
	(cd "$TMP/mnt" && "$@")
}

# reads: reads of sectors from the device: for mtdblock each is a request
reads() { awk '{ print $3 }' "/sys/block/${disk#/dev/}/stat"; }

# exercise WHAT ATTACH_OPTIONS MOUNT_OPTIONS OPERATIONS FSX_OPTIONS...: through mtdblock,
# unless WHAT says block device
exercise()
{
	what=$1 options=$2 mount_options=$3 count=$4
	shift 4
	attach "low,$options,size=24M,name=fsx"
	case $what in
	"block device"*)	disk=/dev/$(stat disk fsx) ;;
	*)			disk=$BLOCK ;;
	esac
	must mkfs.ext4 -q -F "$disk"
	mkdir -p "$TMP/mnt"
	must mount -t ext4 -o "$mount_options" "$disk" "$TMP/mnt"
	: > "$TMP/dropping"
	drop_caches "$TMP/dropping" &
	before=$(reads)
	read -r from _ < /proc/uptime
	check "$what: fsx, $count operations" in_mount limited 500 \
		fsx -q -S "$MTDC_SEED" -N "$count" -P "$TMP" "$@" file
	read -r to _ < /proc/uptime
	rm "$TMP/dropping"
	wait
	diag "$((${to%.*} - ${from%.*})) s, $(($(reads) - before)) sectors read, \
$(stat page_writes fsx) pages written, ratio $(stat ratio_percent fsx) %"
	holds "$what: what it read came from the device" $(($(reads) - before)) -gt $((count / 20))
	must umount "$TMP/mnt"
	check "$what: e2fsck -f finds nothing" e2fsck -f -n "$disk"
	is "$what: no error was counted" \
		"$(grep '^err_\|^pages_lost' "$PROC/fsx" | grep -vc ': 0$')" 0
	identities "$what: the figures are consistent" fsx
	detach fsx
}

if ! command -v fsx > "$TMP/out"; then
	skip_rest "fsx" "not built, see selftests/suites/build.sh"
fi
exercise "cached and mapped" comp=lz4 defaults $((MTDC_OPS * 5)) -l 2000000 -o 100000 -c 50
exercise "flushed after each write" comp=zlib data=journal "$MTDC_OPS" -l 1000000 -f -y
exercise "O_DIRECT, sectors" comp=zstd,alloc=best defaults "$MTDC_OPS" \
	-l 2000000 -Z -R -W -r 512 -w 512 -t 512
exercise "blocks of 1 KiB" comp=lzo,alloc=largest nodelalloc "$MTDC_OPS" -l 3000000 -o 40000
exercise "block device, freed blocks discarded" comp=lz4 discard $((MTDC_OPS * 2)) \
	-l 2000000 -o 100000 -c 50

# A proof that fsx notices wrong data: another process writes to the file.
attach "low,comp=none,size=8M,name=fsx"
must mkfs.ext4 -q -F "$BLOCK"
must mount -t ext4 "$BLOCK" "$TMP/mnt"
: > "$TMP/writing"
while [ -e "$TMP/writing" ]; do
	printf x | dd of="$TMP/mnt/file" bs=1 seek=7777 conv=notrunc status=none
done &
in_mount limited 100 fsx -q -S "$MTDC_SEED" -N 20000 -l 300000 -P "$TMP" file > "$TMP/out" 2>&1
rm "$TMP/writing"
wait
is "fsx fails where somebody else writes to its file" \
	"$(grep -c 'READ BAD DATA\|Size error\|short read' "$TMP/out")" 1
must umount "$TMP/mnt"
detach fsx
