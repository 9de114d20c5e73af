#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs in the guest, started by init.c: prepares what a script may expect, runs
# the script, and judges the kernel's log. Exit status 0 means that this guest
# run has passed.
set -u

export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export HOME=/root LANG=C.UTF-8 LC_ALL=C.UTF-8 TERM=dumb
# mtdc_top and mtdc_run come from the kernel command line; run.env has the rest
# (MTDC_*, KREL) and run.args the script with its arguments.
# shellcheck disable=SC2154
# shellcheck source=/dev/null
. "$mtdc_run/run.env"

# An OOM killer that shot this shell would make every case look the same.
echo -1000 > /proc/self/oom_score_adj

mkdir -p "/lib/modules/$KREL"
mount --bind "$MTDC_MODTREE/lib/modules/$KREL" "/lib/modules/$KREL"

[ -z "${MTDC_DRIVE:-}" ] || modprobe virtio_blk

# Everything from here on belongs to the test: say it on the console.
echo 7 > /proc/sys/kernel/printk

mapfile -d '' -t args < "$mtdc_run/run.args"
cd "$MTDC_TOP" || exit 1
(
	# The script may die of OOM, as any program.
	echo 0 > /proc/self/oom_score_adj
	exec "${args[@]}" </dev/null
)
status=$?

if [ $status != 0 ]; then
	echo "init.sh: script failed with status $status"
	exit $status
fi

# unload: of what belongs to a module a leak is what is left when it has gone.
unload()
{
	[ ! -d /sys/module/mtdcompr ] || rmmod mtdcompr || {
		echo "init.sh: mtdcompr is still in use"
		return 1
	}
}

# leaks: with a kernel that can look for them.
leaks()
{
	local knob=/sys/kernel/debug/kmemleak

	[ -e "$knob" ] || return 0
	unload || return 1
	# Where memory is short, it is kmemleak that stops first, for good.
	if ! { echo scan > "$knob"; } 2>/dev/null; then
		echo "init.sh: kmemleak gave up, leaks were not looked for"
		return 0
	fi
	# It tells of objects that are 5 s old and that it has seen twice. What is lost
	# stays lost; what moved about while it was looked for is found the next time.
	for _ in 1 2 3; do
		sleep 6
		echo scan > "$knob"
		cat "$knob" > /run/leaks
		[ -s /run/leaks ] || break
	done
	if [ -s /run/leaks ]; then
		echo "init.sh: memory was lost:"
		head -n 100 /run/leaks
		return 1
	fi
	echo "init.sh: kmemleak finds no leak"
}
leaks || exit 1

# The log of the kernel must be clean. An OOM report has a call trace, too,
# and is allowed when the script says so: cut it out before looking.
dmesg | grep -v "ommand line: " > /run/dmesg
if [ -e /run/mtdc-allow-oom ]; then
	sed -i '/invoked oom-killer/,/Out of memory: Killed\|out of memory: Killed/d' \
		/run/dmesg
fi

# races: without the reports of KCSAN that are none of ours. Debian's kernel, by the
# strict rules, has hundreds of data races of its own: in the scheduler, in the page
# cache, in 9p. Ours is each that has one of our modules in one of the two stacks,
# above what an interrupt has interrupted, whoever did the access itself. But for the
# queue of those who wait for a mutex: its nodes are the kernel's, one for each
# processor, and osq_unlock() of 6.1 looks at them without saying that it is meant.
races()
{
	awk '
		function done() {
			if (!held)
				return
			if (block !~ /BUG: KCSAN: /) {
				printf "%s", block
			} else if (ours && block !~ /data-race in osq_[a-z]+ \/ osq_[a-z]+\n/) {
				printf "%s", block
				our_races++
			} else {
				races++
			}
			held = 0
		}
		/=================================/ {
			if (held) {
				block = block $0 "\n"
				done()
				next
			}
			held = 1
			block = $0 "\n"
			ours = interrupted = 0
			next
		}
		!held { print; next }
		{ block = block $0 "\n" }
		/ by (task|interrupt)/ { interrupted = 0 }
		/ asm_(sysvec_|common_interrupt|exc_)/ { interrupted = 1 }
		/\[(mtdcompr|mtdsim|mtdc_[a-z]*)\]/ && !interrupted { ours = 1 }
		END {
			done()
			print our_races + 0, races + 0 > "/run/races"
		}'
}
if [ -e /sys/kernel/debug/kcsan ]; then
	races < /run/dmesg > /run/dmesg.ours
	mv /run/dmesg.ours /run/dmesg
	read -r ours others < /run/races
	echo "init.sh: KCSAN: $ours reports of ours, $others of the stock kernel"
	# A ring that has lost its beginning may have lost one of ours, too.
	if ! dmesg | grep -q 'Linux version'; then
		echo "init.sh: the log's beginning was lost, and perhaps reports with it"
		exit 1
	fi
fi

# So has each injected fault, and a vmalloc that failed by one. The ring begins
# within such a report where it has pushed out its beginning.
if [ -e /run/mtdc-allow-faults ]; then
	awk 'NR == 1 { cut = !/Linux version/ }
		/FAULT_INJECTION: forcing a failure|vmalloc error: / { cut = 1 }
		!cut
		/<\/TASK>/ { cut = 0 }' /run/dmesg > /run/dmesg.rest
	mv /run/dmesg.rest /run/dmesg
fi
# And each error of UBI's, which is no error of the kernel: these have a headline of
# their own, that stays.
if [ -e /run/mtdc-allow-traces ]; then
	sed -i '/\] CPU: [0-9]* PID: [0-9]* Comm: /,/<\/TASK>/d' /run/dmesg
fi
splat='WARNING|\<BUG\>|\<Oops\>|Call Trace|hung_task: blocked'
splat="$splat|blocked for more than|oom-killer|Out of memory"
splat="$splat|Kernel panic|general protection|unreferenced object"
splat="$splat|UBSAN|KASAN|KCSAN|soft lockup|self-detected stall|detected stalls"
splat="$splat|[Cc]ircular locking|suspicious RCU|allocation failure"
if grep -E "$splat" /run/dmesg > /run/splats; then
	echo "init.sh: the kernel's log is not clean:"
	cat /run/splats
	# A report of KCSAN is what there is to know.
	[ ! -e /sys/kernel/debug/kcsan ] || sed -n '/BUG: KCSAN/,/========/p' /run/dmesg
	# And so is what the OOM killer says of memory.
	sed -n '/invoked oom-killer/,/Out of memory/p' /run/dmesg
	exit 1
fi

# The log is a ring; what was pushed out of it leaves a taint: bad page (32),
# oops (128), warning (512), soft lockup (16384).
tainted=$(cat /proc/sys/kernel/tainted)
if [ $((tainted & (32 | 128 | 512 | 16384))) != 0 ]; then
	echo "init.sh: the kernel is tainted: $tainted"
	exit 1
fi

# Reboots are abrupt: nothing may be left that would have to be written.
sync
exit 0
