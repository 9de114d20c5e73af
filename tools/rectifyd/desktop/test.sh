#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# test.sh [--units] [DIRECTORY]: tests of rectify-x11 and rectify-wayland as TAP: under Xvfb and
# openbox, and under sway without a screen, with real windows. DIRECTORY has the programs. Without
# it the script installs the packages, and makes the programs and rectifyd in build/tools.
# --units: only the tests that need no desktop.
set -u
units=
if [ "${1:-}" = --units ]; then
	units=1
	shift
fi
here=$(cd "$(dirname "$0")" && pwd -P)
top=${here%/*/*/*}
# shellcheck source-path=SCRIPTDIR source=../../../selftests/tap.sh
. "$top/selftests/tap.sh"
if [ $# = 0 ]; then
	"$top/qemu/setup.sh" tools desktop || exit 1
	for dir in "$here" "$here/.."; do
		make -s -C "$dir" WERROR=1 O="$top/build/tools" >&2 || exit 1
	done
fi
bin=$(cd "${1:-$top/build/tools}" && pwd -P)
if ! [ -x "$bin/desktop-test" ]; then
	echo "Bail out! no desktop-test in $bin: make it first"
	exit 1
fi
work=$(mktemp -d)
details=$work/details
declare -A children
group=
# The test must not use the display of the user who runs it.
unset DISPLAY WAYLAND_DISPLAY SWAYSOCK
export XDG_RUNTIME_DIR=$work/run HOME=$work/run
mkdir -m 700 "$work/run"
# sway and its windows may be another user's.
chmod 711 "$work"
cd "$work" || exit 1

# stop PID...: end children of this script that it has not stopped before: after that another
# process may have the id
stop()
{
	local pid

	for pid; do
		[ -n "${children[$pid]:-}" ] || continue
		unset "children[$pid]"
		kill -CONT "$pid"
		kill "$pid"
		wait "$pid"
	done 2>/dev/null
}

# A group is busy until the last process has left it.
clean_up()
{
	stop "${!children[@]}"
	[ -z "$group" ] || soon rmdir "$group/one" "$group/two" "$group"
	cd / && rm -rf "$work"
}
trap clean_up EXIT

# soon COMMAND...: repeat it until it succeeds; fails after a minute, which slow machines may need
soon()
{
	local i

	for ((i = 0; i < 600; i++)); do
		! "$@" 2>/dev/null || return 0
		sleep 0.1
	done
	return 1
}

# start LOG COMMAND...: run it in the background; $! is its id
start()
{
	local log=$1

	shift
	"$@" >"$log" 2>"$log.err" &
	children[$!]=1
}

# is_last LOG LINE
is_last()
{
	[ "$(tail -n 1 "$1")" = "$2" ]
}

# last LOG LINE WHAT: the log's last line gets this one soon
last()
{
	soon is_last "$1" "$2"
	local status=$?

	{ echo "wanted: $2"; tail -n 4 "$1" "$1.err"; } >"$details" 2>&1
	result $status "$3"
}

# said LOG NUMBER PATTERN WHAT: NUMBER lines of its standard error match
said()
{
	cp "$1.err" "$details"
	[ "$(grep -c -e "$3" "$details")" = "$2" ]
	result $? "$4"
}

# ends STATUS PATTERN WHAT PROGRAM ARGUMENTS...: it ends with this status and a line that matches
ends()
{
	local status=$1 pattern=$2 what=$3 got

	shift 3
	timeout 60 "$bin/$1" "${@:2}" >"$details" 2>&1 </dev/null
	got=$?
	echo "status $got" >>"$details"
	[ $got = "$status" ] && grep -q -e "$pattern" "$details"
	result $? "$what"
}

# skip WHAT WHY
skip()
{
	result 0 "$1 # SKIP $2"
}

# missing PROGRAM...: print "no PROGRAM" for the first program that is not installed
missing()
{
	local program

	for program; do
		command -v "$program" >/dev/null || echo "no $program"
	done | head -n 1
}

# is_gone PID
is_gone()
{
	! kill -0 "$1"
}

# ended PID STATUS PATTERN LOG WHAT: a watcher ends with this status and an error that matches
ended()
{
	local got

	soon is_gone "$1"
	unset "children[$1]"
	wait "$1"
	got=$?
	{ echo "status $got"; cat "$4.err"; } >"$details"
	[ $got = "$2" ] && grep -q -e "$3" "$details"
	result $? "$5"
}

test_units()
{
	local line

	while read -r line; do
		case $line in
		ok\ *)	result 0 "${line#ok * - }" ;;
		not\ ok\ *)
			result 1 "${line#not ok * - } (seed ${SEED:-1})" ;;
		1..*)	return ;;
		esac
	done < <("$bin/desktop-test" "${SEED:-1}" 2>/dev/null)
	result 1 "desktop-test: it has ended too soon"
}

# test_options PROGRAM: the options that both programs have
test_options()
{
	ends 0 "^usage: $1" "$1 -h" "$1" -h
	ends 0 "^$1 [0-9]" "$1 -V" "$1" -V
	ends 2 'no such option' "$1: an option that there is not" "$1" --fast
	ends 2 'value is missing' "$1: an option without its value" "$1" -s
	ends 2 'options only' "$1: a word" "$1" mail
	ends 2 'one of them' "$1: two ways" "$1" --print -s s
	ends 2 'no command' "$1: an empty command" "$1" --command ' '
}

# answer LOG: start desktop-test as a daemon at the socket s
answer()
{
	start "$1" "$bin/desktop-test" serve s
	soon grep -q ready "$1"
}

# x_window TITLE: start an xterm; its process is $!
x_window()
{
	start "xterm.$1" xterm -T "$1" -e sleep 10000
	soon xdotool search --name "^$1\$" >/dev/null
}

# x_id TITLE: print the window's id
x_id()
{
	xdotool search --name "^$1\$" | head -n 1
}

# is_active WINDOW: does the window manager say so?
is_active()
{
	xprop -root _NET_ACTIVE_WINDOW | grep -q -w "$(printf '0x%x' "$1")"
}

# to TITLE: bring its window to the front
to()
{
	local window

	window=$(x_id "$1")
	xdotool windowactivate "$window"
	soon is_active "$window"
}

# x_begin: start a server, a window manager and two windows; fails if that does not work
x_begin()
{
	start Xvfb Xvfb -displayfd 3 -screen 0 640x480x8 -nolisten tcp -noreset 3>display
	xvfb=$!
	soon test -s display || return 1
	DISPLAY=:$(cat display)
	export DISPLAY
	start openbox openbox --sm-disable
	openbox=$!
	x_window one && one=$! && x_window two && two=$!
}

x_end()
{
	stop "$one" "$two" "$openbox" "$xvfb"
	unset DISPLAY
}

test_x_switches()
{
	local watcher

	start x "$bin/rectify-x11" --print
	watcher=$!
	soon test -s x
	to one
	last x "fg $one" "x11: a window comes to the front"
	to two
	last x "fg $two" "x11: another one"
	to one
	last x "fg $one" "x11: and the first one again"
	to two
	xdotool windowminimize "$(x_id one)" windowminimize "$(x_id two)"
	last x "bg $two" "x11: all windows are icons"
	to two
	last x "fg $two" "x11: one of them comes to the front again"
	to one
	last x "fg $one" "x11: and the other one"
	xprop -id "$(x_id two)" -f WM_CLIENT_MACHINE 8s -set WM_CLIENT_MACHINE elsewhere
	to two
	last x "bg $one" "x11: a window of another machine is none of an app's"
	said x 1 '"elsewhere"' "x11: which is said"
	xprop -id "$(x_id two)" -remove WM_CLIENT_MACHINE
	to one
	to two
	last x "fg $two" "x11: a window without the name of its machine counts as local"
	xprop -id "$(x_id two)" -remove _NET_WM_PID
	to one
	to two
	last x "bg $one" "x11: a window without a process id belongs to no app"
	stop "$watcher"
}

# The window manager is stopped, so it still reports a window as active that is gone.
test_x_vanished()
{
	local window watcher

	x_window three
	three=$!
	to three
	window=$(x_id three)
	kill -STOP "$openbox"
	stop "$three"
	is_active "$window" && ! xprop -id "$window" WM_NAME >"$details" 2>&1
	result $? "x11: the active window is gone"
	start v "$bin/rectify-x11" --print
	watcher=$!
	sleep 0.5
	kill -CONT "$openbox"
	to one
	last v "fg $one" "x11: a window that is gone is no error"
	said v 0 . "x11: and no error is printed for it"
	stop "$watcher"
}

# is_missed_again: was the missing daemon reported twice?
is_missed_again()
{
	[ "$(grep -c 'no rectifyd answers' s1.err)" = 2 ]
}

# A daemon that starts, ends and starts again.
test_x_socket()
{
	local watcher server

	to one
	start s1 "$bin/rectify-x11" -s s
	watcher=$!
	soon grep -q 'no rectifyd answers' s1.err
	to two
	to one
	answer server1
	server=$!
	to three
	last server1 "fg $three" "x11: the daemon is told as soon as it listens"
	to one
	last server1 "fg $one" "x11: the daemon is told of the next switch"
	said s1 1 'no rectifyd answers' "x11: a missing daemon is reported once"
	stop "$server"
	to three
	soon is_missed_again
	answer server2
	server=$!
	to one
	last server2 "fg $one" "x11: a restarted daemon is told, too"
	said s1 2 'no rectifyd answers' "x11: a missing daemon is reported each time"
	stop "$watcher" "$server"
}

# has_run LIST: are these the commands so far?
has_run()
{
	[ "$(tr '\n' , <commands)" = "$1" ]
}

# ran LIST WHAT
ran()
{
	soon has_run "$1"
	local status=$?

	{ echo "wanted: $1"; cat commands c.err; } >"$details"
	result $status "$2"
}

test_x_command()
{
	local watcher list

	# The command waits for the file go, and fails for the window three.
	cat >hook <<-END
		#!/bin/sh
		echo "\$*" >>commands
		until [ -e go ]; do sleep 0.1; done
		[ "\$3" != $three ]
	END
	chmod +x hook
	: >commands
	to one
	start c "$bin/rectify-x11" --command "  ./hook  word "
	watcher=$!
	list="word fg $one,"
	ran "$list" "x11: a command is run"
	to two
	to three
	to one
	to three
	touch go
	list+="word fg $three,word bg $one,"
	ran "$list" "x11: what was over while it ran is left out; if it fails, none is in front"
	to one
	ran "${list}word fg $one," "x11: it is run again at the next switch"
	said c 1 './hook: status 1' "x11: that it failed is said"
	stop "$watcher"
}

# cgroups: print the mount point of cgroup v2
cgroups()
{
	awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts
}

# is_front NAME: does rectifyd say so?
is_front()
{
	"$bin/rectifyctl" -s "$work/r" status | tee status | grep -q "name=$1 state=front"
}

# The real daemon with --dry-run, and the names of control groups.
test_x_rectifyd()
{
	local watcher daemon

	if ! [ -x "$bin/rectifyd" ]; then
		result 1 "x11: rectifyd: it is in $bin"
		return
	fi
	group=$(cgroups)/mtdcompr-desktop.$$
	if [ "$(id -u)" != 0 ] || ! mkdir "$group" "$group/one" "$group/two" 2>/dev/null; then
		group=
		skip "x11: rectifyd" "cannot make control groups"
		return
	fi
	echo "$one" >"$group/one/cgroup.procs"
	echo "$three" >"$group/two/cgroup.procs"
	to one
	start log "$bin/rectifyd" -f --dry-run -c /dev/null -p "/${group##*/}" -s "$work/r" -S state
	daemon=$!
	soon test -S "$work/r"
	start g "$bin/rectify-x11" -p "/${group##*/}" -s "$work/r"
	watcher=$!
	soon is_front one
	result $? "x11: rectifyd knows which app is in front, by its control group"
	to three
	soon is_front two && grep -q 'name=one state=back' status
	result $? "x11: rectifyd knows of a switch"
	said g 0 . "x11: and no error is printed"
	stop "$watcher" "$daemon"
}

test_x_end()
{
	local watcher

	to one
	start e "$bin/rectify-x11" --print
	watcher=$!
	last e "fg $one" "x11: the app that is in front at the beginning"
	stop "$two" "$three" "$one"
	last e "bg $one" "x11: no window is left, though openbox says that the last one is active"
	stop "$xvfb"
	ended "$watcher" 1 'the X server is gone' e "x11: the X server goes away"
}

test_x11()
{
	local lacks begun xvfb openbox one two three=

	if ! [ -x "$bin/rectify-x11" ]; then
		result 1 "rectify-x11: it was made"
		return
	fi
	test_options rectify-x11
	ends 2 'control group' "rectify-x11: -p of something else" rectify-x11 -p apps
	ends 2 'no such option' "rectify-x11: no --map" rectify-x11 --map a=b
	ends 1 'no X server at DISPLAY=$' "rectify-x11: no X server" rectify-x11 --print
	lacks=$(missing Xvfb openbox xterm xdotool xprop)
	if [ -n "$lacks" ]; then
		result 1 "x11: a desktop: $lacks"
		return
	fi
	x_begin
	begun=$?
	tail -n 4 ./*.err >"$details"
	result $begun "x11: a desktop with two windows"
	[ $begun = 0 ] || return
	test_x_switches
	test_x_vanished
	x_window three
	three=$!
	test_x_socket
	test_x_command
	test_x_rectifyd
	test_x_end
	x_end
}

# w_user COMMAND...: sway does not run as root; the test's processes keep their ids
w_user()
{
	if [ "$(id -u)" = 0 ]; then
		exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
	fi
	exec "$@"
}

# w_window APP_ID: start a terminal; its process is $!
w_window()
{
	start "foot.${1//\//}" w_user foot -c /dev/null -a "$1" sleep 10000
	soon w_has "$1"
}

# w_has APP_ID: is there such a window? JSON may escape a slash.
w_has()
{
	swaymsg -t get_tree | grep -q "\"app_id\": \"${1/\//.*}\""
}

# w_to APP_ID: bring its window to the front
w_to()
{
	swaymsg "[app_id=\"^$1\$\"] focus" >/dev/null
}

# w_begin: start a compositor and two windows; fails if that does not work
w_begin()
{
	export WLR_BACKENDS=headless WLR_RENDERER=pixman WLR_LIBINPUT_NO_DEVICES=1
	[ "$(id -u)" != 0 ] || chown 65534:65534 "$XDG_RUNTIME_DIR"
	echo 'xwayland disable' >sway.conf
	start sway w_user sway -c "$work/sway.conf"
	sway=$!
	soon w_socket || return 1
	w_window one && one=$! && w_window two && two=$!
}

# w_socket: set the variables to sway's sockets; fails until sway answers
w_socket()
{
	SWAYSOCK=$(find "$XDG_RUNTIME_DIR" -name 'sway-ipc.*.sock')
	WAYLAND_DISPLAY=$(find "$XDG_RUNTIME_DIR" -name 'wayland-*' ! -name '*.lock')
	export SWAYSOCK WAYLAND_DISPLAY
	[ -n "$WAYLAND_DISPLAY" ] && swaymsg -t get_version >/dev/null
}

test_w_switches()
{
	local watcher

	start w "$bin/rectify-wayland" --print --map two=two.scope --map /strange=/apps/strange
	watcher=$!
	soon test -s w
	w_to one
	last w "fg one" "wayland: a window comes to the front"
	w_to two
	last w "fg two.scope" "wayland: another one, by the name that --map gives it"
	w_to one
	last w "fg one" "wayland: and the first one again"
	w_window three
	three=$!
	last w "fg three" "wayland: a new window"
	w_window /etc
	strange=$!
	last w "bg three" "wayland: a window whose name cannot be told"
	stop "$strange"
	w_window /strange
	strange=$!
	last w "fg /apps/strange" "wayland: --map gives any name"
	w_to three
	last w "fg three" "wayland: back to a window"
	stop "$strange"
	stop "$watcher"
}

test_w_socket()
{
	local watcher server

	answer server3
	server=$!
	w_to one
	start s2 "$bin/rectify-wayland" -s s --map three=unknown
	watcher=$!
	last server3 "fg one" "wayland: the socket is told"
	w_to three
	last server3 "bg one" "wayland: behind an app that the daemon does not know"
	w_to two
	last server3 "fg two" "wayland: and of the next one"
	w_to three
	last server3 "bg two" "wayland: behind it again"
	said s2 1 'no app unknown' "wayland: what the daemon says is said once"
	stop "$server"
	w_to one
	soon grep -q 'no rectifyd answers' s2.err
	result $? "wayland: the daemon has gone"
	answer server4
	server=$!
	w_to two
	last server4 "fg two" "wayland: a daemon that is started anew is told, too"
	said s2 1 'answers again' "wayland: that it is back is said"
	stop "$watcher" "$server"
}

test_w_end()
{
	local watcher

	w_to one
	start e2 "$bin/rectify-wayland" --print
	watcher=$!
	last e2 "fg one" "wayland: the app that is in front at the beginning"
	stop "$two" "$three" "$one"
	last e2 "bg one" "wayland: no window is left"
	stop "$sway"
	ended "$watcher" 1 'the compositor is gone' e2 "wayland: the compositor goes away"
}

test_wayland()
{
	local lacks begun sway one two three strange

	if ! [ -x "$bin/rectify-wayland" ]; then
		result 1 "rectify-wayland: it was made"
		return
	fi
	test_options rectify-wayland
	ends 2 'give APP_ID=NAME' "rectify-wayland: --map of one word" rectify-wayland --map a
	ends 2 'no such option' "rectify-wayland: no -p" rectify-wayland -p /apps
	ends 1 'no Wayland compositor' "rectify-wayland: no compositor" rectify-wayland --print
	lacks=$(missing sway swaymsg foot setpriv)
	if [ -n "$lacks" ]; then
		result 1 "wayland: a desktop: $lacks"
		return
	fi
	w_begin
	begun=$?
	tail -n 4 ./*.err >"$details"
	result $begun "wayland: a desktop with two windows"
	[ $begun = 0 ] || return
	test_w_switches
	test_w_socket
	test_w_end
}

test_units
if [ -z "$units" ]; then
	test_x11
	test_wayland
fi
end_results
