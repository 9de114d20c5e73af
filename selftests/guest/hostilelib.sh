# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Sourced by hostile.sh and hostileothers.sh, after lib.sh and swaplib.sh: users without privileges
# (1001 attacks, 1002 does not), and a root daemon under test, which the script ends. A daemon that
# hangs is a failure of one result. All waits have a limit.
# shellcheck disable=SC2154 # variables of lib.sh and of the script
# shellcheck disable=SC2034 # variables for the scripts

GROUPS_AT=/sys/fs/cgroup
attackers='' attack_n=0 held='' held_fd='' pid='' guardian=''

# programs NAME...: copy them to the guest's memory, for all users
programs()
{
	mkdir -p "$TMP/bin"
	chmod 755 "$TMP" "$TMP/bin"
	for programs_name; do
		must cp "$MTDC_BUILD/$programs_name" "$TMP/bin"
	done
	PATH=$TMP/bin:$PATH
}

# machine: set up swap, control groups, FUSE for all users
machine()
{
	must mount -t cgroup2 none $GROUPS_AT
	must modprobe mtdcompr
	attach "$1,comp=lz4,name=swp"
	must mkswap "$(own_disk swp)"
	must swapon "$(own_disk swp)"
	fuse_why=
	modprobe fuse 2> "$TMP/fuse" || fuse_why="no module fuse: $(cat "$TMP/fuse")"
	[ ! -e /dev/fuse ] || chmod 666 /dev/fuse
}

machine_end()
{
	attackers_end
	swapoff "$(own_disk swp)"
	detach swp
}

# state_of PID: R, S, T, ...; nothing if it has ended
state_of() { sed 's/.*) //; s/ .*//' "/proc/$1/stat" 2>/dev/null; }

# gone PID: ended, also if its parent has not waited yet
gone()
{
	case $(state_of "$1") in
	'' | Z | X)	return 0 ;;
	*)		return 1 ;;
	esac
}

is_stopped() { [ "$(state_of "$1")" = T ]; }

# hundredths: hundredths of a second since boot
hundredths()
{
	read -r hundredths_now _ < /proc/uptime
	hundredths_now=${hundredths_now%.*}${hundredths_now#*.}
}

# within SECONDS COMMAND...: repeat the command until it succeeds
within()
{
	hundredths
	within_end=$((hundredths_now + $1 * 100 * MTDC_TIMES))
	shift
	until "$@"; do
		hundredths
		[ "$hundredths_now" -lt "$within_end" ] || return 1
		sleep 0.05
	done
}

# soon DESCRIPTION SECONDS COMMAND...
soon()
{
	soon_what=$1
	shift
	within "$@"
	result $? "$soon_what"
}

says_ready() { grep -q '^ready ' "$attack_out"; }
is_ready_or_gone() { says_ready || gone "$attack_job"; }

# attack UID MODE [ARGUMENT...]: start `hold MODE` and wait for its state; sets held and held_fd.
# Otherwise return 1, and print why
attack()
{
	attack_uid=$1
	shift
	attack_n=$((attack_n + 1))
	attack_out=$TMP/attack.$attack_n
	: > "$attack_out"
	hold as "$attack_uid" hold "$@" > "$attack_out" 2> "$attack_out.err" &
	attack_job=$!
	attackers="$attackers $attack_job"
	within 10 is_ready_or_gone
	if ! says_ready; then
		why=$(cat "$attack_out.err")
		: "${why:=not ready within 10 s: $1}"
		return 1
	fi
	read -r _ held held_fd _ < "$attack_out"
}

# attackers_end: end the attackers. A server of FUSE ends with its process, and then nothing waits
# for it
attackers_end()
{
	for attackers_pid in $attackers; do
		kill -9 "$attackers_pid" 2>/dev/null
	done
	for attackers_pid in $attackers; do
		within 5 gone "$attackers_pid" || diag "process $attackers_pid does not end"
	done
	attackers=''
}

# holds_lock PID: does a read of its maps not return?
holds_lock() { ! timeout -s KILL 1 hold maps "$1" > "$TMP/maps" 2>&1; }

# hog_as UID NAME: use more memory than the guest has, until hog_end; hog: as user 1002
hog() { hog_as 1002 memsig; }
hog_as()
{
	hold as "$1" "$2" -s 3 -m "$hog_mib" -g 100000 > "$TMP/hog" 2>&1 &
	hog=$!
}

hog_end()
{
	kill -9 "$hog"
	within 5 gone "$hog" || diag "the hog does not end"
}

# A first look may take longer than 5 s on a busy host, and so may a look that is held.
control_s=15
# control REQUEST...: call the daemon's tool, with a limit, because a daemon that hangs does not
# answer
control()
{
	case $daemon in
	latd)	timeout -s KILL "$control_s" latdctl -s "$SOCKET" "$@" ;;
	*)	timeout -s KILL "$control_s" "${daemon%d}ctl" -s "$SOCKET" "$@" ;;
	esac
}
answers() { control status > "$TMP/status" 2>&1; }
status() { control status | sed -n "s/^$1: //p"; }
answers_or_gone() { answers || gone "$pid"; }

# begin DAEMON [OPTION...]: start it in the background; sets pid and guardian. Returns 1 if it does
# not answer
begin()
{
	daemon=$1
	shift
	SOCKET=$TMP/$daemon.sock STATE=$TMP/$daemon.state LOG=$TMP/$daemon.log
	diag "$(cut -d ' ' -f 1 /proc/uptime) s: $daemon $*"
	: > "$LOG"
	"$daemon" -f -s "$SOCKET" -S "$STATE" "$@" 2>> "$LOG" &
	pid=$!
	within 60 answers_or_gone
	guardian=$(sed -n 's/^guardian: \([0-9]*\)$/\1/p' "$TMP/status" | head -n 1)
	if gone "$pid" || ! answers; then
		diag "$daemon does not answer: $(tail -n 5 "$LOG" "$TMP/status")"
		return 1
	fi
}

# is_unlocked: the daemon's list of changes is not locked; it may be missing after all was undone
is_unlocked()
{
	[ ! -e "$STATE" ] ||
		! grep -q ":$(find "$STATE" -printf '%i') " /proc/locks
}

# stopped: status files of stopped processes, without attackers, which stop themselves
stopped()
{
	grep -ls '^State:.T' /proc/[0-9]*/status | while read -r status; do
		grep -qs '^Name:.hold$' "$status" || echo "$status"
	done
}

# none_stopped: no process is stopped by a daemon
none_stopped() { [ -z "$(stopped)" ]; }
all_back() { [ "$(all_knobs)" = "$before" ]; }
has_ended() { gone "$pid" && { [ -z "$guardian" ] || gone "$guardian"; }; }
is_over() { has_ended && is_unlocked && all_back && none_stopped; }

# is_undone: as is_over, but a killed process may wait for a close() during its exit
is_undone()
{
	{ [ -z "$guardian" ] || gone "$guardian"; } && is_unlocked && all_back && none_stopped
}

# why_not_over: print diagnostics
why_not_over()
{
	gone "$pid" || diag "$daemon: state $(state_of "$pid"), threads:" \
		"$(cat "/proc/$pid/task/"*/wchan 2>/dev/null | tr '\0' ' ')" \
		"$(for why_task in "/proc/$pid/task/"*; do state_of "$pid/task/${why_task##*/}"; done | tr '\n' ' ')"
	[ -z "$guardian" ] || gone "$guardian" || diag "guardian: state $(state_of "$guardian")"
	is_unlocked || diag "$STATE is locked"
	none_stopped || diag "stopped: $(stopped)"
	all_back || diag "got: $(all_knobs | tr '\n' ' ')" "want: $(echo "$before" | tr '\n' ' ')"
}

# force_end: end a daemon that hangs, so that the test goes on
force_end()
{
	attackers_end
	within 5 has_ended && return
	kill -9 "$pid" ${guardian:+"$guardian"} 2>/dev/null
	within 5 has_ended || diag "$daemon cannot be ended"
}

# ends DESCRIPTION SIGNAL SECONDS: the daemon and its guardian are gone, everything is undone, and
# another daemon could start
ends()
{
	if gone "$pid"; then
		result 1 "$1"
		diag "$daemon had ended before: $(tail -n 3 "$LOG")"
		return
	fi
	kill "-$2" "$pid"
	hundredths
	ends_from=$hundredths_now
	if within "$3" is_over; then
		result 0 "$1"
		return
	fi
	result 1 "$1"
	why_not_over
	if within 3 is_over; then
		hundredths
		diag "this took $((hundredths_now - ends_from))0 ms"
	else
		force_end
	fi
}
# By SIGTERM within a second; after a kill, undone within two
ends_soon() { ends "$1: ends within 1 s of SIGTERM, and all is undone" TERM 1; }
dies_soon() { ends "$1: kill -9 is undone within 2 s" KILL 2; }

# is_replaced DESCRIPTION DAEMON [OPTION...]: kill it; all is undone within 2 s, and another one
# starts, though the killed one may still wait in its exit
is_replaced()
{
	replaced_what="$1: kill -9 is undone within 2 s, and another $2 starts"
	shift
	kill -9 "$pid"
	within 2 is_undone && begin "$@"
	result $? "$replaced_what"
}

# is_plain FILE: no control character but the newline
is_plain() { ! LC_ALL=C tr -d '\n' < "$1" | LC_ALL=C grep -q '[[:cntrl:]]'; }

# has_one_pid FILE: one line of FILE begins with "pid: ", and it has the daemon's
has_one_pid() { [ "$(grep '^pid: ' "$1")" = "pid: $pid" ]; }
