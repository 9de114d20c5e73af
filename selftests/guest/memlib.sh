# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Sourced by scripts that look for memory leaks, after lib.sh.

# memory: KiB that the kernel uses and that a leak would increase. Caches that can be reclaimed, and
# empty slabs, are freed first.
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

# whose_memory FILE: write its parts, and the size of each slab cache, KiB, to FILE
whose_memory()
{
	awk '/^(SUnreclaim|VmallocUsed|PageTables|KernelStack|Percpu):/ { print $1, $2 }' \
		/proc/meminfo > "$1"
	awk '$7 == ":" { print "slab:" $1, $15 * $6 * '$((PAGE / 1024))' }' /proc/slabinfo >> "$1"
}

# what_grew FROM TO: the parts of whose_memory that differ, largest first
what_grew()
{
	awk 'NR == FNR { from[$1] = $2; next }
		$2 != from[$1] { printf "%d %s\n", $2 - from[$1], $1 }' "$1" "$2" |
		sort -rn | head -n 12
}

# memory_group MIB: make a control group, $GROUP. Memory of its programs above MIB goes to swap at
# once, memory of other programs does not. No program is killed for it.
memory_group()
{
	GROUP=$TMP/cgroup/group
	if [ ! -e "$GROUP/memory.high" ]; then
		must mkdir -p "$TMP/cgroup"
		must mount -t cgroup2 cgroup2 "$TMP/cgroup"
		must eval "echo +memory > '$TMP/cgroup/cgroup.subtree_control'"
		must mkdir -p "$GROUP"
	fi
	must eval "echo ${1}M > '$GROUP/memory.high'"
}

# in_group COMMAND...: exec the command in the group; for the background
in_group()
{
	# shellcheck disable=SC2016 # the inner shell's
	exec sh -c 'echo $$ > "$0" && exec "$@"' "$GROUP/cgroup.procs" "$@"
}

no_group()
{
	must umount "$TMP/cgroup"
}
