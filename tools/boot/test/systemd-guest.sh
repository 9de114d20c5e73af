#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Runs in the guest of systemd-test.sh after multi-user.target: check the result of
# mtdcompr-generator and its configuration. Argument "off": the kernel's command line has switched
# the generator off.
n=0 failed=0

# is WHAT GOT WANTED
is()
{
	n=$((n + 1))
	if [ "$2" = "$3" ]; then
		echo "ok $n - $1"
	else
		failed=1
		echo "not ok $n - $1"
		echo "# got:  $2"
		echo "# want: $3"
	fi
}

unit() { echo "mtdcompr-setup@mtdcompr$1.service"; }
# state N: print result and state, in the order that systemctl chooses
state() { systemctl show -P Result -P ActiveState "$(unit "$1")" | tr '\n' ' '; }
log() { journalctl -b -q --no-pager -o cat "$@"; }
out() { awk '/mtdcompr/ { n += $4 } END { print n + 0 }' /proc/swaps; }
swaps() { awk '/mtdcompr/' /proc/swaps | wc -l; }

is "the system is up" "$(systemctl is-active multi-user.target swap.target | tr '\n' ' ')" \
	"active active "
if [ "${1:-}" = off ]; then
	is "switched off: no swap" "$(swaps)" 0
	is "and no service" "$(find /run/systemd/generator* -name 'mtdcompr*' | wc -l)" 0
	is "nothing has failed" "$(systemctl list-units --failed --plain --no-legend)" ""
	echo "1..$n"
	exit $failed
fi

# Same order as the sections.
is "mtdcompr0: all of it as asked for" "$(state 0)" "success active "
is "the swap is there, with its priority" \
	"$(awk '/mtdcompr0/ { print $1, $5 }' /proc/swaps)" "/dev/mtdcompr0 70"
is "compressor, level and media" \
	"$(mtdcomprctl list -n --raw -o ALGORITHM,LEVEL,MEDIA mtdcompr0)" "zstd 3 ext"
is "size: a quarter of ram, less a page" "$(awk '/mtdcompr0/ { print int($3 / 64) }' /proc/swaps)" \
	"$(awk '/^MemTotal/ { print int(($2 / 4 - 4) / 64) }' /proc/meminfo)"
is "page-cluster is 0" "$(cat /proc/sys/vm/page-cluster)" 0
is "mtdcompr1: --find, though a line is wrong" "$(state 1)" "success active "
is "it has the default priority" "$(awk '/mtdcompr1/ { print $5 }' /proc/swaps)" 100
is "mtdcompr2: media that are missing" "$(state 2)" "exit-code failed "
is "one line says so" "$(log -t mtdcomprctl -u "$(unit 2)" | grep -c 'no such MTD')" 1
is "mtdcompr3: media that are in use" "$(state 3)" "exit-code failed "
is "one line says so, too" \
	"$(log -t mtdcomprctl -u "$(unit 3)" | grep -c 'a device is on this MTD')" 1
is "mtdcompr4: larger than the media can promise" "$(state 4)" "exit-code failed "
is "mtdcompr5: media without a line that is right" \
	"$(systemctl show -P LoadState "$(unit 5)")" not-found
is "mtdcompr6: a compressor that there is not" "$(state 6)" "success active "
is "the generator's lines in the kernel's log" "$(dmesg | grep -c 'mtdcompr-generator: ')" 4
dmesg | grep 'mtdcompr-generator: ' | sed 's/^/# /'
is "three swaps" "$(swaps)" 3
is "systemd knows them" "$(systemctl list-units --plain --no-legend --state=active \
	'dev-mtdcompr*.swap' | wc -l)" 3
# A program that exceeds its memory limit; stopping the swap reads its pages back.
cat > /run/hog.pl <<'END'
$x .= join(",", $_ * 900 .. $_ * 900 + 899) for 1 .. 5000;
sleep(100000);
END
systemd-run -q --unit=hog -p MemoryHigh=16M perl /run/hog.pl
for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
	[ "$(out)" -le 16000 ] || break
	sleep 5
done
echo "# $(out) KiB are swapped out"
is "pages are swapped out" "$([ "$(out)" -gt 16000 ] && echo yes)" yes
is "stop of one" "$(systemctl stop "$(unit 6)" 2>&1; state 6; swaps)" "success inactive 2"
is "and start again" "$(systemctl start "$(unit 6)" 2>&1; state 6; swaps)" "success active 3"
is "systemctl daemon-reload changes nothing" "$(systemctl daemon-reload; state 0; swaps)" \
	"success active 3"
is "pages are still out, and their program runs" \
	"$([ "$(out)" -gt 8000 ] && systemctl is-active hog)" active
log -u 'mtdcompr-setup@*' -t mtdcomprctl | sed 's/^/# /'
[ $failed = 0 ] || log -p warning | sed 's/^/# /'
echo "1..$((n + 4))"
# at-end checks the shutdown.
echo $n > /run/results
exit $failed
