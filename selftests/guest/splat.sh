#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# splat.sh KIND: has the kernel meet one of the errors that it is there to find (see
# selftests/modules/splat). For selftests/rig.sh, which looks whether this guest fails.
# No test by itself: that nothing fails here is the failure.
modprobe mtdc_splat kind="$1"
echo "splat.sh: $1 begins"
if [ "$1" = still ]; then
	# To print the clock's complaint, that it stood still, would touch the watchdogs.
	echo 3 > /proc/sys/kernel/printk
	sleep 60
fi
echo "splat.sh: $1 is done"
