#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Before a suspend or a hibernation the kernel freezes all tasks. Pending writes of the block device
# to slow flash must then wait until the thaw: the controller may be asleep, or the memory already
# in the image. The script uses the kernel's own test of the freezer, which freezes all tasks for
# some seconds (pm_test). The second time a huge page is swapped out by one bio, which takes longer
# than the freezer's time-out. And a hibernation must not begin while swap is on RAM that the
# kernel's image does not include; the same test shows that it begins otherwise.
#
# job: test,long suspend seconds=60 --mem 256 --timeout 300 --smp 2
# job: debug suspend --mem 192 --timeout 300 --smp 2
. "$(dirname "$0")/lib.sh"

power=/sys/power
trace=/sys/kernel/tracing
if [ ! -e $power/pm_test ] || [ ! -e $trace/events ]; then
	skip_rest "frozen" "this kernel has no pm_test, or no tracepoints"
fi
# The page cache's writers are not frozen; a sync before the freeze would wait for them.
must eval "echo 0 > $power/sync_on_suspend"
must eval "echo 1 > /proc/sys/vm/dirty_expire_centisecs"
must eval "echo 10 > /proc/sys/vm/dirty_writeback_centisecs"
must eval "echo freezer > $power/pm_test"

# device TPROG: attach a device on flash with a program time of TPROG ns
device()
{
	must modprobe mtdsim "dev=name=nand,type=nand,size=16M,delay=sleep,tprog=$1"
	load
	attach "nand,comp=none,size=8M,name=frz"
	DISK=/dev/$(stat disk frz)
	echo > $trace/trace
	echo 1 > $trace/events/mtdcompr/mtdc_page_write/enable
	on_media=$(stat page_writes frz)
}

# stamp TEXT: time of the kernel's message since the mark, by the clock of its log, which the trace
# uses, too
stamp()
{
	dmesg | sed -n "/mtdc-test: mark $$\.$mark_id\$/,\$p" |
		sed -n "s/^\[ *\([0-9.]*\)\].*$1.*/\1/p"
}

# written FROM TO: number of pages
written()
{
	sed -n 's/.* \([0-9]*\.[0-9]*\): mtdc_page_write: .*/\1/p' $trace/trace |
		awk -v from="$1" -v to="$2" '$1 > from && $1 < to { n++ } END { print n + 0 }'
}

# new_writes: pages written since the device was attached
new_writes() { echo $(($(stat page_writes frz) - on_media)); }

# freeze WHAT: freeze while most of $pages are not written yet, and thaw. Four results.
freeze()
{
	holds "$1: the device is writing" "$(new_writes)" -gt 0
	holds "$1: and has most of it before it" "$(new_writes)" -lt $((pages / 2))
	mark
	# pm_test waits five seconds in a loop of delays. The delay of the second processor is
	# calibrated at its boot, and wrong on a busy host: 0.2 to 9 s were seen. On the first
	# processor the wait is always over eight seconds.
	check "$1: all tasks are frozen meanwhile, and thawed" \
		taskset -c 0 sh -c "echo freeze > $power/state"
	frozen=$(stamp "Waiting for 5 second")
	thawed=$(stamp "OOM killer enabled")
	diag "frozen at ${frozen:-?} s, thawed at ${thawed:-?} s"
	check "$1: it was frozen for a second at least" \
		awk -v from="$frozen" -v to="$thawed" 'BEGIN { exit !(from && to - from > 1) }'
}

# traced WHAT: check the trace after all writes. Three results.
traced()
{
	echo 0 > $trace/events/mtdcompr/enable
	holds "$1: pages were written before" "$(written 0 "$frozen")" -gt 0
	is "$1: none while all was frozen" "$(written "$frozen" "$thawed")" 0
	holds "$1: and the rest afterwards" "$(written "$thawed" 1000000)" -gt $((pages / 4))
}

pages=400
device 10000000
must dd if=/dev/urandom of="$TMP/data" bs="$PAGE" count=$pages
exec 3<> "$DISK"
must dd if="$TMP/data" of="$DISK" bs="$PAGE" conv=notrunc
sleep 1
freeze "pages"
exec 3>&-
is "all is written in the end" "$(new_writes)" $pages
traced "pages"
echo 3 > /proc/sys/vm/drop_caches
dd if="$DISK" of="$TMP/got" bs="$PAGE" count=$pages iflag=direct 2> "$TMP/err"
check "and is right" cmp "$TMP/data" "$TMP/got"
detach frz
must rmmod mtdcompr mtdsim

# huge: number of huge pages swapped out as a whole
huge() { sed -n 's/^thp_swpout //p' /proc/vmstat; }

# With less than 512 MiB the kernel disables them.
must eval "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled"
must eval "echo 1 > /proc/sys/vm/compact_memory"
pages=$((2097152 / PAGE))
device 25000000
must mkswap "$DISK"
must swapon "$DISK"
on_media=$(stat page_writes frz)
before=$(huge)
memsig -m 2 -g 0 -k 2 -p -w "$TMP/out" > "$TMP/memsig" 2>&1 &
job=$!
while [ ! -e "$TMP/out" ] && kill -0 $job 2> "$TMP/err"; do
	sleep 0.2
done
is "a huge page is swapped out as one" $(($(huge) - before)) 1
sleep 1
freeze "a huge page"
tries=120
while [ $tries -gt 0 ] && [ "$(new_writes)" -lt $pages ]; do
	sleep 0.5
	tries=$((tries - 1))
done
is "all of it is written in the end" "$(new_writes)" $pages
traced "a huge page"
: > "$TMP/out.go"
wait $job
# Most of it comes from memory: KUnit's a_long_bio_is_right reads it back.
result $? "its program goes on: $(cat "$TMP/memsig")"
must swapoff "$DISK"
detach frz
must rmmod mtdcompr mtdsim

# hibernate: as far as pm_test goes. Allow an image of any size: to make it smaller the kernel
# reclaims memory without a break, for minutes under emulation, which causes a soft lockup warning.
[ ! -w $power/image_size ] || echo 1073741824 > $power/image_size
hibernate() { taskset -c 0 sh -c "echo disk > $power/state"; }

if ! grep -q disk $power/state; then
	skip_rest "hibernation" "this kernel has none"
fi
must modprobe mtdsim dev=name=ram,type=ram,size=8M dev=name=pcm,type=pcm,size=8M
load
attach ram,name=lost
attach pcm,name=kept
DISK=/dev/$(stat disk lost)
must mkswap "$DISK"
must swapon "$DISK"
mark
refused "no hibernation while swap is on RAM" hibernate
is "the reason is said" "$(messages | grep -c 'lost: no hibernation while it is in use')" 1
is "and in words that help" "$(messages | grep -c 'swapoff or unmount it first')" 1
must swapoff "$DISK"
must mkswap "/dev/mtdblock$(mtd_num lost)"
must swapon "/dev/mtdblock$(mtd_num lost)"
refused "nor by mtdblock" hibernate
must swapoff "/dev/mtdblock$(mtd_num lost)"
check "but when it is off" hibernate
DISK=/dev/$(stat disk kept)
must mkswap "$DISK"
must swapon "$DISK"
check "and while swap is on what keeps its contents" hibernate
must swapoff "$DISK"
