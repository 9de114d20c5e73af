# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Sourced by marvin.sh, after lib.sh: programs with libmarvin that verify all of their bytes
# (marvin-load verify), their counters, marvind, and stores.
# shellcheck disable=SC2154 # lib.sh's and the script's variables

MARVIN_REGISTER=$TMP/marvind.reg
export MARVIN_REGISTER
SOCKET=$TMP/marvind.sock STATE=$TMP/marvind.state LOG=$TMP/marvind.log
# The directory that may hold a file system
STORE=/run/store
mkdir -p $STORE "$TMP/bin"
# In the guest's memory: reading the host's files takes the host's time.
must cp "$MTDC_BUILD/tools/marvind" "$MTDC_BUILD/tools/marvinctl" "$MTDC_BUILD/marvin/marvin-load" \
	"$TMP/bin"
PATH=$TMP/bin:$PATH

# program NAME STORE OPTION...: start it in the background; sets pid
program()
{
	program_name=$1 program_store=$2
	shift 2
	# The OOM killer may kill it, but not the shell that watches it.
	(
		echo 500 > /proc/self/oom_score_adj
		exec marvin-load verify --name "$program_name" --seed "$MTDC_SEED" --tick 50 \
			--interval 100 --store "$program_store" "$@"
	) > "$TMP/$program_name.counts" 2> "$TMP/$program_name.err" &
	# shellcheck disable=SC2034 # of the script
	pid=$!
}

# counted NAME KEY: counter of the program so far
counted()
{
	sed -n "/ verify [rbe]/ s/.* $2 \([0-9]*\).*/\1/p" "$TMP/$1.counts" | tail -n 1
}

# reaches NAME KEY N: has the counter reached N?
reaches()
{
	reaches_n=$(counted "$1" "$2")
	[ "${reaches_n:-0}" -ge "$3" ]
}

# are_right: no program has ended with wrong bytes
are_right()
{
	! grep -qs ' wrong 1$' "$TMP"/*.counts || { tail -n 3 "$TMP"/*.err; return 1; }
}

# await SECONDS COMMAND...: repeat until it succeeds
await()
{
	await_tries=$(($1 * 10 * MTDC_TIMES))
	shift
	until "$@" > "$TMP/await" 2>&1; do
		await_tries=$((await_tries - 1))
		[ $await_tries -gt 0 ] || return 1
		are_right || return 1
		sleep 0.1
	done
}

has_lines() { [ "$(wc -l < "$1")" -ge "$2" ]; }
# goes_on NAME ROUNDS: wait for ROUNDS more lines
goes_on() { await 30 has_lines "$TMP/$1.counts" $(($(wc -l < "$TMP/$1.counts") + $2)); }

# is_cold NAME: is most of its memory saved, and given to the kernel? If libmarvin learns of
# accesses by signals, it gives none away, and reclaims it itself.
is_cold()
{
	hot_kib=$(counted "$1" unsaved) kept_kib=$(counted "$1" saved)
	cold_key=given
	if grep -q ' verify road signal ' "$TMP/$1.counts"; then
		cold_key=saved
	else
		hot_kib=$((${hot_kib:-0} + ${kept_kib:-0}))
	fi
	reaches "$1" $cold_key $((hot_kib * 3 + 1))
}

# swept NAME: the objects that it could not read at the end
swept() { sed -n 's/.* swept [0-9]* //p' "$TMP/$1.counts"; }

# said NAME: its messages, without the sizes
said()
{
	diag "$(sed 's/object of [0-9]* bytes/object/' "$TMP/$1.err" | sort | uniq -c)"
}

# ended DESCRIPTION NAME PID: after the request to end, it has verified all of its objects
ended()
{
	kill "$3"
	wait "$3"
	is "$1" "$? $(counted "$2" wrong)" "0 0"
	diag "$(tail -n 1 "$TMP/$2.counts")"
	said "$2"
}

# marvind_start [OPTION...]: start it and wait until it answers
marvind_start()
{
	marvind -f -s "$SOCKET" -S "$STATE" "$@" 2>> "$LOG" &
	marvind=$!
	await 20 marvinctl -s "$SOCKET" status ||
		bail "marvind does not answer: $(tail -n 5 "$LOG")"
}

marvind_stop()
{
	kill "$marvind"
	wait "$marvind"
}

# ctl REQUEST...
ctl() { marvinctl -s "$SOCKET" "$@"; }
# taken: KiB that marvind has taken back
taken() { ctl status | sed -n 's/^taken_kib: //p'; }
has_taken() { [ "$(taken)" -ge "$1" ]; }

# knows PID...: does marvind manage them?
knows()
{
	ctl list > "$TMP/list" || return 1
	for knows_pid; do
		grep -q "^ *$knows_pid " "$TMP/list" || return 1
	done
}
forgets() { ctl list > "$TMP/list" && ! grep -q "^ *$1 " "$TMP/list"; }

# file_system BLOCK: make and mount it on $STORE
file_system()
{
	must mkfs.ext4 -q -O ^has_journal -m 0 "$1"
	must mount "$1" $STORE
}

# space KEY: used or avail of $STORE, KiB
space() { df -k --output="$1" $STORE | tail -n 1 | tr -d ' '; }

# nap: sleep for up to a second, by random numbers from MTDC_SEED
nap_seed=$MTDC_SEED
nap()
{
	nap_seed=$(((nap_seed * 1103515245 + 12345) % 2147483648))
	sleep "0.$((nap_seed / 65536 % 90 + 10))"
}
