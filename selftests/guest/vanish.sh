#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The lower MTD goes away below the device: a partition that is deleted, a
# master that its driver unregisters, a driver that would be unloaded. I/O then
# fails with ENODEV, nothing crashes, and detach works.
. "$(dirname "$0")/lib.sh"

plan 44
phram low 0 8192
load
lower=$(mtd_num low)

# gone WHAT: the figures and the I/O of a device without a lower MTD
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
# Again and again until it fails: how long one round takes nobody knows.
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

# Swapped on, with pages of a process out. Only that process may lose them, so
# only its memory is limited; memory.high, as nothing is to be killed for it.
must mkdir "$TMP/cgroup"
must mount -t cgroup2 cgroup2 "$TMP/cgroup"
must eval "echo +memory > '$TMP/cgroup/cgroup.subtree_control'"
must mkdir "$TMP/cgroup/victim"
must eval "echo 20M > '$TMP/cgroup/victim/memory.high'"
must mtdpart add "/dev/mtd$lower" part 0 8388608
part=$(mtd_num part)
attach "part,comp=zlib,name=van"
must mkswap "$BLOCK"
must swapon "$BLOCK"
sh -c "echo \$\$ > '$TMP/cgroup/victim/cgroup.procs'; exec memsig -m 34 -g 1000" \
	> "$TMP/victim" 2>&1 &
victim=$!
n=0
while [ "$(stat page_reads van)" -lt 500 ] && [ $n -lt 60 ]; do
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
check "swapoff works" timeout -k 5 60 swapoff "$BLOCK"
is "detach works" "$(put detach van)" ok
must umount "$TMP/cgroup"

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
	for n in 1 2 3 4 5 6 7 8 9 10; do
		skip "a master unregistered while in use ($n)" "the test module mtdc_faultmtd is not there"
	done
fi
