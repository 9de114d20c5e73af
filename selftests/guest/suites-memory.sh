#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Programs that test memory, with more memory in use than the guest has, so that most of the
# verified pages have been in swap: stress-ng with every one of its methods, stressapptest,
# memtester. For a guest of 128 MiB and a reserve of 128 MiB. MTDC_ROUNDS: length of the runs.
#
# job: suites memory --mem 128 --reserve 128 --timeout 1200
# shellcheck disable=SC2154 # s_KEY are set by load_stats, by name
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/swaplib.sh"

: "${MTDC_ROUNDS:=60}"
phram low 0 $((MTDC_RESERVE_SIZE / 1024))
load

# swapping WHAT ATTACH_OPTIONS PATTERN COMMAND...: the command must succeed, and print PATTERN.
# Through mtdblock, unless WHAT says block device
swapping()
{
	what=$1 options=$2 pattern=$3
	shift 3
	attach "low,$options,name=mem"
	case $what in
	"block device"*)	swap=/dev/$(stat disk mem) ;;
	*)			swap=$BLOCK ;;
	esac
	must mkswap "$swap"
	must swapon "$swap"
	mark
	read -r from _ < /proc/uptime
	limited $((MTDC_ROUNDS * 8 + 120)) "$@" > "$TMP/swapping" 2>&1
	is "$what: it ends well" $? 0
	read -r to _ < /proc/uptime
	[ "$(grep -c "$pattern" "$TMP/swapping")" -gt 0 ]
	result $? "$what: and says so"
	grep "$pattern" "$TMP/swapping" | head -n 5 | sed 's/^/# /'
	[ "$(grep -c "$pattern" "$TMP/swapping")" -gt 0 ] ||
		tail -n 20 "$TMP/swapping" | sed 's/^/# /'
	load_stats mem
	diag "$((${to%.*} - ${from%.*})) s, $s_page_writes pages out, $s_page_reads in," \
		"$s_ratio_percent % of their size"
	holds "$what: thousands of pages went out and in" $((s_page_writes > 5000 && s_page_reads > 2000)) = 1
	is "$what: no error was counted" \
		"$(grep '^err_\|^pages_lost' "$PROC/mem" | grep -vc ': 0$')" 0
	is "$what: the kernel saw no failed swap I/O" \
		"$(dmesg | sed -n "/mtdc-test: mark $$\.$mark_id\$/,\$p" | \
			grep -ci 'error on swap-device\|I/O error\|swap_free\|Bad swap')" 0
	must limited 300 swapoff "$swap"
	identities "$what: the figures are consistent" mem
	detach mem
}

free=$(awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo)
diag "$free MiB are left for programs"

swapping "stress-ng, every method, $((free * 2)) MiB" comp=lz4 'vm .*[1-9][0-9]*' \
	stress-ng --vm 2 --vm-bytes "$((free * 2))m" --vm-method all --vm-keep --verify \
		--metrics-brief --seed "$MTDC_SEED" --timeout "$MTDC_ROUNDS" --temp-path "$TMP"

swapping "block device, stress-ng, every method" comp=lz4 'vm .*[1-9][0-9]*' \
	stress-ng --vm 2 --vm-bytes "$((free * 2))m" --vm-method all --vm-keep --verify \
		--metrics-brief --seed "$MTDC_SEED" --timeout "$MTDC_ROUNDS" --temp-path "$TMP"

# Three threads copy, invert and check pages.
swapping "stressapptest, $((free * 3 / 2)) MiB" comp=zstd '^Status: PASS' \
	stressapptest -M $((free * 3 / 2)) -s "$MTDC_ROUNDS" -m 1 -i 1 -c 1 -v 5

# memtester would lock its memory if it were allowed to. Run its first eight tests and the next two
# that go over the memory in order; the others go over it a hundred times. Its addresses and random
# numbers hardly compress, and mtdblock does not report free slots: they would fill the media if the
# swap area were larger than the media.
# shellcheck disable=SC2016 # to be expanded by that shell
swapping "memtester, $((free * 12 / 10)) MiB" \
	"comp=lzo,alloc=best,size=$((MTDC_RESERVE_SIZE * 9 / 10240))K" '^Done' \
	setpriv --reuid=65534 --regid=65534 --clear-groups sh -c \
		'ulimit -l 0; MEMTESTER_TEST_MASK=$2 exec memtester "$1M" 1' sh \
		$((free * 12 / 10)) "${MTDC_MEMTESTER:-0xff}"
