#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Attach and detach, load and unload, and loads that fail, while other processes open the device,
# swap to it and read its files. An open gives a device that works, or a proper error; no read
# returns stale data; nothing is left at the end. MTDC_CYCLES: number of cycles, 40, or 400 in the
# long form; half of them are loads.
#
# job: test,long,debug races --mem 192 --reserve 64 --timeout 600 --smp 2
# job: faults races --mem 192 --reserve 64 --timeout 9000 --smp 2 --env MTDC_CYCLES=10000
. "$(dirname "$0")/lib.sh"

: "${MTDC_CYCLES:=$(amount 40 400)}"
no_autoload
holds "there are $(nproc) processors to race on" "$(nproc)" -ge 2
phram low 0 2048
load

# outcomes FILE WHAT: its line of figures
outcomes() { sed -n "s/^$2 //p" "$1"; }

# only WHAT ALLOWED...: it was tried, worked at times, and otherwise failed with these errnos
only()
{
	only_what=$1 only_bad=
	shift
	# words: ok N ERRNO N ...
	# shellcheck disable=SC2046
	set -- " $* ok " $(outcomes "$TMP/race" "$only_what")
	only_allowed=$1
	shift
	only_text=$*
	[ "${2:-0}" -gt 0 ] || only_bad="never worked;"
	while [ $# -ge 2 ]; do
		case $only_allowed in
		*" $1 "*)	;;
		*)		only_bad="$only_bad $1" ;;
		esac
		shift 2
	done
	is "$race: $only_what: $only_text" "$only_bad" ""
}

# Errors of an open before the attach or after the detach.
gone="ENOENT ENODEV ENXIO EBUSY"

race=sysfs
check "attached and detached $MTDC_CYCLES times, by two, with all others in the way" \
	eval "racer -s $MTDC_SEED sysfs $MTDC_CYCLES low - > $TMP/race"
only attach EBUSY
only detach EBUSY
# shellcheck disable=SC2086 # a list of words
{
	only open $gone
	# EBUSY: another process has the block device open for writing.
	only use EBUSY
	only open-block $gone
	# EIO: O_DIRECT reports a refused write of the page cache, because another process had the
	# block device open for writing (the header of a swap area). No read may fail.
	only read-block EIO
	# EINVAL: blank, or with the swap header of another size.
	only swapon $gone EINVAL
	only swapoff
	only open-disk $gone
	only read-disk
	only swapon-disk $gone EINVAL
	only swapoff-disk
	# EIO: procfs returns it for a file that went while it was open.
	only proc ENOENT ENODEV EIO
	only sysfs ENOENT ENODEV
}
is "$race: no read failed" "$(dmesg | grep -c 'I/O error.* op 0x0:')" 0
is "$race: nothing stale or foreign was read" "$(outcomes "$TMP/race" wrong)" 0
is "$race: no device and no statistics are left" \
	"$(grep -c race /proc/mtd) $(ls "$PROC")" "0 "

# Loads. If kprobes work, every other load fails when the device is visible already.
must rmmod mtdcompr
module=$(modinfo -n mtdcompr)
race=modules
if modprobe mtdc_failsysfs; then
	fail_file=/sys/module/mtdc_failsysfs/parameters/fail
else
	diag "no probes: no load fails"
	fail_file=
fi
check "loaded and unloaded $((MTDC_CYCLES / 2)) times, with all others in the way" \
	eval "racer -s $MTDC_SEED modules $((MTDC_CYCLES / 2)) low $module $fail_file > $TMP/race"
only load ${fail_file:+ENOMEM}
only unload EAGAIN EBUSY
only use EBUSY
only swapoff
only read-disk
only swapoff-disk
for what in open open-block swapon open-disk swapon-disk proc sysfs; do
	diag "$race: $what: $(outcomes "$TMP/race" $what)"
done
is "$race: nothing stale or foreign was read" "$(outcomes "$TMP/race" wrong)" 0
is "$race: no swap, device or statistics are left" \
	"$(grep -c '^/' /proc/swaps) $(grep -c race /proc/mtd) $(ls "$PROC" 2>/dev/null)" "0 0 "
check "the module can be loaded and used" modprobe mtdcompr mtd=low,name=after
CHAR=/dev/mtd$(mtd_num after)
is "and its device is as good as any" "$(patio write "$CHAR" 0 64 1 > "$TMP/out"
	patio verify "$CHAR" 0 64 1)" "ok 64 error 0 wrong 0 first none"

# mtdblock counts the users of an MTD without the core's lock, before 6.5 in an int.
BLOCK=/dev/mtdblock${CHAR#/dev/mtd}
check "opened on both sides, $((MTDC_CYCLES * 500)) times each" \
	openers $((MTDC_CYCLES * 500)) "$CHAR" "$BLOCK"
detach after
is "and it is gone without a warning" "$(grep -c after /proc/mtd) $(dmesg | grep -c WARNING)" "0 0"
