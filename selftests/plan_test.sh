#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# plan_test.sh: is each test run by something? As TAP: each guest script is in a job, each
# job in a lane, each job of a lane in a slice, and each slice has its line.
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
. "$here/tap.sh"
details=$(mktemp)
trap 'rm -f "$details"' EXIT
# The others have the same scripts, for longer.
lanes="builds machines kernel-5.10 kernel-6.1 kernel-6.12 kernel-new long debug kcsan suites
	fuzz fuzz-debug pressure"

# none WHAT: of what was listed in $details there is to be none
none()
{
	if [ -s "$details" ]; then result 1 "$1"; else result 0 "$1"; fi
}

in_jobs=$(awk '!/^#/ && NF && !/ HOST / { sub(/.* : */, ""); print }' "$here/jobs" | tr ' ' '\n' | sort -u)
for file in "$here"/guest/*.sh; do
	name=$(basename "$file" .sh)
	case $name in
	lib | *lib | batch | splat)	;;
	*)	grep -qx "$name" <<< "$in_jobs" || echo "$name" ;;
	esac
done > "$details"
none "each guest script is in a job"

for name in $in_jobs; do
	[ -e "$here/guest/$name.sh" ] || echo "$name"
done > "$details"
none "each job's scripts are there"

awk '!/^#/ && NF { print $1 }' "$here/jobs" | tr ',' '\n' | sort -u | while read -r tag; do
	awk '!/^#/ && NF { print "," $4 "," }' "$here/lanes" | grep -q ",$tag," || echo "$tag"
done > "$details"
none "each job is in a lane"

for lane in $lanes; do
	"$here/run.sh" --lane "$lane" --list | while read -r job _; do
		awk -v lane="$lane" -v job="$job" '
			!/^#/ && $2 == lane {
				for (i = 3; i <= NF; i++)
					n += $i == job
			}
			END { exit n != 1 }' "$here/slices" || echo "$lane $job"
	done
done > "$details"
none "each job of each lane is in one slice"

awk '!/^#/ && NF { print $2 }' "$here/slices" | sort -u | while read -r lane; do
	all=$("$here/run.sh" --lane "$lane" --list | awk '{ print $1 }')
	awk -v lane="$lane" '!/^#/ && $2 == lane { for (i = 3; i <= NF; i++) if ($i !~ /=/) print $i }' \
		"$here/slices" | while read -r job; do
		grep -qx "$job" <<< "$all" || echo "$lane $job"
	done
done > "$details"
none "each job of a slice is there"

for slice in 1 2 3 4 5 6 7 8 9 10 11 12; do
	grep -q "^$slice " "$here/slices" || echo "$slice"
done > "$details"
none "there are twelve slices"
end_results
