#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# shellcheck disable=SC2317 # much is called by name
#
# guest.sh [CASE...]: run in the guest of test.sh, with latd and servers as systemd starts them.
#
# kvload sends a redis command 100 times a second, which reads 50 random ones of 80,000 values.
# Latencies are in microseconds. Each case compares p95 with p95 alone in the same guest: 1.3 times as
# long is allowed, and twice as long beside a hog in redis's own unit, because the kernel has one
# memory.min for both.
# shellcheck source-path=SCRIPTDIR source=../../common/services/guestlib.sh
. /mtdc/guestlib.sh
# Like an administrator's session, latd never touches this script. So it stays fast, and its
# children kvload and systemctl are in its group.
if [ "$(cat /proc/$$/comm)" != sshd ]; then
	cp /bin/sh "$run/sshd"
	exec "$run/sshd" "$0" "$@"
fi
groups=/sys/fs/cgroup
service=$groups/system.slice/redis-server.service
system=/etc/systemd/system
daemon=latd
keys=80000 rate=100 seconds=5
# Limit of a protected program's swap, KiB
few_kib=5120

diag() { echo "# $*"; }
now_ms() { awk '{ print int($1 * 1000) }' /proc/uptime; }

# holds WHAT A -le|-ge B; nothing is less than all
holds()
{
	# shellcheck disable=SC1072,SC1073,SC1009 # the operator is a word
	if [ -n "$2" ] && [ "$2" "$3" "$4" ]; then
		is "$1: $2 $3 $4" yes yes
	else
		is "$1" "${2:-nothing}" "$3 $4"
	fi
}

# client SERVER WORD...
client()
{
	kind=$1
	shift
	case $kind in
	redis)		kvload redis 6379 "$@" ;;
	memcached)	kvload memcached 11211 "$@" ;;
	esac
}

# waits: waits of redis so far: us for memory, us for the processor, major faults
waits()
{
	sed -n 's/^some.*total=//p' "$service/memory.pressure" "$service/cpu.pressure"
	sed -n 's/^pgmajfault //p' "$service/memory.stat"
}

# hog_us: user time of the hog so far, its work; excludes the kernel's time for swapping
hog_us()
{
	for pid in $(hog_pids); do
		awk '{ sub(/.*\) /, ""); print $12 * 10000 }' "/proc/$pid/stat"
	done | awk '{ sum += $1 } END { print sum + 0 }'
}

# measure WHAT [SERVER KEYS]: sets p95 in us, or to nothing if the server did not answer
measure()
{
	waits > "$run/waits"
	hog=$(hog_us)
	p95=$(client "${2:-redis}" run "${3:-$keys}" $rate $seconds)
	diag "$1: $p95"
	diag "the hog's work: $(($(hog_us) - hog)) us"
	diag "redis waited: $(waits | paste "$run/waits" - | awk '{ printf "%s%d", sep, $2 - $1
		sep = NR < 2 ? " us for memory, " : " us for the processor, major faults: " }')"
	p95=$(echo "$p95" | sed -n 's/.* p95=\([0-9]*\) .*/\1/p')
}

# as_alone WHAT PERCENT [SERVER KEYS]: p95 is at most PERCENT of p95 alone
as_alone()
{
	measure "$1" "${3:-redis}" "${4:-$keys}"
	eval "alone=\$alone_${3:-redis}"
	# shellcheck disable=SC2154 # by eval
	holds "$1: p95 in us, alone $alone" "$p95" -le $((alone * $2 / 100))
}

pid_of() { systemctl show -P MainPID "$1"; }
out_kib() { sed -n 's/^VmSwap:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$(pid_of "$1")/status"; }
swap_free_kib() { sed -n 's/^SwapFree: *\([0-9]*\) kB/\1/p' /proc/meminfo; }
kills() { dmesg | grep -c 'Killed process'; }
oom_adj() { cat "/proc/$(pid_of "$1")/oom_score_adj"; }
answers() { latdctl status; }
redis_answers() { [ "$(redis-cli ping)" = PONG ]; }

redis_filled()
{
	soon 60 redis_answers
	# No snapshots, which stop redis for 0.3 s with or without a hog.
	redis-cli config set save '' > "$run/said"
	client redis fill $keys
}

latd_start()
{
	systemctl reset-failed latd 2>/dev/null
	systemctl start latd > "$run/said" 2>&1
	soon 10 answers || is "$case: latd starts" "$(cat "$run/said")" ""
}

latd_stop() { systemctl stop latd; }

# After kill -9 the guardian needs time to undo all
latd_kill()
{
	systemctl kill -s KILL --kill-who=main latd
	sleep 3
}

# configured LINE...: /etc/latd.conf
configured() { printf '%s\n' "$@" > /etc/latd.conf; }
by_name() { configured '[protect]' 'name = redis-server'; }
by_unit() { configured '[protect]' 'unit = redis-server.service'; }

# hog PLACE: start a program that touches much more than the memory, in turn
hog()
{
	place=$1
	set -- memload anon --size 320M --chunk 1M --loop
	case $place in
	user|work|system)
		systemd-run -q --unit=hog --slice="$place.slice" "$@" ;;
	unit)
		(
			echo 0 > "$service/cgroup.procs"
			exec "$@"
		) > /dev/null 2>&1 & ;;
	esac
	soon 60 is_out $((80 << 10))
}

is_out() { [ "$(swap_free_kib)" -lt $((swap_kib - $1)) ]; }
hog_pids() { pgrep -x memload; }
no_hog() { [ -z "$(hog_pids)" ]; }

hog_end()
{
	systemctl -q stop hog 2>/dev/null
	# shellcheck disable=SC2046 # a list of words
	no_hog || kill $(hog_pids)
	soon 30 no_hog
	systemctl reset-failed hog 2>/dev/null
}

# in_slice SLICE: run redis in this slice, with all of its values in memory
in_slice()
{
	mkdir -p $system/redis-server.service.d
	printf '[Service]\nSlice=%s\n' "$1" > $system/redis-server.service.d/slice.conf
	systemctl daemon-reload
	service=$groups/$1/redis-server.service
	redis_anew
}

redis_anew()
{
	systemctl restart redis-server
	redis_filled
}

# beside PLACE PERCENT: measure beside a hog in this place
beside()
{
	killed=$(kills)
	latd_start
	hog "$1"
	sleep 4
	as_alone "$case" "$2"
	systemctl daemon-reload
	sleep 2
	as_alone "$case: after daemon-reload" "$2"
	redis_anew
	[ "$1" != unit ] || hog unit
	sleep 4
	as_alone "$case: after a restart of redis" "$2"
	latd_stop
	sleep 2
	latd_start
	sleep 10
	as_alone "$case: after a restart of latd" "$2"
	is "$case: the hog was not ended" "$(hog_pids | wc -l)" 1
	is "$case: the kernel has killed nobody" "$(($(kills) - killed))" 0
	hog_end
	latd_stop
}

case_user() { beside user 130; }
case_system() { beside system 130; }
case_unit() { beside unit 200; }

case_work()
{
	in_slice work.slice
	beside work 130
	in_slice system.slice
}

# Without latd: does the hog do harm?
case_none()
{
	hog system
	sleep 4
	measure "without latd"
	holds "without latd the hog does harm: p95 in us, alone $alone_redis" "$p95" -ge \
		$((alone_redis * 3))
	hog_end
	redis_anew
}

# An expert's manual settings: which latency is possible?
case_hand()
{
	systemctl set-property --runtime redis-server MemoryMin=110M CPUWeight=1000
	systemctl set-property --runtime system.slice MemoryMin=110M CPUWeight=1000
	hog user
	sleep 4
	as_alone "by hand" 130
	hog_end
	rm -rf /run/systemd/system.control
	systemctl daemon-reload
}

# redis is already swapped out when latd starts
case_late()
{
	hog system
	soon 60 redis_is_out
	diag "$case: redis has $(out_kib redis-server) KiB in swap"
	latd_start
	sleep 15
	holds "$case: what redis has in swap 15 s later, in KiB" "$(out_kib redis-server)" \
		-le $few_kib
	as_alone "$case" 130
	hog_end
	latd_stop
	redis_anew
}

redis_is_out() { above "$(out_kib redis-server)" $((40 << 10)); }

case_two()
{
	configured '[protect]' 'name = redis-server memcached'
	systemctl start memcached
	soon 20 client memcached fill 30000
	measure "$case: alone" memcached 30000
	alone_memcached=$p95
	latd_start
	hog system
	sleep 10
	for server in redis-server memcached; do
		holds "$case: what $server has in swap, in KiB" "$(out_kib $server)" -le $few_kib
	done
	as_alone "$case: redis" 130
	as_alone "$case: memcached" 130 memcached 30000
	hog_end
	latd_stop
	systemctl stop memcached
}

# SIGHUP without a change keeps all protection
case_hup()
{
	latd_start
	hog user
	sleep 5
	current=$service/memory.current
	had=$(cat "$current") least=$had zeros=0 looks=0
	adj=$(oom_adj redis-server)
	systemctl reload latd
	until=$(($(now_ms) + 3000))
	while [ "$(now_ms)" -lt $until ]; do
		look=0
		while [ $look -lt 20 ]; do
			look=$((look + 1)) looks=$((looks + 1))
			read -r now < "$current"
			[ "$now" -ge "$least" ] || least=$now
			read -r now < "$service/memory.min"
			[ "$now" != 0 ] || zeros=$((zeros + 1))
		done
	done
	is "$case: memory.min of redis is 0 in so many of $looks looks" $zeros 0
	holds "$case: its memory.current, in MiB, before $((had >> 20))" $((least >> 20)) -ge \
		$((had / 10 * 9 >> 20))
	is "$case: its oom_score_adj is as before" "$(oom_adj redis-server)" "$adj"
	as_alone "$case" 130
	hog_end
	latd_stop
}

small_cpu() { cat $groups/system.slice/small@*.service/cpu.stat | awk '/^usage_usec/ { print $2 }'; }

# Each is small and touches its memory for 10 ms of each second.
case_many()
{
	{
		printf '[Service]\nSlice=system.slice\nCPUQuota=1%%\nCPUQuotaPeriodSec=1s\n'
		echo 'ExecStart=/usr/local/bin/memload anon --size 5M --chunk 1M --loop'
	} > $system/small@.service
	systemctl daemon-reload
	killed=$(kills)
	latd_start
	# shellcheck disable=SC2046 # a list of words
	systemctl start $(seq -f small@%.0f 52)
	diag "$case: $(free -m | sed -n 's/  */ /g; 2p')"
	sleep 10
	small_cpu > "$run/first"
	as_alone "$case" 130
	sleep 10
	small_cpu > "$run/then"
	is "$case: all are there" "$(pgrep -xc memload)" 52
	is "$case: each one has run" "$(paste "$run/first" "$run/then" | awk '$2 > $1' | wc -l)" 52
	is "$case: the kernel has killed nobody" "$(($(kills) - killed))" 0
	systemctl stop 'small@*'
	latd_stop
}

# adjs: the values of oom_score_adj in the server's unit, each once
adjs()
{
	while read -r pid; do
		cat "/proc/$pid/oom_score_adj"
	done < $groups/system.slice/prefork.service/cgroup.procs | sort -u | xargs
}

# Workers of a protected server; their own value is 200.
case_prefork()
{
	configured '[protect]' 'name = prefork'
	systemd-run -q --unit=prefork -p OOMScoreAdjust=200 /mtdc/prefork
	for how in stop kill; do
		latd_start
		sleep 1
		holds "$case: the server is kept from the OOM killer" "$(oom_adj prefork)" -le -900
		systemctl kill --kill-who=main -s USR1 prefork
		sleep 2
		is "$case: and all of its workers" "$(adjs)" "$(oom_adj prefork)"
		systemctl kill --kill-who=main -s USR2 prefork
		sleep 2
		latd_$how
		is "$case: $how: all have their own value again" "$(adjs)" 200
	done
	configured '[protect]' 'name = prefork' 'children = no'
	latd_start
	systemctl kill --kill-who=main -s USR2 prefork
	sleep 2
	holds "$case: without children the server is kept" "$(oom_adj prefork)" -le -900
	is "$case: and what it starts has its own value" \
		"$(cat "/proc/$(pgrep -nx sleep)/oom_score_adj")" 200
	latd_stop
	systemctl stop prefork
}

# state: print all that latd changes, and systemd's view of it
state()
{
	for group in . $(cat "$run/groups"); do
		(cd "$groups/$group" && grep -H . memory.min memory.low memory.high memory.max \
			memory.swap.max cpu.weight cgroup.freeze cgroup.subtree_control 2>/dev/null) |
			sed "s|^|$group/|"
	done
	(cd /proc/sys/vm && grep -H . swappiness overcommit_memory page-cluster dirty_ratio \
		dirty_background_ratio watermark_scale_factor min_free_kbytes)
	grep -sv '^0$' /proc/[0-9]*/oom_score_adj | while IFS=: read -r file adj; do
		echo "$(cat "${file%/*}/comm") $adj"
	done 2>/dev/null | sort -u
	systemctl show -p Id -p MemoryMin -p MemoryLow -p MemoryHigh -p MemoryMax -p CPUWeight \
		-p FreezerState -p OOMScoreAdjust -p DropInPaths -- redis-server.service hog.service \
		systemd-journald.service -.slice system.slice user.slice
	find /run/systemd/system.control /run/latd* "$groups" -path '*latd*' \
		-not -path '*/latd.service*' 2>/dev/null
	find /run/systemd/system.control -type f 2>/dev/null
}

# The hog runs all the time, so its group has to be restored, too.
case_undo()
{
	hog system
	(cd $groups && find user.slice system.slice/hog.service system.slice/redis-server.service \
		system.slice/systemd-journald.service init.scope system.slice -prune) > "$run/groups"
	state > "$run/before"
	for how in stop kill; do
		latd_start
		sleep 4
		holds "$case: memory.min of redis" "$(cat "$service/memory.min")" -ge $((60 << 20))
		systemctl daemon-reload
		sleep 2
		latd_$how
		state > "$run/after"
		is "$case: $how: all is as before" "$(diff "$run/before" "$run/after")" ""
		systemctl daemon-reload
		state > "$run/after"
		is "$case: $how: systemd sees it so, too" "$(diff "$run/before" "$run/after")" ""
	done
	hog_end
	redis_anew
}

all="none hand user system work unit late two hup many prefork undo"
# Cases to run again with the other configuration.
by_units="system"

setup()
{
	swap_is_made
	swap_kib=$(swap_free_kib)
	echo never > /sys/kernel/mm/transparent_hugepage/enabled
	mkdir -p $system/latd.service.d
	# Keep systemd from restarting it before the state after its end is checked.
	printf '[Service]\nRestart=no\n' > $system/latd.service.d/restart.conf
	# No copy on disk, so that no write disturbs the latencies
	printf 'save ""\n' >> /etc/redis/redis.conf
	systemctl daemon-reload
	systemctl stop memcached
	redis_anew
	sleep 2
	measure "alone"
	alone_redis=$p95
	diag "$(head -n 3 /proc/meminfo | tr -s ' \n' ' '), redis has" \
		"$(($(cat "$service/memory.current") >> 20)) MiB"
}

# run_case CONFIGURATION CASE
run_case()
{
	from=$(now_ms)
	"by_$1"
	case="$2, by $1"
	"case_$2"
	diag "$case: $((($(now_ms) - from) / 1000)) s"
}

setup
for name in ${*:-$all}; do
	run_case name "$name"
	case " $by_units " in
	*" $name "*)	run_case unit "$name" ;;
	esac
done
systemctl stop redis-server
swapoff /dev/mtdcompr0
end_results
