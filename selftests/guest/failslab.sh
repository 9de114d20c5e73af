#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Swap while a share of the allocations fails, of slabs (failslab) and of pages (fail_page_alloc).
# There must be no deadlock, and every page must be right; memsig checks the signatures during the
# faults, and again after them.
#
# Through mtdblock, and through the driver's block device. Two kinds, one after the other. First, in
# the whole system, allocations that may not sleep. Then, in the tasks that swap (the checker,
# kswapd, and mtdblock's workers, which call the driver), all allocations, even those that may
# sleep; a stock kernel never fails small ones.
#
# For a guest of 136 MiB (nandsim takes 32) and a reserve of 64 MiB. MTDC_GENS: number of visits of
# all pages. The short form, on memory through mtdblock and the block device, needs no nandsim, and
# a guest of 112 MiB has as much free memory.
#
# job: checks failslab --mem 136 --reserve 64 --timeout 900
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/swaplib.sh"

: "${MTDC_GENS:=1}"
fail=/sys/kernel/debug
mountpoint -q $fail || mount -t debugfs none $fail
if [ ! -e $fail/failslab ] || [ ! -e $fail/fail_page_alloc ]; then
	skip_rest "swap while allocations fail" "this kernel has no failslab"
fi

load

# The checker fills memory until 30 MiB are in swap, or 15. The amount of memory for that is not
# known, because a debug kernel's own use varies.
over=$(amount 15 30)

# The guest's programs come over 9p, which does not survive a failed allocation: a fid that could
# not be given back is used again, and all lookups fail with EINVAL. So the swapping tasks must not
# read the checker from there, nor reclaim inodes.
must eval "echo 0 > /proc/sys/vm/vfs_cache_pressure"
must mkdir -p "$TMP/bin"
must cp "$(command -v memsig)" "$TMP/bin"
PATH=$TMP/bin:$PATH

# set_fault NAME KNOB=VALUE...
set_fault()
{
	fault_dir=$fail/$1
	shift
	for setting; do
		must eval "echo '${setting#*=}' > '$fault_dir/${setting%%=*}'"
	done
}

MANY=1000000

# faults_on SLAB_KNOBS PAGE_KNOBS OF_TASKS: Y: all allocations of marked tasks; N: in all tasks,
# allocations that may not sleep
faults_on()
{
	case $3 in
	Y)	waiting=N ;;
	*)	waiting=Y ;;
	esac
	set_fault fail_page_alloc min-order=0 ignore-gfp-highmem=N
	for kind in failslab fail_page_alloc; do
		set_fault $kind verbose=0 times=$MANY interval=1 space=0 "task-filter=$3" \
			"ignore-gfp-wait=$waiting"
	done
	# shellcheck disable=SC2086 # lists of words
	{
		set_fault failslab $1
		set_fault fail_page_alloc $2
	}
	slab_times=$(cat $fail/failslab/times)
}

# faults_off: sets injected. The tasks may stay marked: at 0 % nothing fails.
faults_off()
{
	for kind in failslab fail_page_alloc; do
		set_fault $kind probability=0
	done
	slab_faults=$((slab_times - $(cat $fail/failslab/times)))
	page_faults=$((MANY - $(cat $fail/fail_page_alloc/times)))
	diag "faults: $slab_faults of slabs, $page_faults of pages"
	injected=$((slab_faults + page_faults))
}

# swapping_tasks: pids of kswapd, the workers and the checker
swapping_tasks()
{
	for task in /proc/[0-9]*; do
		read -r task_name 2> /dev/null < "$task/comm" || continue
		case $task_name in
		kswapd*|kworker*|kcompactd*|memsig)
			echo "${task#/proc/}" ;;
		esac
	done
}

# mark_tasks: mark them as soon as the checker runs, again and again, because workers come and go
mark_tasks()
{
	while [ ! -e "$TMP/unmark" ]; do
		for task in $(swapping_tasks); do
			{ echo 1 > "/proc/$task/make-it-fail"; } 2> /dev/null
		done
		sleep 1
	done
}

# shaken WHAT SLAB_KNOBS PAGE_KNOBS OF_TASKS: pressure() with these faults. Nine results.
shaken()
{
	shaken_what=$1
	rm -f "$TMP/unmark"
	marker=
	if [ "$4" = Y ]; then
		mark_tasks &
		marker=$!
	fi
	faults_on "$2" "$3" "$4"
	pressure "$shaken_what" "$BLOCK" fsl \
		-m $((2 * total_mib)) -o "$over" -g "$MTDC_GENS" -k 8
	: > "$TMP/unmark"
	faults_off
	[ -z "$marker" ] || wait "$marker"
	holds "$shaken_what: there were faults" $injected -gt 20
	is "$shaken_what: when it is over, the device works as before" \
		"$(patio -s 3 write "$BLOCK" 0 500 1 | cut -d' ' -f1-4) $(
			patio -s 3 verify "$BLOCK" 0 500 1)" \
		"ok 500 error 0 ok 500 error 0 wrong 0 first none"
}

# fresh OPTIONS: attach a new device. mtdblock does not report free slots, so the pages of one run
# would fill the media of the next.
fresh()
{
	detach fsl
	attach "$1,name=fsl"
}

phram low 0 $((MTDC_RESERVE_SIZE / 1024))
attach "low,comp=lz4,name=fsl"
shaken "memory, what may not wait" probability=10 probability=10 N
fresh low,comp=lz4
if [ -n "${MTDC_LONG:-}" ]; then
	shaken "memory, all of those who swap" probability=2 probability=2 Y
	fresh low,comp=lz4
fi
BLOCK=$(own_disk fsl)
shaken "our own block device, all of those who swap" probability=2 probability=2 Y
long_from_here
detach fsl
must rmmod phram

must modprobe mtdsim "dev=name=chip,type=nand,size=60M,base=$MTDC_RESERVE_ADDR"
attach "chip,store=log,comp=lzo,name=fsl"
BLOCK=$(own_disk fsl)
shaken "a log by our own block device, all of those who swap" probability=2 probability=2 Y
detach fsl
must rmmod mtdsim

must modprobe mtdc_faultmtd address=$((MTDC_RESERVE_ADDR)) \
	size_kib=$((MTDC_RESERVE_SIZE / 1024)) alloc_pages_each=4
attach "faultmtd,comp=zstd,name=fsl"
shaken "a driver that allocates, all of those who swap" probability=2 probability=2 Y
detach fsl
must rmmod mtdc_faultmtd

# 32 MiB in 256 blocks of 64 pages, as in swapnand.sh. nandsim reports a failed allocation as a
# failure of the chip. Each may give up a block, and with five spare blocks at most five may fail.
# nandsim allocates a page for each written page, so each write may fail: keep the pages that erased
# blocks leave.
must modprobe nandsim id_bytes=0xec,0xa1,0x00,0x15 overridesize=8
must eval "echo 20000 > /sys/kernel/slab/nandsim/min_partial"
nand=$(sed -n 's/^mtd\([0-9]*\):.*"NAND simulator.*/\1/p' /proc/mtd)
must flash_erase "/dev/mtd$nand" 0 0
must dd if=/dev/urandom of="/dev/mtd$nand" bs=128k count=256
attach "$nand,cache=1,comp=lz4,size=60M,name=fsl"
shaken "nandsim, what may not wait" probability=10 probability=10 N
fresh "$nand,cache=1,comp=lz4,size=60M"
shaken "nandsim, all of those who swap" "probability=100 interval=1500 times=5" probability=1 Y
holds "nandsim: no more blocks were given up than allocations have failed" \
	"$(stat blocks_retired fsl)" -le "$slab_faults"
detach fsl
must rmmod nandsim
