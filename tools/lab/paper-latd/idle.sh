#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Measures the cost of latd at rest, in a guest whose time is a count of instructions:
#
#   qemu/guest.sh --mem 192 --clock icount -- tools/lab/paper-latd/idle.sh
# shellcheck disable=SC2153 # of qemu/guest.sh
. "$MTDC_TOP/selftests/guest/lib.sh"
PATH=$MTDC_BUILD/tools:$PATH

must mount -t cgroup2 none /sys/fs/cgroup
sleep 100000 &
latd -f -p infer -o others.touch_name=sleep -s "$TMP/latd.sock" -S "$TMP/latd.state" \
	2> "$TMP/log" &
latd=$!
sleep 5
from=$(cut -d ' ' -f 1 "/proc/$latd/schedstat")
sleep 60
to=$(cut -d ' ' -f 1 "/proc/$latd/schedstat")
echo "result processor $(((to - from) / 60000)) microseconds a second"
sed -n 's/^VmRSS:[^0-9]*/result resident /p' "/proc/$latd/status"
kill $latd
