# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# load_stats sets the figures s_KEY by name.
# shellcheck disable=SC2154
#
# Sourced by the guest scripts: TAP output, and the media and devices to test on. The plan is the
# number of results of a script that gets to its end; clean_up undoes its changes on exit.
#
# The scripts use only POSIX shell. They run in a guest of 256 MiB under an emulator, where starting
# a process is expensive: prefer shell built-ins.

set -u
mark_id=0
: "${MTDC_TOP:?}" "${MTDC_BUILD:=$MTDC_TOP/build}"
SYS=/sys/devices/mtdcompr
PROC=/proc/mtdcompr
TMP=/run/mtdc-test
PATH=$MTDC_BUILD/selftests:$PATH:/usr/sbin:/sbin
# MTDC_TIMES: this machine is that many times slower than usual; guest.sh sets it.
: "${MTDC_SEED:=1}" "${MTDC_TIMES:=1}"
export PATH
# Used by the scripts. qemu/machine sets MTDC_PAGE for another page size.
# shellcheck disable=SC2034
PAGE=${MTDC_PAGE:-4096}

rm -rf "$TMP"
mkdir -p "$TMP"

# Enable large folios (mTHP) of each size if MTDC_MTHP says always, disable them with never. The
# kernel has them since 6.8, and swaps them out as a whole.
for mthp in /sys/kernel/mm/transparent_hugepage/hugepages-*/enabled; do
	[ -z "${MTDC_MTHP:-}" ] || [ ! -w "$mthp" ] || echo "$MTDC_MTHP" > "$mthp"
done

seen=0

# A script has two forms: the short one has the best tests for its run time, for `make test` and for
# each run of `make test-long`; with MTDC_LONG=1 the long one has all. The forms differ in amounts,
# and the short one ends earlier.

# amount SHORT LONG: print the value for this form
amount()
{
	if [ -n "${MTDC_LONG:-}" ]; then
		echo "$2"
	else
		echo "$1"
	fi
}

# available_mib: memory that programs can use in addition, as the kernel reports it
available_mib()
{
	awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo
}

# limited SECONDS COMMAND...: end the command after that time, multiplied by MTDC_TIMES
limited()
{
	limited_s=$(($1 * MTDC_TIMES))
	shift
	timeout -k 5 $limited_s "$@"
}

# long_from_here: end the script here, except in the long form
long_from_here()
{
	[ -n "${MTDC_LONG:-}" ] || exit 0
}

diag()
{
	printf '%s\n' "$*" | sed 's/^/# /'
}

# result STATUS DESCRIPTION
result()
{
	seen=$((seen + 1))
	if [ "$1" = 0 ]; then
		echo "ok $seen - $2"
	else
		echo "not ok $seen - $2"
	fi
}

# is DESCRIPTION GOT WANTED; WANTED may be alternatives: "ENOSPC|EIO"
is()
{
	case "|$3|" in
	*"|$2|"*)
		result 0 "$1" ;;
	*)
		result 1 "$1"
		diag "got:  $2"
		diag "want: $3" ;;
	esac
}

# check DESCRIPTION COMMAND...: passes if the command succeeds
check()
{
	check_what=$1
	shift
	if "$@" > "$TMP/check.out" 2>&1; then
		result 0 "$check_what"
	else
		result 1 "$check_what"
		diag "failed: $*"
		tail -n 40 "$TMP/check.out" | sed 's/^/# /'
	fi
}

# refused DESCRIPTION COMMAND...: passes if the command fails
refused()
{
	refused_what=$1
	shift
	if "$@" > "$TMP/check.out" 2>&1; then
		result 1 "$refused_what"
		diag "unexpectedly succeeded: $*"
	else
		result 0 "$refused_what"
	fi
}

# holds DESCRIPTION EXPRESSION...: an arithmetic or test(1) expression, with
# `holds what 3 -le 4`
holds()
{
	holds_what=$1
	shift
	if [ "$@" ]; then
		result 0 "$holds_what"
	else
		result 1 "$holds_what"
		diag "not true: $*"
	fi
}

# skip DESCRIPTION REASON
skip()
{
	seen=$((seen + 1))
	echo "ok $seen - $1 # SKIP $2"
}

# skip_rest DESCRIPTION REASON: the rest of the script needs what is not here
skip_rest()
{
	skip "$@"
	exit 0
}

# Results go here, also if the caller's output is redirected.
exec 7>&1
bail()
{
	echo "Bail out! $*" >&7
	exit 1
}

# must COMMAND...: run a command that the tests need, but which is no test
must()
{
	"$@" > "$TMP/must.out" 2>&1 || {
		sed 's/^/# /' "$TMP/must.out" >&7
		bail "failed: $*"
	}
}

# Lower media. The guest's kernel does not use the reserve; each script divides it up itself: phram
# NAME OFFSET_KIB SIZE_KIB.
phram()
{
	phram_spec="$1,$((MTDC_RESERVE_ADDR + $2 * 1024)),$(($3 * 1024))"
	if [ -d /sys/module/phram ]; then
		must eval "echo '$phram_spec' > /sys/module/phram/parameters/phram"
	else
		must modprobe phram "phram=$phram_spec"
	fi
}

# mtd_num NAME: the number of the MTD
mtd_num()
{
	while read -r num_dev _ _ num_name; do
		if [ "$num_name" = "\"$1\"" ]; then
			num_dev=${num_dev#mtd}
			echo "${num_dev%:}"
			return 0
		fi
	done < /proc/mtd
	return 1
}

# lru KIND: classic or mglru; a kernel without MGLRU has the classic one
lru()
{
	lru_file=/sys/kernel/mm/lru_gen/enabled
	if [ "$1" = mglru ]; then
		must eval "echo y > $lru_file"
	else
		[ ! -w $lru_file ] || echo n > $lru_file
	fi
}

# put ATTRIBUTE STRING: prints `ok` or the errno
put()
{
	mtdop put "$SYS/$1" "$2"
}

# attach STRING: must work; sets NUM, CHAR, BLOCK and NAME of the new device
attach()
{
	attach_got=$(put attach "$1")
	[ "$attach_got" = ok ] || bail "attach '$1': $attach_got"
	case $1 in
	*,name=*)
		NAME=${1##*,name=}
		NAME=${NAME%%,*} ;;
	*)
		NAME=mtdcompr0 ;;
	esac
	NUM=$(mtd_num "$NAME") || bail "attach '$1': no MTD of the name $NAME"
	# Used by the scripts.
	# shellcheck disable=SC2034
	CHAR=/dev/mtd$NUM BLOCK=/dev/mtdblock$NUM
}

detach()
{
	detach_got=$(put detach "$1")
	[ "$detach_got" = ok ] || bail "detach '$1': $detach_got"
}

# stat KEY DEVICE: one figure of the statistics
stat()
{
	while read -r stat_key stat_value; do
		if [ "$stat_key" = "$1:" ]; then
			echo "$stat_value"
			return 0
		fi
	done < "$PROC/$2"
	echo "no-such-key"
	return 1
}

# own_disk DEVICE: its block device
own_disk() { echo "/dev/$(stat disk "$1")"; }

# load_stats DEVICE: every figure into a variable s_KEY, from one reading
load_stats()
{
	cat "$PROC/$1" > "$TMP/stats"
	while read -r stat_key stat_value; do
		case $stat_key in
		*[!a-z0-9_:]*|'')
			continue ;;
		esac
		stat_key=${stat_key%:}
		eval "s_$stat_key=\$stat_value"
	done < "$TMP/stats"
}

# identities DESCRIPTION DEVICE: check relations between the figures of any device
identities()
{
	load_stats "$2"
	(
		t() { [ "$@" ] || { echo "not true: $*"; cat "$TMP/stats"; exit 1; }; }
		t "$s_pages_stored" = \
			$((s_pages_compressed + s_pages_raw + s_pages_filled))
		t "$s_orig_bytes" = \
			$(((s_pages_compressed + s_pages_raw) * s_page_bytes))
		t "$s_media_used_bytes" = \
			$((s_compressed_bytes + s_header_bytes + s_padding_bytes))
		t "$s_media_bytes" -ge $((s_media_used_bytes + s_media_free_bytes))
		t "$s_media_bytes" -lt \
			$((s_media_used_bytes + s_media_free_bytes + s_granule_bytes))
		t "$s_pages_total" = $((s_size_bytes / s_page_bytes))
		t "$s_pages_stored" -le "$s_pages_total"
		t "$s_fragments" -ge $((s_pages_compressed + s_pages_raw))
		t "$s_free_largest_bytes" -le "$s_media_free_bytes"
		t $((s_chain_1 + s_chain_2 + s_chain_3_4 + s_chain_5_8 + s_chain_9_up)) = \
			$((s_pages_compressed + s_pages_raw))
		t "$s_wear_min_bytes" -le "$s_wear_mean_bytes"
		t "$s_wear_mean_bytes" -le "$s_wear_max_bytes"
		if [ "$s_orig_bytes" -gt 0 ]; then
			t "$s_ratio_percent" -ge \
				$((s_compressed_bytes * 100 / s_orig_bytes))
			t "$s_ratio_percent" -le \
				$((s_compressed_bytes * 100 / s_orig_bytes + 1))
		fi
	) > "$TMP/check.out" 2>&1
	result $? "$1"
	[ ! -s "$TMP/check.out" ] || sed 's/^/# /' "$TMP/check.out"
}

# mark: from here on, `messages` shows the kernel's new messages of mtdcompr
mark()
{
	mark_id=$((mark_id + 1))
	echo "mtdc-test: mark $$.$mark_id" > /dev/kmsg
}

messages()
{
	dmesg | sed -n "/mtdc-test: mark $$\.$mark_id\$/,\$ { /mtdc-test/d; /mtdcompr: /p; }"
}

# no_autoload: the MTD core asks modprobe for partition parsers, which Debian lacks, whenever an MTD
# is registered. Under emulation this takes most of the time of a test with a thousand MTDs.
no_autoload()
{
	echo > /proc/sys/kernel/modprobe
}

# load: load the module without devices, and mtdblock
load()
{
	must modprobe mtdblock
	must modprobe mtdcompr
}

# some_disk: make a disk of another driver, for scripts that make allocations fail. The first disk
# of the system makes the slab of its bios; if that fails half-way, the kernel leaks the slab's name
# (6.1: sysfs_slab_add()).
some_disk()
{
	must modprobe brd rd_nr=1 rd_size=64
}

clean_up()
{
	echo /sbin/modprobe > /proc/sys/kernel/modprobe
	exec 3>&- 4>&- 5>&-
	while read -r swap_dev _; do
		case $swap_dev in
		/*)	swapoff "$swap_dev" ;;
		esac
	done < /proc/swaps
	for mount in "$TMP/mnt" "$TMP/cgroup"; do
		! grep -q " $mount " /proc/mounts || umount "$mount"
	done
	# Unload users of an MTD first.
	for module in mtdc_holdmtd mtdcompr mtd_readtest mtd_stresstest mtd_torturetest \
		mtd_speedtest mtd_pagetest mtd_subpagetest mtd_oobtest mtd_nandbiterrs \
		mtd_test phram mtdram nandsim nandsim16 block2mtd brd mtdc_faultmtd \
		mtdc_failsysfs mtdsim; do
		[ ! -d "/sys/module/$module/holders" ] || rmmod "$module"
	done
	[ ! -e /sys/kernel/tracing/events ] || echo 0 > /sys/kernel/tracing/events/enable
	rm -rf "$TMP"
}

# If the script ends early, its plan is incomplete.
finish()
{
	finish_status=$?
	clean_up > /run/mtdc-clean.out 2>&1
	sed 's/^/# at the end: /' /run/mtdc-clean.out
	[ $finish_status != 0 ] || echo "1..$seen"
	exit $finish_status
}
trap finish EXIT
