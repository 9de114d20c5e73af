#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Sourced by the tests of the policy daemons. They define all_knobs, which prints everything that
# the daemon changes, and keep its first output in $before.
# shellcheck disable=SC2154 # the scripts' variables

# same_soon DESCRIPTION: within a second all_knobs prints the same as before
same_soon()
{
	same_tries=20
	while [ "$(all_knobs)" != "$before" ] && [ $same_tries -gt 0 ]; do
		same_tries=$((same_tries - 1))
		sleep 0.05
	done
	is "$1" "$(all_knobs)" "$before"
}

# says DESCRIPTION STATUS PATTERN COMMAND...: the command ends with STATUS and prints PATTERN and
# nothing else
says()
{
	says_what=$1 says_status=$2 says_pattern=$3
	shift 3
	"$@" > "$TMP/out" 2> "$TMP/err"
	is "$says_what" "$? $(grep -c . "$TMP/err") $(grep -c "$says_pattern" "$TMP/err")" \
		"$says_status 1 1"
	grep -q "$says_pattern" "$TMP/err" || diag "$(cat "$TMP/err")"
}
