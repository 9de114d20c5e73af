#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Before a system sleeps or hibernates, its tasks are frozen. What the block device still
# has to write to slow flash then has to wait until they are thawed: the controller may be
# asleep meanwhile, or the contents of memory already in the image. By the kernel's own
# test of the freezer, which holds all frozen for some seconds (pm_test).
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
# Its five seconds are turns of a loop. The speed of the second processor's is measured when
# it boots, and wrong by any factor on a busy host: they were 0.2 to 9 s. On the first they
# are more than eight there, but always.
check "all tasks are frozen while it writes, and thawed" \
	taskset -c 0 sh -c "echo freeze > $power/state"

# stamp TEXT: when the kernel said so since the mark, by the clock of its log, which is
# that of the trace
stamp()
{
	dmesg | sed -n "/mtdc-test: mark $$\.$mark_id\$/,\$p" |
		sed -n "s/^\[ *\([0-9.]*\)\].*$1.*/\1/p"
}
frozen=$(stamp "Waiting for 5 second")
thawed=$(stamp "OOM killer enabled")
diag "frozen at ${frozen:-?} s, thawed at ${thawed:-?} s"
check "it was frozen for a second at least" \
	awk -v from="$frozen" -v to="$thawed" 'BEGIN { exit !(from && to - from > 1) }'
exec 3>&-
is "all is written in the end" "$(stat page_writes frz)" $pages

# written FROM TO: pages
written()
{
	sed -n 's/.* \([0-9]*\.[0-9]*\): mtdc_page_write: .*/\1/p' $trace/trace |
		awk -v from="$1" -v to="$2" '$1 > from && $1 < to { n++ } END { print n + 0 }'
}
holds "pages were written before" "$(written 0 "$frozen")" -gt 0
is "none while all was frozen" "$(written "$frozen" "$thawed")" 0
holds "and the rest afterwards" "$(written "$thawed" 1000000)" -gt $((pages / 4))
echo 0 > $trace/events/mtdcompr/enable
echo 3 > /proc/sys/vm/drop_caches
dd if="$DISK" of="$TMP/got" bs="$PAGE" count=$pages iflag=direct 2> "$TMP/err"
check "and is right" cmp "$TMP/data" "$TMP/got"
detach frz
must rmmod mtdcompr mtdsim
