#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The media simulator: other tests trust it, so this one checks it. The kernel's own MTD tests on
# every type, the rules of each medium, every knob, wear, determinism, and refused parameters.
#
# job: test inputs
# job: long,debug mtdsim --mem 192 --reserve 64 --timeout 400
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/simlib.sh"

BLOCK_BYTES=131072
RESERVE=$(printf '0x%x' $((MTDC_RESERVE_ADDR)))

# attribute NAME: of the MTD
attribute()
{
	cat "/sys/class/mtd/mtd$NUM/$1"
}

fill() { mtdop fill "$CHAR" "$@"; }
same() { mtdop is "$CHAR" "$@"; }
erase() { mtdop erase "$CHAR" "$@"; }

# ---------------------------------------------------------------- bad input

must modprobe mtdblock
module_file=$(modinfo -n mtdsim) || bail "mtdsim is not built"

state()
{
	cat /proc/mtd
	grep -c mtdsim /proc/iomem
	for state_file in /sys/module/mtdsim "$SIM"; do
		[ ! -e "$state_file" ] || echo "$state_file"
	done
}

# The first out-of-tree module causes a message of the kernel, once.
sim_load name=a,type=ram,size=64K
sim_unload

# bad WHAT WANTED_ERRNO PARAMETERS TEXT: the message must contain TEXT
bad()
{
	before=$(state)
	mark
	bad_got=$(mtdop insmod "$module_file" "$3")
	bad_said=$(dmesg | sed -n "/mtdc-test: mark $$\.$mark_id\$/,\$ { /mtdsim: /p; }")
	after=$(state)
	bad_why=
	case "|$2|" in
	*"|$bad_got|"*)	;;
	*)		bad_why="errno $bad_got, not $2;" ;;
	esac
	case $bad_said in
	*"
"*)			bad_why="$bad_why more than one message;" ;;
	*"$4"*)		;;
	*)		bad_why="$bad_why no message with \"$4\";" ;;
	esac
	[ "$before" = "$after" ] || bad_why="$bad_why something changed;"
	[ -z "$bad_why" ]
	result $? "refused: $1: $2, one message, nothing loaded"
	[ -z "$bad_why" ] || diag "$bad_why $bad_said"
	[ ! -d /sys/module/mtdsim ] || rmmod mtdsim
}

ok=name=a,type=nand,size=4M
bad "no device" EINVAL "" "dev="
bad "an empty dev=" EINVAL "dev=" "no value"
bad "no name" EINVAL dev=type=ram,size=1M "name= is missing"
bad "no size" EINVAL dev=name=a,type=ram "size= is missing"
bad "neither type nor profile" EINVAL dev=name=a,size=1M "type="
bad "an unknown type" EINVAL dev=name=a,type=mram,size=1M "type= is"
bad "an unknown profile" EINVAL dev=name=a,profile=x,size=1M "profile= is"
bad "type and profile that differ" EINVAL dev=name=a,type=nand,profile=p8p,size=1M contradict
bad "an unknown key" EINVAL dev=$ok,colour=red "unknown option"
bad "a key without a value" EINVAL dev=$ok,seed "no value"
bad "a key twice" EINVAL dev=$ok,seed=1,seed=2 twice
bad "a trailing comma" EINVAL dev=$ok, "no value"
bad "a name with a slash" EINVAL dev=name=a/b,type=ram,size=1M "name= takes"
bad "a name of 32 characters" EINVAL \
	dev=name=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa,type=ram,size=1M "name= is longer"
bad "a size that is no number" EINVAL dev=name=a,type=ram,size=big "size="
bad "a size with a tail" EINVAL dev=name=a,type=ram,size=1MB "size="
bad "a negative size" EINVAL dev=name=a,type=ram,size=-1M "size="
bad "size 0" EINVAL dev=name=a,type=ram,size=0 "size="
bad "a size beyond 1 GiB" ERANGE dev=name=a,type=ram,size=2G "size="
bad "a size beyond 64 bits" ERANGE dev=name=a,type=ram,size=99999999999999999999 "size="
bad "a size that wraps with its unit" ERANGE dev=name=a,type=ram,size=17179869185G "size="
bad "a size of half a block" EINVAL dev=name=a,type=nor,size=192K "size= is not a multiple"
bad "an eraseblock of less than a page" EINVAL dev=$ok,erasesize=1K "erasesize= is not"
bad "an eraseblock of 100000 bytes" EINVAL dev=$ok,erasesize=100000 "powers of two"
bad "a write unit of 0" EINVAL dev=name=a,type=ram,size=1M,writesize=0 "powers of two"
bad "a write unit of 3" EINVAL dev=name=a,type=ram,size=1M,writesize=3 "powers of two"
bad "a NAND page of 64 bytes" EINVAL dev=$ok,writesize=64 "writesize= of NAND"
bad "16 sub-pages in a page" EINVAL dev=$ok,subpage=128 "subpage="
bad "parts of a page that are read" EINVAL dev=$ok,readsize=1024 "readsize="
bad "a sub-page larger than the page" EINVAL dev=$ok,subpage=4096 "subpage="
bad "too few out-of-band bytes" EINVAL dev=$ok,oobsize=16 "oobsize="
bad "too many out-of-band bytes" ERANGE dev=$ok,oobsize=2048 "oobsize="
bad "more of them than others" EINVAL dev=$ok,writesize=256,subpage=256,oobsize=512 "oobsize="
bad "of which all have more than 32 bits" EINVAL \
	dev=name=a,type=nand,size=1G,writesize=256,subpage=256,oobsize=1024 "oobsize="
bad "no ECC" EINVAL dev=$ok,ecc=0 "ecc="
bad "out-of-band bytes of NOR" EINVAL dev=name=a,type=nor,size=1M,oobsize=64 "type=nand"
bad "bad blocks of PCM" EINVAL dev=name=a,type=pcm,size=1M,bad=1 "type=nand"
bad "a bad block past the end" ERANGE dev=$ok,bad=3/32 "bad="
bad "a bad block that is no number" EINVAL dev=$ok,bad=3/x "bad="
bad "more than a million blocks" ERANGE dev=name=a,type=ram,size=128M,erasesize=64 "eraseblocks"
bad "an unknown delay" EINVAL dev=$ok,delay=lazy "delay= is"
bad "a negative seed" EINVAL dev=$ok,seed=-1 "seed="
bad "an endurance beyond 32 bits" ERANGE dev=$ok,endurance=4294967296 "endurance="
bad "a time that is no number" EINVAL dev=$ok,tread=fast "tread="
bad "two devices of one name" EEXIST "dev=$ok dev=$ok" "name already"
bad "an address that is no number" EINVAL dev=$ok,base=here "base="
bad "an address within a page" EINVAL dev=$ok,base=$((RESERVE + 512)) "page size"
bad "an address in System RAM" EBUSY dev=$ok,base=0x2000000 "in use"
bad "a device that ends in System RAM" EBUSY dev=$ok,base=$((RESERVE - 0x200000)) "in use"
bad "an address where nothing is" ENXIO dev=$ok,base=0xd0000000 "no memory at"
bad "an address past the end" ERANGE dev=$ok,base=0xffffffffffffffff "address space"
bad "two devices at one address" EBUSY \
	"dev=$ok,base=$RESERVE dev=name=b,type=ram,size=1M,base=$((RESERVE + 0x100000))" "in use"
bad "more than there is memory" ENOMEM dev=name=a,type=ram,size=1G "no memory"
bad "nine devices" ENFILE "$(for n in 1 2 3 4 5 6 7 8 9; do
	printf 'dev=name=d%s,type=ram,size=64K ' $n
done)" "more than 8"
bad "a good device and a bad one" EINVAL "dev=$ok dev=name=b,type=x,size=1M" "type= is"
bad "a line of 300 characters" EINVAL "dev=$ok,seed=$(printf '%0300d' 1)" "longer than"

# ------------------------------------------------- geometry, the kernel's tests

# The module is finished when insmod returns, and its result is in the log.
# kernel_test NAME PATTERN PARAMETERS...
kernel_test()
{
	test_name=$1 pattern=$2
	shift 2
	mark
	modprobe "$test_name" "dev=$NUM" "$@" > "$TMP/out" 2>&1
	dmesg | sed -n "/mtdc-test: mark $$\.$mark_id\$/,\$p" > "$TMP/log"
	is "$DEV: $test_name $*: $pattern" "$(grep -c "$test_name: $pattern" "$TMP/log")" 1
	[ "$(grep -c "$test_name: $pattern" "$TMP/log")" = 1 ] || diag "$(tail -n 20 "$TMP/log")"
	grep 'speed is' "$TMP/log" | sed 's/^/# /'
	[ ! -d "/sys/module/$test_name" ] || rmmod "$test_name"
}

# kernel_tests: run the tests for every type
kernel_tests()
{
	kernel_test mtd_readtest finished
	kernel_test mtd_stresstest "finished, 500 operations done" count=500
	kernel_test mtd_torturetest "finished after 2 erase" eb=4 ebcnt=4 cycles_count=2 gran=1
	kernel_test mtd_speedtest finished count=8
	is "$DEV: no rule was violated by them" "$(counter violations)" 0
	is "$DEV: and no error was made up" \
		"$(($(counter read_errors) + $(counter program_errors) + $(counter erase_errors)))" 0
}

must modprobe mtd_test
sim_load name=ram0,type=ram,size=4M name=pcm0,type=pcm,size=4M \
	name=nor0,type=nor,size=4M name=nand0,type=nand,size=4M,bad=3/17
is "four devices" "$(grep -c '"\(ram\|pcm\|nor\|nand\)0"' /proc/mtd)" 4
is "ram0: type, flags, eraseblock, write unit" \
	"$(attribute type) $(attribute flags) $(attribute erasesize) $(attribute writesize)" \
	"ram 0x1c00 4096 1"
kernel_tests
DEV=pcm0 NUM=$(mtd_num pcm0)
is "pcm0: type, flags, eraseblock, write unit" \
	"$(attribute type) $(attribute flags) $(attribute erasesize) $(attribute writesize)" \
	"nor 0x1c00 131072 1"
kernel_tests
DEV=nor0 NUM=$(mtd_num nor0)
is "nor0: type, flags, eraseblock, write unit" \
	"$(attribute type) $(attribute flags) $(attribute erasesize) $(attribute writesize)" \
	"nor 0xc00 131072 1"
kernel_tests
DEV=nand0 NUM=$(mtd_num nand0) CHAR=/dev/mtd$NUM
is "nand0: type, flags, eraseblock, write unit" \
	"$(attribute type) $(attribute flags) $(attribute erasesize) $(attribute writesize)" \
	"nand 0x400 131072 2048"
is "nand0: out-of-band bytes, free ones, sub-page, ECC, threshold, bad blocks" \
	"$(attribute oobsize) $(attribute oobavail) $(attribute subpagesize) $(
	attribute ecc_strength) $(attribute ecc_step_size) $(attribute bitflip_threshold) $(
	attribute bad_blocks)" "64 34 512 4 512 3 2"
kernel_tests
kernel_test mtd_pagetest "finished with 0 errors"
kernel_test mtd_subpagetest "finished with 0 errors"
kernel_test mtd_oobtest "finished with 0 errors"
is "nand0: still no rule was violated" "$(counter violations)" 0
kernel_test mtd_nandbiterrs "finished successfully"
is "nand0: mtd_nandbiterrs: 4 bits of each sub-page are corrected, not 5" \
	"$(grep -c 'Successfully corrected 4 bit' "$TMP/log") $(
	grep -c 'After 5 biterrors per subpage, read reported error -74' "$TMP/log")" "1 1"
must erase 0 $BLOCK_BYTES
check "nandtest: erase, write, read back, bad blocks left out" \
	nandtest -p 1 -s "$MTDC_SEED" "$CHAR"
exec 3< "$CHAR"
check "an open device cannot be unloaded" eval '! rmmod mtdsim'
exec 3<&-
sim_unload
is "unloaded, nothing is left" "$(state)" "$(printf 'dev:    size   erasesize  name\n0')"

# ------------------------------------------------------------- users of NAND

# UBI checks that NAND behaves as it should.
if modprobe ubi; then
	sim_load name=u0,type=nand,size=8M,bad=3/17
	head -c 1000000 /usr/bin/qemu-system-x86_64 > "$TMP/file"
	check "UBI attaches" ubiattach -m "$NUM"
	check "UBI makes a volume" ubimkvol /dev/ubi0 -N v -s 2MiB
	# No errors: UBI logs a stack trace for a failed write, which fails the guest.
	set_knob flip_at "every 50"
	check "UBI writes it" ubiupdatevol /dev/ubi0_0 "$TMP/file"
	check "UBI reads it, with flipping bits" cmp -n 1000000 /dev/ubi0_0 "$TMP/file"
	hits=$(knob flip_at)
	holds "which it saw" "${hits##* }" -gt 5
	set_knob flip_at off
	must ubidetach -m "$NUM"
	must ubiattach -m "$NUM"
	check "attached again, it is as it was written" cmp -n 1000000 /dev/ubi0_0 "$TMP/file"
	is "UBI keeps to the rules" "$(counter violations)" 0
	must ubidetach -m "$NUM"
	sim_unload
	must rmmod ubi
else
	skip "UBI on NAND" "no module ubi"
fi

# ------------------------------------------------------------- rules of NAND

n=name=n0,type=nand,size=1M
sim_load $n,bad=3
is "a page is erased" "$(same 0 2048 0xff)" ok
is "a page can be programmed" "$(fill 0 2048 0x11) $(same 0 2048 0x11)" "ok ok"
is "and not again, not even with the same" "$(fill 0 2048 0x11)" EIO
is "nor one of its sub-pages" "$(fill 512 512 0)" EIO
is "which is counted twice" "$(counter violations)" 2
is "the page is as it was" "$(same 0 2048 0x11)" ok
is "sub-pages can be programmed one by one" \
	"$(fill 2048 512 0x21) $(fill 3072 512 0x23) $(fill 2560 512 0x22) $(same 2048 512 0x21) $(
	same 2560 512 0x22) $(same 3072 512 0x23) $(same 3584 512 0xff)" "ok ok ok ok ok ok ok"
is "half a sub-page cannot" "$(fill 4096 256 0) $(fill 4352 512 0)" "EINVAL EINVAL"
is "page 5 before page 3" "$(fill 10240 2048 0x55)" ok
is "is the wrong order" "$(fill 6144 2048 0x33) $(counter violations)" "EIO 3"
is "in the next block it starts again" "$(fill $BLOCK_BYTES 2048 0x66)" ok
is "an erase makes all of it good" \
	"$(erase 0 $BLOCK_BYTES) $(same 0 $BLOCK_BYTES 0xff) $(fill 6144 2048 0x33)" "ok ok ok"
is "raw, a page can be programmed again: bits that it clears are wrong then" \
	"$(mtdop write "$CHAR" raw 6144 512 0 0x13) $(knob flip | wc -l)" "ok 512"
is "more than can be corrected" "$(mtdop read "$CHAR" auto 6144 512 0 0x13)" "EBADMSG 0 0"
is "and not set" "$(mtdop write "$CHAR" raw 6144 512 0 0x33)" EIO
is "out-of-band bytes go with them" "$(mtdop write "$CHAR" raw 6144 512 64 0x13) $(
	mtdop read "$CHAR" raw 6144 512 64 0x13)" "ok ok 0 0"
before=$(counter violations)
is "more wrong bits than there may be are refused, all of them" \
	"$(mtdop write "$CHAR" raw 6656 1024 0 0x10) $(knob flip | wc -l) $(
	mtdop read "$CHAR" raw 6656 1024 0 0x33)" "EIO 512 ok 0 0"
is "which is a violation, too" "$(($(counter violations) - before))" 1
is "half a block cannot be erased" "$(erase 0 65536) $(erase 65536 $BLOCK_BYTES)" "EINVAL EINVAL"
is "out-of-band bytes go with the page" \
	"$(mtdop write "$CHAR" auto 8192 2048 34 0x77) $(mtdop read "$CHAR" auto 8192 2048 34 0x77)" \
	"ok ok 0 0"
is "auto: the marker's two bytes are left out" "$(mtdop read "$CHAR" place 8192 0 2 0xff)" "ok 0 0"
is "place: all can be seen" "$(mtdop read "$CHAR" place 8192 0 64 0x77)" "ok 0 30"
is "auto: 35 free bytes there are not" "$(mtdop write "$CHAR" auto 10240 2048 35 0)" \
	"ok|EINVAL"
is "out-of-band bits cannot be set again" \
	"$(mtdop write "$CHAR" auto 8192 0 34 0x78) $(mtdop read "$CHAR" auto 8192 0 34 0x77)" \
	"EIO ok 0 0"
is "but cleared, up to 4 programs in all" "$(for byte in 0x33 0x11 0x10 0x00; do
	mtdop write "$CHAR" auto 8192 0 34 $byte
done | tr '\n' ' ')" "ok ok ok EIO "
is "the bad block is bad, the others are not" \
	"$(mtdop isbad "$CHAR" 393216) $(mtdop isbad "$CHAR" 0)" "1 0"
is "its marker can be seen" "$(mtdop read "$CHAR" place 393216 0 2 0)" "ok 0 0"
before=$(counter violations)
is "it cannot be erased or programmed" "$(erase 393216 $BLOCK_BYTES) $(fill 393216 2048 0)" "EIO EIO"
is "which is against the rules, and no failure" "$(($(counter violations) - before)) $(
	counter erase_errors) $(counter program_errors)" "2 0 0"
is "a block can be marked bad, and stays so" \
	"$(mtdop markbad "$CHAR" 524288) $(mtdop isbad "$CHAR" 524288) $(
	erase 524288 $BLOCK_BYTES) $(attribute bad_blocks) $(counter blocks_bad)" "ok 1 EIO 2 2"
before=$(counter violations)
is "it cannot be programmed either, nor its out-of-band bytes" "$(fill 524288 2048 0) $(
	mtdop write "$CHAR" auto 524288 2048 34 0) $(mtdop write "$CHAR" auto 526336 0 34 0) $(
	same 524288 2048 0xff)" "EIO EIO EIO ok"
is "against the rules each time" "$(($(counter violations) - before))" 3
is "it can be read, and marked again: by the call, and by hand" "$(
	mtdop read "$CHAR" place 524288 0 2 0) $(mtdop markbad "$CHAR" 524288) $(
	mtdop write "$CHAR" place 524288 0 2 0) $(($(counter violations) - before))" "ok 0 0 ok ok 3"
before=$(counter violations)
is "flash_erase, which skips bad blocks, keeps to the rules" \
	"$(flash_erase -q "$CHAR" $BLOCK_BYTES 0 > "$TMP/out" 2>&1; echo $?) $(
	same $BLOCK_BYTES $BLOCK_BYTES 0xff) $(($(counter violations) - before))" "0 ok 0"
must fill 655360 2048 0x5a
is "told not to skip them it does not, and erases the others" \
	"$(flash_erase -q -N "$CHAR" 0 0 > "$TMP/out" 2>&1; echo $?) $(
	same 655360 $BLOCK_BYTES 0xff) $(($(counter violations) - before))" "0 ok 2"
# flash_erase first tries the whole device at once, then each block.
must fill 655360 2048 0x5a
is "all of the device can be erased, too" \
	"$(flash_erase -q "$CHAR" 0 0 > "$TMP/out" 2>&1; echo $?) $(same 655360 $BLOCK_BYTES 0xff)" \
	"0 ok"

long_from_here

# -------------------------------------------------------- bit flips, of NAND

must erase 0 $BLOCK_BYTES
must fill 0 2048 0x5a
set_knob flip "100 2"
is "2 flipped bits of one step are corrected" \
	"$(mtdop read "$CHAR" auto 0 2048 0 0x5a)" "EUCLEAN 0 0 flips 2"
set_knob flip "102"
is "3 are corrected, too" "$(mtdop read "$CHAR" auto 0 2048 0 0x5a)" "EUCLEAN 0 0 flips 3"
is "mtdblock has good data, too" "$(mtdop is "/dev/mtdblock$NUM" 0 2048 0x5a)" ok
is "raw, they show" "$(mtdop read "$CHAR" raw 0 2048 0 0x5a)" "ok 3 0"
set_knob flip "700 4"
is "another step has its own" "$(mtdop read "$CHAR" auto 0 2048 0 0x5a)" "EUCLEAN 0 0 flips 4"
set_knob flip "103 2"
is "5 in a step are too many, and only that step is wrong" \
	"$(mtdop read "$CHAR" auto 0 2048 0 0x5a)" "EBADMSG 5 0"
must mtdop flush "/dev/mtdblock$NUM"
is "mtdblock reports it" "$(mtdop is "/dev/mtdblock$NUM" 0 2048 0x5a)" EIO
is "another page is not" "$(mtdop read "$CHAR" auto 2048 2048 0 0xff)" "ok 0 0"
is "the knob lists them" "$(knob flip | tr '\n' ' ')" \
	"100 0x01 101 0x01 102 0x01 700 0x01 701 0x01 702 0x01 703 0x01 103 0x01 104 0x01 "
set_knob flip 103
is "a bit that flips back is right" "$(mtdop read "$CHAR" auto 0 2048 0 0x5a)" \
	"EUCLEAN 0 0 flips 4"
is "the chip and the MTD have counted the same" \
	"$(attribute corrected_bits) $(attribute ecc_failures)" \
	"$(counter bits_corrected) $(counter reads_uncorrectable)"
is "an erase cures" "$(erase 0 $BLOCK_BYTES) $(knob flip | wc -l)" "ok 0"
is "nonsense is refused" "$(knob flip x) $(knob flip "1 2 3") $(knob flip 1048576) $(
	knob flip "0 2000") $(knob flip -1)" "EINVAL EINVAL EINVAL ENOSPC EINVAL"
is "so is what only begins as a number, or has more than 32 bits" "$(for text in 5x "5 x" \
	"5 1x" "5 0" 0x 08 4294967297 "4294967297 2" "0 4294967297" "" " "; do
	knob flip "$text"
done | sort -u)" EINVAL
is "no bit has flipped" "$(knob flip | wc -l)" 0
is "hexadecimal is what it says" "$(knob flip "0x10 0x2") $(knob flip | tr '\n' ' ')$(
	knob flip none) $(knob flip | wc -l)" "ok 16 0x01 17 0x01 ok 0"
must fill 0 2048 0x5a
set_knob flip_at 2
is "flip_at 2: the second read has flips, all corrected" \
	"$(mtdop read "$CHAR" auto 0 2048 0 0x5a) $(mtdop read "$CHAR" auto 0 2048 0 0x5a) $(
	mtdop read "$CHAR" auto 0 2048 0 0x5a)" "ok 0 0 EUCLEAN 0 0 flips 4 ok 0 0"
set_knob ecc_fail_at 1
is "ecc_fail_at 1: a read cannot be corrected, with wrong bytes" \
	"$(mtdop read "$CHAR" auto 0 2048 0 0x5a) $(mtdop read "$CHAR" auto 0 2048 0 0x5a)" \
	"EBADMSG 5 0 ok 0 0"
sim_unload

# Beside wrong bits, by drivers of the two kinds.
for readsize in 512 2048; do
	sim_load $n,readsize=$readsize
	must fill 0 2048 0x5a
	set_knob flip "600 5"
	wanted="ok 0 0"
	[ $readsize = 512 ] || wanted="EBADMSG 0 0"
	is "readsize=$readsize: a step beside one that can't be corrected" \
		"$(mtdop read "$CHAR" auto 0 512 0 0x5a)" "$wanted"
	sim_unload
done

# ------------------------------------------------- failures, power, wear: NAND

sim_load $n,endurance=5
is "knobs are off" "$(for k in fail_read_at fail_program_at no_memory_at fail_erase_at torn_at \
	torn_erase_at power_cut_at flip_at ecc_fail_at corrected_at short_read_at \
	short_program_at lost_program_at part_program_at lost_erase_at break_at; do
	knob $k
done | sort -u)" "off hits 0"
is "nonsense is refused by them" "$(for text in 0 -1 x "every" "every 0" "3 4" "random x" \
	4294967296 ""; do
	knob torn_at "$text"
done | sort -u)" EINVAL
is "they are still off" "$(knob torn_at)" "off hits 0"
set_knob fail_program_at 3
is "fail_program_at 3: waits" "$(knob fail_program_at)" "once 3 hits 0"
is "the third program fails, and only it" \
	"$(fill 0 2048 0x11) $(fill 2048 2048 0x11) $(fill 4096 2048 0x11) $(fill 6144 2048 0x11)" \
	"ok ok EIO ok"
is "it says so" "$(knob fail_program_at) $(counter program_errors)" "off hits 1 1"
is "what the failed one left cannot be corrected" \
	"$(mtdop read "$CHAR" auto 4096 2048 0 0x11 | cut -d' ' -f1)" EBADMSG
set_knob fail_program_at "every 2"
is "every 2: every other program fails" "$(for at in 8192 10240 12288 14336; do
	fill $at 2048 0x22
done | tr '\n' ' ')$(knob fail_program_at)" "ok EIO ok EIO every 2 next 2 hits 3"
set_knob fail_program_at off
set_knob no_memory_at 1
is "no_memory_at 1: a program fails with ENOMEM, and nothing has been done" \
	"$(fill 16384 2048 0x33) $(fill 16384 2048 0x33)" "ENOMEM ok"
is "which is no error of the chip" "$(knob no_memory_at) $(counter violations)" "off hits 1 0"
set_knob fail_erase_at 1
is "fail_erase_at 1: the erase fails, the block is as it was" \
	"$(erase 0 $BLOCK_BYTES) $(same 0 2048 0x11) $(erase 0 $BLOCK_BYTES)" "EIO ok ok"
set_knob fail_read_at 2
is "fail_read_at 2" "$(same 0 2048 0xff) $(same 0 2048 0xff) $(same 0 2048 0xff)" "ok EIO ok"
set_knob break_block 2
is "break_block: erases and programs of it fail, for good" \
	"$(erase 262144 $BLOCK_BYTES) $(fill 262144 2048 0) $(fill 262144 2048 0) $(
	same 262144 2048 0xff)" "EIO EIO EIO ok"
is "it is listed, and not marked bad" "$(knob break_block) $(mtdop isbad "$CHAR" 262144) $(
	counter blocks_broken)" "2 0 1"
is "a block past the end is refused" "$(knob break_block 8) $(knob break_block x)" "ERANGE EINVAL"
set_knob power_cut_at 3
is "power_cut_at 3: two operations, then none" \
	"$(fill 0 2048 0x31) $(same 0 2048 0x31) $(fill 2048 2048 0x32) $(same 0 2048 0x31) $(
	erase 0 $BLOCK_BYTES)" "ok ok EIO EIO EIO"
is "the power is off" "$(knob power_on) $(counter power) $(counter power_cuts) $(
	counter refused_off)" "0 off 1 2"
is "a block cannot be marked bad either" "$(mtdop markbad "$CHAR" 0)" EIO
set_knob power_on 1
is "power_on: what was written is there, the rest is not" \
	"$(same 0 2048 0x31) $(same 2048 2048 0xff)" "ok ok"
set_knob torn_at 2
is "torn_at 2: the second program is torn, and the power is off" \
	"$(fill 2048 2048 0x41) $(fill 4096 2048 0x42) $(same 0 2048 0x31)" "ok EIO EIO"
set_knob power_on 1
is "the torn page cannot be corrected, the others are good" \
	"$(mtdop read "$CHAR" auto 4096 2048 0 0x42 | cut -d' ' -f1) $(same 0 2048 0x31) $(
	same 2048 2048 0x41)" "EBADMSG ok ok"
# shellcheck disable=SC2046 # words: errno, differing bytes, out-of-band ones
set -- $(mtdop read "$CHAR" raw 4096 2048 0 0x42)
holds "raw, a part of it is written" "$2" -gt 0
is "it cannot be programmed again" "$(fill 4096 2048 0x43)" EIO
set_knob torn_erase_at 1
is "torn_erase_at: a block is in between, and has to be erased again" \
	"$(erase 0 $BLOCK_BYTES) $(knob power_on 1) $(
	mtdop read "$CHAR" auto 0 2048 0 0 | cut -d' ' -f1) $(fill 0 2048 0) $(
	erase 0 $BLOCK_BYTES) $(same 0 $BLOCK_BYTES 0xff)" "EIO ok EBADMSG EIO ok ok"
is "block 0 has its wear: 4 erases, one of them failed, one torn" \
	"$(sed -n 1p "$SIM/$DEV/wear")" "0 4"
is "wear is per block" "$(sed -n 2,3p "$SIM/$DEV/wear" | tr '\n' ' ')" "1 0 2 0 broken "
is "endurance=5: the fifth erase works, the sixth does not, ever again" \
	"$(erase 0 $BLOCK_BYTES) $(erase 0 $BLOCK_BYTES) $(erase 0 $BLOCK_BYTES) $(fill 0 2048 0)" \
	"ok EIO EIO EIO"
is "the sums" "$(counter wear_total) $(counter wear_max) $(counter blocks_broken)" "5 5 2"
is "block 1 is not worn" "$(erase $BLOCK_BYTES $BLOCK_BYTES)" ok
set_knob fail_read_at "random 4"
reads=0
while [ $reads -lt 60 ]; do
	same 0 2048 0xff > "$TMP/out"
	reads=$((reads + 1))
done
hits=$(knob fail_read_at)
hits=${hits##* }
diag "random 4: $hits of 60 reads failed"
holds "random 4: about one in 4 fails" "$hits" -ge 5 -a "$hits" -le 30
sim_unload

# --------------------------------------------------------------------- NOR

sim_load name=r0,type=nor,size=512K,endurance=2
is "bits can be cleared, byte by byte" "$(fill 3 1 0xf0) $(fill 3 1 0x30) $(same 3 1 0x30)" "ok ok ok"
is "and not set" "$(fill 3 1 0x31) $(same 3 1 0x30) $(counter violations)" "EIO ok 1"
is "a write that cannot be done in full is done up to the buffer before" \
	"$(fill 0 3 0) $(fill 200 1 0) $(fill 64 300 0x0f) $(same 64 128 0x0f) $(
	same 192 8 0xff) $(same 256 100 0xff)" "ok ok EIO ok ok ok"
is "an erase sets them" "$(erase 0 $BLOCK_BYTES) $(same 0 $BLOCK_BYTES 0xff) $(fill 3 1 0x31)" "ok ok ok"
set_knob torn_at 2
is "torn_at 2: the first buffer is whole, the second is not" \
	"$(fill 1024 192 0x77) $(knob power_on 1) $(same 1024 64 0x77) $(same 1152 64 0xff)" \
	"EIO ok ok ok"
is "programs of NOR are counted by buffers" \
	"$(before=$(counter programs); fill 4096 4096 0x66; echo $(($(counter programs) - before)))" \
	"ok
64"
is "endurance" "$(erase 0 $BLOCK_BYTES) $(erase 0 $BLOCK_BYTES) $(fill 0 1 0)" "ok EIO EIO"
set_knob flip "300000 8"
is "flipped bits show, as nothing corrects them" \
	"$(same 300000 8 0xff) $(same 300000 8 0xfe) $(same 300008 100 0xff)" "differs ok ok"
is "a NOR has no bad blocks" "$(mtdop isbad "$CHAR" 0)" "0|EOPNOTSUPP"
sim_unload

# --------------------------------------------------------------- PCM and RAM

sim_load "name=p0,type=pcm,size=512K,endurance=100,base=$RESERVE" \
	"name=m0,type=ram,size=512K,base=$((RESERVE + 0x80000))" "name=w0,type=ram,size=64K,writesize=512"
is "PCM: any byte, any number of times" \
	"$(fill 5 10 0) $(fill 5 10 0xff) $(fill 7 3 0x3c) $(same 7 3 0x3c) $(same 10 5 0xff)" \
	"ok ok ok ok ok"
is "PCM: wear is counted by written buffers" "$(fill 0 640 1) $(sed -n 1p "$SIM/p0/wear")" "ok 0 13"
is "PCM: a write is split where buffers begin" "$(fill 60 8 1) $(sed -n 1p "$SIM/p0/wear")" "ok 0 15"
is "PCM: endurance: 85 writes more, not 86" \
	"$(fill 0 5440 2) $(fill 0 1 3) $(same 0 5440 2) $(fill $BLOCK_BYTES 1 3)" "ok EIO ok ok"
is "PCM: an erase writes ones, and wears each buffer" \
	"$(erase 262144 $BLOCK_BYTES) $(sed -n 3p "$SIM/p0/wear")" "ok 2 2048"
set_knob flip "140000 4"
is "PCM: a flipped bit shows until it is written" \
	"$(same 140000 4 0xfe) $(fill 140000 2 0x55) $(same 140000 2 0x55) $(same 140002 2 0xfe)" \
	"ok ok ok ok"
set_knob torn_at 3
before=$(counter programs)
is "PCM: torn at the third buffer" "$(fill 150016 640 0x99) $(knob power_on 1) $(
	same 150016 128 0x99) $(same 150208 448 0xff) $(($(counter programs) - before))" \
	"EIO ok ok ok 3"
is "the memory at base= is claimed" "$(grep -c ': mtdsim$' /proc/iomem)" 2
DEV=m0 NUM=$(mtd_num m0) CHAR=/dev/mtd$NUM
is "RAM: any byte" "$(fill 0 524288 7) $(fill 9 1 0) $(fill 9 1 7) $(same 0 524288 7)" "ok ok ok ok"
set_knob flip_at 1
is "RAM: flip_at is a wrong bit" "$(same 0 4096 7) $(same 0 4096 7)" "differs ok"
DEV=w0 NUM=$(mtd_num w0) CHAR=/dev/mtd$NUM
is "RAM: writesize=512 wants whole units" "$(fill 0 512 7) $(fill 512 100 7) $(fill 100 512 7)" \
	"ok EINVAL EINVAL"
is "the neighbour at base= is untouched" "$(mtdop is "/dev/mtd$(mtd_num p0)" 262144 $BLOCK_BYTES 0xff)" ok
sim_unload
is "and unloaded, it is not claimed" "$(grep -c mtdsim /proc/iomem)" 0

# ------------------------------------------- silent failures

sim_load name=q0,type=nand,size=1M,bad=3 name=q1,type=ram,size=64K
set_knob lost_program_at 1
is "lost_program_at: nothing is done, and no error" \
	"$(fill 0 2048 0x11) $(same 0 2048 0xff)" "ok ok"
set_knob part_program_at 1
is "part_program_at: a part, and no error; the ECC finds nothing wrong either" \
	"$(fill 2048 2048 0x11) $(same 2048 2048 0x11)" "ok differs"
must fill 4096 2048 0x22
set_knob lost_erase_at 1
is "lost_erase_at: the block is as it was, and no error" \
	"$(erase 0 $BLOCK_BYTES) $(same 4096 2048 0x22) $(erase 0 $BLOCK_BYTES)" "ok ok ok"
set_knob short_program_at 1
is "short_program_at: who goes on where it stopped has all of it" \
	"$(fill 0 4096 0x33) $(knob short_program_at) $(same 0 4096 0x33)" "ok off hits 1 ok"
set_knob short_read_at 1
must mtdop flush "/dev/mtdblock$NUM"
is "short_read_at: a reader who wants all at once gets an error" \
	"$(dd if="/dev/mtdblock$NUM" of="$TMP/out" bs=2048 count=1 iflag=direct \
	2> "$TMP/err"; echo $?) $(knob short_read_at)" "1 off hits 1"
set_knob break_at 2
is "break_at: the second operation fails, and the block is broken" \
	"$(erase 262144 $BLOCK_BYTES) $(fill 262144 2048 0) $(erase 262144 $BLOCK_BYTES) $(
	knob break_block | tr '\n' ' ')" "ok EIO EIO 2 3 "
must mtdop markbad "$CHAR" 524288
set_knob flip "0 3"
set_knob fail_read_at "every 5"
set_knob power_cut_at 1
is "and then the power goes" "$(same 0 16 0x33) $(knob renew)" "EIO 0"
is "renew: all is as in the beginning" "$(knob renew 2) $(knob renew 1) $(knob renew) $(
	counter power) $(same 0 $BLOCK_BYTES 0xff) $(knob flip) $(knob fail_read_at) $(
	knob break_block | tr '\n' ' ')$(counter blocks_bad) $(attribute bad_blocks) $(
	mtdop isbad "$CHAR" 524288) $(counter erases) $(counter reads)" \
	"EINVAL ok 1 on ok  off hits 0 3 1 1 0 0 64"
DEV=q1 NUM=$(mtd_num q1) CHAR=/dev/mtd$NUM
set_knob corrected_at 2
is "corrected_at: right data, of RAM, too" \
	"$(same 0 4096 0xff) $(counter bits_corrected) $(same 0 4096 0xff) $(
	counter bits_corrected)" "ok 0 ok 1"
sim_unload

# -------------------------------------------------------------- determinism

# run SEED: the same operations with random faults; prints a sum of everything
run()
{
	sim_load "$n,seed=$1"
	set_knob fail_program_at "random 3"
	set_knob flip_at "random 3"
	set_knob ecc_fail_at "random 5"
	at=0
	while [ $at -lt 81920 ]; do
		fill $at 2048 $((at / 2048))
		mtdop read "$CHAR" auto $at 2048 0 $((at / 2048))
		at=$((at + 2048))
	done > "$TMP/run"
	cat "$SIM/$DEV/counters" >> "$TMP/run"
	dd if="$CHAR" bs=2048 count=64 status=none >> "$TMP/run"
	sim_unload
	sha256sum < "$TMP/run"
}
first=$(run 7)
is "the same seed, the same faults and the same contents" "$(run 7)" "$first"
[ "$(run 8)" != "$first" ]
result $? "another seed, others"

# ------------------------------------------------------------- many at once

sim_load name=par,type=pcm,size=4M,endurance=0
for job in 0 1 2 3; do
	(
		exec 3>&- 4>&-
		patio -s "$job" write "$CHAR" $((job * 256)) 256 1
		patio -s "$job" verify "$CHAR" $((job * 256)) 256 1 > "$TMP/job.$job"
	) > "$TMP/out.$job" 2>&1 &
done
while [ -n "$(jobs -p)" ] && [ ! -s "$TMP/job.3" ]; do
	cat "$SIM/$DEV/counters" "$SIM/$DEV/wear" "$SIM/$DEV/config" > "$TMP/out"
done
wait
is "four programs at once, while the files are read" "$(cat "$TMP"/job.* | sort -u)" \
	"ok 256 error 0 wrong 0 first none"
is "every byte was counted" "$(counter bytes_programmed)" 4194304
is "delay can be changed" "$(knob delay) $(knob delay sleep) $(knob delay) $(knob delay x)" \
	"none ok sleep EINVAL"
is "config shows what it is" "$(counter type config) $(counter profile config) $(
	counter program_ns config)" "pcm p8p 120000"
sim_unload
round=0
while [ $round -lt 20 ]; do
	sim_load name=l0,type=nand,size=1M "name=l1,type=ram,size=8M,base=$RESERVE"
	sim_unload
	round=$((round + 1))
done
is "loaded and unloaded 20 times" "$(state)" "$(printf 'dev:    size   erasesize  name\n0')"
