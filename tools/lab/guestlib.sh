# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Sourced by the guest.sh of the experiments, after selftests/guest/lib.sh: programs, swap, control
# groups, and the results of a run: lines of "result RUN KEY VALUE". $run is the name of the run, and
# may be empty.
# shellcheck disable=SC2154 # lib.sh's variables

run=''
# The files in it go to the host at the end.
out=$TMP/out
mkdir -p "$out"

# programs FILE...: copy programs to the guest's memory, because reading from the host is slow
programs()
{
	mkdir -p "$TMP/bin"
	must cp "$@" "$TMP/bin"
	PATH=$TMP/bin:$PATH
}

# swap_device MEDIA KIB: make a device with lz4; sets swap. MEDIA: ram (the first KIB of the
# reserve) or nand (the existing MTD "swap"), both with MTDCOMPR; or zram
swap_device()
{
	case $1 in
	zram)
		zram "$2K"
		swap=/dev/zram0
		return ;;
	ram)	phram swap 0 "$2" ;;
	esac
	must modprobe mtdcompr
	attach "swap,comp=lz4,name=swp"
	# shellcheck disable=SC2034 # the script's
	swap=$(own_disk swp)
}

# zram SIZE: make /dev/zram0
zram()
{
	must modprobe zram
	echo lz4 > /sys/block/zram0/comp_algorithm
	echo "$1" > /sys/block/zram0/disksize
}

# swap_on DEVICE
swap_on()
{
	must mkswap "$1"
	must swapon "$1"
}

# control_groups: with memory
control_groups()
{
	must mount -t cgroup2 none /sys/fs/cgroup
	echo +memory > /sys/fs/cgroup/cgroup.subtree_control
}

no_huge_pages() { echo never > /sys/kernel/mm/transparent_hugepage/enabled; }

# results: print lines of KEY VALUE as results of the run
results() { sed "s/^/result ${run:+$run }/"; }

# say KEY VALUE: print a result
say() { echo "$1 $2" | results; }

# quote: print lines as comments of the run
quote() { sed "s/^/# ${run:+$run: }/"; }

# counters: print counters of the system as lines of KEY VALUE
counters()
{
	awk '/^cpu / { print "busy_ticks", $2 + $3 + $4 + $7 + $8; print "idle_ticks", $5 + $6 }' /proc/stat
	awk '/^(pswpin|pswpout|pgmajfault|workingset_refault_(file|anon)|pgscan_(kswapd|direct)) /' /proc/vmstat
}

# differences FILE: print the differences between such lines and earlier ones in FILE
differences()
{
	awk 'NR == FNR { before[$1] = $2; next } { print $1, $2 - before[$1] }' "$1" - | results
}

# daemon_cost PID: print a daemon's use of time and memory
daemon_cost()
{
	{
		awk '{ sub(/.*\) /, ""); print "daemon_ticks", $12 + $13 }' "/proc/$1/stat"
		awk '$1 == "VmRSS:" { print "daemon_kib", $2 } $1 == "VmHWM:" { print "daemon_hwm_kib", $2 }' \
			"/proc/$1/status"
	} | results
}

# /proc/uptime has seconds with two decimals.
uptime_ms() { sed 's/ .*//; s/\.//; s/$/0/' /proc/uptime; }

# rounds N PLAN...: call "one ROUND PLAN" for each plan, N times
rounds()
{
	rounds_n=$1 round=0
	shift
	while [ "$round" -lt "$rounds_n" ]; do
		round=$((round + 1))
		for plan; do
			one "$round" "$plan"
		done
	done
}

# deliver: copy the files to the host
deliver()
{
	[ -n "${MTDC_OUT:-}" ] || return 0
	mkdir -p "$MTDC_OUT"
	must mount -t 9p -o trans=virtio,version=9p2000.L out "$MTDC_OUT"
	must cp -r "$out/." "$MTDC_OUT/"
}
