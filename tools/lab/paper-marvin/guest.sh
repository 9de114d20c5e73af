#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# guest.sh PLAN...: runs of the experiments behind Marvin in one guest, one after the
# other, so that they can be compared. Prints lines of "result RUN KEY VALUE".
#
#   PLAN   LOAD:CONTROL
#     LOAD     apps: start apps one after the other, each of MTDC_MIB (22) MiB, of which it renews
#              2 MiB in 5 s; count the active ones
#              timer: apps in the background fill the memory, then a program takes 48 MiB
#              walk, micro: the cost while all is in memory
#              programs: the same for the programs in Lua
#              collect: a full collection of these with MTDC_PERCENT (80) of their memory out
#     CONTROL  none: no swap; swap: the kernel's, on the media; marvin: its store is on them, no swap;
#              mapped: without libmarvin, the data is in a mapped file on the media, no swap;
#              both: its store is on three quarters of the media, the kernel's swap on the rest;
#              plain, marvin, mapped for walk, micro and programs: all is in memory
#              back, mappedback for timer: as marvin and mapped, but an app with all its memory goes
#              to the background: it saves all, and its memory is taken;
#              told for timer: as marvin, but marvind takes the memory of all apps before the
#              program allocates. The memory is free then, so no control can be quicker
#              types for collect: as swap, but the data is in the types of Marvin's module, built
#              without Marvin, instead of tables and strings
#
# MTDC_MEDIA    ram or nand: MTDCOMPR on memory outside the guest's, or on simulated NAND; zram; small:
#               192 MiB of ram
# MTDC_MIB      size of an app
# MTDC_APPS     apps at most (36)
# MTDC_EVERY    seconds between two starts of apps (10)
# MTDC_SECONDS  time after the start of the last app (60)
# MTDC_TIMER    MiB that timer takes (48)
# MTDC_PERCENT  part of the memory that collect takes out (80)
# MTDC_PROGRAMS programs for programs and collect (editor tiles table)
set -u
# shellcheck disable=SC2153 # of qemu/guest.sh
. "$MTDC_TOP/selftests/guest/lib.sh"
. "$MTDC_TOP/tools/lab/guestlib.sh"
: "${MTDC_MEDIA:=ram}" "${MTDC_MIB:=22}" "${MTDC_APPS:=36}" "${MTDC_EVERY:=10}" "${MTDC_SECONDS:=60}"
: "${MTDC_TIMER:=48}" "${MTDC_PERCENT:=80}" "${MTDC_PROGRAMS:=editor tiles table}"
store=/run/store
mkdir -p $store
programs "$MTDC_BUILD/marvin/marvin-load" "$MTDC_BUILD/tools/marvind" "$MTDC_BUILD/tools/marvinctl"

# nand NAME FROM TO: print an argument of mtdsim for these MiB of the reserve; mtdsim itself needs a
# sixteenth of them
nand()
{
	echo "dev=name=$1,type=nand,profile=mt29f4g,delay=sleep,size=$((($3 - $2) * 15 / 16))M," \
		"base=$((MTDC_RESERVE_ADDR + ($2 << 20)))" | tr -d ' '
}

# media NAME...: make one or two devices on the media; the first of two gets three quarters. lz4
# compresses the apps' data to two fifths, so a device of twice its media's size is full before the
# media are.
media()
{
	end=$((MTDC_RESERVE_SIZE >> 20))
	[ "$MTDC_MEDIA" != small ] || end=192
	from=0 to=$end
	[ $# = 1 ] || to=$((end * 3 / 4))
	case $MTDC_MEDIA in
	ram|small)
		for name; do
			phram "$name" $((from << 10)) $(((to - from) << 10))
			from=$to to=$end
		done ;;
	nand)
		chips=
		for name; do
			chips="$chips $(nand "$name" $from $to)"
			from=$to to=$end
		done
		# shellcheck disable=SC2086 # a list
		must modprobe mtdsim $chips ;;
	zram)
		zram 1G
		return ;;
	esac
	must modprobe mtdcompr
	for name; do
		attach "$name,comp=lz4,ratio=200,name=of-$name"
	done
}

# disk NAME: the disk of a device of media
disk()
{
	case $MTDC_MEDIA in
	zram)	echo /dev/zram0 ;;
	*)	own_disk "of-$1" ;;
	esac
}

store_on()
{
	must modprobe ext4
	must mkfs.ext4 -q -O ^has_journal -m 0 "$(disk store)"
	must mount -o discard "$(disk store)" $store
	options="--store $store/"
	types="--module $MTDC_BUILD/marvin/lua"
	case $1 in
	mapped*)	options="--mapped $options" ;;
	told)
		marvind -f -m told 2> "$TMP/marvind" &
		marvind=$! ;;
	esac
	case $1 in
	*back)		options="--background $options" ;;
	esac
}

# control CONTROL: set up new media before a run; sets the load's options
control()
{
	options=--plain
	types="--module $MTDC_BUILD/marvin/lua/plain"
	case $1 in
	swap|types)
		media swap
		swap_on "$(disk swap)" ;;
	marvin|mapped|back|mappedback|told)
		media store
		store_on "$1" ;;
	both)
		media store swap
		store_on "$1"
		swap_on "$(disk swap)" ;;
	esac
	[ "$1" != swap ] || types="--types lua"
}

uncontrol()
{
	case $1 in
	swap|types|both)
		must swapoff "$(disk swap)" ;;
	esac
	[ "$1" != told ] || { kill "$marvind"; wait "$marvind"; }
	! grep -q " $store " /proc/mounts || must umount $store
	for module in mtdcompr mtdsim phram zram; do
		[ ! -d /sys/module/$module ] || must rmmod $module
	done
	echo 3 > /proc/sys/vm/drop_caches
}

# start_app N: start it in the background; add its id to pids
start_app()
{
	# Make the OOM killer choose an app instead of its watcher.
	# shellcheck disable=SC2086 # options
	( echo 500 > /proc/self/oom_score_adj
	  exec marvin-load waster $options --name "app$1" --mib "$MTDC_MIB" > "$out/$run.app$1" 2>&1 ) &
	pids="$pids $!"
}

stop_apps()
{
	# shellcheck disable=SC2086 # a list
	kill $pids 2> /dev/null
	# shellcheck disable=SC2086
	wait $pids 2> /dev/null
}

# active: number of apps with a round within the last 20 s
active()
{
	for file in "$out/$run".app*; do
		tail -n 1 "$file"
	done | awk -v now="$(uptime_ms)" '$2 == "round" && now - $5 <= 20000 { n++ } END { print n + 0 }'
}

alive()
{
	alive_n=0
	for pid in $pids; do
		! kill -0 "$pid" 2> /dev/null || alive_n=$((alive_n + 1))
	done
	echo $alive_n
}

# at_end: print the apps' results
at_end()
{
	say active_at_end "$(active)"
	say alive_at_end "$(alive)"
	say wrong "$(cat "$out/$run".app* | grep -c 'wrong bytes')"
	say lost "$(cat "$out/$run".app* | grep -c 'lost')"
}

available_kib() { awk '$1 == "MemAvailable:" { print $2 }' /proc/meminfo; }
# sample N: note the state with N started apps
sample()
{
	echo "$(uptime_ms) $1 $(active) $(alive) $(available_kib)" >> "$out/$run.active"
	tail -n 1 "$out/$run.active" | quote
}

# made: pages made by the apps so far
made()
{
	cat "$out/$run".app* | awk -v mib="$MTDC_MIB" '
		$2 == "round" { mibs += $3 ? 2 : mib }
		END { print mibs * 256 }'
}

# pages_moved: pages written and read by kernel and media so far
pages_moved()
{
	awk '/^(pswpout|pswpin) / { print "swap_" ($1 == "pswpout" ? "written" : "read"), $2 }' \
		/proc/vmstat
	[ ! -e "$PROC/of-store" ] || {
		echo "store_written $(stat page_writes of-store)"
		echo "store_read $(stat page_reads of-store)"
	}
}

# memory_of_apps: KiB of all apps. Objects are in a mapping of at least four times their size; the
# rest is "own"
memory_of_apps()
{
	for pid in $pids; do
		cat "/proc/$pid/smaps" 2> /dev/null
	done | awk -v kib=$((MTDC_MIB << 12)) '
		$1 == "Size:" { what = $2 >= kib ? "objects" : "own" }
		/^(Rss|Anonymous|LazyFree|Swap):/ { sum[what "_" tolower($1)] += $2 }
		END {
			for (key in sum) {
				name = key
				sub(/:/, "_kib", name)
				print name, sum[key]
			}
		}' | results
}

# where_it_is: print pages written and read during the run, and the present places of the data
where_it_is()
{
	say made "$(made)"
	pages_moved | differences "$TMP/before"
	memory_of_apps
	awk '/^(MemFree|MemAvailable|Cached|Slab|PageTables):/ {
		sub(/:/, "_kib", $1)
		print $1, $2 }' /proc/meminfo | results
	for name in swap store; do
		[ ! -e "$PROC/of-$name" ] ||
			say ${name}_media_kib $(($(stat media_used_bytes of-$name) >> 10))
	done
}

apps_run()
{
	# Read the programs before the measurement, because the host's files take the host's time.
	pids=''
	sample 0 2> "$TMP/none"
	sleep 1
	pages_moved > "$TMP/before"
	best=0 n=0 worse=0 begin=$(uptime_ms)
	# Limit the time, because a start takes long while all apps wait for the swap.
	while [ $n -lt "$MTDC_APPS" ] && [ $worse -lt 4 ] &&
	      [ $(($(uptime_ms) - begin)) -lt $((MTDC_APPS * MTDC_EVERY * 1500)) ]; do
		start_app $n
		n=$((n + 1))
		sleep "$MTDC_EVERY"
		sample $n
		now=$(tail -n 1 "$out/$run.active" | cut -d ' ' -f 3)
		worse=$((worse + 1))
		[ "$now" -le "$best" ] || best=$now worse=0
	done
	left=$MTDC_SECONDS
	while [ "$left" -gt 0 ]; do
		sleep 5
		left=$((left - 5))
		sample $n
	done
	say started $n
	say most_active "$best"
	at_end
	where_it_is
	stop_apps
}

# ready: for told, have all memory of the apps taken; sets free
ready()
{
	if [ "$control" = told ]; then
		for pid in $pids; do
			marvinctl bg "$pid" > "$TMP/told" || echo "# bg $pid: $?"
		done
	fi
	free=$(awk '$1 == "MemFree:" { print $2 }' /proc/meminfo)
}

take() { marvin-load timer --mib "$MTDC_TIMER" --name "$run" > "$TMP/timer" || echo "# timer: $?"; }

# took took|cpu: print the time in us
took() { sed -n "s/.* $1_us \([0-9]*\).*/\1/p" "$TMP/timer"; }

timer_run()
{
	take
	say free_us "$(took took)"
	pids=''
	n=0
	while [ $n -lt "$MTDC_APPS" ]; do
		start_app $n
		n=$((n + 1))
		sleep 3
	done
	# Wait until all old memory is cold.
	sleep 45
	awk '/^(MemFree|MemAvailable|AnonPages):/ { print "# " $0 }' /proc/meminfo
	i=0
	while [ $i -lt 5 ]; do
		i=$((i + 1))
		ready
		take
		say had_free_kib "$free"
		say took_us "$(took took)"
		say cpu_us "$(took cpu)"
		sleep 12
	done
	# Once more while measuring the apps' memory. Not part of the results above, because
	# a sample each millisecond slows the program down.
	# shellcheck disable=SC2086 # a list
	marvin-load memory --interval 1 --name "$run" $pids > "$out/$run.memory" &
	looking=$!
	sleep 1
	ready
	take
	cp "$TMP/timer" "$out/$run.timer"
	sleep 1
	kill $looking
	wait $looking
	at_end
	stop_apps
}

walk_run()
{
	for ratio in 0 1 3 10 30; do
		# shellcheck disable=SC2086 # options
		marvin-load walk $options --mib 16 --ratio $ratio --rounds 5 > "$TMP/walk" ||
			echo "# walk: $?"
		sed -n "s/.* walk 4 took_us \([0-9]*\) .*/ratio_${ratio}_us \1/p" "$TMP/walk" | results
	done
}

micro_run()
{
	for ratio in 0 1 2 3 5 10 30 100; do
		# shellcheck disable=SC2086 # options
		marvin-load micro $options --ratio $ratio > "$TMP/micro" || echo "# micro: $?"
		sed -n "s/.* took_us \([0-9]*\) .*/ratio_${ratio}_us \1/p" "$TMP/micro" | results
	done
}

programs_run()
{
	for name in $MTDC_PROGRAMS; do
		# shellcheck disable=SC2086 # options
		MARVIN_STORE=$store/ lua5.4 "$MTDC_TOP/tools/lab/marvin-load/lua/$name.lua" $types \
			> "$TMP/program" || echo "# $name: $?"
		tr ' ' '\n' < "$TMP/program" | awk -v name="$name" '
			/^(fill|use|check)_us$/ { getline us; sum += us }
			/^wrong$/ { getline wrong; print name "_wrong", wrong }
			END { print name "_us", sum }' | results
	done
}

# steps NAME: print a number of steps that uses all of the data
steps()
{
	case $1 in
	tiles)	echo 100 ;;
	*)	echo 3000 ;;
	esac
}

collect_run()
{
	group=$TMP/cgroup
	[ -e "$group/cgroup.procs" ] || {
		must mkdir -p "$group"
		must mount -t cgroup2 cgroup2 "$group"
	}
	must eval "echo +memory > '$group/cgroup.subtree_control'"
	for name in $MTDC_PROGRAMS; do
		# shellcheck disable=SC2086 # options
		MARVIN_STORE=$store/ "$MTDC_TOP/tools/lab/paper-marvin/collect.sh" "$group/$run" \
			"$MTDC_PERCENT" "$name" $types --steps "$(steps "$name")" --tick 1000 \
			> "$TMP/collect" || echo "# $name: $?"
		sed "s/^/${name}_/" "$TMP/collect" | results
	done
}

no_huge_pages
echo 0 > /proc/sys/vm/page-cluster
echo 0 > /proc/sys/kernel/hung_task_timeout_secs
for plan; do
	load=${plan%%:*} control=${plan#*:}
	run=$load-$control
	control "$control"
	"${load}_run"
	uncontrol "$control"
done
deliver
echo "result all done"
