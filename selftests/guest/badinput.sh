#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Every kind of bad input, through sysfs and at load: it must give the right errno and exactly one
# message of the kernel, and change nothing.
#
# job: test inputs seconds=50 --mem 192 --reserve 64 --timeout 600
# job: long attach --mem 256 --reserve 64 --timeout 400
# job: debug attach --mem 256 --reserve 64 --timeout 600
# job: kernel kernel
. "$(dirname "$0")/lib.sh"

no_autoload

# state: everything that an attempt might change
state()
{
	cat /proc/mtd
	echo "$PROC"/*
}

# bad WHAT WANTED_ERRNO ATTRIBUTE STRING [PATTERN]: the message must match PATTERN, so that it names
# the reason.
bad()
{
	before=$(state)
	mark
	bad_got=$(put "$3" "$4")
	bad_said=$(messages)
	verdict "$1" "$bad_got" "$2" "${5:-.}" "$(state)"
}

# verdict WHAT GOT WANTED PATTERN STATE: one result, from the messages in $bad_said and the states
# before and after
verdict()
{
	bad_why=
	case "|$3|" in
	*"|$2|"*)	;;
	*)		bad_why="errno $2, not $3;" ;;
	esac
	case $bad_said in
	'')		bad_why="$bad_why no message;" ;;
	*"
"*)			bad_why="$bad_why more than one message;" ;;
	esac
	printf "%s\n" "$bad_said" | grep -Eqi "$4" || bad_why="$bad_why no \"$4\" in the message;"
	[ "$5" = "$before" ] || bad_why="$bad_why something changed;"
	[ -z "$bad_why" ]
	result $? "$1: $3, one message, nothing changed"
	[ -z "$bad_why" ] || diag "$bad_why $bad_said"
}

# at_load WHAT WANTED_ERRNO PARAMETERS [PATTERN]
at_load()
{
	before=$(state_load)
	mark
	bad_got=$(mtdop insmod "$module_file" "$3")
	# Devices before the bad one come and go, with messages.
	bad_said=$(messages | grep -v ' KiB on \|is detached$\|invalid for parameter')
	verdict "at load: $1" "$bad_got" "$2" "${4:-.}" "$(state_load)"
	[ ! -d /sys/module/mtdcompr ] || rmmod mtdcompr
}

state_load()
{
	cat /proc/mtd
	ls -d /proc/mtdcompr /sys/devices/mtdcompr /sys/module/mtdcompr 2>/dev/null
	# A driver whose MTD is in use cannot be unloaded.
	cat /sys/module/phram/refcnt
}

phram low 0 4096
phram other 4096 4096
phram tiny 8192 4
phram "odd name" 8196 1024
low=$(mtd_num low)
other=$(mtd_num other)
# 8 MiB, 2 KiB pages, 128 KiB eraseblocks; must be erased before writing.
must modprobe nandsim id_bytes=0xec,0xa1,0x00,0x15 overridesize=6
nand=$(sed -n 's/^mtd\([0-9]*\):.*"NAND simulator.*/\1/p' /proc/mtd)
[ -n "$nand" ] || bail "no nandsim MTD: $(cat /proc/mtd)"
if modprobe mtdc_faultmtd readonly=1; then
	readonly_mtd=$(mtd_num faultmtd)
else
	readonly_mtd=
fi

load
is "no device yet" "$(ls "$PROC")" ""
is "the attributes can be written by root only" \
	"$(cd "$SYS" && command stat -c '%a %u' attach detach | tr '\n' ' ')" "200 0 200 0 "

bad "unknown number" ENODEV attach 99 "99"
bad "unknown name" ENODEV attach nosuch "nosuch"
bad "an empty line" EINVAL attach "
"
bad "a blank" EINVAL\|ENODEV attach " "
bad "only options" EINVAL\|ENODEV attach ",comp=lz4"
bad "a negative number" ENODEV\|EINVAL attach -1
bad "a number beyond 64 bits" ENODEV\|EINVAL attach 99999999999999999999999
bad "a number beyond 32 bits that would wrap to a good one" ENODEV\|EINVAL \
	attach $((4294967296 + low))
bad "a number with a tail" ENODEV\|EINVAL attach "${low}x"
bad "a name of 4000 characters" ENODEV\|EINVAL\|E2BIG attach "$(printf '%04000d' 0 | tr 0 x)"

bad "unknown option" EINVAL attach "$low,bogus=1" bogus
bad "option without a value" EINVAL attach "$low,comp" comp
bad "option with an empty value" EINVAL attach "$low,comp=" comp
bad "empty option" EINVAL attach "$low,,comp=lz4"
bad "the same option twice" EINVAL attach "$low,comp=lz4,comp=zlib" comp
bad "unknown algorithm" EINVAL attach "$low,comp=rot13" rot13
bad "algorithm in other letters" EINVAL attach "$low,comp=LZ4" LZ4
bad "unknown policy" EINVAL attach "$low,alloc=worst" worst
bad "option of another kernel's swap" EINVAL attach "$low,disksize=1M" disksize

bad "level that is no number" EINVAL attach "$low,comp=zlib,level=high" level
bad "level of a word with a number in front" EINVAL attach "$low,comp=zlib,level=1x" level
bad "zlib level 10" ERANGE attach "$low,comp=zlib,level=10" level
bad "zlib level -5" ERANGE\|EINVAL attach "$low,comp=zlib,level=-5" level
bad "zstd level 1000" ERANGE attach "$low,comp=zstd,level=1000" level
bad "level beyond 64 bits" ERANGE\|EINVAL attach "$low,comp=zlib,level=99999999999999999999" level

bad "empty size" EINVAL attach "$low,size=" size
bad "size that is no number" EINVAL attach "$low,size=big" size
bad "size with an unknown unit" EINVAL attach "$low,size=1X" size
bad "size with two units" EINVAL attach "$low,size=1MM" size
bad "negative size" EINVAL\|ERANGE attach "$low,size=-1M" size
bad "size 0" ERANGE attach "$low,size=0" size
bad "size of less than a page" ERANGE\|EINVAL attach "$low,size=512" size
bad "size beyond 64 bits" ERANGE\|EINVAL attach "$low,size=99999999999999999999" size
bad "size that overflows with its unit" ERANGE\|EINVAL attach "$low,size=17592186044417M" size
bad "size of 16 EiB less a page" ERANGE\|EINVAL attach "$low,size=0xfffffffffffff000" size
bad "size of 1 TiB on 4 MiB" ERANGE attach "$low,size=1024G" size
bad "ratio 0" ERANGE attach "$low,ratio=0" ratio
bad "ratio that is no number" EINVAL attach "$low,ratio=many" ratio
bad "ratio with a percent sign" EINVAL attach "$low,ratio=300%" ratio
bad "negative ratio" ERANGE\|EINVAL attach "$low,ratio=-300" ratio
bad "ratio of a million" ERANGE attach "$low,ratio=1000000" ratio
bad "ratio that would wrap in 32 bits" ERANGE\|EINVAL attach "$low,ratio=4294967596" ratio
bad "size and ratio together" EINVAL attach "$low,size=4M,ratio=300" "size|ratio"

bad "empty name" EINVAL attach "$low,name=" name
bad "name with a slash" EINVAL attach "$low,name=a/b" name
bad "name with a blank" EINVAL attach "$low,name=a b" name
bad "name with a quote" EINVAL attach "$low,name=a\"b" name
bad "name with a control character" EINVAL attach "$low,name=$(printf 'a\001b')" name
bad "name with a newline in it" EINVAL attach "$(printf '%s,name=a\nb' "$low")"
bad "name with a byte above 127" EINVAL attach "$low,name=$(printf 'a\351b')" name
bad "name of one dot" EINVAL attach "$low,name=." name
bad "name of two dots" EINVAL attach "$low,name=.." name
bad "name of 200 characters" EINVAL\|ERANGE attach "$low,name=$(printf '%0200d' 0)" name
bad "name of another MTD" EEXIST attach "$low,name=other" other

bad "an MTD that needs erasing" EOPNOTSUPP attach "$nand,store=inplace" "erase.*cache=1"
bad "an MTD that needs erasing, cache=0" EOPNOTSUPP attach "$nand,store=inplace,cache=0" \
	"erase.*cache=1"
bad "store= that is a number" EINVAL attach "$nand,store=1" "store="
bad "empty store=" EINVAL attach "$nand,store=" "store="
bad "store= twice" EINVAL attach "$nand,store=log,store=log" twice
bad "store=log with a cache" EINVAL attach "$nand,store=log,cache=1" exclude
bad "store=log on an MTD that need not be erased" EINVAL attach "$low,store=log" store=log
bad "spread= that is a word" EINVAL attach "$nand,spread=many" "spread="
bad "spread=1" ERANGE attach "$nand,spread=1" "spread="
bad "spread= above its limit" ERANGE attach "$nand,spread=1000001" "spread="
bad "spread= with a cache" EINVAL attach "$nand,spread=8,cache=1" "spread="
bad "spread= on what is rewritten in place" EINVAL attach "$low,spread=8" "spread="
bad "wearlevel= that is a word" EINVAL attach "$low,wearlevel=much" "wearlevel="
bad "wearlevel= above its limit" ERANGE attach "$low,wearlevel=1000001" "wearlevel="
bad "wearlevel= with store=log" EINVAL attach "$nand,store=log,wearlevel=8" "wearlevel=.*spread="
bad "wearlevel= on flash with a log" EINVAL attach "$nand,wearlevel=8" "wearlevel=.*spread="
bad "a bad size= behind a good store=log" ERANGE attach "$nand,store=log,size=1G" size
bad "sync= that is neither 0 nor 1" EINVAL attach "$low,sync=yes" sync
bad "sync=1 on flash" EINVAL attach "$nand,sync=1" "sync=1 is for memory"
bad "cache= that is neither 0 nor 1" EINVAL attach "$nand,cache=2" cache
bad "cache= that is a word" EINVAL attach "$nand,cache=yes" cache
bad "empty cache=" EINVAL attach "$nand,cache=" cache
bad "cache without a value" EINVAL attach "$nand,cache" cache
bad "cache= twice" EINVAL attach "$nand,cache=1,cache=1" cache
bad "cache=1 on an MTD that need not be erased" EINVAL attach "$low,cache=1" "leave out cache=1"
bad "a bad size= behind a good cache=1" ERANGE attach "$nand,cache=1,size=1G" size
# Two of four blocks are good.
if modprobe mtdsim dev=name=few,type=nand,size=512K,bad=1/2; then
	bad "an MTD with too few good eraseblocks" ENOSPC attach "few,cache=1" "good eraseblocks"
	bad "too few good eraseblocks for a log" ENOSPC attach few "good eraseblocks"
	is "a refused MTD with too few good eraseblocks is not held" "$(rmmod mtdsim 2>&1)" ""
else
	skip "too few good eraseblocks for a log" "the test module mtdsim is not there"
	skip "an MTD with too few good eraseblocks" "the test module mtdsim is not there"
	skip "a refused MTD with too few good eraseblocks is not held" "the test module mtdsim is not there"
fi
if [ -n "$readonly_mtd" ]; then
	bad "a read-only MTD" EROFS attach "$readonly_mtd" "read"
	bad "a read-only MTD, cache=1" EROFS attach "$readonly_mtd,cache=1" "read"
	is "a refused MTD is not held" "$(rmmod mtdc_faultmtd 2>&1)" ""
else
	skip "a read-only MTD" "the test module mtdc_faultmtd is not there"
	skip "a read-only MTD, cache=1" "the test module mtdc_faultmtd is not there"
	skip "a refused MTD is not held" "the test module mtdc_faultmtd is not there"
fi
if modprobe mtdc_faultmtd must_erase=1 erasesize=131072; then
	# A partition that does not start at an eraseblock is read-only.
	must mtdpart add "/dev/mtd$(mtd_num faultmtd)" erasero 4096 1048576
	bad "a read-only partition of one that needs erasing" EROFS\|EOPNOTSUPP attach erasero
	rmmod mtdc_faultmtd
else
	skip "a read-only partition" "the test module mtdc_faultmtd is not there"
fi
if modprobe mtdc_faultmtd must_erase=1 erasesize=1 size_kib=1025; then
	bad "an MTD with too many eraseblocks" ERANGE attach faultmtd,cache=1 "too many eraseblocks"
	rmmod mtdc_faultmtd
else
	skip "an MTD with too many eraseblocks" "the test module mtdc_faultmtd is not there"
fi
bad "an MTD of one page" ERANGE attach tiny
if modprobe mtdc_faultmtd writesize=2048 erasesize=131072; then
	bad "an MTD that is written 2 KiB at a time" EOPNOTSUPP\|ERANGE\|EINVAL attach faultmtd
	rmmod mtdc_faultmtd
else
	skip "an MTD that is written 2 KiB at a time" "the test module mtdc_faultmtd is not there"
fi

# A volume of UBI as an MTD by gluebi, which Debian's kernel lacks. ubi.sh tests volumes without
# gluebi.
if modprobe gluebi && modprobe mtdram total_size=4096 erase_size=128; then
	must ubiattach -m "$(mtd_num 'mtdram test device')"
	must ubimkvol /dev/ubi0 -N ubivol -m
	bad "a volume of UBI, in place" EOPNOTSUPP attach ubivol,store=inplace "has to be erased"
	bad "a volume of UBI, spread=" EINVAL attach ubivol,spread=20 "UBI levels"
	is "a refused volume is not held: it can be removed" \
		"$(ubirmvol /dev/ubi0 -N ubivol 2>&1)" ""
	is "and UBI unloaded" \
		"$(ubidetach -d 0 2>&1; rmmod gluebi ubi mtdram 2>&1)" ""
else
	skip "a volume of UBI, in place" "this kernel has no gluebi"
	skip "a volume of UBI, spread=" "this kernel has no gluebi"
	skip "a refused volume is not held: it can be removed" "this kernel has no gluebi"
	skip "and UBI unloaded" "this kernel has no gluebi"
fi

# After all these attempts a valid one works, also with a blank in the name of the lower MTD.
attach "$low,comp=lz4,name=good"
bad "an MTD that is used already, by number" EBUSY attach "$low" already
bad "an MTD that is used already, by name" EBUSY attach low already
bad "stacked on ourselves, by number" ELOOP attach "$NUM" "itself|stack"
bad "stacked on ourselves, by name" ELOOP attach good good
must mtdpart add "/dev/mtd$low" lowpart 0 1048576
bad "a partition of an MTD that is used" EBUSY attach lowpart already
must mtdpart del "/dev/mtd$low" "$(mtd_num lowpart)"
must mtdpart add "/dev/mtd$NUM" ourpart 0 1048576
bad "a partition of our own device" ELOOP attach ourpart ourpart
must mtdpart del "/dev/mtd$NUM" "$(mtd_num ourpart)"
must mtdpart add "/dev/mtd$other" otherpart 0 1048576
must mtdop put "$SYS/attach" "otherpart,name=onpart"
bad "an MTD of which a partition is used" EBUSY attach "$other" already
detach onpart
must mtdpart del "/dev/mtd$other" "$(mtd_num otherpart)"
bad "a second device of one name" EEXIST attach "$other,name=good" good
bad "detach of an unknown name" ENODEV detach nosuch nosuch
bad "detach of an MTD that is not ours, by number" ENODEV detach "$other"
bad "detach of an empty line" ENODEV\|EINVAL detach "
"
bad "detach of the lower MTD's name" ENODEV detach low
bad "detach of a number beyond 32 bits" ENODEV\|EINVAL detach $((4294967296 + NUM))
is "an MTD whose name has a blank can be used by name" \
	"$(put attach 'odd name,name=fromodd')" ok
is "mtd= in front of the string is accepted, and a newline after it" \
	"$(put detach fromodd) $(put attach "mtd=odd name,name=again
")" "ok ok"
detach again

# The file's mode keeps users out, the capability check a root without the capability.
before=$(state)
is "an unprivileged user cannot attach" \
	"$(setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all \
		"$MTDC_BUILD/selftests/mtdop" put "$SYS/attach" "$other")" EACCES
is "nor detach" \
	"$(setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all \
		"$MTDC_BUILD/selftests/mtdop" put "$SYS/detach" good)" EACCES
mark
no_caps=$(setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin \
	"$MTDC_BUILD/selftests/mtdop" put "$SYS/attach" "$other")
bad_said=$(messages)
verdict "root without CAP_SYS_ADMIN" "$no_caps" EPERM . "$(state)"
is "nor may such a root detach" \
	"$(setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin \
		"$MTDC_BUILD/selftests/mtdop" put "$SYS/detach" good)" EPERM
detach good

# The 33rd device.
rmmod mtdcompr
i=0
while [ $i -lt 33 ]; do
	phram "many$i" $((16384 + i * 256)) 256
	i=$((i + 1))
done
load
i=0
while [ $i -lt 32 ]; do
	[ "$(put attach "many$i,comp=lz4")" = ok ] || break
	i=$((i + 1))
done
is "32 devices can be attached" $i 32
bad "the 33rd device" ENFILE attach many32 32
detach mtdcompr5
is "one less, and there is room again" "$(put attach many32)" ok
rmmod mtdcompr

# The same through the module's parameters.
module_file=$(modinfo -n mtdcompr)
at_load "unknown MTD" ENODEV "mtd=99" 99
at_load "unknown name" ENODEV "mtd=nosuch" nosuch
at_load "unknown algorithm" EINVAL "mtd=$low,comp=rot13" rot13
at_load "malformed size" EINVAL "mtd=$low,size=big" size
at_load "ratio 0" ERANGE "mtd=$low,ratio=0" ratio
at_load "an MTD that needs erasing" EOPNOTSUPP "mtd=$nand,store=inplace" erase
at_load "cache=1 on an MTD that need not be erased" EINVAL "mtd=$low,cache=1" cache
at_load "the same MTD twice" EBUSY "mtd=$low mtd=$low" .
# A load that fails with EEXIST would mean that the module is loaded already; new kernels turn it
# into EBUSY.
at_load "two devices of one name" EEXIST\|EBUSY "mtd=$low,name=a mtd=$other,name=a" .
at_load "a good device and then a bad one" ENODEV "mtd=$low mtd=$other mtd=nosuch" nosuch
many=
i=0
while [ $i -lt 33 ]; do
	many="$many mtd=many$i"
	i=$((i + 1))
done
at_load "33 devices" ENFILE\|E2BIG\|EINVAL "$many" 32
is "after all that a good one loads" \
	"$(mtdop insmod "$module_file" "mtd=$low,comp=lz4,name=fine")" ok
