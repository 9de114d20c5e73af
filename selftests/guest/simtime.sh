#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The times of the simulated media, in a guest whose clock counts instructions: an operation takes
# the time of the profile, busy or sleeping. The system call adds less than 5 %, or, to the shortest
# operations, less than a call without delay takes.
#
# job: test,stock simtime --mem 192 --reserve 64 --timeout 200 --clock icount
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/simlib.sh"


# timed WHAT NANOSECONDS OPERATION LENGTH COUNT: NANOSECONDS for one operation
timed()
{
	timed_want=$(($2 * $5))
	timed_before=$(counter ns)
	timed_got=$(mtdop time "$3" "$CHAR" "$4" "$5")
	timed_charged=$(($(counter ns) - timed_before))
	case $timed_got in
	*[!0-9]*)
		result 1 "$1: $timed_got"
		return ;;
	esac
	timed_per_mille=$((timed_got * 1000 / timed_want))
	diag "$DEV $(knob delay): $1: $((timed_got / $5)) ns each, $timed_per_mille per mille"
	[ "$timed_charged" = "$timed_want" ] && [ "$timed_per_mille" -ge 999 ] &&
		[ "$timed_per_mille" -le 1050 ]
	result $? "$DEV, $(knob delay): $1: $2 ns, and at most 5 % more"
	[ "$timed_charged" = "$timed_want" ] || diag "charged $timed_charged, not $timed_want"
}

# timed_read NANOSECONDS LENGTH COUNT: compare with a read without delay; 1 % is for the interrupts
# in between
timed_read()
{
	read_mode=$(knob delay)
	set_knob delay none
	read_base=$(mtdop time read "$CHAR" "$2" "$3")
	set_knob delay "$read_mode"
	read_got=$(mtdop time read "$CHAR" "$2" "$3")
	diag "$DEV $read_mode: read $2 bytes: $((read_got / $3)) ns each," \
		"$((read_base / $3)) ns without delay"
	holds "$DEV, $read_mode: read $2 bytes: $1 ns, and at most what the call takes" \
		"$read_got" -ge $(($1 * $3)) -a "$read_got" -le $(($1 * $3 * 101 / 100 + read_base))
}

must modprobe mtdblock
sim_load name=pcm,profile=p8p,size=4M name=nor,profile=p30,size=4M,terase=20000000 \
	name=nand,profile=mt29f4g,size=4M name=slow,type=nor,size=1M name=ram,profile=ram,size=1M

# 16 KiB of PCM are 1024 pages of 8 words: 90 ns, and 8 times 25. A write is 256 buffers of 64
# bytes: 32 words of 70 ns, and 120 us.
for mode in busy sleep; do
	DEV=pcm NUM=$(mtd_num pcm)
	CHAR=/dev/mtd$NUM
	set_knob delay $mode
	timed "read 16 KiB" 296960 read 16384 100
	timed_read 74240 4096 100
	timed "write 4 KiB" 7823360 write 4096 20
	timed "write 64 bytes" 122240 write 64 100
	timed "erase: as long as to write it" 245760000 erase 131072 1

	DEV=nor NUM=$(mtd_num nor)
	CHAR=/dev/mtd$NUM
	set_knob delay $mode
	timed "read 16 KiB" 327680 read 16384 100
	timed "write 4 KiB" 28672000 write 4096 10
	timed "erase" 20000000 erase 131072 4

	# A page of NAND: 25 us, and 2048 times 25 ns.
	DEV=nand NUM=$(mtd_num nand)
	CHAR=/dev/mtd$NUM
	set_knob delay $mode
	timed "erase" 1500000 erase 131072 16
	timed_read 76200 2048 200
	timed "read 64 KiB" 2438400 read 65536 10
	timed "write a page" 271200 write 2048 100
	timed "erase" 1500000 erase 131072 16
	timed "write 64 KiB" 8678400 write 65536 10
	timed "erase" 1500000 erase 131072 16
done

# The default is busy with a profile, and no delay without.
DEV=pcm
is "the knob says how" "$(knob delay)" sleep
DEV=slow NUM=$(mtd_num slow)
CHAR=/dev/mtd$NUM
is "no profile was named: no delay" "$(knob delay)" none
begun=$(mtdop time erase "$CHAR" 131072 8)
holds "but the time is counted: 8 erases in $begun ns" "$begun" -lt 100000000
is "as it would be" "$(counter ns)" 8192000000
set_knob delay sleep
timed "an erase of the real length" 1024000000 erase 131072 1
DEV=ram NUM=$(mtd_num ram)
CHAR=/dev/mtd$NUM
is "a profile was named: busy" "$(knob delay)" busy
ram=$(mtdop time read "$CHAR" 4096 100)
is "RAM has no time of its own: $((ram / 100)) ns each" "$(counter ns)" 0

# Short operations: the clock's ticks must not add up.
DEV=pcm NUM=$(mtd_num pcm)
CHAR=/dev/mtd$NUM
set_knob delay busy
timed_read 4640 256 1000
before=$(counter ns)
must mtdop is "$CHAR" 0 1 0
is "a read of one byte opens a page" "$(($(counter ns) - before))" 115
before=$(counter ns)
must mtdop is "$CHAR" 15 2 0
is "a read of two bytes in two pages opens both" "$(($(counter ns) - before))" 205
before=$(counter ns)
must mtdop fill "$CHAR" 60 8 0
is "a write of 8 bytes in two buffers programs both" "$(($(counter ns) - before))" 240280
sim_unload

# Batches: the rate is right for any size, and the processor is free meanwhile. A batch may begin
# and end 200 us early; the runs are so long that this is less than a thousandth.
# idle: idle time of all processors since boot, in hundredths of a second
idle() { awk '/^cpu / { print $5 }' /proc/stat; }
sim_load name=card,type=pcm,size=16M,tread=440,delay=batch
DEV=card NUM=$(mtd_num card)
CHAR=/dev/mtd$NUM
before=$(idle)
timed "read 512 bytes" 20480 read 512 32000
timed "read 64 KiB" 2621440 read 65536 256
idled=$(($(idle) - before))
holds "the processor is idle for most of it: $idled ticks" "$idled" -gt 0
sim_unload

# NAND: one read of the array, and one program, for each page in the range.
# charged WHAT NANOSECONDS COMMAND...
charged()
{
	charged_what=$1 charged_want=$2
	shift 2
	charged_before=$(counter ns)
	charged_got=$("$@")
	is "$DEV: $charged_what" "$charged_got $(($(counter ns) - charged_before))" \
		"$charged_want"
}
sim_load name=nand,profile=mt29f4g,size=1M,delay=none \
	name=large,profile=mt29f4g,size=1M,delay=none,writesize=4096,oobsize=128
charged "a page with its out-of-band bytes: 25 us, 2112 cycles" "ok 0 0 77800" \
	mtdop read "$CHAR" place 0 2048 64 0xff
charged "out-of-band bytes alone" "ok 0 0 26600" mtdop read "$CHAR" place 0 0 64 0xff
charged "a write of both: 220 us, 2112 cycles" "ok 272800" mtdop write "$CHAR" place 0 2048 64 0xff
charged "two bytes of two pages" "ok 50050" mtdop is "$CHAR" 6143 2 0xff
NUM=$(mtd_num large) DEV=large
CHAR=/dev/mtd$NUM
charged "a page of 4096 bytes is read once" "ok 127400" mtdop is "$CHAR" 0 4096 0xff
charged "and with its out-of-band bytes" "ok 0 0 130600" mtdop read "$CHAR" place 0 4096 128 0xff
charged "and programmed once" "ok 322400" mtdop fill "$CHAR" 0 4096 0x5a
sim_unload

# A repetition gives the same time, to the nanosecond: the host has no influence.
again()
{
	sim_load name=pcm,profile=p8p,size=1M
	mtdop time read "$CHAR" 4096 250 > "$TMP/again"
	sim_unload
	cat "$TMP/again"
}
first=$(again)
second=$(again)
diag "250 reads of 4 KiB: $first and $second ns"
difference=$((first > second ? first - second : second - first))
holds "two runs differ by less than 1 %" $((difference * 100)) -lt "$first"
sim_load name=pcm,profile=p8p,size=1M,tread=1000
is "tread= overrides the profile" "$(mtdop time read "$CHAR" 16 1 > "$TMP/out"; counter ns)" 1200
sim_unload
