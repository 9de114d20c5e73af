#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# /mtdc/at-end: runs in the guest of systemd-test.sh after all is stopped and unmounted.
n=$(cat /run/results) failed=0

# has WHAT LINE: does /run/stopped have this line?
has()
{
	n=$((n + 1))
	if grep -qxF "$2" /run/stopped; then
		echo "ok $n - $1"
	else
		failed=1
		echo "not ok $n - $1"
		sed 's/^/# /' /run/stopped
	fi
}

has "shutdown: the services have switched the swap off" "swaps 0"
has "shutdown: the devices are detached" "devices 0"
has "shutdown: no unit has failed" "results 6 success"
n=$((n + 1))
if dmesg | grep -iE 'swap.*(fail|error)|failed deactivating' > /run/errors; then
	failed=1
	echo "not ok $n - shutdown: nothing in the log"
	sed 's/^/# /' /run/errors
else
	echo "ok $n - shutdown: nothing in the log"
fi
exit $failed
