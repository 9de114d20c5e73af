#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Marvin on slow NAND: eight apps have more objects than the memory, and must have saved enough of
# them when another program needs 48 MiB at once. Without swap the kernel can't reclaim unsaved
# objects, and would kill an app. The clock counts instructions.
#
# job: programs marvin-slow --mem 256 --reserve 176 --timeout 900 --clock icount
# shellcheck disable=SC2154 # lib.sh's variables
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/simlib.sh"
. "$(dirname "$0")/marvinlib.sh"

echo never > /sys/kernel/mm/transparent_hugepage/enabled
must modprobe ext4
sim_load "name=chip,type=nand,profile=mt29f4g,delay=sleep,size=160M,base=$MTDC_RESERVE_ADDR"
must modprobe mtdcompr
attach "chip,comp=lz4,ratio=200,name=store"
must mkfs.ext4 -q -O ^has_journal -m 0 "$(own_disk store)"
must mount -o discard "$(own_disk store)" $STORE

apps=''
app()
{
	echo 500 > /proc/self/oom_score_adj
	exec marvin-load waster --store $STORE/ --name "app$1" > "$TMP/app$1.counts" 2> "$TMP/app$1.err"
}

lives()
{
	lives_n=0
	for pid in $apps; do
		! kill -0 "$pid" 2> "$TMP/none" || lives_n=$((lives_n + 1))
	done
	echo $lives_n
}

for n in 0 1 2 3 4 5 6 7; do
	app $n &
	apps="$apps $!"
	sleep 3
done
# By then all old objects are cold.
sleep 45
is "eight apps live" "$(lives)" 8
marvin-load timer --mib 48 > "$TMP/timer"
is "another program gets 48 MiB" $? 0
diag "$(cat "$TMP/timer")"
sleep 5
is "no app was killed for it" "$(lives)" 8
# With the kernel's swap on the same chip it takes five seconds.
holds "it waited for less than a second" "$(sed 's/.*took_us //' "$TMP/timer")" -lt 1000000
# shellcheck disable=SC2086 # a list
kill $apps
# shellcheck disable=SC2086 # a list
wait $apps
is "no byte was wrong" "$(cat "$TMP"/app*.counts "$TMP"/app*.err | grep -c wrong)" 0
must umount $STORE
detach store
rmmod mtdcompr
sim_unload
finish
