#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# latd beside hostile users without privileges: a program that holds its mmap_lock for ever, the
# names of protected programs and of sshd, names with newlines and escape codes, 300 processes of
# one name, loops of fork() and of prctl(). latd must still serve the others and undo its changes in
# time. It protects only programs of the right user. For a guest with a little memory and as much
# reserve.
#
# job: test hostile seconds=90 --mem 192 --reserve 112 --timeout 300 --smp 2
# job: programs hostile --mem 192 --reserve 112 --timeout 900 --smp 2
# shellcheck disable=SC2154,SC2034 # lib.sh's variables, and hostilelib.sh's
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/swaplib.sh"
. "$(dirname "$0")/hostilelib.sh"

programs selftests/hold selftests/memsig tools/latd tools/latdctl
phram low 0 $((MTDC_RESERVE_SIZE / 1024))
machine low
# Programs of root: one that is protected, one that latd must never touch
mkdir "$TMP/root"
cp /bin/sleep "$TMP/root/app"
cp /bin/sleep "$TMP/root/sshd"
must cp "$TMP/bin/memsig" "$TMP/bin/sshd"
(
	echo 123 > /proc/self/oom_score_adj
	exec "$TMP/root/app" 100000
) &
app=$!
hog_mib=$(($(left_mib) + beyond + 10))
# A program that has more than the hog
large_mib=$((hog_mib + 16))

# all_knobs: print everything that latd changes
all_knobs()
{
	(cd /proc/sys/vm && head -n 1 swappiness overcommit_memory dirty_ratio \
		dirty_background_ratio watermark_scale_factor)
	cat "/proc/$app/oom_score_adj" "/proc/$app/cgroup" $GROUPS_AT/cgroup.subtree_control
	find $GROUPS_AT -name 'latd*'
}
before=$(all_knobs)

adj() { cat "/proc/$1/oom_score_adj" 2>/dev/null; }
has_adj() { [ "$(adj "$1")" = "$2" ]; }
group_of() { sed -n 's/^0:://p' "/proc/$1/cgroup" 2>/dev/null; }
is_limited()
{
	[ "$(group_of "$1")" = /latd.others ] &&
		[ "$(cat $GROUPS_AT/latd.others/memory.high)" != max ]
}
# was_stopped NAME PID: the log says that a signal stopped it
was_stopped() { grep "$1\[$2\].*: stopped" "$LOG" | grep -qv failed; }

# has_stopped N: the status has at least N stops
has_stopped() { [ "$(status stops)" -ge "$1" ] 2>/dev/null; }

# stops DESCRIPTION NAME PID
stops()
{
	soon "$1" 20 was_stopped "$2" "$3"
	was_stopped "$2" "$3" || diag "$(tail -n 6 "$LOG")"
}

# protected_lock: a program that holds its lock has a protected name, and its memory is in swap
protected_lock()
{
	what="an mmap_lock held under a protected name"
	attack 1001 mmap -m 8 -o -n app || {
		skip "$what" "$why"
		return
	}
	check "$what: a read of its maps does not return" holds_lock "$held"
	begin latd -m auto -p app
	# While there is memory, latd brings the pages back.
	sleep 2
	hog
	soon "$what: a hog is limited" 10 is_limited $hog
	ends_soon "$what"
	hog_end
	attackers_end
	attack 1001 mmap -m 8 -o -l -n app || diag "$why"
	begin latd -m auto -p app -o "protect.user=1001"
	sleep 2
	hog
	soon "$what, whose user counts: another latd starts, and limits" 10 is_limited $hog
	dies_soon "$what, whose user counts"
	hog_end
	attackers_end
}

# other_lock: the program has more memory than the hog, so latd would push it out first
other_lock()
{
	what="an mmap_lock held by one of the others"
	attack 1001 mmap -m $large_mib || {
		skip "$what" "$why"
		return
	}
	check "$what: a read of its maps does not return" holds_lock "$held"
	begin latd -m auto -p app -o protect.arrange=no
	hog
	soon "$what: others are stopped, again and again" 20 has_stopped 3
	ends_soon "$what"
	hog_end
	attackers_end
	attack 1001 mmap -m $large_mib -l || diag "$why"
	begin latd -m auto -p app -o protect.arrange=no
	hog
	soon "$what: another latd starts, and stops others" 20 has_stopped 3
	dies_soon "$what"
	hog_end
	attackers_end
}

names()
{
	attack 1001 name app -m 2 || bail "$why"
	foreign=$held
	"$TMP/root/sshd" 100000 &
	sshd=$!
	begin latd -m auto -p app
	soon "names: root's app is protected" 5 has_adj $app -991
	hog_as 1001 sshd
	soon "names: a user's sshd is limited" 10 is_limited $hog
	is "names: a user's app is not protected" "$(adj "$foreign") $(group_of "$foreign")" \
		"0 /latd.others"
	is "names: root's sshd is left alone" "$(group_of $sshd)" /
	ends_soon "names"
	begin latd -m signal -p app
	stops "names: a user's sshd is stopped" sshd $hog
	ends_soon "names, mode signal"
	hog_end
	begin latd -m auto -p app -o protect.user=1001
	soon "names of user 1001 count: his app is protected, and root's, too" 5 has_scores
	kill $pid
	within 5 has_ended
	kill $sshd
	attackers_end
}
has_scores() { has_adj "$foreign" -991 && has_adj $app -991; }

# start_family: a protected program that has children while it is protected
start_family()
{
	cat > "$TMP/root/family" <<-'END'
		#!/bin/sh
		until [ -e "$1" ]; do sleep 0.1; done
		sleep 1000 &
		echo $! > "$1.child"
		(sleep 1000 & echo $! > "$1.orphan")
		wait
	END
	chmod 755 "$TMP/root/family"
	rm -f "$TMP"/born*
	(
		echo 77 > /proc/self/oom_score_adj
		exec "$TMP/root/family" "$TMP/born"
	) &
	family=$!
}
all_adj() { for adj_pid; do adj "$adj_pid"; done | tr '\n' ' '; }
are_born() { [ -s "$TMP/born.child" ] && [ -s "$TMP/born.orphan" ]; }

# children_of SIGNAL SECONDS: their OOM scores after the end of latd
children_of()
{
	start_family
	begin latd -m auto -p family
	soon "children, SIG$1: the parent is protected" 5 has_adj $family -991
	: > "$TMP/born"
	within 5 are_born
	family="$family $(cat "$TMP/born.child" "$TMP/born.orphan")"
	ends "children, SIG$1: latd ends in time" "$1" "$2"
	# shellcheck disable=SC2086 # a list
	is "children, SIG$1: parent, child and orphan have the parent's score" \
		"$(all_adj $family)" "77 77 77 "
	# shellcheck disable=SC2086 # a list
	kill $family
}

# make_init: the script for System V init, for the latd of this test
make_init()
{
	sed "s|@PREFIX@|$TMP|; s|@NAME@|latd|g; s|@CTL@|latdctl|" \
		"$MTDC_TOP/tools/common/daemon.init" > "$TMP/latd.init"
	cat > /etc/default/latd <<-END
		DAEMON=$TMP/bin/latd CTL=$TMP/bin/latdctl SOCKET=$SOCKET
		PIDFILE=$TMP/latd.pid STOP_WAIT=5
	END
}
# has_json_pid FILE: FILE is JSON with the daemon's pid
has_json_pid()
{
	python3 -c 'import json, sys; sys.exit(json.load(sys.stdin)["pid"] != int(sys.argv[1]))' \
		$pid < "$1"
}
says_x() { control status > "$TMP/text" 2>&1 && grep -q '^last: x' "$TMP/text"; }

forged()
{
	attack 1001 name "$(printf 'x\npid: 1\n\033[31m')" -m $large_mib || bail "$why"
	begin latd -m signal -p app
	hog
	soon "a forged name: the process is stopped, and named in the status" 20 says_x
	check "a forged name: the status has one pid, latd's" has_one_pid "$TMP/text"
	check "a forged name: the status has no control characters" is_plain "$TMP/text"
	within 20 says_x
	control status --json > "$TMP/json" 2>&1
	check "a forged name: the JSON is right, and has latd's pid" has_json_pid "$TMP/json"
	make_init
	within 20 says_x
	limited 10 sh "$TMP/latd.init" stop > "$TMP/init" 2>&1
	is "a forged name: the init script stops latd" "$? $(gone $pid && echo gone)" "0 gone"
	check "a forged name: the log has no control characters" is_plain "$LOG"
	gone $pid || kill $pid
	within 5 has_ended
	hog_end
	attackers_end
}

# changed: number of processes called app with another score than at the beginning
changed()
{
	grep -ls '^app$' /proc/[0-9]*/comm | cut -d / -f 3 | while read -r changed_pid; do
		[ "$changed_pid" = $app ] || adj "$changed_pid"
	done | grep -vc '^0$'
}

crowd()
{
	attack 0 names 300 app || bail "$why"
	begin latd -m signal -p app
	hog
	stops "300 of a protected name: a hog is stopped" memsig $hog
	ends_soon "300 of a protected name"
	is "300 of a protected name: no score stays changed" "$(changed)" 0
	begin latd -m auto -p app
	soon "300 of a protected name: another latd starts, and limits" 10 is_limited $hog
	ends_soon "300 of a protected name, mode auto"
	hog_end
	attackers_end
}

forks()
{
	attack 1001 forks || bail "$why"
	begin latd -m auto -p app
	soon "a loop of forks: it is in the others' group" 5 is_limited "$held"
	ends_soon "a loop of forks"
	attackers_end
}

cpu_ticks() { awk '{ sub(/.*\) /, ""); print $12 + $13 }' "/proc/$pid/stat"; }
storm()
{
	begin latd -m auto -p app
	sleep 1
	rest=$(cpu_ticks)
	sleep 5
	ticks=$(cpu_ticks)
	rest=$((ticks - rest))
	hold as 1001 hold storm 5 > "$TMP/storm"
	ticks=$(($(cpu_ticks) - ticks))
	diag "a storm of names for 5 s: $((ticks * 10)) ms of a processor; at rest $((rest * 10)) ms"
	# On a busy host, the guest also counts time that the host has taken.
	holds "a storm of names costs latd 5 % of a processor at most" \
		"$ticks" -le $((25 * MTDC_TIMES))
	ends_soon "a storm of names"
}

protected_lock
other_lock
names
children_of TERM 1
children_of KILL 2
forged
crowd
forks
storm
kill $app
machine_end
