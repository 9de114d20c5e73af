# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Sourced by the programs that run a script in a guest, init.sh on the PC and machine/init on the
# others: checks that the kernel's log has no splat. For dash and busybox.

# races COUNTS: remove KCSAN's reports about the kernel alone, and write the numbers of the driver's
# reports and of the others to COUNTS. Debian's kernel, by the strict rules, has hundreds of data
# races of its own: in the scheduler, in the page cache, in 9p. A report belongs to the driver if
# one of its modules is in one of the two stacks, also below the function that did the access. But
# these do not count:
# - functions that an interrupt has interrupted.
# - the callers of bio_endio(). It calls a function of the bio's submitter, which works on the
#   submitter's data: end_swap_bio_write() on the page's flags. If a module of the driver submitted
#   the bio, its function is above bio_endio(), and counts.
# - a report of two functions of a mutex's queue of waiters. Its nodes are the kernel's, one for
#   each processor, and osq_unlock() of 6.1 reads them without an annotation.
# - a report of two functions of the kernel's workqueue. queue_work() sets the bit of a pending work
#   by an atomic operation and without a lock. The worker has the pool's lock, and uses plain reads
#   and writes for the other bits of that word. A function of the driver that writes to the word, as
#   by INIT_WORK(), is named in the report itself, and so counts.
# - a report of kthread_is_per_cpu(). The scheduler reads the flags of another task there, without an
#   annotation; each task writes its own, as memalloc_noio_save() does.
races()
{
	awk -v counts="$1" '
		function pair(name) {
			return "BUG: KCSAN: data-race in " name " / " name "\n"
		}
		function is_kernels() {
			return block ~ pair("osq_[a-z]+") || block ~ pair(workqueue) ||
				block ~ /BUG: KCSAN: data-race in [^\n]* \/ kthread_is_per_cpu\n/
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
# our_races: drop KCSAN's reports about the kernel alone
our_races()
{
	[ -e /sys/kernel/debug/kcsan ] || return 0
	races /run/races < /run/dmesg > /run/dmesg.ours
	mv /run/dmesg.ours /run/dmesg
	read -r ours others < /run/races
	echo "judge.sh: KCSAN: $ours reports of ours, $others of the stock kernel"
	# If the ring has lost its beginning, a report about the driver may be lost, too.
	dmesg | grep -q 'Linux version' || {
		echo "judge.sh: the log's beginning was lost, and perhaps reports with it"
		return 1
	}
}

# without_lost_events: a log without what the kernel says when it drops an event about a process: it
# does not wait for memory there, and the report has a call trace
without_lost_events()
{
	awk '
		!held && /page allocation failure: order:0, mode:.*GFP_NOWAIT/ { held = 1; report = "" }
		!held { print; next }
		{ report = report $0 "\n" }
		/<\/TASK>/ { if (report !~ /cn_netlink_send_mult/) printf "%s", report; held = 0 }
		END { if (held) printf "%s", report }'
}

# without_faults: a log without the reports of injected faults, and of a vmalloc() that failed
# because of one. If stacks lack an end mark, a line without text follows, or the kernel says how
# much memory there is. If the ring has lost its beginning, it may begin within such a report.
without_faults()
{
	awk 'NR == 1 { cut = !/Linux version/ }
		/FAULT_INJECTION: forcing a failure|vmalloc error: / { cut = 1 }
		!cut
		/<\/TASK>/ || /^\[[ 0-9.]*\] *$/ || / pages reserved$/ { cut = 0 }'
}

# allowed: remove the splats that the script has announced, and those of events that were dropped
allowed()
{
	without_lost_events < /run/dmesg > /run/dmesg.rest
	mv /run/dmesg.rest /run/dmesg
	# An OOM report has a call trace, too. Its victim asks for a last page of its own, and gets
	# none.
	if [ -e /run/mtdc-allow-oom ]; then
		sed -i -e '/invoked oom-killer/,/[Oo]ut of memory: Killed/d' \
			-e '/page allocation failure: order:0, mode:.*GFP_HIGHUSER_MOVABLE/d' \
			/run/dmesg
	fi
	# So has each injected fault.
	if [ -e /run/mtdc-allow-faults ]; then
		without_faults < /run/dmesg > /run/dmesg.rest
		mv /run/dmesg.rest /run/dmesg
	fi
	# UBI dumps its stack with each error, without an error of the kernel: the dumps have a
	# headline of their own, which stays.
	if [ -e /run/mtdc-allow-traces ]; then
		sed -i '/\] CPU: [0-9]* PID: [0-9]* Comm: /,/<\/TASK>/d' /run/dmesg
	fi
}

# judge: is the kernel's log clean? Print its splats.
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
		# A report of KCSAN is complete. Drop its time stamps, because run.sh skips most
		# lines with one. With other splats the lines after the first explain more.
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
	# The log is a ring; a splat that it has lost leaves a taint: bad page (32), oops (128),
	# warning (512), soft lockup (16384).
	tainted=$(cat /proc/sys/kernel/tainted)
	if [ $((tainted & (32 | 128 | 512 | 16384))) != 0 ]; then
		echo "judge.sh: the kernel is tainted: $tainted"
		return 1
	fi
}
