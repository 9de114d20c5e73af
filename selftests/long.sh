#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# long.sh [--again] [--list] [LANE...]: what `make test-long` runs: every lane that has slices, and
# those that do the same for longer, for hours. You can end it at any time, and it goes on there:
# a job that has passed on the same tree is not run again, unless --again is given. build/long.txt
# lists the jobs with their last run and its tree; --list only writes it.
#
# long.sh --slice [N]: a twelfth of it in short forms, in at most 20 minutes (selftests/lanes).
# Without N the number of commits says which, and what the cache remembers of the last eleven, so
# that twelve submissions have seen all. A script that fails is run once more, alone; it has failed
# if it fails again.
#
# The last line is "N passed, N failed, N skipped"; exit status 0 only if none failed.
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
. "$here/../qemu/lib.sh"
results=$build/results
remembered=$cache/slices
# Seconds after which no job of a slice begins: the longest takes some minutes.
limit=$((14 * 60))

again='' list='' slice=''
while [ $# -gt 0 ]; do
	case $1 in
	--again)	again=1 ;;
	--list)		list=1 ;;
	--slice)	slice=${2:-next}
			shift $(($# > 1)) ;;
	-*)		die "usage: long.sh [--again] [--list] [LANE...], or long.sh --slice [N]" ;;
	*)		break ;;
	esac
	shift
done

mkdir -p "$build"
touch "$results"
tree=$("$here/source-hash.sh")
passed=0 failed=0 skipped=0 ran='' whole=1

# part LANE "VARIABLE=VALUE..." JOB...: run them, add to the sums. A run that dies without its closing
# line is a failure.
part()
{
	local lane=$1 settings=$2 status=0 log=$build/long-$1.log sums
	shift 2

	# shellcheck disable=SC2086 # a list of variables
	env $settings "$here/run.sh" --lane "$lane" "$@" 2>&1 | tee "$log" || status=$?
	sums=$(tail -n 1 "$log" |
		sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed, \([0-9]*\) skipped$/\1 \2 \3/p')
	# shellcheck disable=SC2086 # three numbers
	set -- ${sums:-0 1 0}
	[ $status = 0 ] || [ "$2" != 0 ] || set -- "$1" 1 "$3"
	ran="$ran $lane"
	! grep -q '^== the time was over' "$log" || whole=
	passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
}

# to_do LANE: its jobs that have not passed as a whole on this tree
to_do()
{
	"$here/run.sh" --lane "$1" --list | awk -v lane="$1" -v tree="$tree" -v again="$again" '
		FILENAME != "-" {
			if ($2 == tree && $3 == lane)
				good[$4] = $6 == 0 && $9 == "whole"
			next
		}
		again || !good[$1] { print $1 }' "$results" -
}

# write_table: the last result of each job
write_table()
{
	{
		printf '%-12s %-18s %6s %6s %7s %6s  %-20s %s\n' \
			lane job passed failed skipped s when tree
		awk '
			NF == 9 { last[$3, $4] = sprintf("%-12s %-18s %6d %6d %7d %6d  %-20s %s",
				$3, $4, $5, $6, $7, $8, $1, $2) }
			END { for (key in last) print last[key] }' "$results" | sort
	} > "$build/long.txt"
}

# next_slice: by the number of commits, or the first after it that the last eleven were not
next_slice()
{
	local number try

	number=$(git -C "$top" rev-list --count HEAD 2>/dev/null || echo 0)
	for ((try = 0; try < 12; try++)); do
		slice=$(((number + try) % 12 + 1))
		tail -n 11 "$remembered" 2>/dev/null | grep -qx "$slice" || return 0
	done
}

run_slice()
{
	local lane settings jobs parts

	[ "$slice" != next ] || next_slice
	parts=$(perl -I "$here" -MJobs=slices -e 'for (slices(@ARGV)) {
		my ($lane, @jobs) = @$_;
		print "$lane->{name}|@{$lane->{slice_settings}}|@{[map { $_->{name} } @jobs]}\n";
	}' "$here" "$slice")
	[ -n "$parts" ] || die "no slice \"$slice\" in selftests/lanes"
	echo "=== slice $slice of 12; again: selftests/long.sh --slice $slice"
	export MTDC_AGAIN=1 MTDC_UNTIL=$(($(date +%s) + limit))
	while IFS='|' read -r lane settings jobs <&3; do
		# shellcheck disable=SC2086 # a list of names
		part "$lane" "$settings" $jobs
	done 3<<< "$parts"
	# If the time was too short, because a kernel had to be built, the slice comes again.
	mkdir -p "$cache"
	[ -z "$whole" ] || echo "$slice" >> "$remembered"
}

set -o pipefail
if [ -n "$list" ]; then
	write_table
	cat "$build/long.txt"
	exit 0
fi
if [ -n "$slice" ]; then
	run_slice
else
	# shellcheck disable=SC2046 # a list of names
	[ $# -gt 0 ] || set -- $(awk '/^[a-z]/ && /\|/ { print $1 }' "$here/lanes") debug-long faults
	# For the list: run.sh lists without installing.
	"$here/../qemu/setup.sh" build
	for lane; do
		list=$(to_do "$lane") || die "the jobs of the lane $lane cannot be listed"
		[ -n "$list" ] || continue
		mapfile -t jobs <<< "$list"
		echo "=== $lane: ${#jobs[@]} jobs"
		part "$lane" '' "${jobs[@]}"
		write_table
	done
	echo "=== build/long.txt has what ran, when, on which tree"
fi
# Once more, as often only the end of a long output is kept: also what failed only the first
# time.
for lane in $ran; do
	[ ! -s "$build/$lane/summary" ] || cat "$build/$lane/summary"
done | sed -n 1,14p
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
