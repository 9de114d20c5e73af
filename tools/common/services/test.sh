#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# test.sh [SUITE...]: tests of the daemons' units, init script and sample files, without a guest, as
# one TAP stream with the plan at its end; exit status 0 only if nothing failed.
#
# Suites: units (systemd-analyze on the units; and are samples, completions and man pages made from
# the daemons' key tables?), init (daemon.init with a fake control tool, in dash and, if installed,
# BusyBox), sudo (the rules of rectifyd.rst with real sudo; as root, in its own mount namespace).
#
# guest-test.sh runs the units for real.
#
# job: test,long services
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
top=${here%/*/*/*}
# shellcheck source-path=SCRIPTDIR source=../../../selftests/tap.sh
. "$top/selftests/tap.sh"
out=${O:-$top/build/services-test}
suites="units init sudo"
wanted=${*:-$suites}
known "$wanted" "$suites"
mkdir -p "$out"
export LC_ALL=C
common=${here%/*} tools=$top/tools
daemons="$tools/latd $tools/proswapd $tools/rectifyd $tools/marvin/marvind"

# exposure UNIT: print systemd's rating, from 0.0 (everything is restricted) to 10.0
exposure()
{
	systemd-analyze security --offline=true --no-pager "$1" 2> "$out/analyze.log" |
		sed -n 's/.*Overall exposure level for .*: \([0-9.]*\) .*/\1/p'
}

# one_unit FILE...: test the unit made of these parts; the last part has its name, and the line
# "# Exposure: N" with the limit. If the limit is above 2.0, the next line has to give the reason.
one_unit()
{
	local name limit got

	name=$(basename "${!#}")
	sed "s|@NAME@|${name%.service}|g; s|@PREFIX@/[a-z/.]*|/bin/true|" "$@" > "$out/$name"
	set -- "${!#}"
	details=$out/analyze.log
	limit=$(sed -n 's/^# Exposure: \([0-9]\.[0-9]\)$/\1/p' "$1")
	got=$(exposure "$out/$name") || :
	echo "# $name: exposure ${got:-unknown}, and its limit is ${limit:-not noted}"
	awk -v got="${got:-10}" -v limit="${limit:-0}" 'BEGIN { exit !(got + 0 <= limit + 0) }'
	result $? "units: $name: its exposure is at most what it says"
	awk -v limit="${limit:-10}" '
		/^# Exposure:/ { getline; why = /^# Above 2.0 because / }
		END { exit !(limit + 0 <= 2.0 || why) }' "$1"
	result $? "units: $name: it says why it is above 2.0"
	SYSTEMD_LOG_LEVEL=info systemd-analyze verify --man=no "$out/$name" > "$details" 2>&1 &&
		! grep -q "$name" "$details"
	result $? "units: $name: systemd understands each line"
	details=
}

run_units()
{
	local dir

	details=$out/describe.diff
	"$common/describe/describe.sh" --check > "$details" 2>&1
	result $? "units: samples, completions and man pages are what the key tables give"
	details=
	if ! command -v systemd-analyze > /dev/null; then
		result 0 "units: # SKIP no systemd-analyze"
		return
	fi
	for dir in $daemons; do
		one_unit "$common/daemon.service" "$dir/${dir##*/}.service"
	done
	one_unit "$top/tools/mtdcomprctl/examples/mtdcompr-textfile.service"
	grep -qx 'TimeoutStopSec=5' "$common/daemon.service" &&
		grep -q 'term_timeout 5$' "$common/daemon.procd"
	result $? "units: systemd and procd wait five seconds for a daemon's end"
}

# stand_in: make a daemon that sleeps, a control tool that prints $work/answer, and the installed
# script with a kill() that only notes its arguments
stand_in()
{
	rm -rf "$work"
	mkdir -p "$work/sbin" "$work/bin"
	cp /bin/sleep "$work/sbin/initd"
	cp /bin/sleep "$work/bin/other"
	printf '#!/bin/sh\ncat "%s/answer"\n' "$work" > "$work/bin/initctl"
	chmod +x "$work/bin/initctl"
	sed -e 's|@NAME@|initd|g; s|@CTL@|initctl|' -e "s|@PREFIX@|$work|" \
		-e "s|^PIDFILE=.*|PIDFILE=$work/pid|" -e 's|^STOP_WAIT=.*|STOP_WAIT=0|' \
		-e "2i kill() { echo \"\$*\" >> $work/kills; [ \"\$1\" != -0 ]; }" \
		"$common/daemon.init" > "$work/script"
}

# said WHAT ACTION STATUS KILLS LINES ANSWER: run the script while the control tool prints ANSWER;
# it has to signal KILLS, and to print LINES lines
said()
{
	local what=$1 action=$2 want=$3 kills=$4 lines=$5 got=0

	printf '%b' "$6" > "$work/answer"
	: > "$work/kills"
	# shellcheck disable=SC2086 # a shell, and its applet
	timeout 20 $shell "$work/script" "$action" > "$work/said" 2>&1 || got=$?
	details=$work/details
	{
		echo "status $got, signals: $(tr '\n' ';' < "$work/kills")"
		cat "$work/said"
	} > "$details"
	[ "$got $(grep -v '^-0' "$work/kills")" = "$want $kills" ] &&
		[ "$(grep -c . "$work/said")" = "$lines" ]
	result $? "init: ${shell##*/}: $what"
	details=
}

init_cases()
{
	local first="mode: auto\npid: $daemon\nprograms: 1\n" answer

	said "the daemon gets the signal" stop 0 "-TERM $daemon" 0 "$first"
	said "a forged line behind counts for nothing" stop 0 "-TERM $daemon" 0 \
		"${first}process: x\npid: 1\nname: y\npid: $other\n"
	said "nor does it for a reload" reload 0 "-HUP $daemon" 0 "${first}pid: 1\n"
	for answer in 1 0 -1 "$daemon 1" "-9 $daemon" abc "01" "*" 99999999999; do
		said "refused: pid: $answer" stop 1 "" 1 "mode: auto\npid: $answer\npid: $daemon\n"
	done
	said "an escape code does not reach the terminal" stop 1 "" 1 "pid: \033[2J\n"
	grep -q "$(printf '\033')" "$work/said"
	result $((! $?)) "init: ${shell##*/}: nor in the message"
	said "a process of another program is refused" stop 1 "" 1 "pid: $other\n"
	said "a reload of it, too" reload 1 "" 1 "pid: $other\n"
	said "a restart of it, too" restart 1 "" 1 "pid: $other\n"
	said "a reload or start of it, too" force-reload 1 "" 1 "pid: $other\n"
	said "its status is not known" status 4 "" 1 "pid: $other\n"
	said "no answer: it does not run" stop 0 "" 0 ""
	said "no key of that name" stop 0 "" 0 "mode: auto\nxpid: 1\n pid: 1\n"
}

run_init()
{
	local work=$out/init daemon other shell busybox shells=(dash)

	stand_in
	"$work/sbin/initd" 600 &
	daemon=$!
	"$work/bin/other" 600 &
	other=$!
	if busybox=$("$top/qemu/machine/busybox.sh" amd64 2> "$out/busybox.log"); then
		shells+=("$busybox ash")
	else
		result 0 "init: BusyBox # SKIP it is not there"
	fi
	for shell in "${shells[@]}"; do
		init_cases
	done
	# A newer daemon was installed while the old one runs.
	shell=dash
	cp /bin/sleep "$work/sbin/new"
	mv "$work/sbin/new" "$work/sbin/initd"
	said "a daemon whose file was replaced" stop 0 "-TERM $daemon" 0 "pid: $daemon\n"
	# The two processes that this test has started.
	kill "$daemon" "$other"
}

# as USER ARGUMENT...: print the arguments that rectifyctl gets if USER calls it through sudo
as()
{
	local user=$1

	shift
	setpriv --reuid "$user" --regid "$(id -g "$user")" --clear-groups \
		sudo -n /usr/local/bin/rectifyctl "$@" 2> /dev/null || :
}

# answers: print each call that the rule wrongly refuses or allows; in the mount namespace
answers()
{
	local word

	for word in mail org.gnome.Maps foot.scope 7zip app-x_y@12.service 'app-a\x2db-12.scope'; do
		[ "$(as nobody fg "$word")" = "fg $word" ] || echo "refused: $word"
		[ "$(as nobody bg "$word")" = "bg $word" ] || echo "refused: bg $word"
		[ -z "$(as games fg "$word")" ] || echo "allowed to another user: $word"
	done
	for word in 1 1234 0 -1 "" /apps/mail ../mail "mail 1" "12 mail" $'mail\n1' -s; do
		[ -z "$(as nobody fg "$word")" ] || echo "allowed: $word"
	done
	[ -z "$(as nobody fg mail mail)" ] || echo "allowed: two names"
	[ -z "$(as nobody -s /tmp/x fg mail)" ] || echo "allowed: another socket"
	[ -z "$(as nobody status)" ] || echo "allowed: status"
}

# named: as answers(), for the rule that names the apps
named()
{
	[ "$(as nobody fg browser)" = "fg browser" ] || echo "refused: browser"
	[ -z "$(as nobody fg foot)" ] || echo "allowed: foot"
	[ -z "$(as nobody fg browser2)" ] || echo "allowed: browser2"
	[ -z "$(as nobody fg 1234)" ] || echo "allowed: 1234"
}

# with_rule NAME RULE: results: is the rule valid, and does the function NAME find no error with it?
with_rule()
{
	details=$out/sudo.log
	printf 'Defaults !syslog, !lecture\n%s\n' "${2/USER/nobody}" > "$out/sudoers"
	chmod 440 "$out/sudoers"
	visudo -cf "$out/sudoers" > "$details" 2>&1
	result $? "sudo: $1: the rule's syntax"
	(
		declare -f as answers named
		cat <<-END
			mount --bind "$out/sudoers" /etc/sudoers
			mount -t tmpfs none /usr/local/bin
			printf '#!/bin/sh\nprintf %%s "\$*"\n' > /usr/local/bin/rectifyctl
			chmod 755 /usr/local/bin /usr/local/bin/rectifyctl
			$1
		END
	) | unshare -m bash -e > "$details" 2>&1 && [ ! -s "$details" ]
	result $? "sudo: $1: it allows names of apps, to this user, and nothing else"
	details=
}

run_sudo()
{
	local rule page=$top/Documentation/reference/rectifyd.rst

	PATH=$PATH:/usr/sbin:/sbin
	if ! command -v visudo > /dev/null || ! unshare -m true 2> /dev/null; then
		result 0 "sudo: # SKIP no sudo, or not root"
		return
	fi
	rule=$(sed -n 's/^\t\(USER ALL = .*rectifyctl .*\)/\1/p' "$page")
	with_rule answers "$rule"
	with_rule named "${rule%%^*}$(grep -o '\^(fg|bg) (mail|browser)\$' "$page")"
}

set +e
for suite in $wanted; do
	"run_$suite"
done
end_results
