#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Does a load of the module, with a device, leave memory behind? For the debug kernel,
# whose own pools hold up to 900 KiB more in one look than in the next, whatever module
# comes and goes: what is freed waits in KASAN's quarantine and for RCU. That only adds,
# and comes back, so the least of several looks counts, one after each round of loads. The
# pools grow, too, now and then, and then no more; a leak grows as much with each load. So
# as long as it is too much there is another series, and that has to grow as much over the
# one before it. In the short form a load has to leave 10 KiB to be seen in any case, where
# it is 2 KiB else.
#
# job: checks loads --mem 256 --reserve 64 --timeout 900
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/memlib.sh"

LOOKS=5 LOADS=$(amount 6 30) SERIES=5 LIMIT_KIB=100
no_autoload
phram low0 0 512

# loads: that often
loads()
{
	n=0
	while [ $n -lt "$LOADS" ]; do
		modprobe mtdcompr mtd=low0 && rmmod mtdcompr || return 1
		n=$((n + 1))
	done
}

# looks: what memory there was after each of these rounds of loads
looks()
{
	i=0
	while [ $i -lt $LOOKS ]; do
		loads || return 1
		memory
		i=$((i + 1))
	done
}

# least OF_NUMBERS
least()
{
	printf '%s\n' "$@" | sort -n | head -n 1
}

# The first fill caches.
must loads
whose_memory "$TMP/from"
last=$(looks)
status=$?
series=1
# Where there are no two series, it is not known.
before=0 after=$LIMIT_KIB
while [ $status = 0 ] && [ $series -lt $SERIES ]; do
	first=$last
	last=$(looks)
	status=$?
	series=$((series + 1))
	# shellcheck disable=SC2086 # lists of numbers
	{
		diag $first "KiB, then" $last "KiB"
		before=$(least $first)
		after=$(least $last)
	}
	[ $((after - before)) -ge $LIMIT_KIB ] || break
done
result $status "loaded and unloaded $((series * LOOKS * LOADS)) times"
whose_memory "$TMP/to"
holds "memory did not grow: $before KiB before, $after after" $((after - before)) -lt $LIMIT_KIB
diag "$(what_grew "$TMP/from" "$TMP/to")"
