#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# latd on a board whose kernel lacks control groups and sockets: it reports that, protects a program
# and stops the hog beside it by signals, and nothing stays stopped after it is killed.
#
# job: test,stock board
# job: machine pxa270
# shellcheck disable=SC2154 # lib.sh's variables
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/swaplib.sh"

LOG=$TMP/latd.log
phram low 0 $((MTDC_RESERVE_SIZE / 1024))
must modprobe mtdcompr mtd=low,comp=lz4,name=swp
must mkswap "$(own_disk swp)"
must swapon "$(own_disk swp)"

# The process has the script's name.
printf '#!/bin/sh\nwhile sleep 1; do :; done\n' > "$TMP/app"
chmod +x "$TMP/app"
"$TMP/app" &
app=$!
oom=$(cat /proc/$app/oom_score_adj)

# state_of PID: R, S, T, ...
state_of() { sed 's/.*) //; s/ .*//' "/proc/$1/stat" 2>/dev/null; }

# has_within TENTHS COMMAND...: the command succeeds within TENTHS tenths of a second
has_within()
{
	has_tries=$1
	shift
	until "$@"; do
		has_tries=$((has_tries - 1))
		[ $has_tries -gt 0 ] || return 1
		sleep 0.1
	done
}

is_protected() { [ "$(cat /proc/$app/oom_score_adj)" = -991 ]; }
is_stopped() { [ "$(state_of $hog)" = T ]; }
as_before() { [ "$(state_of $hog)" != T ] && [ "$(cat /proc/$app/oom_score_adj)" = "$oom" ]; }

latd_start()
{
	latd -f -p app -o others.touch_name=memsig -S "$TMP/latd.state" 2> "$LOG" &
	latd=$!
}

latd --check -p app > "$TMP/check"
is "--check: it works here" $? 0
sed 's/^/# /' "$TMP/check"
check "--check: there is pressure" grep -q '^pressure  *yes' "$TMP/check"
check "--check: there are no control groups" grep -q '^cgroup v2  *no' "$TMP/check"
check "--check: it will use signals" grep -q 'will use signals' "$TMP/check"

latd_start
check "the program is protected" has_within 100 is_protected
check "it says that latdctl will not work" grep -q 'latdctl will not work' "$LOG"
memsig -s 5 -m $((total_mib * 13 / 10)) -g 3 > "$TMP/memsig" 2>&1 &
hog=$!
check "the hog is stopped" has_within 600 is_stopped
kill -9 $latd
check "latd killed: all is as before within a second" has_within 10 as_before
latd_start
check "the next one protects, too" has_within 100 is_protected
wait $hog
is "the hog got to its end, and its bytes are right" $? 0
kill $latd
wait $latd
is "latd ends" $? 0
check "and all is as before" as_before
sed 's/^/# /' "$LOG" | tail -n 8
kill $app
must swapoff "$(own_disk swp)"
must rmmod mtdcompr
must rmmod phram
