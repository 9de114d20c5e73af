#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs in the guest, started by init.c: sets up the system for a script, runs it, and checks the
# kernel's log by judge.sh. Exit status 0 means that this guest run has passed.
set -u

export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export HOME=/root LANG=C.UTF-8 LC_ALL=C.UTF-8 TERM=dumb
# mtdc_top and mtdc_run come from the kernel command line; run.env has the rest
# (MTDC_*, KREL), and sets the arguments: the script with its own.
# shellcheck disable=SC2154
# shellcheck source=/dev/null
. "$mtdc_run/run.env"
. "$MTDC_TOP/qemu/judge.sh"

# If the OOM killer killed this shell, every failure would look the same.
echo -1000 > /proc/self/oom_score_adj

mkdir -p "/lib/modules/$KREL"
mount --bind "$MTDC_MODTREE/lib/modules/$KREL" "/lib/modules/$KREL"

[ -z "${MTDC_DRIVE:-}" ] || modprobe virtio_blk

# From here on everything belongs to the test: print kernel messages on the console.
echo 7 > /proc/sys/kernel/printk

cd "$MTDC_TOP" || exit 1
(
	# The OOM killer may kill the script, as any program.
	echo 0 > /proc/self/oom_score_adj
	exec "$@" </dev/null
)
status=$?

if [ $status != 0 ]; then
	echo "init.sh: script failed with status $status"
	exit $status
fi

# unload: only after the unload is the remaining memory of a module a leak.
unload()
{
	[ ! -d /sys/module/mtdcompr ] || rmmod mtdcompr || {
		echo "init.sh: mtdcompr is still in use"
		return 1
	}
}

# leaks: search for leaks, if the kernel has kmemleak.
leaks()
{
	local knob=/sys/kernel/debug/kmemleak

	[ -e "$knob" ] || return 0
	unload || return 1
	# When memory is short, kmemleak is the first to fail, and stays off.
	if ! { echo scan > "$knob"; } 2>/dev/null; then
		echo "init.sh: kmemleak gave up, leaks were not looked for"
		return 0
	fi
	# kmemleak reports objects that are 5 s old and were unreferenced in two scans. A real leak
	# stays; an object that moved during a scan is found the next time.
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

# The kernel's log may have only splats that the script has announced.
judge || exit 1

# Reboots are abrupt: nothing may be left to write back.
sync
exit 0
