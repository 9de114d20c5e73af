#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# end.sh DIR: marvind, marvinctl and load of DIR from end to end, on this machine; as TAP. It needs
# root and process_madvise(), Linux 5.10.
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
# shellcheck source-path=SCRIPTDIR source=../../../../selftests/tap.sh
. "$here/../../../../selftests/tap.sh"
bin=$1
work=$(mktemp -d)
chmod 755 "$work"
export MARVIN_RUN=$work/run
log=$work/log
daemon='' load=''

# Only what this script has started, by its id.
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
	echo "1..0 # SKIP not root, or no process_madvise()"
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

# start_load MIB: the answers are in fd 4, what it is told is in fd 3
start_load()
{
	local line

	rm -f "$work/in" "$work/out"
	mkfifo "$work/in" "$work/out"
	"$bin/load" "$1" < "$work/in" > "$work/out" &
	load=$!
	exec 3> "$work/in" 4< "$work/out"
	read -r -t 60 line <&4
	[ "$line" = ready ]
}

# tell LETTER: what it answers
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

is() { [ "$1" = "$2" ] || { echo "\"$1\" instead of \"$2\""; return 1; }; }
less() { [ "$1" -lt "$2" ] || { echo "$1, not less than $2"; return 1; }; }
says() { grep -q "$1" "$log"; }
gone() { [ ! -e "$MARVIN_RUN/$1" ]; }
file_is_there() { [ -e "$MARVIN_RUN/$1" ]; }
listed() { ctl list | grep -q "^ *$1 "; }
refused() { ! "$@" > "$work/refused" 2>&1; }
tail_of_refused() { grep -q "$1" "$work/refused" || { cat "$work/refused"; return 1; }; }

back_and_forth()
{
	marvind
	start_load 40
	check "a program registers itself" soon listed "$load"
	is "$(tell t)" ticked
	before=$(tell r)
	check "bg answers" ctl bg "$load"
	after=$(tell r)
	check "40 MiB of it are taken back: $before KiB, then $after" \
		less "$after" $((before - 38000))
	check "the list has them" grep -q " 40.0  *0.0  *40.0 yes" <(ctl list)
	check "the list as JSON" grep -q '"out_kib":40960' <(ctl list --json)
	check "its bytes are right afterwards" is "$(tell u)" right
	check "top" grep -q "^ *$load load " <(ctl top -n 1)
	check "stats" grep -q "^dropped: 640$" <(ctl stats)
	check "fg" ctl fg "$load"
	check "it is not in the background any more" grep -q " no$" <(ctl list)
	# Written again while all is at the kernel.
	is "$(tell t)$(tell w)$(tell t)" tickedwrittenticked
	ctl bg "$load" > /dev/null
	check "it is right after it was written and taken back again" is "$(tell u)" right
	stop_load
	check "a program that ends takes its file away" soon gone "*"
	check "and is not listed" is "$(ctl list | wc -l)" 1
}

bad_input()
{
	local other

	# Process 1 may be one that not even root may look at, in a container.
	sleep 600 3>&- 4<&- &
	other=$!
	check "bg of a process that is none" refused ctl bg 1
	check "which is said" tail_of_refused "no process 1 in $MARVIN_RUN"
	check "bg of a word" refused ctl bg word
	check "which is said" tail_of_refused "not the id of a process"
	check "a request that is none" refused ctl nonsense
	check "a second marvind" refused "$bin/marvind" -f -s "$work/sock2" -S "$work/state"
	check "which is told" tail_of_refused "another marvind is running"
	check "a directory of somebody else's" refused "$bin/marvind" -f -s "$work/sock2" \
		-S "$work/state2" -o marvind.run=/proc/self/task
	echo hello > "$MARVIN_RUN/hello"
	echo 3 > "$MARVIN_RUN/$other"
	ln -s /etc/passwd "$MARVIN_RUN/2"
	mkfifo "$MARVIN_RUN/$$"
	touch -d '1 hour ago' "$MARVIN_RUN/$$"
	check "a file with another name is removed" soon gone hello
	check "and one of a process that has no table" soon gone "$other"
	kill "$other"
	wait "$other" 2>/dev/null || :
	check "and a link" soon gone 2
	check "and a pipe" soon gone $$
	check "the link's file stays" test -s /etc/passwd
	setpriv --reuid 65534 --regid 65534 --clear-groups sh -c "echo 3 > '$MARVIN_RUN/$$'" || :
	check "and one of another user" soon gone $$
	cp "$bin/marvind" "$work/marvind"
	check "without privilege" refused setpriv --reuid 65534 --regid 65534 --clear-groups \
		"$work/marvind" -f -s "$work/sock2" -S "$work/state2"
	check "which is said" tail_of_refused "has to be started by root"
	stop_daemon
}

deaths()
{
	: > "$log"
	start_load 8
	marvind -p load
	soon listed "$load"
	check "bg of a program that is never touched" refused ctl bg "$load"
	check "which is said" tail_of_refused "never touched"
	stop_daemon
	is "$(tell v)" changed
	marvind
	check "a table of another version is said" \
		soon says "process $load is left alone: .*another version"
	sleep 2.5
	check "once" is "$(grep -c 'another version' "$log")" 1
	check "and bg of it is refused" refused ctl bg "$load"
	check "its bytes are right" is "$(tell u)" right
	stop_load
	start_load 8
	tell t > /dev/null
	soon listed "$load"
	ctl bg "$load" > /dev/null
	kill -9 "$daemon"
	wait "$daemon" 2>/dev/null || :
	check "kill -9 of marvind: bytes are right" is "$(tell u)" right
	rm -f "$work/sock"
	marvind
	soon listed "$load"
	check "a new one knows who is in the background" grep -q " yes$" <(ctl list)
	tell x > /dev/null
	check "a program that calls exec() is forgotten" soon gone "$load"
	kill -9 "$load"
	stop_load
	start_load 8
	soon listed "$load"
	gone_pid=$load
	check "a program that registers again" file_is_there "$load"
	kill -9 "$load"
	stop_load
	check "kill -9 of it: its file is removed" soon gone "$gone_pid"
	stop_daemon
}

by_itself()
{
	# All of the memory is the budget: it is short.
	marvind -o auto.available=100 -o auto.take=16M -o auto.foreground=yes -o marvind.fetch=yes
	start_load 40
	soon listed "$load"
	tell t > /dev/null
	check "mode auto takes back, 16 MiB in a second" soon auto_taken
	check "in the foreground, too, if that is wanted" grep -q " no$" <(ctl list)
	stop_daemon
	marvind -m told -o marvind.fetch=yes
	before=$(tell r)
	ctl fg "$load"
	tell t > /dev/null
	after=$(tell r)
	check "fg brings back: $before KiB, then $after" less "$before" $((after - 38000))
	check "its bytes are right" is "$(tell u)" right
	stop_load
	stop_daemon
	check "nothing is left" is "$(ls "$work"/sock "$work"/state 2>/dev/null)" ""
	check "no sanitizer has found anything" refused grep -E "runtime error|Sanitizer" "$log"
}

auto_taken()
{
	ctl list | grep -q " 40.0  *0.0  *40.0 no$"
}

: > "$log"
back_and_forth
bad_input
deaths
by_itself
end_results
