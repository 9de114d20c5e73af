#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# shellcheck disable=SC2317 # many functions are called by name
#
# Runs in the guest of guest-test.sh after multi-user.target: each daemon runs as its unit starts
# it, in each mode, with real work. Here a system call that the unit does not allow kills the daemon
# (kill.conf), so that it cannot fail unnoticed.
# shellcheck source-path=SCRIPTDIR source=guestlib.sh
. /mtdc/guestlib.sh
groups=/sys/fs/cgroup
refusals='could not|denied|not permitted|read-only|not implemented'

# check WHAT COMMAND...
check()
{
	what=$1
	shift
	"$@" > "$run/said" 2>&1
	is "$daemon: $mode: $what" $? 0
}

# asked KEY: print its value in the daemon's status
asked() { "$control" status | sed -n "s/^$1: //p" | head -n 1; }

# counted KEY LEAST: is the value in the daemon's status above LEAST?
counted() { above "$(asked "$1")" "$2"; }

# all_knobs: print all settings that the daemons change
all_knobs()
{
	(cd /proc/sys/vm && head -n 1 swappiness overcommit_memory dirty_ratio page-cluster \
		dirty_background_ratio watermark_scale_factor)
	cat /sys/block/*/queue/read_ahead_kb /sys/kernel/debug/fault_around_bytes
	cat /sys/kernel/mm/damon/admin/kdamonds/nr_kdamonds 2>/dev/null
	cat "/proc/$app/oom_score_adj"
	find "$groups" -maxdepth 1 -name 'latd*'
}

# begin DAEMON CONTROL MODE SECTION LINE...: start the daemon's unit with this configuration
begin()
{
	daemon=$1 control=$2 mode=$3
	shift 3
	printf '%s\n' "$@" > "/etc/$daemon.conf"
	systemctl reset-failed "$daemon" 2>/dev/null
	systemctl start "$daemon" > "$run/said" 2>&1
	is "$daemon: $mode: it starts" "$(systemctl is-active "$daemon")" active
	check "its control tool gets an answer" "$control" status
}

# end [PATTERN]: stop the unit. The daemon has to end before systemd kills it, and to undo all
# changes; its log has no refused call, except in lines with the pattern
end()
{
	from=$(date +%s%N)
	systemctl stop "$daemon"
	took=$((($(date +%s%N) - from) / 1000000))
	echo "# $daemon: $mode: it stopped within $took ms"
	is "$daemon: $mode: it stops by itself" "$(systemctl show -P Result "$daemon")" success
	is "$daemon: $mode: and in time" "$(journalctl -b -q --no-pager -o cat -u "$daemon" |
		grep -iE 'timed out|SIGKILL')" ""
	is "$daemon: $mode: all is as before" "$(all_knobs)" "$before"
	is "$daemon: $mode: no message of a refused call" "$(journalctl -b -q --no-pager -o cat \
		-u "$daemon" | grep -v "${1:-^$}" | grep -iE "$refusals")" ""
	journalctl --rotate -q --vacuum-time=1s > /dev/null 2>&1
}

# hog [OPTION]: a program in its own group that takes more memory than is available; --exit: it
# ends after it has touched all of it
hog()
{
	available=$(sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo)
	mkdir -p "$groups/hog"
	(
		echo 0 > "$groups/hog/cgroup.procs"
		exec memload anon --size $((available + 65536))K --chunk 1M "$@"
	) > "$run/hog" 2>&1 &
	hog=$!
}

is_kept() { above "$(cat "$groups/system.slice/app.service/memory.min")" 1000; }

# stops_one: did the daemon stop a program? Tried again, because a fast swap may make that needless.
stops_one()
{
	tries=4
	until counted stops 0; do
		tries=$((tries - 1))
		[ "$tries" -gt 0 ] || return 1
		hog --exit
		wait "$hog"
	done
}

try_latd()
{
	for mode in auto sysctl signal freeze cgroup grow; do
		begin latd latdctl "$mode" '[latd]' "mode = $mode" '[protect]' 'name = app' \
			'[others]' 'touch_cgroup = /hog' '[kill]' 'rule = never'
		case $mode in
		auto)	check "the program is kept from the OOM killer" \
				soon 5 reads "/proc/$app/oom_score_adj" -991
			check "its memory is kept" soon 5 is_kept ;;
		sysctl|signal)
			check "it writes the kernel's settings" soon 5 reads /proc/sys/vm/swappiness 90 ;;
		esac
		hog --exit
		wait "$hog"
		is "latd: $mode: the program that it acts on came to its end" $? 0
		case $mode in
		# In mode freeze a protected program has to wait for memory first.
		signal|cgroup)
			check "it stops a program" stops_one ;;
		esac
		end
	done
	try_watchdog
}

# is_another PID: has systemd started latd again?
is_another()
{
	[ "$(systemctl show -P MainPID latd)" != "$1" ] && latdctl status
}

# With both stopped, systemd ends the daemon, and the guardian, which ignores the signal, undoes all
try_watchdog()
{
	mkdir -p /run/systemd/system/latd.service.d
	printf '[Service]\nWatchdogSec=4\n' > /run/systemd/system/latd.service.d/watchdog.conf
	systemctl daemon-reload
	begin latd latdctl watchdog '[latd]' 'mode = sysctl' '[protect]' 'name = app'
	sleep 10
	main=$(systemctl show -P MainPID latd) guardian=$(asked guardian)
	is "latd: watchdog: one that works is left alone" \
		"$(systemctl show -P NRestarts latd)" 0
	kill -STOP "$guardian" "$main"
	check "one that hangs with its guardian is started again" soon 60 is_another "$main"
	is "latd: watchdog: the guardian has undone what it changed" "$(journalctl -b -q --no-pager \
		-o cat -u latd | grep -c 'the daemon has died: [1-9][0-9]* changes undone, 0 could')" 1
	end 'the daemon has died'
	rm -r /run/systemd/system/latd.service.d
	systemctl daemon-reload
}

# circle: a program that goes through its memory in a circle, in a group with half of that memory
circle()
{
	mkdir -p "$groups/load"
	echo 14M > "$groups/load/memory.max"
	{
		printf '#regions\na, %s\n\n#phases\n' $((24 << 20))
		printf 'pass %s\n1000\na, 0, 4096, 1\n\n' 1 2 3 4
	} > "$run/circle.cfg"
	(
		echo 0 > "$groups/load/cgroup.procs"
		exec memload pattern --passes 1 --work 500 --repeat 1000 "$run/circle.cfg"
	) > "$run/circle" 2>&1 &
	circle=$!
}

sees_a_program() { proswapctl status | grep -q '^process: .*name=memload'; }
clusters() { reads /proc/sys/vm/page-cluster 0; }
has_damon_files() { [ -e /sys/kernel/mm/damon/admin/kdamonds/nr_kdamonds ]; }
has_damon() { [ "$(cat /sys/kernel/mm/damon/admin/kdamonds/nr_kdamonds)" -gt 0 ]; }

try_proswapd()
{
	circle
	# Debian's default: perf events, and so BPF, need CAP_SYS_ADMIN
	sysctl -q -w kernel.perf_event_paranoid=3
	begin proswapd proswapctl "watch, best" '[proswapd]' 'mode = watch'
	is "proswapd: watch: the best monitor is pagemap where perf events take CAP_SYS_ADMIN" \
		"$(asked monitor)" pagemap
	end bpf
	sysctl -q -w kernel.perf_event_paranoid=2
	for kind in bpf pagemap; do
		begin proswapd proswapctl "watch, $kind" '[proswapd]' 'mode = watch' \
			"monitor = $kind" '[programs]' 'name = memload'
		is "proswapd: watch: the monitor is $kind" "$(asked monitor)" "$kind"
		check "it sees the program" soon 30 sees_a_program
		end
	done
	begin proswapd proswapctl auto '[programs]' 'name = memload' '[auto]' 'knobs = yes'
	check "it sees the program" soon 30 sees_a_program
	check "it helps the program" soon 90 clusters
	end
	for access in scan $(! has_damon_files || echo damon); do
		begin proswapd proswapctl "paper, $access" '[proswapd]' 'mode = paper' \
			'[programs]' 'name = memload' '[paper]' "access = $access" 'gamma = 500'
		check "it sees the program" soon 30 sees_a_program
		check "it writes the kernel's settings" soon 60 clusters
		[ "$access" = scan ] || check "it uses DAMON" soon 10 has_damon
		end
	done
	kill "$circle"
	wait "$circle"
}

pushed() { rectifyctl status | sed -n 's/^app: .* pushed_kib=\([0-9]*\).*/\1/p' | sort -n | tail -n 1; }
# switches_until_out: rectifyd weighs the costs of some switches before it pushes anything out
switches_until_out()
{
	brings_app app0 && sleep 1 && brings_app app1 && sleep 1
	above "$(pushed)" 500
}
brings_app() { rectifyctl fg "$1"; }

try_rectifyd()
{
	apps=
	for at in 0 1; do
		mkdir -p "$groups/apps/app$at"
		(
			echo 0 > "$groups/apps/app$at"/cgroup.procs
			exec memload anon --size 24M --chunk 1M
		) > "$run/app$at" 2>&1 &
		apps="$! $apps"
	done
	for mode in auto unused watch; do
		begin rectifyd rectifyctl "$mode" '[rectifyd]' "mode = $mode" '[apps]' 'group = /apps' \
			'[auto]' 'trial = no'
		check "app0 is in front" brings_app app0
		sleep 2
		hog
		check "app1 is in front" brings_app app1
		check "app0 comes back" brings_app app0
		check "an app by its process" brings_app "${apps%% *}"
		[ "$mode" = watch ] || check "pages of an app go out" soon 60 switches_until_out
		rectifyctl status | sed 's/^/# /'
		kill "$hog" 2>/dev/null
		wait "$hog"
		end
	done
	# shellcheck disable=SC2086 # a list of words
	kill $apps
	# shellcheck disable=SC2086
	wait $apps
}

takes() { [ "$(marvinctl stats | sed -n 's/^dropped: //p')" -gt 0 ]; }

try_marvind()
{
	begin marvind marvinctl told '[marvind]' 'mode = told'
	mkfifo "$run/in"
	setpriv --reuid 1000 --regid 1000 --clear-groups marvin-load 16 /var/tmp/ \
		< "$run/in" > "$run/answers" 2>&1 &
	load=$!
	exec 3> "$run/in"
	check "a user's program makes itself known" soon 30 listed
	printf t >&3
	check "its objects are saved" soon 30 grep -q ticked "$run/answers"
	check "bg answers" marvinctl bg "$load"
	check "its memory is taken" soon 10 takes
	printf u >&3
	check "its bytes are right" soon 30 grep -q right "$run/answers"
	check "fg answers" marvinctl fg "$load"
	exec 3>&-
	wait "$load"
	end
	begin marvind marvinctl auto '[marvind]' 'mode = auto'
	hog --exit
	wait "$hog"
	end
}

listed() { marvinctl list | grep -q "^ *$load "; }

# The service that writes the statistics for node_exporter, as root
try_textfile()
{
	daemon=mtdcompr-textfile mode=write
	mkdir -p /var/lib/prometheus/node-exporter
	check "it succeeds" systemctl start $daemon
	check "the file is there" grep -q '^mtdcompr_pages{' \
		/var/lib/prometheus/node-exporter/mtdcompr.prom
	is "the file is for all to read" \
		"$(stat -c '%a %U' /var/lib/prometheus/node-exporter/mtdcompr.prom)" "644 root"
}

daemon=guest
swap_is_made
echo +memory > "$groups/cgroup.subtree_control"
echo never > /sys/kernel/mm/transparent_hugepage/enabled
cp /usr/local/bin/memload /usr/local/bin/app
systemd-run -q --unit=app /usr/local/bin/app anon --size 8M --chunk 1M
app=$(systemctl show -P MainPID app)
before=$(all_knobs)
[ $# -gt 0 ] || set -- latd proswapd rectifyd marvind
try_textfile
for name; do
	"try_$name"
	daemon=$name
	is "$name: its unit has no failure" "$(systemctl is-failed "$name")" inactive
	is "$name: its files are gone" "$(find /run -maxdepth 1 -name "$name.*")" ""
done
systemctl stop app
swapoff /dev/mtdcompr0
is "at the end nothing has failed" "$(systemctl list-units --failed --plain --no-legend)" ""
end_results
