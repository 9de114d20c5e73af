# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Sourced by the tests that need no guest: TAP, with the plan at its end.

number=0 failures=0
# Where there is a file that tells more of what has failed.
details=

# result STATUS WHAT: a TAP line
result()
{
	number=$((number + 1))
	if [ "$1" = 0 ]; then
		echo "ok $number - $2"
	else
		failures=$((failures + 1))
		echo "not ok $number - $2"
		[ -z "$details" ] || head -n 8 "$details" | sed 's/^/# /'
	fi
}

# end_results: the plan; the status is 0 only if nothing failed
end_results()
{
	echo "1..$number"
	[ $failures = 0 ]
}
