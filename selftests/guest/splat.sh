#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# splat.sh KIND: causes one of the errors that the debug kernels must find (see
# selftests/modules/splat). For selftests/rig.sh, which checks that this guest fails. It is no test
# by itself: if nothing fails here, rig.sh fails.
modprobe mtdc_splat kind="$1"
echo "splat.sh: $1 begins"
if [ "$1" = still ]; then
	# Printing the clock's warning that it stood still would touch the watchdogs.
	echo 3 > /proc/sys/kernel/printk
	sleep 60
fi
echo "splat.sh: $1 is done"
