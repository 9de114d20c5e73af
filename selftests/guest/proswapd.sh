#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# proswapd with a program that reads its memory in a circle, in a group that may have half of it:
# each monitor finds the period, mode auto makes the program faster, its bytes are right, and the
# daemon undoes its changes at its end: by SIGTERM, and by `kill -9`, MTDC_ROUNDS times. For a guest
# whose clock counts instructions.
#
# job: test proswapd seconds=50 --mem 160 --reserve 64 --clock icount --timeout 300
# job: programs proswapd --mem 160 --reserve 64 --clock icount --timeout 1500
# shellcheck disable=SC2154 # lib.sh's variables
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/daemonlib.sh"

: "${MTDC_ROUNDS:=$(amount 3 50)}"
# In the guest's memory: reading the host's files takes the host's time.
mkdir "$TMP/bin"
must cp "$MTDC_BUILD/tools/memload" "$MTDC_BUILD/tools/proswapd" "$MTDC_BUILD/tools/proswapctl" \
	"$TMP/bin"
PATH=$TMP/bin:$PATH
SOCKET=$TMP/proswapd.sock STATE=$TMP/proswapd.state LOG=$TMP/proswapd.log
GROUP=/sys/fs/cgroup/load

must mount -t cgroup2 none /sys/fs/cgroup
echo +memory > /sys/fs/cgroup/cgroup.subtree_control
mkdir $GROUP
echo never > /sys/kernel/mm/transparent_hugepage/enabled
mib=24
echo $((mib / 2 + 2))M > $GROUP/memory.max
phram low 0 $((MTDC_RESERVE_SIZE / 1024))
must modprobe mtdcompr
attach "low,comp=lz4,name=swp"
must mkswap "$(own_disk swp)"
must swapon "$(own_disk swp)"

# all_knobs: print everything that proswapd changes
all_knobs()
{
	cat /proc/sys/vm/page-cluster /sys/block/*/queue/read_ahead_kb
	cat /sys/kernel/debug/fault_around_bytes
	cat /sys/kernel/mm/damon/admin/kdamonds/nr_kdamonds 2>/dev/null
	cat /sys/module/damon_stat/parameters/enabled 2>/dev/null
}
[ -e /sys/kernel/debug/fault_around_bytes ] || must mount -t debugfs none /sys/kernel/debug
before=$(all_knobs)

# daemon MODE OPTION...: start it in the background; ready when it answers
daemon()
{
	daemon_mode=$1
	shift
	: > "$LOG"
	proswapd -f -m "$daemon_mode" -p memload -s "$SOCKET" -S "$STATE" "$@" 2>> "$LOG" &
	daemon=$!
	daemon_tries=100
	until proswapctl -s "$SOCKET" status > "$TMP/status" 2>&1; do
		daemon_tries=$((daemon_tries - 1))
		if [ $daemon_tries = 0 ] || ! kill -0 $daemon 2>/dev/null; then
			bail "proswapd does not answer: $(cat "$LOG")"
		fi
		sleep 0.1
	done
}

daemon_stop()
{
	kill $daemon
	wait $daemon
}

{
	printf '#regions\na, %s\n\n#phases\n' $((mib << 20))
	pass=0
	while [ $pass -lt 250 ]; do
		pass=$((pass + 1))
		printf 'pass %s\n1000\na, 0, 4096, 1\n\n' $pass
	done
} > "$TMP/circle.all"

# circle PASSES [OPTION...]: start it in the background, in its group
circle()
{
	head -n $((4 + 4 * $1)) "$TMP/circle.all" > "$TMP/circle.cfg"
	shift
	(
		echo 0 > $GROUP/cgroup.procs
		exec memload pattern --passes 1 --work 500 --out "$TMP/circle.csv" \
			"$@" "$TMP/circle.cfg"
	) > "$TMP/circle" 2>&1 &
	circle=$!
}

# pass_ms FIRST LAST: duration of these passes
pass_ms()
{
	awk -F, -v first="$1" -v last="$2" 'NR > first && NR <= last + 1 { n++; t += $4 }
		END { printf "%d\n", n ? t * 1000 / n : 0 }' "$TMP/circle.csv"
}

# field KEY: value in the program's line of the status
field() { sed -n "s/^process: .*name=memload .*$1=\([^ ]*\).*/\1/p" "$TMP/status"; }

# until_field KEY PATTERN TENTHS
until_field()
{
	until_tries=$3
	while [ "$until_tries" -gt 0 ]; do
		proswapctl -s "$SOCKET" status > "$TMP/status" 2>&1
		# shellcheck disable=SC2254 # it is a pattern
		case $(field "$1") in
		$2)	return 0 ;;
		esac
		until_tries=$((until_tries - 1))
		sleep 0.1
	done
	return 1
}

check "--check" proswapd --check
diag "$(proswapd --check)"
printf '[auto]\nfetch = perhaps\n' > "$TMP/bad.conf"
says "a wrong value, with its line" 2 "bad.conf:2: fetch = perhaps: not one of" \
	proswapd -f -c "$TMP/bad.conf"
printf '[paper]\nbeta = 1\n' > "$TMP/bad.conf"
says "an unknown key, with its line" 2 "bad.conf:2: no key \"beta\" in \[paper\]" \
	proswapd -f -c "$TMP/bad.conf"
says "an unknown mode" 2 "mode = fast: not one of" proswapd -f -m fast
says "no daemon to ask" 1 "no proswapd answers" proswapctl -s "$SOCKET" status
daemon watch
says "a second proswapd" 1 "another proswapd is running" \
	proswapd -f -s "$TMP/other.sock" -S "$STATE"
check "status as JSON" proswapctl -s "$SOCKET" status --json
says "an unknown request" 1 "not one of: status" proswapctl -s "$SOCKET" trim 1
daemon_stop
same_soon "it ends: all is as before"

# Each monitor finds the period
for monitor in bpf pagemap; do
	circle 13
	daemon watch -o proswapd.monitor=$monitor
	check "$monitor: the program is periodic" until_field state periodic 300
	# After three more periods the estimate is better.
	sleep 2.4
	until_field state periodic 1
	found=$(field period_ms)
	daemon_stop
	wait $circle
	is "$monitor: its bytes are right" $? 0
	true_ms=$(pass_ms 2 11)
	diag "$monitor: $found ms, and a pass takes $true_ms ms"
	holds "$monitor: the period is found, within 10 %" \
		$((found * 100)) -ge $((true_ms * 90)) -a $((found * 100)) -le $((true_ms * 110))
done

# Mode auto
circle 26
sleep 1
daemon auto -o auto.knobs=yes
check "auto: the program is helped" until_field state helped 300
sleep 3
check "readahead of the swap is off" grep -qx 0 /proc/sys/vm/page-cluster
# At rest only its present memory counts, not what libbpf needs at the start.
rss=$(sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$daemon/status")
diag "$rss KiB resident, $(sed 's/.*) //' "/proc/$daemon/stat" | awk '{ print ($12 + $13) * 10 }') ms"
holds "at most 3 MiB are resident" "$rss" -le 3072
wait $circle
is "its bytes are right" $? 0
helped_ms=$(pass_ms 18 26)
daemon_stop
same_soon "all is as before after SIGTERM"
diag "a pass takes $helped_ms ms, and $true_ms by itself"
holds "it is quicker by a tenth at least" $((helped_ms * 110)) -le $((true_ms * 100))

# Programs that sleep cost little, and give way to a program that swaps
# cost_ms: processor time of the daemon and its processes
cost_ms()
{
	for cost_pid in $daemon $(cat "/proc/$daemon/task/$daemon/children"); do
		cut -d ' ' -f 1 "/proc/$cost_pid/schedstat"
	done | awk '{ ns += $1 } END { printf "%d\n", ns / 1000000 }'
}

# cheap MONITOR: at most half a percent of ten seconds, while nothing is swapped
cheap()
{
	cheap_from=$(cost_ms)
	sleep 10
	cheap_ms=$(($(cost_ms) - cheap_from))
	diag "$1: $cheap_ms ms of 10 s with $(sed -n 's/^programs: //p' "$TMP/status") programs that sleep"
	holds "$1: programs that sleep cost half a percent at most" $cheap_ms -le 50
}

# sleeper: a program that swapped once, and then sleeps
{
	printf '#regions\na, 2097152\n\n#phases\n'
	printf 'one\n1\na, 0, 4096, 1\n\ntwo\n1\na, 0, 4096, 1\n\nsleep\n1000000\na, 0, 4096, 0\n'
} > "$TMP/sleeper.cfg"
mkdir /sys/fs/cgroup/sleep
echo 8M > /sys/fs/cgroup/sleep/memory.max
sleepers=
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18; do
	(
		echo 0 > /sys/fs/cgroup/sleep/cgroup.procs
		exec memload pattern --out /dev/null "$TMP/sleeper.cfg"
	) > /dev/null 2>&1 &
	sleepers="$sleepers $!"
done
sleep 3
for monitor in bpf pagemap; do
	daemon auto -o programs.least=1 -o proswapd.monitor=$monitor
	sleep 20
	proswapctl -s "$SOCKET" status > "$TMP/status"
	holds "$monitor: sleeping programs have places" \
		"$(sed -n 's/^programs: //p' "$TMP/status")" -ge 16
	cheap $monitor
	daemon_stop
done
daemon watch -o programs.least=1
sleep 61
circle 40
given=1
for second in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
	sleep 1
	proswapctl -s "$SOCKET" status > "$TMP/status"
	! grep -q "^process: pid=$circle .*state=periodic" "$TMP/status" || given=0
	[ $given = 1 ] || break
done
is "a program that swaps gets the place of one that sleeps, after $second s" $given 0
check "the status says how many wait" grep -qx 'waiting: [0-9]*' "$TMP/status"
daemon_stop
# shellcheck disable=SC2086 # a list of processes
kill -9 $circle $sleepers
wait

# Killed while it helps a program
round=0 bad_knobs=0 bad_start=0 bad_set=0
circle 250 --repeat 20
while [ $round -lt "$MTDC_ROUNDS" ]; do
	round=$((round + 1))
	case $((round % 3)) in
	0)	daemon paper -o paper.gamma=500 ;;
	1)	daemon auto ;;
	2)	daemon paper -o paper.access=scan -o paper.gamma=500 ;;
	esac || bad_start=$((bad_start + 1))
	until_field state "[hp]e*" 100
	sleep "0.$((round * 37 % 90 + 10))"
	kill -9 $daemon
	sleep 1
	! grep 'could not be set' "$LOG" >&2 || bad_set=$((bad_set + 1))
	[ "$(all_knobs)" = "$before" ] || {
		bad_knobs=$((bad_knobs + 1))
		diag "round $round: $(all_knobs | tr '\n' ' ')"
	}
done
is "killed $round times: every knob is as before, within a second" $bad_knobs 0
is "the next one starts" $bad_start 0
is "each knob could be set" $bad_set 0
check "the program lives" kill -0 $circle
kill $circle
wait $circle
# Programs that end, begin and change their memory while the daemon observes them
daemon auto
round=0
while [ $round -lt 6 ]; do
	round=$((round + 1))
	circle 3
	sleep 0.4
	kill -9 $circle
	wait $circle
done
circle 2
wait $circle
is "programs come and go: the last one's bytes are right" $? 0
check "proswapd lives" kill -0 $daemon
daemon_stop
must swapoff "$(own_disk swp)"
detach swp
