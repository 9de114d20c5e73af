#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Does a load of the module, with a device, leak memory? For the debug kernel, whose own use varies
# by up to 900 KiB between two measurements: freed memory waits in KASAN's quarantine and for RCU.
# This only adds, so the script takes the least of several measurements, one after each round of
# loads. The kernel's pools also grow now and then, but a leak grows with each load. So if memory
# has grown too much there is another series, which fails only if it grows as much again. The short
# form finds a leak of 10 KiB a load for sure, the long form one of 2 KiB.
#
# job: checks loads --mem 256 --reserve 64 --timeout 900
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/memlib.sh"

LOOKS=5 LOADS=$(amount 6 30) SERIES=5 LIMIT_KIB=100
no_autoload
phram low0 0 512

# loads: load and unload LOADS times
loads()
{
	n=0
	while [ $n -lt "$LOADS" ]; do
		modprobe mtdcompr mtd=low0 && rmmod mtdcompr || return 1
		n=$((n + 1))
	done
}

# looks: print the memory in use after each of LOOKS rounds of loads
looks()
{
	i=0
	while [ $i -lt $LOOKS ]; do
		loads || return 1
		memory
		i=$((i + 1))
	done
}

# least NUMBER...: the smallest number
least()
{
	printf '%s\n' "$@" | sort -n | head -n 1
}

# The first loads fill caches.
must loads
whose_memory "$TMP/from"
last=$(looks)
status=$?
series=1
# Without two series the test fails.
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
