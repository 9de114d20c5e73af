# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# shellcheck disable=SC2154 # daemon
#
# Sourced in a Debian guest by scripts that run daemons by their units: TAP results. After a failure
# the log of the unit $daemon is shown.
n=0 failed=0
run=/run/units
mkdir -p "$run"

# is WHAT GOT WANTED
is()
{
	n=$((n + 1))
	if [ "$2" = "$3" ]; then
		echo "ok $n - $1"
	else
		failed=$((failed + 1))
		echo "not ok $n - $1"
		echo "# got:  $2"
		echo "# want: $3"
		tail -n 5 "$run/said" 2>/dev/null | sed 's/^/# /'
		journalctl -b -q --no-pager -o cat -n 8 -u "$daemon" | sed 's/^/# /'
		# The number of a system call that killed the daemon
		dmesg | grep 'type=1326' | tail -n 3 | sed 's/^/# /'
	fi
}

# soon SECONDS COMMAND...: repeat the command until it succeeds; fails after SECONDS
soon()
{
	left=$(($1 * 5))
	shift
	until "$@" > "$run/said" 2>&1; do
		left=$((left - 1))
		[ "$left" -gt 0 ] || return 1
		sleep 0.2
	done
}

reads() { [ "$(cat "$1")" = "$2" ]; }
above() { [ "${1:-0}" -gt "$2" ]; }

# swap_is_made: make a swap of the memory that the kernel does not use
swap_is_made()
{
	modprobe phram "phram=ext,$MTDC_RESERVE_ADDR,$MTDC_RESERVE_SIZE"
	modprobe mtdcompr mtd=ext,comp=lz4
	mkswap /dev/mtdcompr0 > "$run/said" 2>&1 && swapon -p 100 /dev/mtdcompr0
	is "the swap is there" "$(grep -c mtdcompr /proc/swaps)" 1
}

# end_results: the plan; the status is 0 only if nothing failed
end_results()
{
	echo "1..$n"
	[ "$failed" = 0 ]
}
