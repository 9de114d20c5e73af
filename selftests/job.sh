#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# job.sh: run the job MTDC_JOB, as one TAP stream. The log MTDC_LOGS/NAME.log has its whole output. A
# job that needs WHAT waits until prepare.sh has built it and run.pl has written
# MTDC_LOGS/WHAT.built.
#
#   job.sh - build WHAT
#   job.sh WHAT|- host PROGRAM ARGUMENT...
#   job.sh WHAT guest OPTION... -- SCRIPT...
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
. "$here/../qemu/lib.sh"
logs=$MTDC_LOGS
log=$logs/$MTDC_JOB.log

# Variables that the guest gets, too, if they are set.
amounts="MTDC_LONG MTDC_SEED MTDC_OPS MTDC_CYCLES MTDC_ROUNDS MTDC_GENS MTDC_STEP
	MTDC_EVERY MTDC_VANISH MTDC_FAULTS MTDC_SECONDS MTDC_SWAP_LIMIT MTDC_MTHP MTDC_KSRC MTDC_BUSYBOX"

# flatten NAMES ALONE: the log as TAP; its number of results is in $count
flatten()
{
	count=$logs/$MTDC_JOB.count
	awk -v names="$1" -v alone="$2" -v count="$count" -f "$here/tap.awk" "$log"
	read -r count < "$count"
}

# last STATUS WHAT: the last result, and the plan
last()
{
	local verdict=ok

	[ "$1" = 0 ] || verdict="not ok"
	echo "$verdict $((count + 1)) - $2"
}

# last_words LOG OUTPUT: why a guest has failed, in short: the words of init and the judge; or the panic,
# if the kernel died before they said anything. KCSAN's reports of the stock kernel say nothing about it
last_words()
{
	local what='^init|^judge'

	grep -qaE "$what" "$1" || what='Kernel panic|INFO: task|BUG: ([^K]|K[^C])|WARNING:'
	{ grep -a -E -A 20 "$what" "$1" || tail -n 12 "$1" "$2"; } | head -n 24
}

# needs WHAT: wait until it is built
needs()
{
	until [ -s "$logs/$1.built" ]; do
		sleep 0.2
	done
	if [ "$(cat "$logs/$1.built")" != 0 ]; then
		echo "1..1"
		echo "not ok 1 - $1 could not be built, see $logs/build-$1.log"
		exit 1
	fi
	if [ -n "${MTDC_UNTIL:-}" ] && [ "$(date +%s)" -ge "$MTDC_UNTIL" ]; then
		echo "1..0 # SKIP the time is over"
		exit 0
	fi
	# shellcheck source=/dev/null
	. "$logs/$1.env"
}

run_build()
{
	"$here/prepare.sh" "$1"
}

run_host()
{
	local status=0 begun=$SECONDS

	echo "# BEGIN $MTDC_JOB" > "$log"
	(exec "$@") < /dev/null >> "$log" 2>&1 || status=$?
	echo "# END $MTDC_JOB status $status after $((SECONDS - begun)) s" >> "$log"
	flatten "$MTDC_JOB" 1
	echo "1..$count"
}

run_guest()
{
	local options=() variable status=0 output=$logs/$MTDC_JOB.out

	while [ "$1" != -- ]; do
		if [ "$1" = DISK ]; then
			truncate -s 0 "$logs/disk.img"
			truncate -s 112M "$logs/disk.img"
			options+=("$logs/disk.img")
		else
			options+=("$1")
		fi
		shift
	done
	shift
	for variable in $amounts; do
		[ -z "${!variable:-}" ] || options+=(--env "$variable=${!variable}")
	done
	if [ -n "${MTDC_GCOV:-}" ]; then
		mkdir -p "$MTDC_GCOV$MTDC_JOB"
		options+=(--out "$MTDC_GCOV$MTDC_JOB")
	fi
	: > "$log"
	"$top/qemu/guest.sh" "${options[@]}" --quiet --log "$log" -- \
		"$here/guest/batch.sh" "$@" < /dev/null > "$output" 2>&1 || status=$?
	flatten "$*" ""
	if grep -q '^init.sh: kmemleak gave up' "$log"; then
		last 0 "kmemleak # SKIP no memory was left for it"
		count=$((count + 1))
	fi
	last $status "the guest ends well, and its kernel's log is clean"
	[ $status = 0 ] || last_words "$log" "$output" | sed 's/^/# /'
	echo "1..$((count + 1))"
}

# Sourced by its test.
[ "${BASH_SOURCE[0]}" = "$0" ] || return 0
# The job is in a process group of its own, which this script ends: run.pl's end ends only this one.
set -m
{
	[ "$1" = - ] || needs "$1"
	"run_$2" "${@:3}"
} &
trap 'kill -- "-$!"; exit 143' HUP INT TERM
wait $!
