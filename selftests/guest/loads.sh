#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Does a load of the module, with a device, leave memory behind? For the debug kernel,
# whose own pools go up and down by some 350 KiB from one look to the next, whatever
# module comes and goes: so the median of several looks is taken. In the short form a
# load has to leave 6 KiB to be seen, where it is 700 bytes else.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/memlib.sh"

LOOKS=5 LOADS=30
[ -z "${MTDC_SHORT:-}" ] || LOOKS=3 LOADS=6
plan 2
no_autoload
phram low0 0 512

# loads: that often
loads()
{
	n=0
	while [ $n -lt $LOADS ]; do
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

# median OF_NUMBERS
median()
{
	printf '%s\n' "$@" | sort -n | sed -n $((($# + 1) / 2))p
}

# The first fill caches.
must loads
first=$(looks)
status=$?
whose_memory "$TMP/from"
last=$(looks)
result $((status + $?)) "loaded and unloaded $((2 * LOOKS * LOADS)) times"
whose_memory "$TMP/to"
# shellcheck disable=SC2086 # lists of numbers
{
	diag $first "KiB, then" $last "KiB"
	before=$(median $first)
	after=$(median $last)
}
diag "$(what_grew "$TMP/from" "$TMP/to")"
holds "memory did not grow: $before KiB before, $after after" $((after - before)) -lt 100
