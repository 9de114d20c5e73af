#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Measures the cost of proswapd, in a guest whose time is a count of instructions: with 200 sleeping
# programs, and with 16 periodic programs without page-outs (--dry-run).
#
#   qemu/guest.sh --mem 448 --reserve 64 --clock icount -- tools/lab/paper-proswap/cost.sh
# shellcheck disable=SC2153 # of qemu/guest.sh
. "$MTDC_TOP/selftests/guest/lib.sh"
. "$MTDC_TOP/tools/lab/guestlib.sh"
programs "$MTDC_BUILD/tools/memload" "$MTDC_BUILD/tools/proswapd" "$MTDC_BUILD/tools/proswapctl"
group=/sys/fs/cgroup/load

control_groups
mkdir $group
no_huge_pages
swap_device ram $((MTDC_RESERVE_SIZE >> 10))
swap_on "$swap"

# took: processor time of the daemon and its processes, nanoseconds
took()
{
	for took_pid in $daemon $(cat "/proc/$daemon/task/$daemon/children"); do
		cut -d ' ' -f 1 "/proc/$took_pid/schedstat"
	done | awk '{ ns += $1 } END { printf "%.0f\n", ns }'
}

# cost WHAT SECONDS OPTION...: print the cost of a daemon after its start
cost()
{
	run=$1 seconds=$2
	shift 2
	proswapd -f -s "$TMP/proswapd.sock" -S "$TMP/proswapd.state" "$@" 2> "$TMP/log" &
	daemon=$!
	sleep "$seconds"
	from=$(took)
	sleep "$seconds"
	proswapctl -s "$TMP/proswapd.sock" status | quote
	say permille_of_a_processor $((($(took) - from) / seconds / 1000000))
	kill $daemon
	wait $daemon
	quote < "$TMP/log"
}

n=0
while [ $n -lt 200 ]; do
	n=$((n + 1))
	sleep 100000 &
	sleepers="${sleepers:-} $!"
done
for monitor in bpf pagemap; do
	cost sleeping-$monitor 30 -o proswapd.monitor=$monitor
done
# shellcheck disable=SC2086 # a list of processes
kill $sleepers

echo 56M > $group/memory.max
printf '#regions\na, 6291456\n\n#phases\npass\n1000\na, 0, 4096, 1\n' > "$TMP/circle.cfg"
n=0
while [ $n -lt 16 ]; do
	n=$((n + 1))
	(
		echo 0 > $group/cgroup.procs
		exec memload pattern --passes 1 --work 2000 --repeat 100000 --out /dev/null \
			"$TMP/circle.cfg"
	) > /dev/null 2>&1 &
	circles="${circles:-} $!"
done
cost helped 40 --dry-run
# shellcheck disable=SC2086 # a list of processes
kill -9 $circles
