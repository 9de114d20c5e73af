#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Marvin: programs with a signature in each object, whose stores are a file and a device of
# MTDCOMPR, while another program uses up the memory: reclaim by the kernel alone, and with marvind;
# the same by signals; programs without privileges; kill -9 of programs and of marvind at random
# moments, MTDC_ROUNDS of each; children; a store that is full, a store that goes, and media that
# fail or lie. No program may ever see other bytes. For a guest with little memory.
#
# job: test marvin-guest seconds=85 --mem 160 --reserve 192 --timeout 300 --smp 2
# job: programs,kernel marvin-guest --mem 160 --reserve 192 --timeout 1500 --smp 2
# shellcheck disable=SC2154 # lib.sh's variables
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/simlib.sh"
. "$(dirname "$0")/marvinlib.sh"

: "${MTDC_ROUNDS:=$(amount 5 60)}"
# No udev runs here to make the nodes of the device-mapper.
export DM_DISABLE_UDEV=1
echo never > /sys/kernel/mm/transparent_hugepage/enabled
echo 0 > /proc/sys/vm/page-cluster
must modprobe ext4
must modprobe mtdblock
must modprobe dm_mod
# Parts of the reserve: a disk, media with room, swap, media without room, and 32 MiB for mtdsim
phram disk 0 65536
phram low 65536 32768
phram swap 98304 32768
phram tiny 131072 5632
sim_at=$((MTDC_RESERVE_ADDR + (136 << 20)))
must modprobe mtdcompr
attach "low,comp=lz4,name=store"
attach "swap,comp=lz4,name=swp"
file_system "/dev/mtdblock$(mtd_num disk)"
begin_kib=$(space used)
free_mib=$(available_mib)
greedy="-o auto.pressure=0 -o auto.available=100 -o auto.take=16M -o auto.foreground=yes"

time_is() { diag "$(cut -d ' ' -f 1 /proc/uptime) s: $1"; }

# hog: use all memory except 28 MiB, and verify the bytes
hog()
{
	marvin-load waster --plain --mib $((free_mib - 28)) --interval 1000 \
		--rounds "$(amount 1 10)" > "$TMP/hog" 2>&1
}

finds_a_wrong_byte()
{
	VERIFY_BREAK=5000 marvin-load verify --plain --mib 1 --rounds 9 --interval 1
	[ $? = 3 ]
}

# as_nobody: how libmarvin learns of accesses in a user's program, and whether it learns of accesses
# in system calls
as_nobody()
{
	setpriv --reuid 65534 --regid 65534 --groups 1234 marvin-load verify --store $STORE/ \
		--mib 1 --rounds 1 --interval 1 2> "$TMP/nobody" |
		sed -n 's/.* verify road \([a-z]*\) system_calls \([01]\) saves 1$/\1 \2/p'
}

# privileges: Linux 6.1 has /dev/userfaultfd; libmarvin's udev rule sets its group
privileges()
{
	chmod 1777 $STORE
	chmod 755 "$TMP" "$TMP/bin"
	allowed=$(cat /proc/sys/vm/unprivileged_userfaultfd)
	echo 0 > /proc/sys/vm/unprivileged_userfaultfd
	is "a user's program does without the kernel's faults" "$(as_nobody)" "wp 0|signal 0"
	if [ -e /dev/userfaultfd ]; then
		must chgrp 1234 /dev/userfaultfd
		must chmod 660 /dev/userfaultfd
		is "if its group may open /dev/userfaultfd, it has them" "$(as_nobody)" "wp 1"
		must chmod 600 /dev/userfaultfd
	else
		skip "if its group may open /dev/userfaultfd, it has them" "no such device"
	fi
	echo 1 > /proc/sys/vm/unprivileged_userfaultfd
	is "and if everybody may have them" "$(as_nobody)" "wp 1"
	echo "$allowed" > /proc/sys/vm/unprivileged_userfaultfd
	diag "$(sort -u "$TMP/nobody")"
}

by_signals()
{
	time_is "by signals"
	program signal $STORE/ --mib 8 --threads 2 --fork --road signal --drop 2000
	check "by signals: memory is taken" await 60 reaches signal dropped 2000
	is "it is that road" "$(grep -c ' verify road signal system_calls 0 saves 1$' \
		"$TMP/signal.counts")" 1
	check "objects came back" await 30 reaches signal loads 50
	check "children have looked at objects" await 30 reaches signal forked 20
	ended "all bytes are right" signal $pid
}

# 48 MiB of objects, and 28 MiB for them and their programs
by_the_kernel()
{
	time_is "the kernel takes, $free_mib MiB are available"
	program file $STORE/ --mib 24
	file=$pid
	program device "$(own_disk store)" --mib 24 --threads 4 --fork
	device=$pid
	check "objects are saved to a file" await 60 is_cold file
	check "objects are saved to a device of MTDCOMPR" await 60 is_cold device
	hog
	is "another program gets the memory, and its bytes are right" $? 0
	check "objects came back from the file" await 30 reaches file loads 50
	check "objects came back from the device" await 30 reaches device loads 50
	check "children have looked at objects" await 30 reaches device forked 50
	is "all of that without marvind" "$(counted file dropped) $(counted device dropped)" "0 0"
}

by_marvind()
{
	time_is "marvind takes"
	diag "$(marvind --check)"
	must mkswap "$(own_disk swp)"
	must swapon "$(own_disk swp)"
	marvind_start -m told
	check "marvind finds the programs" await 10 knows $file $device
	ctl bg $file > "$TMP/bg"
	goes_on file 3
	holds "it takes memory back: of a program in the background" "$(taken)" -gt 1000
	marvind_stop
	marvind_start -o auto.pressure=0 -o auto.available=90 -o auto.take=8M -o auto.foreground=yes
	check "by a budget" await 10 has_taken 8000
	marvind_stop
	marvind_start -o auto.pressure=1 -o auto.available=0 -o auto.foreground=yes
	if [ -e /proc/pressure/memory ]; then
		hog
		# The kernel reclaims at the same time, and marvind counts only its own part.
		check "while programs wait for memory (PSI)" has_taken 100
		diag "$(taken) KiB, $(tail -n 1 /proc/pressure/memory)"
	else
		skip "while programs wait for memory (PSI)" "this kernel does not say so"
	fi
	marvind_stop
}

# kill_once: kill marvind, or a program that it may manage, at a random moment
kill_once()
{
	# shellcheck disable=SC2086 # options
	marvind_start $greedy
	program victim $STORE/ --mib 4 --threads 2 --fork
	victims="$victims $pid"
	nap
	ctl bg $device > "$TMP/bg" 2>&1 &
	[ $((round % 2)) = 0 ] || nap
	kill -9 "$marvind"
	nap
	kill -9 "$pid"
	wait "$marvind" "$pid"
}

killed()
{
	time_is "killed, at moments of seed $MTDC_SEED"
	round=0 victims='' remembered=''
	while [ $round -lt "$MTDC_ROUNDS" ]; do
		round=$((round + 1))
		kill_once
	done
	# shellcheck disable=SC2086 # options
	marvind_start $greedy
	check "killed $round times: a new marvind knows the programs" await 10 knows $file $device
	check "and takes back from them" await 10 has_taken 4000
	for pid in $victims; do
		await 10 forgets "$pid" || remembered="$remembered $pid"
	done
	is "programs are killed $round times: it forgets them" "$remembered" ''
	program victim $STORE/ --mib 4
	await 20 knows $pid
	await 20 is_cold victim
	kill -9 $pid
	wait $pid
	check "one is killed that it looks after: it forgets that" await 10 forgets $pid
	check "and lives" kill -0 "$marvind"
	is "the other programs live, and are right: store is a file" \
		"$(counted file wrong) $(kill -0 $file && echo lives)" "0 lives"
	ended "all bytes of its objects are right" file $file
	is "the room of the files is free again" "$(space used)" "$begin_kib"
}

in_use()
{
	time_is "in use"
	is "a device that is a store: it is not detached" "$(put detach store)" EBUSY
	refused "nor is its module removed" rmmod mtdcompr
	refused "nor can another program have it" \
		marvin-load verify --store "$(own_disk store)" --rounds 1
	# Also objects that the program has changed since.
	forked=$(counted device forked)
	check "children still read the objects of their parent" \
		await 30 reaches device forked $((forked + 50))
	ended "all bytes of its objects are right, with four threads and children" device $device
	left=$(stat pages_stored store)
	program next "$(own_disk store)" --mib 1
	await 20 is_cold next
	holds "what is left there, $left pages, goes when another program takes it" \
		"$(stat pages_stored store)" -lt 600
	ended "whose bytes are right" next $pid
	detach store
}

# filled NAME WHAT: the store of NAME is full; MORE makes space
filled()
{
	check "$2 that is full: it is told" await 30 reaches "$1" full 20
	goes_on "$1" 5
	$3
	check "when there is room, it goes on" await 30 is_cold "$1"
	ended "all bytes are right" "$1" $pid
}
remove_filler() { rm $STORE/filler; }
free_half() { kill -USR1 $pid; }

full()
{
	time_is "full"
	must fallocate -l $(($(space avail) - 4096))K $STORE/filler
	program full $STORE/ --mib 12
	filled full "a file system" remove_filler
	# A slot for each page, but space for two thirds of their compressed size.
	attach "tiny,comp=lz4,ratio=800,name=store"
	program fuller "$(own_disk store)" --mib 20
	filled fuller "a device of MTDCOMPR" free_half
	detach store
}

# device_is TABLE: load the table of the device-mapper
device_is()
{
	must dmsetup suspend --nolockfs gone
	must dmsetup reload gone --table "0 65536 $1"
	must dmsetup resume gone
}

gone()
{
	time_is "gone"
	under="linear /dev/mtdblock$(mtd_num low) 0"
	must dmsetup create gone --table "0 65536 $under"
	program gone /dev/mapper/gone --mib 12 --threads 2 --lossy
	check "a device that goes away: it works at first" await 20 is_cold gone
	device_is error
	goes_on gone 5
	check "saving fails" await 20 reaches gone store_errors $(($(counted gone store_errors) + 5))
	check "and so does the use of objects that were there only" await 20 reaches gone unreadable 5
	device_is "$under"
	goes_on gone 5
	ended "it comes back: all bytes are right" gone $pid
	is "and no object is lost" "$(swept gone)" "unreadable 0 lost 0"
	must dmsetup remove gone
}

# faults on|off: the device "fails" fails, and "lies" drops writes
faults()
{
	DEV=fails
	set_knob fail_read_at "$([ "$1" = off ] && echo off || echo random 20)"
	set_knob fail_program_at "$([ "$1" = off ] && echo off || echo random 20)"
	DEV=lies
	set_knob flip_at "$([ "$1" = off ] && echo off || echo random 20)"
	set_knob lost_program_at "$([ "$1" = off ] && echo off || echo random 20)"
	set_knob part_program_at "$([ "$1" = off ] && echo off || echo random 20)"
}

failing()
{
	time_is "failing"
	sim_load "name=fails,type=ram,size=16M,base=$sim_at" \
		"name=lies,type=ram,size=16M,base=$((sim_at + (16 << 20)))"
	attach "fails,comp=lz4,name=store"
	program fails "$(own_disk store)" --mib 6 --threads 2 --lossy
	fails=$pid
	program lies "/dev/mtdblock$(mtd_num lies)" --mib 6 --threads 2 --lossy
	lies=$pid
	await 20 is_cold fails
	await 20 is_cold lies
	faults on
	check "media that fail below MTDCOMPR: objects cannot be read" \
		await 30 reaches fails unreadable 10
	check "objects cannot be saved" await 30 reaches fails store_errors 5
	check "media that lie, without it: objects are lost" await 30 reaches lies lost 10
	faults off
	goes_on fails 5
	ended "media that fail: all other bytes are right" fails $fails
	is "none of the objects is lost" "$(swept fails)" "unreadable 0 lost 0"
	ended "media that lie: all other bytes are right" lies $lies
	is "no use of an object that is left fails for another reason" \
		"$(swept lies | sed 's/ lost .*//')" "unreadable 0"
	detach store
	sim_unload
}

check "VERIFY_BREAK: marvin-load finds a wrong byte" finds_a_wrong_byte
privileges
by_signals
by_the_kernel
by_marvind
killed
in_use
full
gone
if modprobe -nq mtdsim; then
	failing
else
	skip "media that fail" "no mtdsim for this kernel"
fi
time_is "end"
marvind_stop
must umount $STORE
must swapoff "$(own_disk swp)"
detach swp
