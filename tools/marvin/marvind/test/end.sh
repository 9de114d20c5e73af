#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# end.sh DIR [PROGRAM]: marvind, marvinctl and PROGRAM (load) of DIR from end to end, on this machine;
# as TAP. load uses libmarvin; speak does as libmarvin does, without it. It needs root.
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
# shellcheck source-path=SCRIPTDIR source=../../../../selftests/tap.sh
. "$here/../../../../selftests/tap.sh"
bin=$1 program=${2:-load}
work=$(mktemp -d)
chmod 755 "$work"
export MARVIN_REGISTER=$work/reg
log=$work/log
daemon='' load=''

# Ends processes that this script has started, by their id.
finish()
{
	local pid

	for pid in $load $daemon; do
		kill -9 "$pid" 2>/dev/null || :
	done
	rm -rf "$work"
}
trap finish EXIT

if [ "$(id -u)" != 0 ] || ! "$bin/marvind" --check > /dev/null 2>&1; then
	echo "1..0 # SKIP not root, or no sockets"
	exit 0
fi

ctl() { "$bin/marvinctl" -s "$work/sock" "$@"; }

# soon COMMAND...: within some seconds
soon()
{
	local tries=100

	until "$@" > /dev/null 2>&1; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		sleep 0.1
	done
}

# marvind [OPTION...]: started, and answers
marvind()
{
	"$bin/marvind" -f -s "$work/sock" -S "$work/state" -o marvind.log=debug "$@" 2>> "$log" \
		3>&- 4<&- &
	daemon=$!
	soon ctl status
}

stop_daemon()
{
	kill "$daemon"
	wait "$daemon" 2>/dev/null || :
	daemon=
}

# start_load MIB [COMMAND...]: its answers come from fd 4, its orders go to fd 3
start_load()
{
	local line mib=$1

	shift
	[ $# -gt 0 ] || set -- "$bin/$program"
	rm -f "$work/in" "$work/out"
	mkfifo "$work/in" "$work/out"
	"$@" "$mib" < "$work/in" > "$work/out" &
	load=$!
	exec 3> "$work/in" 4< "$work/out"
	read -r -t 60 line <&4
	[ "$line" = ready ]
}

# tell LETTER: its answer
tell()
{
	local line

	printf %s "$1" >&3
	read -r -t 60 line <&4
	echo "$line"
}

stop_load()
{
	exec 3>&- 4<&-
	wait "$load" 2>/dev/null || :
	load=
}

# check WHAT COMMAND...
check()
{
	local what=$1 status=0

	shift
	"$@" > "$work/said" 2>&1 || status=1
	result $status "marvind: $what"
	[ $status = 0 ] || { tail -n 5 "$work/said"; tail -n 8 "$log"; } | sed 's/^/# /'
}

# field KEY: of what bg has said
field() { sed -n "s/^$1: //p" "$work/bg"; }
bg() { ctl bg "$1" > "$work/bg"; }
is() { [ "$1" = "$2" ] || { echo "\"$1\" instead of \"$2\""; return 1; }; }
less() { [ "$1" -lt "$2" ] || { echo "$1, not less than $2"; return 1; }; }
says() { grep -q "$1" "$log"; }
listed() { ctl list | grep -q "^ *$1 "; }
gone() { ctl list > "$work/list" && ! grep -q "^ *$1 " "$work/list"; }
refused() { ! "$@" > "$work/refused" 2>&1; }
tail_of_refused() { grep -q "$1" "$work/refused" || { cat "$work/refused"; return 1; }; }

# is_empty: the list has its head only
is_empty() { is "$(ctl list | wc -l)" 1; }

back_and_forth()
{
	marvind
	start_load 40
	check "a program registers itself" soon listed "$load"
	before=$(tell r)
	check "bg answers" bg "$load"
	check "it is done" is "$(field pending)" no
	check "it says how much was taken" less 38000 "$(field taken_kib)"
	after=$(tell r)
	check "40 MiB of it are taken back: $before KiB, then $after" \
		less "$after" $((before - 38000))
	# Whole pages are given, and an object of libmarvin may have one page more.
	check "the list has them" grep -q " 40.0  *0.0  *0.0  *4[0-2].[0-9] yes" <(ctl list)
	check "the list as JSON" grep -q '"given_kib":4[0-3][0-9][0-9][0-9]\b' <(ctl list --json)
	check "its bytes are right afterwards" is "$(tell u)" right
	check "top" grep -q "^ *$load load " <(ctl top -n 1)
	check "stats" soon stats_are dropped '4[1-4][0-9]\{6\}'
	check "fg" ctl fg "$load"
	check "it is not in the background any more" grep -q " no$" <(ctl list)
	# Written again while all is at the kernel.
	is "$(tell t)$(tell w)$(tell t)" tickedwrittenticked
	bg "$load"
	check "it is right after it was written and taken back again" is "$(tell u)" right
	stop_load
	check "a program that ends is forgotten" soon is_empty
}

stats_are() { ctl stats | grep -q "^$1: $2$"; }

# stopped: a program that cannot answer
stopped()
{
	start_load 40
	soon listed "$load"
	tell u > /dev/null
	kill -STOP "$load"
	before=$(rss)
	check "bg of a program that is stopped" bg "$load"
	check "it is pending" is "$(field pending)" yes
	check "the list says so" grep -q " pending$" <(ctl list)
	check "how far it is, as JSON" grep -q '"pending":true,$' <(ctl --json "bg?" "$load")
	check "marvind does not wait for it" timeout 1 "$bin/marvinctl" -s "$work/sock" status
	kill -CONT "$load"
	check "when it goes on it is done" soon not_pending
	check "its bytes are right" is "$(tell u)" right
	bg "$load"
	is "$(tell t)" ticked
	kill -STOP "$load"
	bg "$load"
	check "what was given is taken from outside: $before KiB, then $(rss)" \
		less "$(rss)" $((before - 38000))
	kill -CONT "$load"
	check "its bytes are right, too" is "$(tell u)" right
	stop_load
}
rss() { sed -n 's/^VmRSS:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$load/status"; }
not_pending() { ! ctl list | grep -q " pending$"; }

# not_at PATH WHY: marvind does not begin there, says so in one line, and changes nothing there
not_at()
{
	local before

	before=$(stat -c '%i %F %s %U' "$1")
	if "$bin/marvind" -f -s "$work/sock2" -S "$work/state2" -o marvind.register="$1" \
		2> "$work/refused"; then
		echo "it has begun at $1"
		return 1
	fi
	cat "$work/refused"
	is "$(grep -c "$1: " "$work/refused")" 1 && tail_of_refused "$1: .*$2" &&
		is "$(stat -c '%i %F %s %U' "$1")" "$before"
}

other_places()
{
	local what=$work/place

	echo text > "$what"
	check "a file in the socket's place" not_at "$what" "no socket of root's: remove it"
	rm "$what"
	mkdir "$what"
	check "a directory" not_at "$what" "no socket of root's: remove it"
	rmdir "$what"
	ln -s /etc/passwd "$what"
	check "a link" not_at "$what" "no socket of root's: remove it"
	rm "$what"
	cp --no-preserve=all -a "$MARVIN_REGISTER" "$what"
	chown 65534 "$what"
	check "another user's socket" not_at "$what" "no socket of root's: remove it"
	rm "$what"
	check "the socket of a marvind that lives" not_at "$MARVIN_REGISTER" "another daemon has"
	check "which goes on" listed "$load"
}

bad_input()
{
	check "bg of a process that is none" refused ctl bg 1
	check "which is said" tail_of_refused "no process 1 in $MARVIN_REGISTER"
	check "bg of a word" refused ctl bg word
	check "which is said" tail_of_refused "not the id of a process"
	check "a request that is none" refused ctl nonsense
	check "a second marvind" refused "$bin/marvind" -f -s "$work/sock2" -S "$work/state"
	check "which is told" tail_of_refused "another marvind is running"
	start_load 1
	check "a program that comes later" soon listed "$load"
	other_places
	stop_load
	cp "$bin/marvind" "$work/marvind"
	check "without privilege" refused setpriv --reuid 65534 --regid 65534 --clear-groups \
		"$work/marvind" -f -s "$work/sock2" -S "$work/state2"
	check "which is said" tail_of_refused "has to be started by root"
	check "--once needs none, and says what it would take" grep -q "^would_take_kib: [0-9]*$" \
		<(setpriv --reuid 65534 --regid 65534 --clear-groups "$work/marvind" --once)
	stop_daemon
	check "the socket is gone at the end" refused ls "$MARVIN_REGISTER"
}

# of_others: programs of another user, that fork, and that are setuid
of_others()
{
	marvind
	cp "$bin/$program" "$work/load"
	start_load 8 setpriv --reuid 65534 --regid 65534 --clear-groups "$work/load"
	check "a program of another user" soon listed "$load"
	tell t > /dev/null
	check "bg of it" bg "$load"
	check "its bytes are right" is "$(tell u)" right
	check "it forks" is "$(tell f)" forked
	tell t > /dev/null
	check "and stays" listed "$load"
	check "bytes are right after a fork" is "$(tell u)" right
	stop_load
	check "it ends" soon is_empty
	chmod 4755 "$work/load"
	start_load 1 setpriv --reuid 65534 --regid 65534 --clear-groups "$work/load"
	tell t > /dev/null
	check "a setuid program takes no socket of its caller" refused says "its program is setuid"
	stop_load
	stop_daemon
}

other_version()
{
	is "$(tell v)" changed
	check "another version of libmarvin is said" \
		soon says "process $load is left alone: .*another version"
	tell t > /dev/null
	check "as a warning once" is "$(grep -c 'left alone.*later ones' "$log")" 1
	check "and bg of it is refused" refused ctl bg "$load"
	check "its bytes are right" is "$(tell u)" right
}

deaths()
{
	: > "$log"
	start_load 8
	marvind -p "$program"
	tell t > /dev/null
	check "marvind begins after the program" soon listed "$load"
	check "bg of a program that is never touched" refused ctl bg "$load"
	check "which is said" tail_of_refused "never touched"
	stop_daemon
	marvind
	tell t > /dev/null
	soon listed "$load"
	[ "$program" = load ] || other_version
	stop_load
	start_load 8
	tell t > /dev/null
	soon listed "$load"
	bg "$load"
	kill -9 "$daemon"
	wait "$daemon" 2>/dev/null || :
	check "kill -9 of marvind: bytes are right" is "$(tell u)" right
	tell t > /dev/null
	rm -f "$work/sock"
	marvind
	tell t > /dev/null
	check "the program registers again" soon listed "$load"
	check "in the foreground, until somebody tells" grep -q " no$" <(ctl list)
	tell x > /dev/null
	check "a program that calls exec() is forgotten" soon gone "$load"
	check "though it lives" kill -0 "$load"
	kill -9 "$load"
	stop_load
	start_load 8
	soon listed "$load"
	gone_pid=$load
	kill -9 "$load"
	stop_load
	check "kill -9 of a program: it is forgotten" soon gone "$gone_pid"
	stop_daemon
}

by_itself()
{
	# All of the memory is the budget: it is short.
	marvind -o auto.available=100 -o auto.take=16M -o auto.foreground=yes -o marvind.fetch=yes
	start_load 40
	soon listed "$load"
	before=$(tell r)
	tell t > /dev/null
	check "mode auto takes back, 16 MiB in a second" soon auto_taken
	check "in the foreground, too, if that is wanted" grep -q " no$" <(ctl list)
	stop_daemon
	marvind -m told -o marvind.fetch=yes
	tell t > /dev/null
	soon listed "$load"
	before=$(tell r)
	ctl fg "$load"
	check "fg brings back: $before KiB" soon comes_back
	check "its bytes are right" is "$(tell u)" right
	stop_load
	stop_daemon
	check "nothing is left" is "$(ls "$work"/sock "$work"/state "$work"/reg 2>/dev/null)" ""
	check "no sanitizer has found anything" refused grep -E "runtime error|Sanitizer" "$log"
}

comes_back() { less $((before + 38000)) "$(rss)"; }
auto_taken() { less "$(rss)" $((before - 38000)); }

: > "$log"
back_and_forth
stopped
bad_input
of_others
deaths
by_itself
end_results
