#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# demo-guest.sh SOURCE swap|noswap: the demo's part in the guest. Lets Python
# compile SOURCE, with MTDCOMPR as swap or without any, and prints what demo.sh
# wants to know as lines "demo: KEY VALUE".
set -eu

source=$1
mode=$2

value()
{
	awk -v key="$2:" '$1 == key { print $2 }' "$1"
}

tell()
{
	echo "demo: $*"
}

# Only errors: the kernel's other messages would hide the progress.
echo 4 > /proc/sys/kernel/printk
tell ram_kib "$(value /proc/meminfo MemTotal)"

if [ "$mode" = swap ]; then
	modprobe phram phram="ext,$MTDC_RESERVE_ADDR,$MTDC_RESERVE_SIZE"
	modprobe mtdblock
	# shellcheck disable=SC2154 # from demo.sh
	modprobe mtdcompr mtd=ext,comp=zlib,size="$demo_swap"M
	number=$(sed -n 's/^mtd\([0-9]*\):.*"mtdcompr0"$/\1/p' /proc/mtd)
	grep . /proc/mtd
	mkswap "/dev/mtdblock$number" >/dev/null
	swapon "/dev/mtdblock$number"
	cat /proc/swaps
else
	# That is what it is to show.
	touch /run/mtdc-allow-oom
fi

start=${EPOCHREALTIME/./}
elapsed()
{
	echo $(((${EPOCHREALTIME/./} - start) / 1000))
}

PYTHONPYCACHEPREFIX=/tmp/demo /usr/bin/python3 -m compileall -q \
	--invalidation-mode unchecked-hash "$source" &
program=$!

# What the program holds is what is resident and what is swapped out, without
# the files it has mapped. Sampled: the kernel remembers no peak of the sum.
peak=0
tick=0
while kill -0 $program 2>/dev/null; do
	sleep 0.5
	resident=$(value /proc/$program/status RssAnon 2>/dev/null) || break
	swapped=$(value /proc/$program/status VmSwap 2>/dev/null) || break
	# Both are empty when the program has just ended.
	resident=${resident:-0} swapped=${swapped:-0}
	if [ $((resident + swapped)) -gt $peak ]; then
		peak=$((resident + swapped))
	fi
	tick=$((tick + 1))
	[ $((tick % 6)) = 0 ] || continue
	printf '   %3d s: the program holds %3d MiB, %3d of them in RAM\n' \
		$(($(elapsed) / 1000)) $(((resident + swapped) / 1024)) \
		$((resident / 1024))
done
status=0
wait $program || status=$?

tell time_ms "$(elapsed)"
tell status $status
tell peak_kib $peak
tell oom "$(dmesg | sed -n 's/.*Out of memory: \(Killed process [0-9]* ([^)]*)\).*/\1/p' | head -n 1)"
[ "$mode" = swap ] || exit 0

[ $status = 0 ]
tell sha256 "$(find /tmp/demo -name '*.pyc' -exec cat {} + | sha256sum | cut -d ' ' -f 1)"
tell pswpin "$(awk '$1 == "pswpin" { print $2 }' /proc/vmstat)"
tell pswpout "$(awk '$1 == "pswpout" { print $2 }' /proc/vmstat)"
sed 's/^/stat: /' /proc/mtdcompr/mtdcompr0

# It must go as it came.
swapoff "/dev/mtdblock$number"
rmmod mtdcompr
