# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Sourced by the swap scripts, after lib.sh.
# shellcheck disable=SC2154 # lib.sh's variables

# The memory that "twice the memory" refers to. A debug kernel allocates memory for its checks
# later, but MemTotal includes it: there take the memory that programs can have.
total_mib=$(awk -v checks="${MTDC_MEM_KERNEL:-0}" \
	'/^MemTotal:/ { total = $2 } /^MemAvailable:/ { left = $2 }
	END { print int((checks > 0 ? left : total) / 1024) }' /proc/meminfo)
diag "memory: $total_mib MiB"
echo 100 > /proc/sys/vm/swappiness

# Drivers allocate from this reserve in the swap-out path, and on a debug kernel also the checks'
# memory for each object: the default was too small for nandsim there, and on the kernel for
# coverage. With fragmented memory the kernel boosts the watermark to twice the reserve, and the OOM
# killer ran with 19 MiB free.
case $(uname -r) in
*-mtdc*)
	echo 8192 > /proc/sys/vm/min_free_kbytes
	echo 0 > /proc/sys/vm/watermark_boost_factor ;;
esac

# left_mib: memory that programs can have at least. On a kernel with KASAN they get three fifths of
# the available memory (44 to 49 MiB of 81 with a full swap), because its checks need some for each
# object. KCSAN needs none.
left_mib()
{
	case $(uname -r) in
	*-mtdcdebug*)	echo $(($(available_mib) * 6 / 10)) ;;
	*)		available_mib ;;
	esac
}

# MiB that the short form's programs use beyond their memory. These go to swap, and with changed
# pages there are ten thousand pageouts.
# shellcheck disable=SC2034 # for the scripts
beyond=20

# wait_for FILE: or until the background process $job has ended
wait_for()
{
	while [ ! -e "$1" ] && kill -0 "$job" 2>/dev/null; do
		sleep 0.5
	done
}

# pressure WHAT BLOCK NAME MEMSIG_ARGUMENTS...: swap on BLOCK, run memsig, swap off while it still
# holds some pages, let it verify these. Seven results.
pressure()
{
	what=$1 block=$2 name=$3
	shift 3
	rm -f "$TMP/kept" "$TMP/kept.go"
	mark
	must mkswap "$block"
	must swapon "$block"
	read -r from _ < /proc/uptime
	# A hang must fail only this test.
	limited "${MTDC_SWAP_LIMIT:-400}" memsig -s "$MTDC_SEED" "$@" -w "$TMP/kept" \
		> "$TMP/memsig" 2>&1 &
	job=$!
	wait_for "$TMP/kept"
	holds "$what: pages went to swap" "$(stat page_writes "$name")" -gt 2000
	holds "$what: and came back" "$(stat page_reads "$name")" -gt 1000
	check "$what: swapoff with pages out" limited 300 swapoff "$block"
	: > "$TMP/kept.go"
	wait $job
	result $? "$what: every page has the right contents"
	read -r to _ < /proc/uptime
	diag "$((${to%.*} - ${from%.*})) s: $(cat "$TMP/memsig")"
	diag "$(grep -E '^(page_(writes|reads)|ratio_percent|(write|read)_avg_ns|media_used_bytes):' \
		"$PROC/$name" | tr '\n' ' ')"
	grep "^err_\|^pages_lost" "$PROC/$name" | grep -v ": 0$" | sed "s/^/# /"
	is "$what: no error was counted" \
		"$(grep '^err_\|^pages_lost' "$PROC/$name" | grep -vc ': 0$')" 0
	is "$what: the kernel saw no failed swap I/O" \
		"$(dmesg | sed -n "/mtdc-test: mark $$\.$mark_id\$/,\$p" | \
			grep -ci 'error on swap-device\|I/O error\|swap_free: \|Bad swap')" 0
	identities "$what: the figures are consistent" "$name"
}

# swap_on OPTIONS MIB WHAT: load the module as a user would, fill the memory, unload it. Eight
# results.
swap_on()
{
	must modprobe mtdcompr "mtd=$1"
	pressure "$3" "/dev/mtdblock$(mtd_num mtdcompr0)" mtdcompr0 -m "$2" -g 1 -k 8
	check "$3: the module can be unloaded" rmmod mtdcompr
}

# mended: number of unaligned accesses, by kernel and programs, that a trap has corrected; nothing
# if the processor allows them.
mended()
{
	# MIPS, and ARM; there the loading of modules may cause some (zram's does).
	cat /sys/kernel/debug/mips/unaligned_instructions 2> "$TMP/out" ||
		sed -n 's/^System:[[:space:]]*\([0-9]*\).*/\1/p' /proc/cpu/alignment \
			2> "$TMP/out"
}
