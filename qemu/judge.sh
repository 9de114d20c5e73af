# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Sourced by what runs a script in a guest, init.sh on the PC and machine/init on the others:
# the kernel's log, and what may not be in it. For dash and busybox.

# races COUNTS: leaves out the reports of KCSAN that are none of ours, and writes into that file how
# many are ours and how many are not. Debian's kernel, by the strict rules, has hundreds of data
# races of its own: in the scheduler, in the page cache, in 9p. A report is ours if one of our
# modules is in one of its two stacks, also below the function that did the access. But these do
# not count:
#  - what an interrupt has interrupted.
#  - the callers of bio_endio(). It calls a function of the one who submitted the bio, and that works
#    on his data: end_swap_bio_write() on the page's flags. If one of our modules submitted the bio,
#    its function is above bio_endio(), and counts.
#  - a report of two functions of the queue of those who wait for a mutex. Its nodes are the
#    kernel's, one for each processor, and osq_unlock() of 6.1 looks at them without saying that it
#    is meant.
#  - a report of two functions of the kernel's workqueue. queue_work() sets the bit of a pending work
#    by an atomic operation and without a lock. The worker has the pool's lock, and uses plain reads
#    and writes for the other bits of that word. A function of ours that writes to the word, as by
#    INIT_WORK(), is named in the report itself, and so that stays ours.
races()
{
	awk -v counts="$1" '
		function pair(name) {
			return "BUG: KCSAN: data-race in " name " / " name "\n"
		}
		function is_kernels() {
			return block ~ pair("osq_[a-z]+") || block ~ pair(workqueue)
		}
		function done() {
			if (!held)
				return
			if (block !~ /BUG: KCSAN: /) {
				printf "%s", block
			} else if (ours && !is_kernels()) {
				printf "%s", block
				our_races++
			} else {
				races++
			}
			held = 0
		}
		BEGIN {
			workqueue = "(queue_work_on|queue_delayed_work_on|pwq_activate_inactive_work" \
				"|move_linked_works|process_one_work|worker_thread)"
		}
		/=================================/ {
			if (held) {
				block = block $0 "\n"
				done()
				next
			}
			held = 1
			block = $0 "\n"
			ours = below = frames = 0
			next
		}
		!held { print; next }
		{ block = block $0 "\n" }
		/ by (task|interrupt)/ { below = frames = 0; next }
		/ asm_(sysvec_|common_interrupt|exc_)/ { below = 1 }
		/\+0x/ { frames++ }
		/ bio_endio\+0x/ && frames > 1 { below = 1 }
		/\[(mtdcompr|mtdsim|mtdc_[a-z]*)\]/ && !below { ours = 1 }
		END {
			done()
			print our_races + 0, races + 0 > counts
		}'
}
# our_races: KCSAN's reports of the stock kernel are not looked at
our_races()
{
	[ -e /sys/kernel/debug/kcsan ] || return 0
	races /run/races < /run/dmesg > /run/dmesg.ours
	mv /run/dmesg.ours /run/dmesg
	read -r ours others < /run/races
	echo "judge.sh: KCSAN: $ours reports of ours, $others of the stock kernel"
	# A ring that has lost its beginning may have lost one of ours, too.
	dmesg | grep -q 'Linux version' || {
		echo "judge.sh: the log's beginning was lost, and perhaps reports with it"
		return 1
	}
}

# allowed: cuts out what the script said may be there
allowed()
{
	# An OOM report has a call trace, too. Its victim asks for a last page of its own, and
	# gets none.
	if [ -e /run/mtdc-allow-oom ]; then
		sed -i -e '/invoked oom-killer/,/[Oo]ut of memory: Killed/d' \
			-e '/page allocation failure: order:0, mode:.*GFP_HIGHUSER_MOVABLE/d' \
			/run/dmesg
	fi
	# So has each injected fault, and a vmalloc that failed by one; where stacks have no
	# mark at their end, a line without text follows. The ring begins within such a report
	# where it has pushed out its beginning.
	if [ -e /run/mtdc-allow-faults ]; then
		awk 'NR == 1 { cut = !/Linux version/ }
			/FAULT_INJECTION: forcing a failure|vmalloc error: / { cut = 1 }
			!cut
			/<\/TASK>/ || /^\[[ 0-9.]*\] *$/ { cut = 0 }' /run/dmesg > /run/dmesg.rest
		mv /run/dmesg.rest /run/dmesg
	fi
	# And each error of UBI's, which is no error of the kernel: these have a headline of
	# their own, that stays.
	if [ -e /run/mtdc-allow-traces ]; then
		sed -i '/\] CPU: [0-9]* PID: [0-9]* Comm: /,/<\/TASK>/d' /run/dmesg
	fi
}

# judge: is the kernel's log clean? Says what is not.
judge()
{
	splat='WARNING|\<BUG\>|\<Oops\>|Call Trace|Backtrace: |hung_task: blocked'
	splat="$splat|blocked for more than|oom-killer|Out of memory|Internal error"
	splat="$splat|Kernel panic|general protection|unreferenced object"
	splat="$splat|UBSAN|KASAN|KCSAN|soft lockup|self-detected stall|detected stalls"
	splat="$splat|[Cc]ircular locking|suspicious RCU|allocation failure"
	splat="$splat|Unhandled fault|[Aa]lignment trap|Unhandled kernel unaligned access"

	dmesg | grep -v 'ommand line: ' > /run/dmesg
	our_races || return 1
	allowed
	if grep -E "$splat" /run/dmesg > /run/splats; then
		echo "judge.sh: the kernel's log is not clean:"
		# A report of KCSAN says all. It loses the kernel's time, because run.sh leaves out
		# most lines that have one. Of other splats the lines after the first say more.
		if [ -e /sys/kernel/debug/kcsan ]; then
			head -n 8 /run/splats
			sed -n '/BUG: KCSAN/,/========/{ s/^\[[^]]*\] //; /^ *$/d; p; }' /run/dmesg
		else
			cat /run/splats
			grep -n -E "$splat" /run/dmesg | sed -n '1s/:.*//p' > /run/line
			tail -n +"$(cat /run/line)" /run/dmesg | head -n 100
		fi
		return 1
	fi
	# The log is a ring; what was pushed out of it leaves a taint: bad page (32),
	# oops (128), warning (512), soft lockup (16384).
	tainted=$(cat /proc/sys/kernel/tainted)
	if [ $((tainted & (32 | 128 | 512 | 16384))) != 0 ]; then
		echo "judge.sh: the kernel is tainted: $tainted"
		return 1
	fi
}
