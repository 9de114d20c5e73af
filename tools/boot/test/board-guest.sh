#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# board-guest.sh boot|up|down: BusyBox init runs it in the guest of board-test.sh: before the init
# script mtdcompr starts, after the boot, and after the script's stop at shutdown. It prints TAP
# with one numbering.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C
SCRIPT=/etc/init.d/mtdcompr
planned=23

# result STATUS WHAT
result()
{
	n=$(($(cat /run/results 2>/dev/null || echo 0) + 1))
	echo $n > /run/results
	if [ "$1" = 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
	fi
}

# is WHAT GOT WANTED
is()
{
	if [ "$2" = "$3" ]; then
		result 0 "$1"
	else
		result 1 "$1"
		echo "# got:  $2"
		echo "# want: $3"
	fi
}

swaps() { grep -c mtdcompr /proc/swaps; }
devices() { find /proc/mtdcompr -type f 2>/dev/null | wc -l; }
lines() { dmesg | grep -c 'mtdcompr: no swap'; }

boot()
{
	mount -t devtmpfs devtmpfs /dev 2>/dev/null
	mount -t proc proc /proc
	mount -t sysfs sysfs /sys
	mount -t tmpfs -o mode=0755 tmpfs /run
	mount -t tmpfs -o mode=1777 tmpfs /tmp
	# shellcheck source=/dev/null
	. /mtdc/run.env
	stty -F "$MTDC_RESULT" raw -echo
	echo up > "$MTDC_RESULT"
	rngseed < /init
	is "process 1 is BusyBox init" "$(cat /proc/1/comm) $(readlink /proc/1/exe)" \
		"init /usr/bin/busybox"
	is "before: no swap" "$(swaps)" 0
}

# fails WHAT PATTERN SETTING...: with these settings the script fails with one line and changes
# nothing
fails()
{
	what=$1 pattern=$2
	shift 2
	before=$(lines)
	printf '%s\n' "$@" > /run/defaults
	DEFAULTS=/run/defaults $SCRIPT start > /run/out 2>&1
	status=$?
	is "$what: status, lines, in the log, no swap" \
		"$status $(grep -c "$pattern" /run/out) $(wc -l < /run/out) $(($(lines) - before)) \
$(swaps)" "1 1 1 1 0"
	[ "$(wc -l < /run/out)" = 1 ] || sed 's/^/# /' /run/out
}

up()
{
	is "the swap is there" "$(swaps)" 1
	is "with its priority" "$(awk '/mtdcompr/ { print $5 }' /proc/swaps)" 90
	is "compressor and media" "$(mtdcomprctl list -n --raw -o ALGORITHM,MEDIA)" "lzo ext"
	is "PERCENT counts" "$(awk '/mtdcompr/ { print int($3 / 1024) }' /proc/swaps)" \
		"$(awk '/^MemTotal/ { print int(($2 * 150 / 100 - 4) / 1024) }' /proc/meminfo)"
	is "page-cluster is 0" "$(cat /proc/sys/vm/page-cluster)" 0
	$SCRIPT status > /run/out
	is "status" "$? $(grep -c '\[SWAP\]' /run/out)" "0 1"
	$SCRIPT start > /run/out
	is "start once more changes nothing" "$? $(swaps)" "0 1"
	$SCRIPT restart > /run/out 2>&1
	is "restart" "$? $(swaps)" "0 1"
	$SCRIPT stop
	is "stop: no swap, no device" "$? $(swaps) $(devices)" "0 0 0"
	is "page-cluster is what it was" "$(cat /proc/sys/vm/page-cluster)" 3
	$SCRIPT stop
	is "stop once more" $? 0
	$SCRIPT status > /run/out
	is "status says so" $? 3
	fails "media that are missing" "no such MTD" MEDIA=nothing
	mtdcomprctl attach --name other ext > /run/out
	fails "media that are in use" "a device is on this MTD" MEDIA=ext
	fails "no media are free" "no media are free" ALGO=lzo
	mtdcomprctl detach other
	fails "no such compressor" "give lz4" MEDIA=ext ALGO=lz77
	fails "more than the media can promise" "ratio\|size" MEDIA=ext SIZE=99999
	$SCRIPT start
	# The shutdown has to read pages back. -p swaps the kept pages out even if memory is free.
	memsig -s 7 -m 4 -g 0 -p -w /run/kept -k 2 > /run/memsig 2>&1 &
	while [ ! -e /run/kept ] && kill -0 $! 2>/dev/null; do
		sleep 1
	done
	is "pages are swapped out" "$([ "$(awk '/mtdcompr/ { print $4 }' /proc/swaps)" -gt 500 ] &&
		echo yes)" yes
	sed 's/^/# /' /run/memsig
	poweroff
}

down()
{
	is "shutdown: no swap" "$(swaps)" 0
	is "shutdown: the device is detached" "$(devices)" 0
	is "nothing was said" "$(dmesg | grep -c 'mtdcompr: the swap stays')" 0
	echo "1..$planned"
	# shellcheck source=/dev/null
	. /mtdc/run.env
	# shellcheck source=../../../qemu/judge.sh
	. /judge.sh
	if [ "$(cat /run/results)" = $planned ] && judge; then
		sync
		echo success > "$MTDC_RESULT"
	fi
	[ ! -x /mtdc/leave ] || /mtdc/leave
}

"$1"
