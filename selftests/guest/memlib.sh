# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Sourced by scripts that look for memory that does not come back, after lib.sh.

# memory: KiB that the kernel holds and that a leak would add to. Caches that
# can be reclaimed, and the pools of empty slabs, are given back first.
memory()
{
	sync
	echo 3 > /proc/sys/vm/drop_caches
	for shrink in /sys/kernel/slab/*/shrink; do
		echo 1 > "$shrink"
	done
	sleep 1
	awk '/^(SUnreclaim|VmallocUsed|PageTables|KernelStack|Percpu):/ { sum += $2 }
		END { print sum }' /proc/meminfo
}

# whose_memory FILE: the parts of it, and what each cache of slabs holds, KiB, into FILE
whose_memory()
{
	awk '/^(SUnreclaim|VmallocUsed|PageTables|KernelStack|Percpu):/ { print $1, $2 }' \
		/proc/meminfo > "$1"
	awk '$7 == ":" { print "slab:" $1, $15 * $6 * '$((PAGE / 1024))' }' /proc/slabinfo >> "$1"
}

# what_grew FROM TO: the parts of whose_memory that are not the same, the most first
what_grew()
{
	awk 'NR == FNR { from[$1] = $2; next }
		$2 != from[$1] { printf "%d %s\n", $2 - from[$1], $1 }' "$1" "$2" |
		sort -rn | head -n 12
}
