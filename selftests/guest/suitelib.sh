# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Sourced by some of the suites-*.sh, after lib.sh: memory that is short for one process only. This
# is faster than filling the guest's memory, and no other process has pages in swap, such as the
# shell that has to report an error.
# shellcheck disable=SC2154 # lib.sh's variables

cgroups=$TMP/cgroup

# limit_memory MIB: processes in the group "swapped" get MIB, all others don't swap
limit_memory()
{
	mkdir "$cgroups"
	must mount -t cgroup2 none "$cgroups"
	echo +memory > "$cgroups/cgroup.subtree_control"
	mkdir "$cgroups/swapped" "$cgroups/others"
	cat "$cgroups/cgroup.procs" > "$TMP/processes"
	while read -r process; do
		# Some are the kernel's.
		echo "$process" > "$cgroups/others/cgroup.procs" 2> "$TMP/out"
	done < "$TMP/processes"
	echo 0 > "$cgroups/others/memory.swap.max"
	echo "$1M" > "$cgroups/swapped/memory.max"
}

# enter GROUP: move this shell, or subshell, and its later children there
enter()
{
	echo 0 > "$cgroups/$1/cgroup.procs"
}

# unlimit_memory: undo limit_memory
unlimit_memory()
{
	cat "$cgroups/swapped/cgroup.procs" "$cgroups/others/cgroup.procs" > "$TMP/processes"
	while read -r process; do
		echo "$process" > "$cgroups/cgroup.procs" 2> "$TMP/out"
	done < "$TMP/processes"
	rmdir "$cgroups/swapped" "$cgroups/others"
	must umount "$cgroups"
}
