#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# spin.sh [DIR]: the model of the lock protocol, all of its states, and broken ones that have to be
# found; as TAP. It takes spin and gcc, and some seconds.
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
: "${CC:=gcc}"
dir=${1:-}
[ -n "$dir" ] || { dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT; }
mkdir -p "$dir"
cd "$dir"
number=0 failures=0

# model NAME [DEFINE...]: its states; status 0: all of them are right. To optimize it takes longer
# than to run.
model()
{
	name=$1
	shift
	defines=
	for define; do
		defines="$defines -D$define"
	done
	# shellcheck disable=SC2086 # a list of words
	spin -a $defines "$here/lock.pml" > "$name.log" 2>&1 &&
		"$CC" -O0 -w -DSAFETY -DMEMLIM=1024 -DCOLLAPSE -o "$name.pan" pan.c \
			>> "$name.log" 2>&1 || return 2
	timeout 120 "./$name.pan" -m200000 >> "$name.log" 2>&1 || return 2
	grep -q 'error: max search depth too small' "$name.log" && return 2
	grep -q 'errors: 0' "$name.log"
}

# result STATUS WHAT
result()
{
	number=$((number + 1))
	if [ "$1" = 0 ]; then
		echo "ok $number - $2"
	else
		failures=$((failures + 1))
		echo "not ok $number - $2"
		sed 's/^/# /' "$name.log" | head -n 40
	fi
}

# right WHAT NAME [DEFINE...]
right()
{
	what=$1 status=0
	shift
	model "$@" || status=$?
	result $status "$what, $(sed -n 's/^ *\([0-9]*\) states, stored$/\1/p' "$name.log") states"
}

# wrong WHAT NAME [DEFINE...]: the model has to find it
wrong()
{
	what=$1 status=0
	shift
	model "$@" || status=$?
	if [ $status = 1 ] && grep -q 'errors: 1' "$name.log"; then
		result 0 "$what: found"
	else
		result 1 "$what: found"
	fi
}

command -v spin > /dev/null || {
	echo "1..0 # SKIP spin is not installed"
	exit 0
}
right "the protocol" right
right "the protocol, if the kernel spared nothing" hard HARD NO_STEAL IMMORTAL
wrong "a user without a pin" pin NO_PIN
wrong "a user without a pin, if the kernel spared nothing" hardpin HARD NO_STEAL IMMORTAL NO_PIN
wrong "a user that does not wait for the lock" "wait" HARD NO_STEAL IMMORTAL NO_WAIT
wrong "a lock that is taken away, if the kernel spared nothing" steal HARD
wrong "a user that waits for a reclaimer that is dead" dead NO_STEAL
wrong "a user that does not make pages dirty first" populate NO_POPULATE
wrong "a user that does not look at the hash" hash NO_HASH
wrong "an object that is given while it is used" gate NO_GATE
wrong "an object that is given though it has changed" changed NO_CHECK
echo "1..$number"
[ $failures = 0 ]
