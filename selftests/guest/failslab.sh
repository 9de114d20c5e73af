#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Swap while memory can't be had: a share of the allocations fails, of slabs
# (failslab) and of pages (fail_page_alloc). No deadlock, and every page is right;
# the signatures are checked while it lasts, and again when it is over.
#
# By mtdblock, and by our own block device. Two kinds, one after the other. In all of the
# system, allocations that may not wait, as everything else does that the checker and the
# shell live on. In the tasks that swap (the checker, kswapd, and the workers, in which
# mtdblock calls us), all allocations, those that may wait included; which never fail in a
# stock kernel as long as they are small.
#
# For a guest of 136 MiB, of which nandsim takes 32, and a reserve of 64 MiB.
# MTDC_GENS sets how often all pages are visited. The short form, on memory by mtdblock
# and by our own block device, needs no nandsim, and with 112 MiB as much of a guest.
#
# job: checks failslab --mem 136 --reserve 64 --timeout 900
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/swaplib.sh"

: "${MTDC_GENS:=1}"
fail=/sys/kernel/debug
mountpoint -q $fail || mount -t debugfs none $fail
if [ ! -e $fail/failslab ] || [ ! -e $fail/fail_page_alloc ]; then
	skip "swap while allocations fail" "this kernel has no failslab"
	exit 0
fi

load

# The checker takes as much as brings 30 MiB into swap, or 15. How much that is, nobody
# can tell before: what checks take of a kernel's memory is not the same each time.
over=$(amount 15 30)

# 9p, over which the guest has its programs, does not outlive an allocation that fails: a
# fid that could not be given back is given out again, and all that is looked up is
# EINVAL. So those who swap must neither read the checker from there, nor take inodes
# away when they reclaim.
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

# faults_on SLAB_KNOBS PAGE_KNOBS OF_TASKS: Y: of the tasks that are marked, whether it
# may wait or not; N: of all, what may not wait
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

# swapping_tasks: the numbers of kswapd, the workers, and the checker
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

# mark_tasks: from the moment that the checker is there, and again and again, as
# workers come and go
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

# fresh OPTIONS: the device anew. mtdblock never says that a swap slot is free, so what
# one swap has left would fill the media of the next.
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

# 32 MiB in 256 blocks of 64 pages, as in swapnand.sh. nandsim tells of each
# allocation that fails as if the chip had failed: with each of them a block may be given
# up, and as there are five spare ones no more than five may fail. Its pages take a slab
# each where memory is in pieces, so each page written could be a page that fails: those
# that erased blocks leave are kept for it.
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
