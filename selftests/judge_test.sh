#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# judge_test.sh: do the scripts attribute errors to the right code, and name the failed test? As
# TAP: KCSAN's reports that qemu/judge.sh attributes to the driver, the lines of a guest's log that
# run.sh shows, and what pass_on() makes of a suite's output.
#
# job: test,long judge
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
. "$here/tap.sh"
# shellcheck source-path=SCRIPTDIR source=../qemu/judge.sh
. "$here/../qemu/judge.sh"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
details=$out/details

# A stack begins with the function that was called last.
ours="queue_fn+0xc2/0x380 [mtdcompr]"
submit="compat_blk_submit_bio+0x214/0x5f0 [mtdcompr]"

# stack ACCESS FUNCTION...
stack()
{
	local frame

	echo "[  205.910122] $1:"
	shift
	for frame; do
		echo "[  205.910176]  $frame"
	done
	echo "[  205.910176] "
}

# kcsan HEADLINE FRAMES FRAMES: a report; the frames of a stack have commas between
kcsan()
{
	local line="[  205.909977] ========================================"
	local one other

	IFS=, read -r -a one <<< "$2"
	IFS=, read -r -a other <<< "$3"
	echo "$line"
	echo "[  205.909977] BUG: KCSAN: data-race in $1"
	echo "[  205.909977] "
	stack "read-write (marked) to 0xffff88800094e688 of 8 bytes by task 604 on cpu 0" "${one[@]}"
	stack "read to 0xffff88800094e688 of 8 bytes by task 8 on cpu 2" "${other[@]}"
	echo "[  205.909977] Reported by Kernel Concurrency Sanitizer on:"
	echo "$line"
}

# whose WHOSE WHAT HEADLINE FRAMES FRAMES: WHOSE: "ours", or "theirs"
whose()
{
	local wanted="1 0"

	[ "$1" = ours ] || wanted="0 1"
	{
		echo "[    1.000000] before"
		kcsan "$3" "$4" "$5"
		echo "[  206.000000] after"
	} > "$out/dmesg"
	races "$out/races" < "$out/dmesg" > "$details"
	[ "$(cat "$out/races")" = "$wanted" ] &&
		[ "$(grep -c KCSAN "$details")" = "${wanted%% *}" ] &&
		[ "$(grep -c 'before$\|after$' "$details")" = 2 ]
	result $? "judge: $1: $2"
}

reports()
{
	local name

	whose theirs "none of our functions" "lapic_cal_handler / setup_boot_APIC_clock" \
		"lapic_cal_handler+0x1/0x2" "setup_boot_APIC_clock+0x3/0x40"
	whose ours "an access of our own" "count / blk_submit [mtdcompr]" \
		"count+0x1/0x20" "blk_submit+0x30/0x100 [mtdcompr],__submit_bio+0x119/0x2b0"
	whose ours "memcpy(), called by us" "memcpy / memcpy" \
		"memcpy+0x10/0x20,$ours" "memcpy+0x10/0x20,do_read+0x30/0x100"
	whose ours "a look for a bit that we set" "_find_next_bit / slot_free [mtdcompr]" \
		"slot_free+0xaf/0x150 [mtdcompr],swap_range_free+0x143/0x220" \
		"_find_next_bit+0x4b/0xd0,take+0x80/0x130 [mtdcompr]"
	whose theirs "what an interrupt does above us" "tick / tock" \
		"tick+0x1/0x20,asm_sysvec_apic_timer_interrupt+0x1b/0x20,$ours" "tock+0x1/0x20"
	whose theirs "who waits for a mutex of ours" "osq_lock / osq_unlock" \
		"osq_lock+0x10/0x20,$ours" "osq_unlock+0x10/0x20,$submit"
	for name in "move_linked_works / queue_work_on" "process_one_work / queue_work_on" \
		"pwq_activate_inactive_work / queue_work_on" "queue_work_on / worker_thread"; do
		whose theirs "the workqueue: $name" "$name" "queue_work_on+0x3f/0x80,$submit" \
			"worker+0x3b9/0x6f0,kthread+0x1aa/0x1d0"
	done
	whose ours "a work that we make anew while it is queued" \
		"begin [mtdcompr] / process_one_work" "begin+0x3f/0x80 [mtdcompr],attach+0x3/0x40" \
		"process_one_work+0x21e/0x740,worker_thread+0xa8/0x6f0"
	whose ours "a workqueue that is destroyed while we queue to it" \
		"destroy_workqueue / queue_work_on" "queue_work_on+0x3f/0x80,$submit" \
		"destroy_workqueue+0x21e/0x740,detach+0xa8/0x6f0 [mtdcompr]"
	whose ours "a list of ours, in a work" "__list_add_valid / process_one_work" \
		"__list_add_valid+0x3f/0x80,$submit" "process_one_work+0x21e/0x740"
	whose theirs "the flags of our task, read by the scheduler" \
		"call_enter [mtdcompr] / kthread_is_per_cpu" \
		"call_enter+0x3f/0x80 [mtdcompr],$submit" "kthread_is_per_cpu+0x1/0x20,can_migrate_task+0x1/0x2"
	whose theirs "who submitted a bio, told that it is done" \
		"end_swap_bio_write / shrink_folio_list" \
		"end_swap_bio_write+0x69/0x110,bio_endio+0x25f/0x270,$ours" \
		"shrink_folio_list+0x374/0x1aa0,shrink_lruvec+0x11ce/0x1c10"
	whose ours "the bio itself" "bio_endio / count" "bio_endio+0x25f/0x270,$ours" "count+0x1/0x20"
	whose ours "a bio that is one of ours" "sim_done [mtdsim] / count" \
		"sim_done+0x69/0x110 [mtdsim],bio_endio+0x25f/0x270,$ours" "count+0x1/0x20"
}

# refused CALLER: the kernel's report of a page that it did not get without waiting
refused()
{
	echo "[   35.796980] aside: page allocation failure: order:0, mode:0x800(GFP_NOWAIT), nodemask=(null)"
	stack "Call Trace" "dump_stack_lvl+0x44/0x5c" "__alloc_skb+0x15c/0x1a0" "$1+0x5a/0x1e0"
	echo "[   35.796980]  </TASK>"
}

# lost_events: the report of an event about a process goes, and nothing else
lost_events()
{
	{
		echo "[    1.000000] before"
		refused cn_netlink_send_mult
		echo "[    2.000000] between"
		refused mtdc_attach
	} > "$out/dmesg"
	without_lost_events < "$out/dmesg" > "$details"
	[ "$(grep -c 'allocation failure' "$details")" = 1 ] && ! grep -q cn_netlink "$details" &&
		grep -q mtdc_attach "$details" && [ "$(grep -c 'before$\|between$' "$details")" = 2 ]
	result $? "judge: an event about a process that the kernel drops is no error of ours"
}

# In User Mode Linux the stack of a failed vmalloc() has no end mark, and amounts of memory follow.
faults()
{
	printf '[    %s\n' "0.000000] Linux version 7.3.0" \
		"1.000000] kunit: vmalloc error: size 42312, align 0x1, vm_struct allocation failed" \
		"1.000000] CPU: 0 UID: 0 PID: 1161 Comm: kunit_try_catch" "1.000000] Call Trace:" \
		"1.000000]  [<60070e00>] ? show_stack+0x0/0x110" "1.000000] Mem-Info:" \
		"1.000000] 16852 pages reserved" "2.000000] WARNING: mtdcore.c:1606 at mtd_read" \
		> "$out/dmesg"
	without_faults < "$out/dmesg" > "$details"
	! grep -q 'Call Trace' "$details" && grep -q WARNING "$details"
	result $? "judge: a warning after a vmalloc() that failed is seen"
}

# guest_log [LINE...]: log of a guest with KCSAN that ends with these lines
guest_log()
{
	kcsan "lapic_cal_handler / setup_boot_APIC_clock" "lapic_cal_handler+0x1/0x2" "count+0x3/0x40"
	echo "ok 1 - it works"
	[ $# = 0 ] || printf '%s\n' "$@"
}

# says_first FIRST [LINE...]: the first line that run.sh prints about a guest whose log ends so
says_first()
{
	local first=$1

	shift
	guest_log "$@" > "$out/guest.log"
	echo "guest: failed" > "$out/guest.out"
	(
		# shellcheck source-path=SCRIPTDIR source=job.sh
		MTDC_LOGS=$out MTDC_JOB=guest . "$here/job.sh"
		last_words "$out/guest.log" "$out/guest.out" > "$details"
	)
	[ "$(head -n 1 "$details")" = "$first" ]
}

guests()
{
	says_first "judge.sh: KCSAN: 1 reports of ours, 2 of the stock kernel" \
		"judge.sh: KCSAN: 1 reports of ours, 2 of the stock kernel" \
		"judge.sh: the kernel's log is not clean:"
	result $? "run: of a guest's log what the judge says, not the races of the stock kernel"
	says_first "[  2.0] Kernel panic - not syncing" "[  2.0] Kernel panic - not syncing"
	result $? "run: the panic, if the judge says nothing"
	says_first "[  2.0] BUG: KASAN: use-after-free in f" "[  2.0] BUG: KASAN: use-after-free in f"
	result $? "run: another report than KCSAN's"
	says_first "==> $out/guest.log <=="
	result $? "run: the end of the log, and what guest.sh says, if there is nothing else"
}

# suite STATUS [LINE...]: output of pass_on() for a suite with one good case
suite()
{
	local status=$1

	shift
	printf '%s\n' "1..1" "ok 1 - a case" "$@" > "$out/suite.tap"
	(number=0 && pass_on "$status" "$out/suite.tap" "thread: ") > "$details"
}

suites()
{
	local summary="SUMMARY: ThreadSanitizer: data race soak.c:224 in check_words" what

	suite 0
	[ "$(grep -c '^not ok' "$details")" = 0 ]
	result $? "suites: a good one has not failed"
	suite 66 "WARNING: ThreadSanitizer: data race (pid=1098)" "    #1 map road.c:2" "$summary"
	what="thread: suite.tap: 1 of 1 cases, exit status 66"
	grep -qxF "not ok 2 - $what, $summary" "$details"
	result $? "suites: the result says what a sanitizer has found"
	sed '1,/^not ok/d' "$details" | grep -qxF "#     #1 map road.c:2"
	result $? "suites: and its report follows"
	suite 66
	grep -qxF "not ok 2 - $what" "$details"
	result $? "suites: a status by itself is a failure"
}

# The results count, not the exit status.
set +e
reports
lost_events
faults
guests
suites
end_results
