#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Runs guest scripts one after the other in one boot: batch.sh NAME... . The host's run.sh reads the
# results between the two marks; without an end mark, the script has crashed the guest.
set -u
here=$(dirname "$0")

# A message of the kernel in the middle of a result line would hide the result. Oopses and panics
# raise the level again by themselves.
dmesg -n 1

# A script starts thousands of small programs, and mostly waits for 9p: the host opens each library
# and each file of a locale. So the smallest programs are busybox's, a static binary that takes an
# eighth of the time. Programs under test, and those that differ in busybox, stay the real ones:
# modprobe, rmmod, swapon, mount, dd, awk, timeout, ...
LC_ALL=C
export LC_ALL
if [ -x "${MTDC_BUSYBOX:-}" ]; then
	mkdir -p /run/small
	for name in cat cut dirname dmesg grep head ls mkdir rm sed seq sleep sort tail tr uniq wc; do
		ln -sf "$MTDC_BUSYBOX" "/run/small/$name"
	done
	PATH=/run/small:$PATH
	export PATH
fi

# counts NAME: copy the line counts of the script NAME to the host, if kernel and modules are built
# with gcov. The kernel keeps the counts of unloaded modules.
counts()
{
	from=/sys/kernel/debug/gcov
	[ -n "${MTDC_OUT:-}" ] && [ -d $from ] || return 0
	mountpoint -q "$MTDC_OUT" || {
		mkdir -p "$MTDC_OUT" &&
		mount -t 9p -o trans=virtio,version=9p2000.L out "$MTDC_OUT"
	} || return 1
	# These files have size 0, so that cp would make empty copies.
	find "$from" -name '*.gcda' | while read -r file; do
		to=$MTDC_OUT/$1${file#"$from"}
		mkdir -p "${to%/*}" && cat "$file" > "$to" || exit 1
	done && echo 0 > $from/reset
}

for name; do
	echo "# BEGIN $name"
	read -r begin _ < /proc/uptime
	sh "$here/$name.sh"
	status=$?
	read -r end _ < /proc/uptime
	counts "$name" || status=gcov
	echo "# END $name status $status after $((${end%.*} - ${begin%.*})) s"
done
exit 0
