#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Programs with three times the memory of the machine, at swappiness 100, for MTDC_SECONDS (10) on
# each of MTDC_MEDIA (ram pcm nand nor log ramdisk logdisk; log is NAND with a log, nand and nor
# have the cache, disk means the driver's block device instead of mtdblock). Meanwhile every other
# interface of the device is in use, too: a second partition is written by mtdchar and by its block
# device, read by both, with O_DIRECT and without, and erased; the swap partition is read by mtdchar
# and by the page cache, with ioctl, sync, and all files of procfs and sysfs. While it is swapped
# on, only the driver's block device may write; then the second part is another device. Every byte
# is verified at each access. For the paper's board with 16 MiB, and for a PC with as little memory
# as its kernel can boot with.
#
# job: test,stock pressure --machine board --mem 16 --clock wall --timeout 300 --env MTDC_MEDIA=ram
# job: pressure pressure-ram --machine board --mem 16 --clock wall --timeout 1200 --env MTDC_MEDIA=ram
# job: pressure pressure-pcm --machine board --mem 16 --clock wall --timeout 1200 --env MTDC_MEDIA=pcm
# job: pressure pressure-nand --machine board --mem 16 --clock wall --timeout 1500 --env MTDC_MEDIA=nand
# job: pressure pressure-nor --machine board --mem 16 --clock wall --timeout 2400 --env MTDC_MEDIA=nor
# job: pressure pressure-log --machine board --mem 16 --clock wall --timeout 1500 --env MTDC_MEDIA=log
# job: pressure pressure-ramdisk --machine board --mem 16 --clock wall --timeout 1200 --env MTDC_MEDIA=ramdisk
# job: pressure pressure-pcmdisk --machine board --mem 16 --clock wall --timeout 1200 --env MTDC_MEDIA=pcmdisk
# job: pressure pressure-nanddisk --machine board --mem 16 --clock wall --timeout 1500 --env MTDC_MEDIA=nanddisk
# job: pressure pressure-nordisk --machine board --mem 16 --clock wall --timeout 2400 --env MTDC_MEDIA=nordisk
# job: pressure pressure-logdisk --machine board --mem 16 --clock wall --timeout 1500 --env MTDC_MEDIA=logdisk
# job: pressure pressure-pc --mem 100 --reserve 136 --timeout 6400
. "$(dirname "$0")/lib.sh"

: "${MTDC_SECONDS:=10}" "${MTDC_MEDIA:=ram pcm nand nor log ramdisk logdisk}"
programs=4

# busybox has none, and debugfs is mounted on the board.
if command -v mountpoint > /dev/null; then
	mountpoint -q /sys/kernel/debug || mount -t debugfs none /sys/kernel/debug
else
	mountpoint()
	{
		return 1
	}
fi

# shellcheck disable=SC2086 # a list
set -- $MTDC_MEDIA
echo 100 > /proc/sys/vm/swappiness
# The kernel of the board has less memory than the board.
total_mib=$(awk '/^MemTotal:/ { print int($2 / 1024) }' /proc/meminfo)
case $MTDC_MEM in
??)	[ "$MTDC_MEM" -gt 64 ] || total_mib=$MTDC_MEM ;;
esac
eaten_mib=$((3 * total_mib / programs))
swap_mib=$((programs * eaten_mib))
reserve_mib=$((MTDC_RESERVE_SIZE >> 20))
data_pages=512
diag "$programs programs of $eaten_mib MiB in $total_mib MiB, $MTDC_SECONDS s for each of: $MTDC_MEDIA"
# The patterns compress to 36 %; the rest is for the second partition.
media_mib=$((swap_mib * 45 / 100 + 2))
# Some blocks of a log's media are in reserve, and some are spare.
log_mib=$((media_mib * 5 / 4))
# The second device comes first; a chip has a spare area, too.
data_mib=2 media_address=$((MTDC_RESERVE_ADDR + (4 << 20)))
[ $((log_mib + 4)) -le "$reserve_mib" ] || bail "a reserve of $((log_mib + 4)) MiB is needed"

# said WHAT WANTED GOT: note a result that differs
said()
{
	# shellcheck disable=SC2254 # a pattern
	case $3 in
	$2)	;;
	*)	echo "$1: $3" >> "$TMP/roads.bad" ;;
	esac
}

# data GENERATION: use the second part through all of its interfaces
data()
{
	said "mtdchar writes" "ok 64 error 0 *" \
		"$(patio -k text write "$data_char" 0 64 "$1")"
	said "O_DIRECT reads" "ok 64 error 0 wrong 0 *" \
		"$(patio -d -k text verify "$data_block" 0 64 "$1")"
	said "O_DIRECT writes" "ok 64 error 0 *" \
		"$(patio -d -k mix write "$data_block" 64 64 "$1")"
	said "mtdchar reads" "ok 64 error 0 wrong 0 *" \
		"$(patio -b 1536 -k mix verify "$data_char" 64 64 "$1")"
	said "cached writes" "ok 64 error 0 *" \
		"$(patio -k random write "$data_block" 128 64 "$1")"
	said "flush" ok "$(mtdop flush "$data_block")"
	said "what was written back, by mtdchar" "ok 64 error 0 wrong 0 *" \
		"$(patio -k random verify "$data_char" 128 64 "$1")"
	said "cached reads" "ok 64 error 0 wrong 0 *" \
		"$(patio -k random verify "$data_block" 128 64 "$1")"
	said "erase" ok "$(mtdop erase "$data_char" 0 $((64 * PAGE)))"
	said "erased" ok "$(mtdop is "$data_char" 0 $((64 * PAGE)) 0xff)"
}

# views N: read everything that the device shows
views()
{
	cat "$PROC"/* /proc/mtd /proc/swaps "/sys/class/mtd/mtd$NUM"/[a-z]*size \
		"/sys/class/mtd/${swap_char#/dev/}"/[a-z]*size > "$TMP/view" || said views "" failed
	case $(mtdop info "$swap_char") in
	*size*|*[0-9]*)	;;
	*)	said "ioctl" "" failed ;;
	esac
	dd if="$swap_char" of=/dev/null bs=5000 skip=$(($1 * 97 % 2000)) count=20 \
		2> "$TMP/dd" || said "mtdchar on swap" "" "$(cat "$TMP/dd")"
	dd if="$swap_block" of=/dev/null bs=16k skip=$(($1 * 61 % 1000)) count=8 \
		2> "$TMP/dd" || said "page cache on swap" "" "$(cat "$TMP/dd")"
	case $(patio -d -k text verify "$swap_block" $(($1 * 53 % 4000)) 16 1 2> "$TMP/patio") in
	*" error 0 "*)	;;
	*)	said "O_DIRECT on swap" "" failed ;;
	esac
	sync
}

# roads: use all interfaces until the end. The shell and its programs must survive the pressure,
# too.
roads()
{
	rounds=0
	while [ ! -e "$TMP/end" ]; do
		rounds=$((rounds + 1))
		data $((rounds % 200 + 1))
		views $rounds
		echo $rounds > "$TMP/rounds"
	done
}

# by_mtdblock OPTIONS: attach the device "under", with two partitions; sets swap_char, swap_block,
# data_char, data_block
by_mtdblock()
{
	attach "low,$1,size=$((swap_mib + 2 + data_pages * PAGE / 1048576))M,name=under"
	must mtdop part "$CHAR" swappart 0 $(((swap_mib + 2) << 20))
	must mtdop part "$CHAR" datapart $(((swap_mib + 2) << 20)) $((data_pages * PAGE))
	swap_char=/dev/mtd$(mtd_num swappart) swap_block=/dev/mtdblock$(mtd_num swappart)
	data_char=/dev/mtd$(mtd_num datapart) data_block=/dev/mtdblock$(mtd_num datapart)
}

# by_disk OPTIONS: attach the devices "under" and "data"
by_disk()
{
	attach "low2,$1,name=data"
	data_char=$CHAR data_block=$(own_disk data)
	attach "low,$1,size=$((swap_mib + 2))M,name=under"
	swap_char=$CHAR swap_block=$(own_disk under)
}

# pressure MEDIUM ROAD OPTIONS: on the present media; the road is "mtdblock" or "disk". Nine
# results.
pressure()
{
	what=$1 failed=0 pids=
	rm -f "$TMP/end" "$TMP/roads.bad" "$TMP/rounds"
	"by_$2" "$3"
	mark
	must mkswap "$swap_block"
	must swapon "$swap_block"
	read -r from _ < /proc/uptime
	for n in $(seq $programs); do
		memsig -s "$n" -m $eaten_mib -g 0 -e "$TMP/end" > "$TMP/memsig.$n" 2>&1 &
		pids="$pids $!"
	done
	roads &
	roads=$!
	sleep "$MTDC_SECONDS"
	: > "$TMP/end"
	for n in $pids; do
		wait "$n" || failed=$((failed + 1))
	done
	wait $roads
	read -r to _ < /proc/uptime
	is "$what: $programs programs found each byte of theirs" $failed 0
	[ $failed = 0 ] || diag "$(cat "$TMP"/memsig.*)"
	: >> "$TMP/roads.bad"
	is "$what: and so did all other roads" "$(head -n 5 "$TMP/roads.bad")" ""
	holds "$what: which were gone $(cat "$TMP/rounds") times" -s "$TMP/rounds"
	check "$what: swapoff" limited 300 swapoff "$swap_block"
	load_stats under
	# shellcheck disable=SC2154 # load_stats sets them
	holds "$what: $s_page_writes pages were written, more than all of the programs'" \
		"$s_page_writes" -gt $((swap_mib << 8))
	is "$what: no error was counted" \
		"$(cat "$PROC"/* | grep '^err_\|^pages_lost' | grep -vc ': 0$')" 0
	is "$what: the kernel saw no failed I/O, and no task that hung" \
		"$(dmesg | sed -n "/mtdc-test: mark $$\.$mark_id\$/,\$p" | grep -ci \
			'error on swap-device\|I/O error\|swap_free\|Bad swap\|blocked for more')" 0
	identities "$what: the figures are consistent" under
	is "$what: no rule of the medium was broken" \
		"$(cat /sys/kernel/debug/mtdsim/*/counters 2> "$TMP/none" |
			awk '/^violations:/ { sum += $2 } END { print sum + 0 }')" 0
	diag "$((${to%.*} - ${from%.*})) s; $(cat "$TMP"/memsig.* | sed 's/memsig: //')"
	diag "$(grep -E '^(page_(writes|reads)|ratio_percent|(write|read)_avg_ns|media_used_bytes|block_erases):' \
		"$PROC/under" | tr '\n' ' ')"
	[ "$2" = mtdblock ] || detach data
	detach under
}

load
for medium in $MTDC_MEDIA; do
	road=mtdblock
	case $medium in
	*disk)	road=disk ;;
	esac
	type=${medium%disk} mib=$media_mib
	case $type in
	ram)	phram low2 0 $((data_mib << 10))
		phram low 4096 $((media_mib << 10))
		pressure "$medium" $road comp=lzo
		must rmmod phram
		continue ;;
	pcm)	more=delay=busy options=comp=lzo ;;
	nand)	more=delay=sleep options=comp=lzo,cache=1 ;;
	# As slow as flash of that age would be, hardly more than the programs' first pages would be
	# written in ten minutes.
	nor)	more=delay=none options=comp=zlib,cache=1 ;;
	log)	type=nand mib=$log_mib more=delay=sleep options=comp=lzo ;;
	*)	bail "no medium \"$medium\"" ;;
	esac
	set -- "dev=name=low,type=$type,size=${mib}M,base=$media_address,$more"
	[ $road = mtdblock ] ||
		set -- "$@" "dev=name=low2,type=$type,size=${data_mib}M,base=$MTDC_RESERVE_ADDR,$more"
	must modprobe mtdsim "$@"
	pressure "$medium" $road "$options"
	must rmmod mtdsim
done
