#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# latd with a real hog on real swap: each mode, protection, refused options, and that it undoes its
# changes at its end: by SIGTERM, and by `kill -9` at MTDC_ROUNDS random moments. For a guest with a
# little memory and a reserve of as much.
#
# job: test latd seconds=120 --mem 128 --reserve 112 --timeout 300 --smp 2
# job: programs latd --mem 128 --reserve 112 --timeout 3000 --smp 2
# shellcheck disable=SC2154 # lib.sh's variables
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/swaplib.sh"
. "$(dirname "$0")/daemonlib.sh"

: "${MTDC_ROUNDS:=$(amount 6 200)}"
PATH=$MTDC_BUILD/tools:$PATH
GROUPS_AT=/sys/fs/cgroup
SOCKET=$TMP/latd.sock STATE=$TMP/latd.state LOG=$TMP/latd.log

must mount -t cgroup2 none $GROUPS_AT
low_kib=$((MTDC_RESERVE_SIZE / 1024 - 8192))
phram low 0 $low_kib
phram small $low_kib 8192
must modprobe mtdcompr
attach "low,comp=lz4,name=swp"
must mkswap "$(own_disk swp)"
must swapon "$(own_disk swp)"

# The protected program, with a name of its own, and the hog.
cp /bin/sleep "$TMP/app"
"$TMP/app" 100000 &
app=$!
hog_mib=$(amount $(($(left_mib) + beyond)) $((total_mib * 13 / 10)))

# all_knobs: print everything that latd changes
all_knobs()
{
	(cd /proc/sys/vm && head -n 1 swappiness overcommit_memory dirty_ratio \
		dirty_background_ratio watermark_scale_factor)
	cat "/proc/$app/oom_score_adj" "/proc/$app/cgroup" $GROUPS_AT/cgroup.subtree_control
	find $GROUPS_AT -name 'latd*'
}
before=$(all_knobs)

# latd_start MODE OPTION...: start it in the background; ready when it answers
latd_start()
{
	latd_mode=$1
	diag "$(cut -d ' ' -f 1 /proc/uptime) s"
	shift
	: > "$LOG"
	latd -f -m "$latd_mode" -p app -s "$SOCKET" -S "$STATE" -o others.touch_name=memsig \
		"$@" 2>> "$LOG" &
	latd=$!
	latd_tries=100
	until latdctl -s "$SOCKET" status > "$TMP/status" 2>&1; do
		latd_tries=$((latd_tries - 1))
		if [ $latd_tries = 0 ] || ! kill -0 $latd 2>/dev/null; then
			bail "latd does not answer: $(cat "$LOG")"
		fi
		sleep 0.1
	done
}

latd_stop()
{
	kill $latd
	wait $latd
}

# status KEY: of latdctl
status() { latdctl -s "$SOCKET" status | sed -n "s/^$1: //p"; }

# hog: in the background
hog()
{
	memsig -s 3 -m "$hog_mib" -g "${1:-$(amount 0 2)}" > "$TMP/memsig" 2>&1 &
	hog=$!
}

# hogs_until_stopped: start one hog after the other until latd has stopped one, ten at most: on a
# fast machine a hog may end before latd checks. Status: of the last one.
hogs_until_stopped()
{
	hogs_left=10
	while :; do
		hogs_left=$((hogs_left - 1))
		hog
		wait $hog || return
		[ "$(status stops)" = 0 ] && [ $hogs_left -gt 0 ] || return 0
	done
}

# cpu_ticks: processor time of latd
cpu_ticks() { awk '{ sub(/.*\) /, ""); print $12 + $13 }' "/proc/$latd/stat"; }

# state_of PID: R, S, T, ...
state_of() { sed 's/.*) //; s/ .*//' "/proc/$1/stat" 2>/dev/null; }

# Refused options
check "--check" latd --check -p app
diag "$(latd --check -p app)"
check "--once" latd --once -p app
says "nobody is protected" 2 "nobody is protected" latd -f
printf '[protect]\nname = app\n[kill]\nrule = sometimes\n' > "$TMP/bad.conf"
says "a wrong value, with its line" 2 "bad.conf:4: rule = sometimes: not one of" \
	latd -f -c "$TMP/bad.conf"
printf '[protect]\nnam = app\n' > "$TMP/bad.conf"
says "an unknown key, with its line" 2 "bad.conf:2: no key \"nam\" in \[protect\]" \
	latd -f -c "$TMP/bad.conf"
says "a file that is not there" 2 "No such file" latd -f -c "$TMP/none.conf"
says "an interval out of range" 2 "not a number from 10 to 1000 ms" \
	latd -f -p app -o latd.interval=5
says "no daemon to ask" 1 "no latd answers" latdctl -s "$SOCKET" status

# In a dry run latd does not listen to the kernel's events of programs: they do not wake it up
latd_start auto --dry-run
ticks=$(cpu_ticks)
for _ in 1 2 3 4 5 6 7 8; do
	sleep 0.25
done
ticks=$(($(cpu_ticks) - ticks))
holds "a dry run needs less than a quarter of a processor" $ticks -lt 50
latd_stop

# Mode auto
latd_start auto
is "auto: the program is in its group" "$(sed -n 's/^0:://p' "/proc/$app/cgroup")" /latd.protected
holds "its memory is kept" "$(cat $GROUPS_AT/latd.protected/memory.min)" -gt 1000000
is "the kernel does not kill it" "$(cat "/proc/$app/oom_score_adj")" -991
# Its cost while nothing happens for some seconds
ticks=$(cpu_ticks)
sleep "$(amount 5 60)"
ticks=$(($(cpu_ticks) - ticks))
rss=$(sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$latd/status")
diag "at rest: $rss KiB resident, $((ticks * 10)) ms of the processor in $(amount 5 60) s"
holds "at most 2 MiB are resident" "$rss" -le 2048
says "a second latd" 1 "another latd is running" \
	latd -f -p app -s "$TMP/other.sock" -S "$STATE"
# The hog works until it is told to end.
memsig -s 3 -m "$hog_mib" -e "$TMP/enough" > "$TMP/memsig" 2>&1 &
hog=$!
sleep 2
is "the hog is in the other group" "$(sed -n 's/^0:://p' "/proc/$hog/cgroup")" /latd.others
holds "which has a limit" "$(cat $GROUPS_AT/latd.others/memory.high)" -lt $((total_mib << 20))
check "status as JSON" latdctl -s "$SOCKET" status --json
says "protect what does not exist" 1 "does not exist" latdctl -s "$SOCKET" protect 999999
check "protect the hog by its id" latdctl -s "$SOCKET" protect $hog
check "release it" latdctl -s "$SOCKET" release $hog
: > "$TMP/enough"
wait $hog
is "the hog's bytes are right" $? 0
latd_stop
same_soon "all is as before after SIGTERM"
diag "$(tail -n 4 "$LOG")"

# Mode signal: the hog is stopped while all wait for memory, and continues when they do not
latd_start signal
is "signal: swappiness is the thesis'" "$(cat /proc/sys/vm/swappiness)" 90
hogs_until_stopped
is "signal: the hog got to its end, and its bytes are right" $? 0
holds "it was stopped" "$(status stops)" -gt 0
diag "$(grep -c ': stopped: memory full' "$LOG") stops, $(tail -n 1 "$LOG")"
latd_stop

# A protected program that is busy, and waits when its pages are taken
mkdir "$TMP/busy"
cp "$(command -v memsig)" "$TMP/busy/app"
for mode in freeze cgroup; do
	"$TMP/busy/app" -s 5 -m 16 -g 100000 > /dev/null 2>&1 &
	busy=$!
	latd_start $mode
	hogs_until_stopped
	is "$mode: the hog got to its end, and its bytes are right" $? 0
	holds "$mode: it was frozen" "$(status stops)" -gt 0
	# The protected program may wait a moment longer.
	goes_on_tries=100
	until [ "$(cat $GROUPS_AT/latd.others/cgroup.freeze)" = 0 ] || [ $goes_on_tries = 0 ]; do
		goes_on_tries=$((goes_on_tries - 1))
		sleep 0.1
	done
	is "$mode: going on" "$(cat $GROUPS_AT/latd.others/cgroup.freeze)" 0
	latd_stop
	kill $busy
	same_soon "$mode: all is as before"
done

# latd itself is stopped while the hog is frozen: the hog continues soon after stop_max
"$TMP/busy/app" -s 5 -m 16 -g 100000 > /dev/null 2>&1 &
busy=$!
latd_start freeze -o others.stop_max=3000
hog 1000
stopped_tries=10
while [ $stopped_tries -gt 0 ]; do
	until [ "$(cat $GROUPS_AT/latd.others/cgroup.freeze)" = 1 ]; do
		sleep 0.02
	done
	kill -STOP $latd
	[ "$(cat $GROUPS_AT/latd.others/cgroup.freeze)" != 1 ] || break
	kill -CONT $latd
	stopped_tries=$((stopped_tries - 1))
done
sleep 6
is "latd is stopped: the hog goes on" "$(cat $GROUPS_AT/latd.others/cgroup.freeze)" 0
holds "and the groups stay" "$(cat $GROUPS_AT/latd.protected/memory.min)" -gt 1000000
kill -CONT $latd
check "latd goes on, too" latdctl -s "$SOCKET" status
kill -9 $hog $busy
latd_stop
same_soon "all is as before then"
diag "$(grep 'daemon is late' "$LOG")"

# latd starts when the program is in a group and in swap already: it comes back while another hog
# begins. The first hog has memory of the root group, which cannot be limited.
echo +memory > $GROUPS_AT/cgroup.subtree_control
mkdir $GROUPS_AT/late
cp "$(command -v memsig)" "$TMP/late"
(
	echo 0 > $GROUPS_AT/late/cgroup.procs
	exec "$TMP/late" -s 7 -m 24 -g 1 -k 24 -w "$TMP/late.file"
) > "$TMP/late.out" 2>&1 &
late=$!
out_kib() { sed -n 's/^VmSwap:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$late/status"; }
late_tries=200
until [ -e "$TMP/late.file" ] || [ $late_tries = 0 ]; do
	late_tries=$((late_tries - 1))
	sleep 0.1
done
hog 1000
late_tries=200
until [ "$(out_kib)" -ge 16384 ] || [ $late_tries = 0 ]; do
	late_tries=$((late_tries - 1))
	sleep 0.1
done
diag "late: $(out_kib) KiB are in swap"
kill -9 $hog
wait $hog
latd_start auto -p late
hog 1000
sleep 10
holds "started late: what was in swap has come back, in KiB" "$(out_kib)" -le 3072
: > "$TMP/late.file.go"
wait $late
is "started late: its bytes are right" $? 0
kill -9 $hog
wait $hog
latd_stop
rmdir $GROUPS_AT/late
echo -memory > $GROUPS_AT/cgroup.subtree_control
same_soon "started late: all is as before"

# Kill latd at random moments, most of them with the hog frozen or stopped
round=0 bad_knobs=0 bad_state=0 bad_start=0 seed=$MTDC_SEED
hog 1000
while [ $round -lt "$MTDC_ROUNDS" ]; do
	round=$((round + 1))
	seed=$(((seed * 1103515245 + 12345) % 2147483648))
	case $((round % 3)) in
	0)	latd_start signal -o latd.interval=20 ;;
	1)	latd_start freeze -o latd.interval=20 ;;
	2)	latd_start auto -o latd.interval=20 ;;
	esac || bad_start=$((bad_start + 1))
	sleep "0.$((seed / 65536 % 90 + 10))"
	kill -9 $latd
	sleep 1
	[ "$(all_knobs)" = "$before" ] || {
		bad_knobs=$((bad_knobs + 1))
		diag "round $round: $(all_knobs | tr '\n' ' ')"
	}
	case $(state_of $hog) in
	T|'')	bad_state=$((bad_state + 1)) ;;
	esac
done
is "killed $round times: every knob is as before, within a second" $bad_knobs 0
is "the hog is never left stopped" $bad_state 0
is "the next one starts" $bad_start 0
kill -9 $hog

# The guardian
latd_start freeze
kill -9 "$(status guardian)"
sleep 0.5
check "another guardian when somebody kills it" kill -0 "$(status guardian)"
guardian=$(status guardian)
# Otherwise it may be fast enough to start another one in between.
kill -STOP $latd
kill -9 "$guardian" $latd
sleep 0.5
latd_start auto
is "both killed at once: the next one undoes it" \
	"$(grep -c 'changes of a latd that died' "$LOG")" 1
latd_stop
same_soon "all is as before then"
must swapoff "$(own_disk swp)"
detach swp

# A medium that is full long before the swap is: the reserve keeps memory available, and the hog can
# neither continue nor push pages out.
attach "small,comp=lz4,ratio=1000,name=full"
must mkswap "$(own_disk full)"
must swapon "$(own_disk full)"
latd_start auto
hog_mib=$((total_mib + 40))
# On a busy host the OOM killer may be quicker than latd: a hog that it has killed says nothing.
: > /run/mtdc-allow-oom
for _ in 1 2 3; do
	hog 1000
	full_tries=60
	until [ "$(state_of $hog)" = Z ] || [ $full_tries = 0 ]; do
		full_tries=$((full_tries - 1))
		sleep 1
	done
	! grep -q 'told to end: swap left' "$LOG" || break
done
holds "full: pages were refused" "$(sed -n 's/^err_full: //p' "$PROC/full")" -gt 0
diag "$(latdctl -s "$SOCKET" status | tr '\n' ' ')"
kill -9 $hog 2>/dev/null
wait $hog
is "full: the hog was told to end" $? 143
holds "full: the reason is that the swap takes no more" \
	"$(grep -c 'told to end: swap left' "$LOG")" -gt 0
diag "$(grep 'told to end' "$LOG")"
latd_stop
same_soon "full: all is as before"
kill $app
must swapoff "$(own_disk full)"
detach full
