#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The lower MTD goes while the device uses it: a deleted partition, a master that its driver
# unregisters, a driver that is unbound, a driver whose unload is tried. I/O must then fail with
# ENODEV, nothing crashes, and detach works. At the end, at random moments under load, MTDC_VANISH
# times each way; in the short form each way with one kind of load.
#
# job: test,long,debug parallel
# job: kcsan vanish --mem 192 --reserve 64 --timeout 300 --smp 4 --env MTDC_VANISH=1
# job: faults vanish --mem 192 --reserve 64 --timeout 9000 --smp 2 --env MTDC_VANISH=25
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/memlib.sh"

: "${MTDC_VANISH:=$(amount 1 2)}"
phram low 0 8192
load
lower=$(mtd_num low)

# gone WHAT: check the figures and the I/O of a device without a lower MTD
gone()
{
	is "$1: the state says so" "$(stat state van)" gone
	is "$1: reading a stored page fails with ENODEV" \
		"$(patio -k text verify "$CHAR" 10 1 1)" "ok 0 error 1 wrong 0 first ENODEV"
	is "$1: writing fails with ENODEV" \
		"$(patio -k text write "$CHAR" 500 4 1 | cut -d' ' -f1-6)" \
		"ok 0 error 4 first ENODEV"
	out=$(dd if="$BLOCK" of=/dev/null bs=4096 count=1 skip=20 iflag=direct 2>&1)
	case $out in
	*"rror"*|*"No such device"*)
		result 0 "$1: a reader through mtdblock gets an error" ;;
	*)
		result 1 "$1: a reader through mtdblock gets an error"
		diag "$out" ;;
	esac
	holds "$1: it is counted" "$(stat err_gone van)" -ge 1
}

# A partition.
must mtdpart add "/dev/mtd$lower" part 0 4194304
part=$(mtd_num part)
attach "part,comp=lz4,name=van"
must patio -k text write "$CHAR" 0 100 1
is "a device on a partition works" "$(patio -k text verify "$CHAR" 0 100 1)" \
	"ok 100 error 0 wrong 0 first none"
check "the partition can be deleted below it" mtdpart del "/dev/mtd$lower" "$part"
gone "partition deleted"
is "partition deleted: detach works" "$(put detach van)" ok
must mtdpart add "/dev/mtd$lower" part 0 4194304
is "the partition can be made and used again" "$(put attach part,comp=lz4,name=van)" ok
detach van

# The same with everything open, and a partial page pending.
attach "part,comp=lz4,name=van"
part=$(mtd_num part)
must patio -k text write "$CHAR" 0 100 1
exec 3<> "$CHAR"
exec 4<> "$BLOCK"
printf x >&3
check "the partition can be deleted while our device is open" \
	mtdpart del "/dev/mtd$lower" "$part"
gone "deleted while open"
is "deleted while open: detach is still refused" "$(put detach van)" EBUSY
exec 3>&-
exec 4>&-
is "deleted while open: detach works after the close" "$(put detach van)" ok

# During I/O.
must mtdpart add "/dev/mtd$lower" part 0 8388608
part=$(mtd_num part)
attach "part,comp=zlib,size=16M,name=van"
# Repeat until it fails, because the duration of a round varies.
(
	for _ in $(seq 50); do
		patio write "$CHAR" 0 3000 1 > "$TMP/writer"
		grep -q 'first none' "$TMP/writer" || break
	done
) &
writer=$!
patio -d -k text verify "$BLOCK" 0 3000 1 > "$TMP/reader" 2>&1 &
reader=$!
sleep 1
check "the partition can be deleted during I/O" mtdpart del "/dev/mtd$lower" "$part"
wait $writer
wait $reader
is "the writer saw ENODEV" "$(cut -d' ' -f6 "$TMP/writer")" ENODEV
diag "$(cat "$TMP/writer")"
is "detach works" "$(put detach van)" ok

# Swapped on.
must mtdpart add "/dev/mtd$lower" part 0 8388608
part=$(mtd_num part)
attach "part,comp=lz4,name=van"
must mkswap "$BLOCK"
must swapon "$BLOCK"
check "the partition can be deleted while swapped on" \
	mtdpart del "/dev/mtd$lower" "$part"
is "detach is refused while swapped on" "$(put detach van)" EBUSY
is "the state says gone" "$(stat state van)" gone
check "swapoff works, no page was out" swapoff "$BLOCK"
is "detach works" "$(put detach van)" ok

# Swapped on, with pages of a process in swap. No other process may lose pages, so limit only its
# memory; by memory.high, which kills no process.
memory_group 6
must mtdpart add "/dev/mtd$lower" part 0 8388608
part=$(mtd_num part)
attach "part,comp=zlib,name=van"
must mkswap "$BLOCK"
must swapon "$BLOCK"
in_group memsig -m 12 -g 1000 > "$TMP/victim" 2>&1 &
victim=$!
n=0
# Longer on slow kernels.
while [ "$(stat page_reads van)" -lt 500 ] && [ $n -lt $((${MTDC_SWAP_LIMIT:-400} * MTDC_TIMES * 3 / 20)) ]; do
	sleep 0.5
	n=$((n + 1))
done
holds "a process swaps in and out" "$(stat page_reads van)" -ge 500
check "the partition can be deleted meanwhile" mtdpart del "/dev/mtd$lower" "$part"
n=0
while kill -0 $victim 2>/dev/null && [ $n -lt 30 ]; do
	sleep 1
	n=$((n + 1))
done
kill -9 $victim 2>/dev/null
wait $victim
status=$?
diag "status $status after $n s: $(cat "$TMP/victim")"
is "the process got SIGBUS, or none of its pages was out" "$status" "135|137"
is "and saw no wrong data" "$(grep -c WRONG "$TMP/victim")" 0
check "swapoff works" limited 60 swapoff "$BLOCK"
is "detach works" "$(put detach van)" ok
no_group

# A driver in use cannot be unloaded.
attach "low,comp=lz4,name=van"
must patio -k text write "$CHAR" 0 100 1
refused "the lower driver cannot be unloaded while it is used" rmmod phram
is "and the device works on" "$(patio -k text verify "$CHAR" 0 100 1)" \
	"ok 100 error 0 wrong 0 first none"
detach van
check "after detach it can" rmmod phram

# A master that its driver unregisters, as a sysfs unbind does.
if modprobe mtdc_faultmtd size_kib=4096; then
	vanish=/sys/module/mtdc_faultmtd/parameters/vanish
	attach "faultmtd,comp=lz4,name=van"
	must patio -k text write "$CHAR" 0 100 1
	exec 3<> "$CHAR"
	echo 1 > $vanish
	is "a master unregistered while in use is gone from /proc/mtd" \
		"$(grep -c faultmtd /proc/mtd)" 0
	gone "master unregistered"
	exec 3>&-
	is "master unregistered: detach works" "$(put detach van)" ok
	check "master unregistered: its driver can be unloaded" rmmod mtdc_faultmtd
	must modprobe mtdc_faultmtd size_kib=4096
	attach "faultmtd,comp=lz4,name=van"
	echo 1 > $vanish
	check "our module can be unloaded with a device whose master is gone" rmmod mtdcompr
	check "and then the driver, too" rmmod mtdc_faultmtd
else
	skip "a master unregistered while in use" "the test module mtdc_faultmtd is not there"
fi

# ------------------------------------------- at random moments, under load

if ! modprobe mtdc_faultmtd size_kib=8192 address=$((MTDC_RESERVE_ADDR + 16777216)); then
	skip_rest "at a random moment" "the test module mtdc_faultmtd is not there"
fi
must modprobe phram "phram=low,$MTDC_RESERVE_ADDR,8Mi"
must modprobe mtdcompr
memory_group 20
driver=/sys/bus/platform/drivers/mtdc_faultmtd

# random BELOW: a random number that follows from MTDC_SEED
random=$MTDC_SEED
random()
{
	random=$(((random * 1103515245 + 12345) % 2147483648))
	RANDOM_GOT=$((random / 7 % $1))
}

# Each way for an MTD to go, and to come back.
come()
{
	case $1 in
	partition)
		must mtdpart add "/dev/mtd$(mtd_num low)" part 0 8388608
		lower=part ;;
	*)
		lower=faultmtd ;;
	esac
}

go()
{
	case $1 in
	partition)
		must mtdpart del "/dev/mtd$(mtd_num low)" "$(mtd_num part)" ;;
	unregister)
		must eval "echo 1 > /sys/module/mtdc_faultmtd/parameters/vanish" ;;
	unbind)
		must eval "echo mtdc_faultmtd > $driver/unbind" ;;
	unload)
		must eval "echo 1 > /sys/module/mtdc_faultmtd/parameters/vanish"
		must rmmod mtdc_faultmtd ;;
	esac
}

come_back()
{
	case $1 in
	unregister)
		must eval "echo mtdc_faultmtd > $driver/unbind"
		must eval "echo mtdc_faultmtd > $driver/bind" ;;
	unbind)
		must eval "echo mtdc_faultmtd > $driver/bind" ;;
	unload)
		must modprobe mtdc_faultmtd size_kib=8192 \
			address=$((MTDC_RESERVE_ADDR + 16777216)) ;;
	esac
}

wait_a_moment()
{
	random "$1"
	sleep "$((RANDOM_GOT / 1000)).$(printf %03d $((RANDOM_GOT % 1000)))"
}

# Messages of programs that see it go: during I/O, or before they open the device.
went='first ENODEV\|first EIO\|No such device'

# Bypass the page cache, through mtdblock and the character device. The programs end when they have
# seen the MTD go.
direct_load()
{
	# shellcheck disable=SC2094 # they look what they have said
	for load_job in 1 2; do
		(
			load_path=$BLOCK load_direct=-d
			[ $load_job = 1 ] || load_path=$CHAR load_direct=
			for load_gen in $(seq 60); do
				# shellcheck disable=SC2086 # or nothing
				patio $load_direct write "$load_path" $((load_job * 1000)) 300 "$load_gen"
				# shellcheck disable=SC2086
				patio $load_direct verify "$load_path" $((load_job * 1000)) 300 "$load_gen"
				! grep -q "$went" "$TMP/load.$load_job" || break
			done
		) > "$TMP/load.$load_job" 2>&1 &
		load_pids="$load_pids $!"
	done
}

# The same through the block device. The MTD can't be written meanwhile.
disk_load()
{
	# shellcheck disable=SC2094 # they look what they have said
	for load_job in 1 2; do
		(
			for load_gen in $(seq 60); do
				patio -d -b "$PAGE" write "$disk" $((load_job * 1000)) 300 "$load_gen"
				patio -d -b "$PAGE" verify "$disk" $((load_job * 1000)) 300 "$load_gen"
				! grep -q "$went" "$TMP/load.$load_job" || break
			done
		) > "$TMP/load.$load_job" 2>&1 &
		load_pids="$load_pids $!"
	done
}

swap_load() { swap_to "$BLOCK"; }
swapdisk_load() { swap_to "$disk"; }

# swap_to DEVICE
swap_to()
{
	swap=$1
	must mkswap "$swap"
	must swapon "$swap"
	random 20
	memory_group $((5 + RANDOM_GOT / 2))
	in_group memsig -m 20 -g 1000 > "$TMP/load.1" 2>&1 &
	load_pids=$!
	n=0
	while [ "$(stat page_writes van)" -lt 200 ] && [ $n -lt 600 ]; do
		sleep 0.1
		n=$((n + 1))
	done
	[ $n -lt 600 ] || echo "does not swap"
}

# end_load TENTHS: wait until each program has got its errors and ended, or kill it after TENTHS
# tenths of a second. The kill ends a shell, but not its program, which would keep the device open;
# the guest's hung task detector finds a hang.
end_load()
{
	n=0
	for load_pid in $load_pids; do
		while kill -0 "$load_pid" 2>/dev/null && [ $n -lt "$1" ]; do
			sleep 0.1
			n=$((n + 1))
		done
	done
	# shellcheck disable=SC2086 # a list of words
	kill -9 $load_pids 2>/dev/null
	# shellcheck disable=SC2086
	wait $load_pids 2>/dev/null
}

# round WAY LOAD: prints findings only
round()
{
	come "$1"
	random 5
	attach "$lower,comp=$(echo lz4 zlib lzo zstd none | cut -d' ' -f$((RANDOM_GOT + 1))),size=16M,name=van"
	disk=/dev/$(stat disk van)
	load_pids=
	"$2_load"
	wait_a_moment 1500
	go "$1"
	[ "$(stat state van)" = gone ] || echo "not gone"
	case $2 in
	swap*)
		# A program that reads none of its lost pages continues.
		end_load 50
		grep WRONG "$TMP/load.1"
		limited 60 swapoff "$swap" || echo "swapoff fails" ;;
	*)
		end_load 300
		grep -h 'wrong [1-9]\|differs' "$TMP"/load.*
		load_errors=$((load_errors + $(cat "$TMP"/load.* | grep -c "$went"))) ;;
	esac
	round_got=$(put detach van)
	[ "$round_got" = ok ] || echo "detach: $round_got"
	come_back "$1"
}

while read -r way one; do
	for kind in $(amount "$one" "direct swap disk swapdisk"); do
		n_rounds=0 load_errors=0
		: > "$TMP/rounds"
		while [ $n_rounds -lt "$MTDC_VANISH" ]; do
			round "$way" "$kind" >> "$TMP/rounds" 2>&1
			n_rounds=$((n_rounds + 1))
		done
		is "$way during ${kind} I/O, $n_rounds times: no wrong data, all can be ended, detach works" \
			"$(cat "$TMP/rounds")" ""
		case $kind in
		swap*)
			is "$way: nothing is left after $kind" \
				"$(grep -c '"van"' /proc/mtd) $(ls "$PROC")" "0 " ;;
		*)
			holds "$way: it was in the midst of $kind I/O ($load_errors programs saw it)" \
				$load_errors -ge "$MTDC_VANISH" ;;
		esac
	done
done <<-END
	partition direct
	unregister swap
	unbind disk
	unload swapdisk
END
no_group
check "all can be unloaded in the end" rmmod mtdcompr
