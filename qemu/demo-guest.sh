#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# demo-guest.sh SOURCE swap|mtdblock|noswap: the demo's part in the guest. Lets Python compile
# SOURCE, with MTDCOMPR as swap through its own block device or mtdblock, or without any swap.
# Prints results for demo.sh as lines "demo: KEY VALUE", and progress for its user as lines
# "progress: TEXT".
set -eu

source=$1
mode=$2

value()
{
	awk -v key="$2" '$1 == key { print $2 }' "$1"
}

tell()
{
	echo "demo: $*"
}

# Only errors: the kernel's other messages would hide the progress.
echo 4 > /proc/sys/kernel/printk
tell ram_kib "$(value /proc/meminfo MemTotal:)"

if [ "$mode" != noswap ]; then
	modprobe phram phram="ext,$MTDC_RESERVE_ADDR,$MTDC_RESERVE_SIZE"
	# shellcheck disable=SC2154 # from demo.sh
	modprobe mtdcompr mtd=ext,comp=lz4,size="$demo_swap"M,sync=0
	grep . /proc/mtd
	disk=/dev/mtdcompr0
	if [ "$mode" = mtdblock ]; then
		modprobe mtdblock
		disk=/dev/mtdblock$(sed -n 's/^mtd\([0-9]*\):.*"mtdcompr0"$/\1/p' /proc/mtd)
	fi
	mkswap "$disk" >/dev/null
	swapon "$disk"
	cat /proc/swaps
	# No readahead: each page that is read has to be decompressed.
	echo 0 > /proc/sys/vm/page-cluster
else
	# The demo shows an OOM kill.
	touch /run/mtdc-allow-oom
fi

# A directory in RAM, because the result goes beside the source.
mkdir /run/demo
cd /run/demo
ln -s "$source" library.py

# The programs' text is on the host, and quickly read again. Without swap the kernel would drop and
# read it for minutes (seen: a million pages in two, and no end) before it gives up. A board that
# runs from an initramfs can't do that; nor can this guest, in either boot, when the files are in
# the overlay's tmpfs. Touching them puts them there.
{
	cat "/proc/$$/maps"
	/usr/bin/python3 -I -c 'import py_compile
print(open("/proc/self/maps").read())'
} | sed -n 's/.* \(\/[^ ]*\)$/\1/p' | sort -u | xargs touch -c

start=${EPOCHREALTIME/./}
# The OOM killer may kill the program, but not this shell.
echo -1000 > /proc/$$/oom_score_adj
(
	echo 0 > /proc/self/oom_score_adj
	exec /usr/bin/python3 -I -m py_compile library.py
) &
program=$!

# holds PID: set resident and swapped (KiB) to the memory of the process in RAM and in swap, without
# its mapped files.
holds()
{
	local text=

	resident=0 swapped=0
	# Read it at once: line by line bash would seek, and the kernel would compute the text again
	# for each line.
	read -r -N 8192 text 2>/dev/null < "/proc/$1/status" || :
	if [[ $text =~ RssAnon:[[:space:]]*([0-9]+) ]]; then
		resident=${BASH_REMATCH[1]}
	fi
	if [[ $text =~ VmSwap:[[:space:]]*([0-9]+) ]]; then
		swapped=${BASH_REMATCH[1]}
	fi
}

# Sample the sum, because the kernel records no peak of it. Start no program, not even sleep: it
# would have to be read in each time and would slow the measured program down.
exec {never}<> <(:)
peak=0
tick=0
most=-1
# most_stored: keep the statistics from the moment with the most stored pages, because pages are
# freed later.
most_stored()
{
	local lines line

	mapfile -t lines < /proc/mtdcompr/mtdcompr0
	for line in "${lines[@]}"; do
		[ "${line%%:*}" = pages_stored ] || continue
		if [ "${line#*: }" -gt "$most" ]; then
			most=${line#*: }
			stats=("${lines[@]}")
		fi
	done
}
while kill -0 $program 2>/dev/null; do
	read -r -t 0.2 -u "$never" || :
	holds $program
	tick=$((tick + 1))
	if [ $((resident + swapped)) -gt $peak ]; then
		peak=$((resident + swapped))
	fi
	[ "$mode" = noswap ] || [ $((tick % 5)) != 0 ] || most_stored
	[ $((tick % 25)) = 0 ] || continue
	# A dead program has no memory.
	[ "$resident" != 0 ] || continue
	now=${EPOCHREALTIME/./}
	printf 'progress: %3d s: the program holds %3d MiB, %3d of them in RAM\n' \
		$(((now - start) / 1000000)) \
		$(((resident + swapped) / 1024)) $((resident / 1024))
done
status=0
wait $program || status=$?

now=${EPOCHREALTIME/./}
tell time_ms $(((now - start) / 1000))
tell status $status
tell peak_kib $peak
tell killed_kib "$(dmesg | sed -n 's/.*Out of memory: .*anon-rss:\([0-9]*\)kB.*/\1/p' | head -n 1)"
tell oom "$(dmesg | sed -n 's/.*Out of memory: \(Killed process [0-9]* ([^)]*)\).*/\1/p' | head -n 1)"
# demo.sh checks the status.
if [ "$mode" = noswap ] || [ $status != 0 ]; then
	exit 0
fi

tell sha256 "$(sha256sum __pycache__/library.*.pyc | cut -d ' ' -f 1)"
tell pswpin "$(value /proc/vmstat pswpin)"
tell pswpout "$(value /proc/vmstat pswpout)"
tell errors "$(awk '/^err_/ { n += $2 } END { print n + 0 }' /proc/mtdcompr/mtdcompr0)"
printf 'stat: %s\n' "${stats[@]}"

# swapoff and rmmod must work.
swapoff "$disk"
rmmod mtdcompr
