#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# A UBI volume below the device, on mtdsim: found by both of its names, held against all other
# users, and released; pages read as written, whatever the flash below UBI does, or give an error;
# all promised pages fit; a UBI that hangs blocks no user for ever. Then the same through gluebi, if
# the kernel has it.
#
# job: test flashes
# job: long ubi --mem 192 --reserve 64 --timeout 600
# job: debug ubi --mem 192 --reserve 64 --timeout 300
# shellcheck disable=SC2154 # s_KEY are set by load_stats, by name
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/simlib.sh"
. "$(dirname "$0")/flashlib.sh"

: "${MTDC_OPS:=2000}"
ops=$((MTDC_OPS / 5))
load
flash_device vol log
# With each error UBI dumps its stack.
: > /run/mtdc-allow-traces

# ubi TYPE[,OPTIONS]: attach UBI to a device of mtdsim; sets LOWER_NUM to its number
ubi()
{
	sim_load "name=sim,type=$1"
	LOWER_NUM=$NUM
	must ubiattach -d 0 -m "$LOWER_NUM"
}

end_ubi()
{
	must ubidetach -d 0
	is "$1: UBI saw no violation of the rules" "$(counter violations)" 0
	sim_unload
}

# bad WHAT ERRNO STRING PATTERN: the attach is refused with one message
bad()
{
	mark
	bad_got=$(put attach "$3")
	messages > "$TMP/messages"
	is "$1" "$bad_got $(wc -l < "$TMP/messages") $(grep -c "$4" "$TMP/messages")" "$2 1 1"
}

# ------------------------------------------------- names and permissions

bad "a name of UBI's, without UBI" ENODEV ubi0:swap "UBI is not there"
must modprobe ubi
ubi nand,size=8M
must ubimkvol /dev/ubi0 -N swap -S 30 -n 3
must ubimkvol /dev/ubi0 -N fixed -S 4 -t static
must ubimkvol /dev/ubi0 -N small -S 2
bad "no such name" ENODEV ubi0:none "no such UBI volume"
bad "no such number" ENODEV ubi0_2 "no such UBI volume"
bad "no such device" ENODEV ubi7:swap "no such UBI volume"
bad "a number far off" ENODEV ubi999_999 "no such UBI volume"
bad "not a name of UBI's" ENODEV ubi0_3x "no such MTD"
bad "nor this" ENODEV ubi:swap "no such MTD"
bad "an empty name" ENODEV ubi0: "no such UBI volume"
bad "a static volume" EROFS ubi0:fixed "static UBI volume"
bad "a volume that is too small" ENOSPC ubi0:small "eraseblocks"
bad "spread=" EINVAL ubi0:swap,spread=20 "UBI levels"
bad "in place" EOPNOTSUPP ubi0:swap,store=inplace "has to be erased"
is "none of them is held: it can be removed" \
	"$(ubirmvol /dev/ubi0 -N small 2>&1; ubirmvol /dev/ubi0 -N fixed 2>&1)" ""
is "and UBI unloaded" "$(ubidetach -d 0 2>&1; rmmod gluebi 2> "$TMP/out"; rmmod ubi 2>&1)" ""

must modprobe ubi
must ubiattach -d 0 -m "$LOWER_NUM"
attach "ubi0:swap,comp=lz4,name=vol"
load_stats vol
is "by name: a log on all of it, none of it spare" \
	"$s_lower_name $s_lower_mtd $s_store $s_blocks $s_blocks_bad $s_blocks_spare $s_block_bytes" \
	"ubi0:swap -1 log 30 0 0 129024"
bad "a second time" EBUSY ubi0:swap,name=two "in use already"
bad "or by its number" EBUSY ubi0_3,name=two "in use already"
refused "nobody else writes it" ubiupdatevol /dev/ubi0_3 /bin/sh
refused "nor reads it" head -c 1 /dev/ubi0_3
refused "it can't be renamed" ubirename /dev/ubi0 swap other
refused "it can't be removed" ubirmvol /dev/ubi0 -N swap
refused "UBI can't be detached" ubidetach -d 0
refused "nor unloaded" rmmod ubi
detach vol
attach "ubi0_3,comp=lz4,name=vol"
is "by number" "$(stat lower_name vol)" ubi0:swap
detach vol
check "then it can be removed" ubirmvol /dev/ubi0 -N swap
phram ubi0:swap 40960 1024
attach "ubi0:swap,comp=lz4,name=vol"
is "an MTD of such a name is what it says" "$(stat store vol)" inplace
detach vol
must rmmod phram
end_ubi "names"

# ------------------------------------------------- flash that works

# integrity WHAT LEB_BYTES OPTIONS: six results
integrity()
{
	attach "$3,name=vol"
	is "$1: at first all is 0xff" "$(mtdop is "$CHAR" 0 4194304 0xff)" ok
	check "$1: $ops random operations against a model" \
		modelio -s "$MTDC_SEED" -n "$ops" -p 768 random "$CHAR" "$BLOCK"
	is "$1: what was written is what is read" \
		"$(write mix 0 1024 1) $(verify mix 0 1024 1)" "$(written 1024 1023) $(good 1024)"
	is "$1: a block is one of UBI's" "$(stat block_bytes vol)" "$2"
	no_errors "$1"
	detach vol
}

for type in nand nor; do
	ubi $type,size=8M
	must ubimkvol /dev/ubi0 -N swap -m
	[ $type = nand ] && leb=129024 || leb=130944
	integrity "$type, log" "$leb" "ubi0:swap,comp=lz4,size=4M"
	end_ubi "$type, log"
	ubi $type,size=8M
	must ubimkvol /dev/ubi0 -N swap -m
	integrity "$type, cache=1" "$leb" "ubi0:swap,cache=1,comp=lz4,size=4M"
	end_ubi "$type, cache=1"
done

# ------------------------------------------------- flash that fails below UBI

ubi nand,size=8M
must ubimkvol /dev/ubi0 -N swap -s 5MiB
attach "ubi0:swap,comp=none,ratio=90,name=vol"
must patio -k random -s "$MTDC_SEED" write "$CHAR" 0 880 1
set_knob fail_program_at "random 900"
set_knob flip_at "random 50"
is "bad pages: a program fails here and there, nobody notices" \
	"$(write random 0 880 2) $(write random 0 880 3)" "$(written 880 879) $(written 880 879)"
set_knob fail_program_at off
is "bad pages: everything is as written" "$(verify random 0 880 3)" "$(good 880)"
holds "bad pages: there were some, and flips" \
	"$(counter program_errors)" -gt 0 -a "$(counter bits_corrected)" -gt 0
set_knob flip_at off
is "bad pages: UBI has dealt with it, not we" \
	"$(stat blocks_retired vol) $(stat blocks_bad vol) $(stat log_scrubbed vol)" "0 0 0"
no_errors "bad pages"
is "bad pages: UBI is still writable" "$(cat /sys/class/ubi/ubi0/ro_mode)" 0

set_knob power_on 0
write random 0 400 4 > "$TMP/out"
is "power off: writes fail" "$(write random 0 200 4 | cut -d' ' -f2-6)" \
	"0 error 200 first EIO"
set_knob power_on 1
is "power on again: UBI has become read-only, what was stored is there" \
	"$(cat /sys/class/ubi/ubi0/ro_mode) $(either random 0 880 4 | cut -d' ' -f5-8)" \
	"1 error 0 wrong 0"
is "power on again: writes are errors, at once" "$(write random 0 200 5 | cut -d' ' -f2-6)" \
	"0 error 200 first EIO"
detach vol
must ubidetach -d 0
must ubiattach -d 0 -m "$LOWER_NUM"
attach "ubi0:swap,comp=none,ratio=90,name=vol"
is "attached again: the device is empty, and can be written" \
	"$(mtdop is "$CHAR" 0 3145728 0xff) $(write random 0 880 1)" "ok $(written 880 879)"
set_knob power_cut_at 3000
for gen in 2 3 4 5 6 7 8; do
	write random 0 880 $gen > "$TMP/out"
done
is "a power cut in the middle" "$(counter power)" off
detach vol
must ubidetach -d 0
set_knob power_on 1
must ubiattach -d 0 -m "$LOWER_NUM"
attach "ubi0:swap,comp=none,ratio=90,name=vol"
is "after it: the same" \
	"$(mtdop is "$CHAR" 0 3145728 0xff) $(write random 0 880 1) $(verify random 0 880 1)" \
	"ok $(written 880 879) $(good 880)"
detach vol
must ubidetach -d 0
sim_unload

long_from_here

# ------------------------------------------------- the whole promise

ubi nand,size=8M
must ubimkvol /dev/ubi0 -N swap -m
attach "ubi0:swap,comp=none,ratio=150,name=vol"
out=$(write random 0 2400 1)
most=$(echo "$out" | cut -d' ' -f2)
is "full: what is promised can be written, then it is ENOSPC" \
	"$(echo "$out" | cut -d' ' -f6) $((most * 4112 <= $(stat media_bytes vol))) $((
		(most + 1) * 4112 > $(stat media_bytes vol)))" "ENOSPC 1 1"
sleep 2
out=
for gen in 2 3 4 5 6; do
	out="$out $(write random 0 "$most" $gen | cut -d' ' -f1-4)"
done
is "full: to the last page it can be written over and over" "$out" \
	" ok $most error 0 ok $most error 0 ok $most error 0 ok $most error 0 ok $most error 0"
is "full: everything is as written" "$(verify random 0 "$most" 6)" "$(good "$most")"
for n in 1 2 3 4 5 6 7 8 9; do
	patio -s "$MTDC_SEED" -k random -S 7 write "$CHAR" 3 $((most / 7 - 1)) $n > "$TMP/out"
done
load_stats vol
holds "full: blocks were collected" "$s_log_collected" -gt 20
is "full: none was levelled, none given up" "$s_log_levelled $s_blocks_retired" "0 0"
detach vol
end_ubi "full"

# ------------------------------------------------- gluebi

if ! modprobe gluebi; then
	skip_rest "gluebi" "this kernel has none"
fi
ubi nand,size=8M
must ubimkvol /dev/ubi0 -N swap -m
attach "swap,comp=lz4,name=vol"
load_stats vol
is "gluebi: a log on all of it" "$s_lower_name $s_lower_mtd $s_store $s_blocks_spare" \
	"swap $(mtd_num swap) log 0"
bad "gluebi: one and the same volume" EBUSY ubi0:swap,name=two "in use already"
detach vol
attach "ubi0:swap,comp=lz4,name=vol"
bad "gluebi: the other way round" EBUSY swap,name=two "already"
detach vol
end_ubi "gluebi"
for type in nand nor; do
	ubi $type,size=8M
	must ubimkvol /dev/ubi0 -N swap -m
	[ $type = nand ] && leb=129024 || leb=130944
	integrity "gluebi on $type" "$leb" "swap,comp=lz4,size=4M"
	end_ubi "gluebi on $type"
done

# ------------------------------------------------- UBI hangs

# An erase takes 16 s, and gluebi waits for it.
ubi nor,size=32M,erasesize=512K,terase=4000000000
must ubimkvol /dev/ubi0 -N swap -S 10
attach "swap,comp=none,ratio=100,name=vol"
for gen in 1 2 3 4; do
	must patio -k random -s "$MTDC_SEED" write "$CHAR" 0 600 $gen
done
mark
set_knob delay sleep
patio -k random -s "$MTDC_SEED" write "$CHAR" 0 500 5 > "$TMP/stuck" &
job=$!
n=0 longest=0
while [ $n -lt 600 ] && ! messages | grep -q 'takes too long'; do
	n=$((n + 1))
	# Readers wait for the same lock, but not longer than for the erase that is given up.
	read -r from _ < /proc/uptime
	mtdop is "$CHAR" 2457600 512 0 > "$TMP/out"
	read -r to _ < /proc/uptime
	took=$((${to%.*} * 100 + 1${to#*.} - ${from%.*} * 100 - 1${from#*.}))
	[ $took -le $longest ] || longest=$took
	sleep 0.1
done
set_knob delay none
wait $job
diag "stuck: $(cat "$TMP/stuck")"
diag "stuck: a read took $longest/100 s at most"
holds "stuck: who reads meanwhile waits for 10 s, and no longer than 15" \
	"$longest" -ge 900 -a "$longest" -le 1500
holds "stuck: an erase that takes too long is not waited for" \
	"$(messages | grep -c 'takes too long')" -gt 0
is "stuck: no other data" "$(either random 0 600 5 | cut -d' ' -f5-8)" "error 0 wrong 0"
sleep 3
is "stuck: afterwards all is well" "$(write random 0 600 6) $(verify random 0 600 6)" \
	"$(written 600 599) $(good 600)"
is "stuck: no block was given up for it" "$(stat blocks_retired vol)" 0
detach vol
end_ubi "stuck"
