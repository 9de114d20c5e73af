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
# (MTDC_*, KREL), and sets the arguments: the script with its own.
# shellcheck disable=SC2154
# shellcheck source=/dev/null
. "$mtdc_run/run.env"
. "$MTDC_TOP/qemu/judge.sh"

# An OOM killer that shot this shell would make every case look the same.
echo -1000 > /proc/self/oom_score_adj

mkdir -p "/lib/modules/$KREL"
mount --bind "$MTDC_MODTREE/lib/modules/$KREL" "/lib/modules/$KREL"

[ -z "${MTDC_DRIVE:-}" ] || modprobe virtio_blk

# Everything from here on belongs to the test: say it on the console.
echo 7 > /proc/sys/kernel/printk

cd "$MTDC_TOP" || exit 1
(
	# The script may die of OOM, as any program.
	echo 0 > /proc/self/oom_score_adj
	exec "$@" </dev/null
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

# Nothing may be in the kernel's log that the script did not announce.
judge || exit 1

# Reboots are abrupt: nothing may be left that would have to be written.
sync
exit 0
