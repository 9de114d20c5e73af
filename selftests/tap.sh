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

# pass_on STATUS FILE PREFIX: pass a suite's results on, numbered anew. What it planned and did not
# do has failed, and so has a suite that ends badly.
pass_on()
{
	local status=$1 file=$2 prefix=$3 plan='' seen=0 bad=0 line

	while IFS= read -r line; do
		case $line in
		'1..0 # SKIP'*)
			result 0 "$prefix${file##*/} # SKIP${line#1..0 \# SKIP}"
			plan=0 ;;
		1..*)	plan=${line#1..} ;;
		ok\ *)	seen=$((seen + 1))
			result 0 "$prefix${line#ok * - }" ;;
		not\ ok\ *)
			seen=$((seen + 1)) bad=$((bad + 1))
			result 1 "$prefix${line#not ok * - }" ;;
		*)	echo "# ${line#\# }" ;;
		esac
	done < "$file"
	if [ "$seen" != "${plan:-none}" ] || { [ "$status" != 0 ] && [ $bad = 0 ]; }; then
		result 1 "$prefix${file##*/}: $seen of ${plan:-?} cases, exit status $status"
	fi
}

# end_results: the plan; the status is 0 only if nothing failed
end_results()
{
	echo "1..$number"
	[ $failures = 0 ]
}
