#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# rectifyd in a guest: bad input, switches between apps whose files are on a slow disk, with it and
# without, apps that die, endless requests, and its own end by SIGTERM and `kill -9`.
#
# job: test rectifyd seconds=90 --mem 148 --reserve 128 --clock icount --timeout 450
# job: programs rectifyd --mem 148 --reserve 128 --clock icount --timeout 1500
# shellcheck disable=SC2154 # lib.sh's variables
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/daemonlib.sh"
. "$(dirname "$0")/cardlib.sh"

mkdir "$TMP/bin"
must cp "$MTDC_BUILD/tools/memload" "$MTDC_BUILD/tools/rectifyd" "$MTDC_BUILD/tools/rectifyctl" \
	"$TMP/bin"
PATH=$TMP/bin:$PATH
SOCKET=$TMP/rectifyd.sock STATE=$TMP/rectifyd.state LOG=$TMP/rectifyd.log
GROUP=/sys/fs/cgroup/apps
switches=$(amount 24 60)

must mount -t cgroup2 none /sys/fs/cgroup
echo +memory > /sys/fs/cgroup/cgroup.subtree_control
mkdir $GROUP
# The group counts each app's own reads.
echo +memory > $GROUP/cgroup.subtree_control
echo never > /sys/kernel/mm/transparent_hugepage/enabled
# Reads of the shell from the host may take minutes of guest time while nothing else runs.
echo 0 > /proc/sys/kernel/hung_task_timeout_secs
lru classic
echo 0 > /proc/sys/vm/page-cluster
# Half of the reserve is swap; the other half is a disk that reads 25 MB a second.
half_kib=$((MTDC_RESERVE_SIZE >> 11))
phram low 0 $half_kib
must modprobe mtdcompr
attach "low,comp=lz4,name=swp"
must mkswap "$(own_disk swp)"
must swapon "$(own_disk swp)"
disk=/run/disk
mkdir $disk
apps="--apps 4 --anon 14M --file 8M --shared 4M --dir $disk/apps --group $GROUP --think 300"
card $half_kib $half_kib 25 $disk
# shellcheck disable=SC2086 # options
must memload apps $apps --prepare
card_filled $disk

all_knobs() { cat /proc/sys/vm/swappiness /proc/sys/vm/page-cluster; }
before=$(all_knobs)

# daemon [OPTION...]: start it and wait until it answers
daemon()
{
	: > "$LOG"
	rectifyd -f -p /apps -s "$SOCKET" -S "$STATE" "$@" 2>> "$LOG" &
	daemon=$!
	daemon_tries=100
	until rectifyctl -s "$SOCKET" status > "$TMP/status" 2>&1; do
		daemon_tries=$((daemon_tries - 1))
		if [ $daemon_tries = 0 ] || ! kill -0 $daemon 2>/dev/null; then
			bail "rectifyd does not answer: $(cat "$LOG")"
		fi
		sleep 0.1
	done
}

# apps_run FILE [OPTION...]: memload's lines go to FILE
apps_run()
{
	apps_out=$1
	shift
	echo 3 > /proc/sys/vm/drop_caches
	# shellcheck disable=SC2086 # options
	memload apps $apps --warm-up 4 --switches "$switches" --out "$apps_out.csv" "$@" > "$apps_out" 2>&1
}

mean() { sed -n 's/^switches .* mean \([0-9]*\).*/\1/p' "$1"; }

check "--check" rectifyd --check
diag "$(rectifyd --check)"
printf '[auto]\nfetch = perhaps\n' > "$TMP/bad.conf"
says "a wrong value, with its line" 2 "bad.conf:2: fetch = perhaps: not one of" \
	rectifyd -f -c "$TMP/bad.conf"
printf '[apps]\ngroup = apps\n' > "$TMP/bad.conf"
says "a group that is none" 2 "group = apps: not a control group" rectifyd -f -c "$TMP/bad.conf"
says "no daemon to tell" 1 "no rectifyd answers" rectifyctl -s "$SOCKET" fg app0
daemon
says "a second rectifyd" 1 "another rectifyd is running; end it first, or see rectifyctl status" \
	rectifyd -f -s "$TMP/other.sock" -S "$STATE"
says "an app that is none" 1 "no app nothing: no control group /apps/nothing" \
	rectifyctl -s "$SOCKET" fg nothing
mkdir $GROUP/empty
says "an app without a process" 1 "control group /apps/empty has no process" \
	rectifyctl -s "$SOCKET" fg empty
rmdir $GROUP/empty
says "init is no app" 1 "no app 1:" rectifyctl -s "$SOCKET" fg 1
says "an unknown request" 1 "not one of: status, fg NAME, bg NAME" rectifyctl -s "$SOCKET" front app0
check "status as JSON" rectifyctl -s "$SOCKET" status --json

# With it and without: it raises vm.swappiness first, and pushes out later
check "apps without it" apps_run "$TMP/alone"
check "apps with it: their bytes are right" apps_run "$TMP/trial" --hook "rectifyctl -s $SOCKET"
diag "$(tail -n 2 "$TMP/alone" "$TMP/trial")"
rectifyctl -s "$SOCKET" status > "$TMP/status"
diag "$(cat "$TMP/status")"
holds "a switch takes a third less at least" $(($(mean "$TMP/trial") * 3)) -le $(($(mean "$TMP/alone") * 2))
check "its cost is what the app waited, by the pressure of its group" grep -qx 'costs: pressure' "$TMP/status"
check "pushing and the kernel's choice are on trial" \
	awk '/^trial: what=(push|swappiness) done=(yes|no) found=/ { n++ } END { exit n != 2 }' "$TMP/status"
kill $daemon
wait $daemon
same_soon "all is as before after its end"

# Without a trial it does all of it
daemon -o auto.trial=no
check "apps that are always pushed: their bytes are right" apps_run "$TMP/with" --hook "rectifyctl -s $SOCKET"
check "every request was answered" grep -q 'hook failures 0' "$TMP/with"
diag "$(tail -n 2 "$TMP/with")"
rectifyctl -s "$SOCKET" status > "$TMP/status"
diag "$(cat "$TMP/status")"
holds "a switch takes a third less at least, without a trial" \
	$(($(mean "$TMP/with") * 3)) -le $(($(mean "$TMP/alone") * 2))
# shellcheck disable=SC2016 # awk's variables
check "pages of each app have gone out" \
	awk '/^app: / { n++; sub(/.*pushed_kib=/, ""); if ($1 < 1024) bad = 1 } END { exit bad || n < 4 }' \
	"$TMP/status"
rss=$(sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$daemon/status")
diag "$rss KiB resident"
holds "at most 3 MiB are resident" "$rss" -le 3072

# An app registers before its exec, and has other memory after it. Refaults of files make it go out
apps_run "$TMP/again"
mkdir $GROUP/late
( echo 0 > $GROUP/late/cgroup.procs; sleep 2; exec memload anon --size 16M --seconds 60 ) > /dev/null 2>&1 &
late=$!
sleep 1
rectifyctl -s "$SOCKET" fg late > /dev/null
sleep 5
rectifyctl -s "$SOCKET" bg late > /dev/null
sleep 3
rectifyctl -s "$SOCKET" status > "$TMP/status"
diag "$(grep -e ' name=late ' -e ^memory "$TMP/status")"
# shellcheck disable=SC2016 # awk's variables
check "an app that called exec after it came to the front goes out" \
	awk '/ name=late / { sub(/.*pushed_kib=/, ""); good = $1 > 1024 } END { exit !good }' "$TMP/status"
kill $late
wait $late

# A configuration read while an app is in front forbids to touch the app any more
kill $daemon
wait $daemon
printf '[auto]\ntrial = no\n' > "$TMP/rectifyd.conf"
daemon -c "$TMP/rectifyd.conf"
apps_run "$TMP/again" --hook "rectifyctl -s $SOCKET"
mkdir $GROUP/left
memload anon --size 16M --seconds 60 > /dev/null 2>&1 &
left=$!
echo $left > $GROUP/left/cgroup.procs
sleep 1
rectifyctl -s "$SOCKET" fg left > /dev/null
sleep 3
printf '[auto]\ntrial = no\n[apps]\nnever_cgroup = /apps/left\n' > "$TMP/rectifyd.conf"
kill -HUP $daemon
sleep 1
rectifyctl -s "$SOCKET" bg left > /dev/null
sleep 3
rectifyctl -s "$SOCKET" status > "$TMP/status"
diag "$(grep -e ' name=left ' -e ^memory "$TMP/status")"
check "an app that may not be touched any more stays" grep -q ' name=left .* pushed_kib=0 ' "$TMP/status"
kill $left
wait $left

# An app that is killed, and endless requests
apps_run "$TMP/killed" --hook "rectifyctl -s $SOCKET" &
run=$!
sleep 3
kill -9 "$(head -n 1 $GROUP/app1/cgroup.procs)"
n=0 bad=0
while [ $n -lt 200 ]; do
	n=$((n + 1))
	rectifyctl -s "$SOCKET" fg "app$((n % 4))" > /dev/null 2>&1 || bad=$((bad + 1))
done
wait $run
is "an app is killed while switches come without end: bytes are right" $? 0
holds "most requests were answered" $bad -le 20
check "rectifyd lives" kill -0 $daemon
mkdir "$GROUP/two words"
sleep 1000 &
two=$!
echo $two > "$GROUP/two words/cgroup.procs"
must rectifyctl -s "$SOCKET" fg "two words"
rectifyctl -s "$SOCKET" status --json > "$TMP/status"
is "an app of two words" $? 0
check "its name is one word" grep -q '"name": *"two_words"' "$TMP/status"
kill $two
kill $daemon
wait $daemon
is "it ends" $? 0
same_soon "all is as before after SIGTERM"

# rectifyd reads the groups to see which app is in front
echo +cpu > /sys/fs/cgroup/cgroup.subtree_control
echo +cpu > $GROUP/cgroup.subtree_control
for name in one two; do
	mkdir $GROUP/$name
	sleep 1000 &
	echo $! > $GROUP/$name/cgroup.procs
done
# in_front NAME: within two seconds
in_front()
{
	front_tries=20
	until rectifyctl -s "$SOCKET" status | grep -q "^app: name=$1 state=front"; do
		front_tries=$((front_tries - 1))
		[ $front_tries -gt 0 ] || return 1
		sleep 0.1
	done
}
daemon -o apps.watch=yes
echo 1000 > $GROUP/one/cpu.weight
check "the one with the highest weight is in front" in_front one
echo 1 > $GROUP/one/cgroup.freeze
check "the one that is not frozen is" in_front two
echo 0 > $GROUP/one/cgroup.freeze
check "and the other one again" in_front one
kill $daemon
wait $daemon
for name in one two; do
	kill "$(cat $GROUP/$name/cgroup.procs)"
done
says "watching without a group" 2 "watch = yes: it needs the group" \
	rectifyd -f -s "$SOCKET" -S "$STATE" -o apps.watch=yes

# Other programs read files all the time while two apps that need none are switched rarely: rectifyd
# does nothing, also if the kernel does not count reads of a group
echo -memory > $GROUP/cgroup.subtree_control
daemon -o rectifyd.log=debug
for name in one two; do
	memload anon --size 4M --seconds 100 > /dev/null 2>&1 &
	echo $! > $GROUP/$name/cgroup.procs
done
memload anon --size 44M --loop --rewrite --rate 40 --seconds 100 > /dev/null 2>&1 &
hog=$!
while :; do
	cat $disk/apps/* > /dev/null
done &
reader=$!
n=0
while [ $n -lt 10 ]; do
	n=$((n + 1))
	rectifyctl -s "$SOCKET" fg one > /dev/null
	sleep 4
	rectifyctl -s "$SOCKET" fg two > /dev/null
	sleep 4
done
rectifyctl -s "$SOCKET" status > "$TMP/status"
kill $reader $hog
diag "$(cat "$TMP/status")"
# shellcheck disable=SC2016 # awk's variables
check "what others read makes nobody give up anything" \
	awk '/^keep_kib/ { bad = 1 } /^app: / { n++; sub(/.*pushed_kib=/, ""); bad += $1 } END { exit bad || n != 2 }' \
	"$TMP/status"
is "nor the kernel take other pages" "$(all_knobs)" "$before"
kill $daemon
wait $daemon
for name in one two; do
	kill "$(cat $GROUP/$name/cgroup.procs)"
done

# Killed while apps switch. Files are read again, so it raises vm.swappiness
daemon -o rectifyd.log=debug
apps_run "$TMP/after" --hook "rectifyctl -s $SOCKET" --hot 75 --switches $((switches * 2)) &
run=$!
# is_raised: within a minute of guest time; otherwise log why
is_raised()
{
	raised_tries=120
	until [ "$(cat /proc/sys/vm/swappiness)" = 150 ]; do
		raised_tries=$((raised_tries - 1))
		if [ $raised_tries = 0 ]; then
			cat "$LOG"
			return 1
		fi
		sleep 0.5
	done
}
check "vm.swappiness is raised while memory is short" is_raised
kill -9 $daemon
same_soon "killed: all is as before, within a second"
wait $run
is "killed while apps switch: their bytes are right" $? 0
check "they were told that nobody answers" grep -q 'no rectifyd answers' "$TMP/after"
daemon
check "the next one starts" kill -0 $daemon
kill $daemon
wait $daemon
