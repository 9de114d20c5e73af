#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# spin.sh [DIR]: the model of a page, all of its states, and mutations that spin has to find; as TAP.
# It takes spin, gcc, 1 GiB of memory and a minute. If a mutation is not found, or the model is
# wrong, the end of spin's own report is shown, and DIR has the trail.
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
: "${CC:=gcc}"
dir=${1:-}
[ -n "$dir" ] || { dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT; }
mkdir -p "$dir"
cd "$dir"
number=0 failures=0

# model NAME [DEFINE...]: its states; status 0: all of them are right, 2: not all were seen
model()
{
	name=$1
	shift
	defines=
	for define; do
		defines="$defines -D$define"
	done
	# shellcheck disable=SC2086 # a list of words
	spin -a $defines "$here/page.pml" > "$name.log" 2>&1 &&
		"$CC" -O1 -w -DSAFETY -DMEMLIM=1024 -DCOLLAPSE -o "$name.pan" pan.c \
			>> "$name.log" 2>&1 || return 2
	timeout 120 "./$name.pan" -m3000000 >> "$name.log" 2>&1 || return 2
	if grep -q -e 'max search depth too small' -e 'MEMLIM bound' "$name.log"; then
		return 2
	fi
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
	result $status "$what, $(sed -n 's/^ *\([0-9.e+]*\) states, stored$/\1/p' "$name.log") states"
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

# 1 user and 2 threads that load; 2 users and 1 thread that loads; a child.
loads="USERS=1 HANDLERS=2"
users="USERS=2 HANDLERS=1"
child="USERS=1 HANDLERS=1 FORK"

command -v spin > /dev/null || {
	echo "1..0 # SKIP spin is not installed"
	exit 0
}
# shellcheck disable=SC2086 # lists of words
{
	right "two threads load" loads $loads
	right "two threads use the page" users $users
	right "a child" child $child
	right "a store that fails" eio USERS=1 HANDLERS=1 EIO
	right "a store that others write to" foreign USERS=1 HANDLERS=1 FOREIGN
	wrong "no look whether a write came during the save" saving $loads NO_SAVING
	wrong "a page that is protected after it was copied" protect $loads NO_PROTECT
	wrong "a write trap that makes the copy of a given page void" keep $loads NO_KEEP
	wrong "a copy that still counts is overwritten" compare $loads NO_COMPARE
	wrong "a page is given without the lock" lock $loads NO_LOCK
	wrong "asynchronous write protection" async $loads ASYNC
	wrong "a page that is not clean is given" give $loads GIVE_KEPT
	wrong "a page that is not clean is dropped" drop $loads DROP_KEPT
	wrong "a load that does not look at the sum" sum $loads FOREIGN NO_SUM
	wrong "a load that does not look whether the copy counts" look $loads NO_LOOK
	wrong "two loads of a page at a time" free $loads FREE_LOADING
	wrong "a load that takes a clean page for one that is there" trust $loads TRUST_CLEAN
	wrong "a load that replaces a page that is there" over $loads OVER
	wrong "a load that finds the page there and calls it clean" came $loads CAME
	wrong "a place that is punched too late" late $users LATE_PUNCH
	wrong "a save of a pinned page" pins $loads NO_PINS
	wrong "a pin that does not make the page dirty" touch $loads NO_TOUCH
	wrong "a place that is punched while a child reads it" punch $child PUNCH_SHARED
	wrong "a place that is overwritten while a child reads it" shared $child SAVE_SHARED
	wrong "memory that a child has, too, and no copy of it, is given" kin $child NO_KIN
}
echo "1..$number"
[ $failures = 0 ]
