#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# long.sh [--again] [--list] [LANE...]: what `make test-long` runs: every lane, each job in
# turn, for hours. It can be ended at any time and goes on where it was: what has passed on
# the same tree is not run again, unless --again is given. build/long.txt has what ran, when
# and on which tree; --list only writes it.
#
# long.sh --slice [N]: a twelfth of it in short forms, in at most 20 minutes
# (selftests/slices). Without N the number of commits says which, and what the cache
# remembers of the last eleven, so that twelve submissions have seen all. A script
# that fails is run once more, alone; it has failed if it fails again.
#
# The last line is "N passed, N failed, N skipped"; exit status 0 only if none failed.
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
. "$here/../qemu/lib.sh"
results=$build/results
table=$build/long.txt
remembered=$cache/slices
lanes="builds machines kernel-5.10 kernel-6.1 kernel-6.12 kernel-new long debug debug-long
	kcsan suites fuzz fuzz-debug pressure faults"
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
tree=$("$here/tree.sh")
passed=0 failed=0 skipped=0 ran='' whole=1
# VARIABLE=VALUE for the next part.
settings=()

# part LANE JOB...: run them, add to the sums. One that dies without its closing line is a
# failure.
part()
{
	local lane=$1 status=0 log sums
	shift

	log=$build/long-$lane.log
	env ${settings[@]+"${settings[@]}"} "$here/run.sh" --lane "$lane" "$@" 2>&1 |
		tee "$log" || status=$?
	sums=$(tail -n 1 "$log" |
		sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed, \([0-9]*\) skipped$/\1 \2 \3/p')
	# shellcheck disable=SC2086 # three numbers
	set -- ${sums:-0 1 0}
	[ $status = 0 ] || [ "$2" != 0 ] || set -- "$1" 1 "$3"
	ran="$ran $lane"
	! grep -q '^== the time was over' "$log" || whole=
	passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
}

# to_do LANE: its jobs that have not passed on this tree, all scripts of them
to_do()
{
	"$here/run.sh" --lane "$1" --list | awk -v lane="$1" -v tree="$tree" -v again="$again" '
		NR == FNR {
			if ($2 == tree && $3 == lane)
				good[$4, $5] = $7 == 0
			next
		}
		{
			all = good[$1, "-"]
			for (i = 3; i <= NF; i++)
				all = all && good[$1, $i]
			if (again || !all)
				print $1
		}' "$results" -
}

# write_table: the last result of each job, of all its scripts on that tree
write_table()
{
	{
		printf '%-12s %-18s %6s %6s %7s %6s  %-20s %s\n' \
			lane job passed failed skipped s when tree
		awk '
			{ last[$3, $4, $5] = $2 " " $6 " " $7 " " $8 }
			$5 == "-" { when[$3, $4] = $1; tree[$3, $4] = $2; seconds[$3, $4] = $9 }
			END {
				for (key in last) {
					split(key, name, SUBSEP)
					split(last[key], figure, " ")
					job = name[1] SUBSEP name[2]
					if (figure[1] != tree[job])
						continue
					passed[job] += figure[2]
					failed[job] += figure[3]
					skipped[job] += figure[4]
				}
				for (job in when) {
					split(job, name, SUBSEP)
					printf "%-12s %-18s %6d %6d %7d %6d  %-20s %s\n", name[1], name[2], \
						passed[job], failed[job], skipped[job], seconds[job], \
						when[job], tree[job]
				}
			}' "$results" | sort
	} > "$table"
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
	local number lane words word

	[ "$slice" != next ] || next_slice
	grep -q "^$slice " "$here/slices" || die "no slice \"$slice\" in selftests/slices"
	echo "=== slice $slice of 12; again: selftests/long.sh --slice $slice"
	export MTDC_AGAIN=1 MTDC_UNTIL=$(($(date +%s) + limit))
	while read -r number lane words <&3; do
		[ "$number" = "$slice" ] || continue
		jobs=() settings=()
		for word in $words; do
			case $word in
			*=*)	settings+=("$word") ;;
			*)	jobs+=("$word") ;;
			esac
		done
		part "$lane" "${jobs[@]}"
	done 3< "$here/slices"
	# One for which the time was too short, as a kernel had to be built, comes again.
	mkdir -p "$cache"
	[ -z "$whole" ] || echo "$slice" >> "$remembered"
}

set -o pipefail
if [ -n "$list" ]; then
	write_table
	cat "$table"
	exit 0
fi
if [ -n "$slice" ]; then
	run_slice
else
	# shellcheck disable=SC2086 # a list of words
	[ $# -gt 0 ] || set -- $lanes
	for lane; do
		mapfile -t jobs < <(to_do "$lane")
		[ ${#jobs[@]} -gt 0 ] || continue
		echo "=== $lane: ${#jobs[@]} jobs"
		part "$lane" "${jobs[@]}"
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
