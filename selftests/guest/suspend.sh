#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Before a system sleeps or hibernates, its tasks are frozen. What the block device still
# has to write to slow flash then has to wait until they are thawed: the controller may be
# asleep meanwhile, or the contents of memory already in the image. By the kernel's own
# test of the freezer, which holds all frozen for five seconds (pm_test).
. "$(dirname "$0")/lib.sh"

plan 9
power=/sys/power
trace=/sys/kernel/tracing
if [ ! -e $power/pm_test ] || [ ! -e $trace/events ]; then
	while [ "$seen" -lt "$planned" ]; do
		skip "frozen" "this kernel has no pm_test, or no tracepoints"
	done
	exit 0
fi
must modprobe mtdsim dev=name=nand,type=nand,size=16M,delay=sleep,tprog=10000000
load
attach "nand,comp=none,size=4M,name=frz"
DISK=/dev/$(stat disk frz)
pages=400
must dd if=/dev/urandom of="$TMP/data" bs="$PAGE" count=$pages
echo 1 > $trace/events/mtdcompr/mtdc_page_write/enable

# The page cache's writers are no tasks that are frozen; sync before would wait for them.
must eval "echo 0 > $power/sync_on_suspend"
must eval "echo 1 > /proc/sys/vm/dirty_expire_centisecs"
must eval "echo 10 > /proc/sys/vm/dirty_writeback_centisecs"
must eval "echo freezer > $power/pm_test"
exec 3<> "$DISK"
must dd if="$TMP/data" of="$DISK" bs="$PAGE" conv=notrunc
sleep 1
holds "the device is writing" "$(stat page_writes frz)" -gt 0
holds "and has most of it before it" "$(stat page_writes frz)" -lt $((pages / 2))
mark
check "all tasks are frozen while it writes, and thawed" eval "echo freeze > $power/state"

# When all was frozen, by the clock of the log, which is that of the trace
frozen=$(dmesg | sed -n "/mtdc-test: mark $$\.$mark_id\$/,\$p" |
	sed -n 's/^\[ *\([0-9.]*\)\].*Waiting for 5 second.*/\1/p')
holds "it was frozen for five seconds" "$(echo "$frozen" | grep -c .)" -eq 1
exec 3>&-
is "all is written in the end" "$(stat page_writes frz)" $pages

# written FROM TO: pages, in seconds since then
written()
{
	sed -n 's/.* \([0-9]*\.[0-9]*\): mtdc_page_write: .*/\1/p' $trace/trace |
		awk -v from="$frozen" -v a="$1" -v b="$2" \
			'$1 > from + a && $1 < from + b { n++ } END { print n + 0 }'
}
holds "pages were written before" "$(written -1000 0)" -gt 0
is "none while all was frozen" "$(written 0 5)" 0
holds "and the rest afterwards" "$(written 5 1000)" -gt $((pages / 4))
echo 0 > $trace/events/mtdcompr/enable
echo 3 > /proc/sys/vm/drop_caches
dd if="$DISK" of="$TMP/got" bs="$PAGE" count=$pages iflag=direct 2> "$TMP/err"
check "and is right" cmp "$TMP/data" "$TMP/got"
detach frz
must rmmod mtdcompr mtdsim
