#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# mtdcomprctl on a board, static and for its processor, with only busybox beside it: it leaves the
# system's own flash alone, measures on the media that it is given, and sets up swap that works.
#
# job: test,stock board
# job: machine pxa270
# shellcheck disable=SC2154 # lib.sh's variables
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/swaplib.sh"

CTL=mtdcomprctl
phram low 0 $((MTDC_RESERVE_SIZE / 1024))
must modprobe mtdcompr

# all_knobs: print everything that mtdcomprctl may change
all_knobs()
{
	cat /proc/mtd /proc/swaps /proc/sys/vm/page-cluster
	ls "$PROC"
}
before=$(all_knobs)

is "--find takes the RAM, not the flash" "$($CTL --find)" "mtd$(mtd_num low) low"
$CTL suggest -m low --pages 64 > "$TMP/advice" 2>&1
is "suggest, measured on that RAM" $? 0
sed 's/^/# /' "$TMP/advice"
is "it has measured two compressors at least" \
	"$([ "$(grep -c '^lz\|^z' "$TMP/advice")" -ge 2 ] && echo yes)" yes
check "the flash with the root is in use" grep -q 'Filesystem .* is mounted at /' "$TMP/advice"
is "all is as before" "$(all_knobs)" "$before"
command=$(sed -n 's/^mtdcomprctl \(swap on .* low\)$/\1/p' "$TMP/advice")
# shellcheck disable=SC2086 # a list of words
is "the command that it names works" "$($CTL $command 2>&1)" /dev/mtdcompr0
limited 200 memsig -s 7 -m $(($(left_mib) + 6)) -g 0 > "$TMP/memsig" 2>&1
is "pages went there, and came back as they were" $? 0
check "stats" $CTL stats
sed 's/^/# /' "$TMP/check.out"
holds "pages were written" "$(stat page_writes mtdcompr0)" -gt 500
holds "the list knows as many" "$($CTL --raw -n -o WRITES)" -ge "$(stat page_writes mtdcompr0)"
is "OpenMetrics have an end" "$($CTL stats --openmetrics | tail -n 1)" "# EOF"
$CTL top --count 2 -d 2 > "$TMP/top" &
top=$!
sleep 1
rss=$(sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$top/status")
wait $top
diag "top: $rss KiB resident"
holds "it takes little memory" "${rss:-9999}" -le 512
is "swap off" "$($CTL swap off mtdcompr0 2>&1; echo $?)" 0
is "all is as before, again" "$(all_knobs)" "$before"
