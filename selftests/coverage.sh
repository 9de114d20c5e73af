#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# coverage.sh [--report|NAME...]: which lines and branches of the driver the tests of make test
# and of the slices of .ci/run reach, with a module that counts (gcov). Writes
# build/coverage/, index.html first, and fails when it is less than 90 % of the lines or 80 %
# of the branches, or when a function that is not reached in all its lines has no reason in
# selftests/coverage.exceptions. With --report it only evaluates the last run anew; with names, as
# run.sh takes them, only those tests of make test and of KUnit and failing allocations run.
# The kernel is the debug kernel without its checks (qemu/kernels/gcov.sh).
# build/gcov/JOB/SCRIPT.json has the lines that a script reaches, for selftests/value.py; long-JOB
# are the long forms.
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
top=${here%/*}
counts=$top/build/gcov
pages=$top/build/coverage

die()
{
	echo "coverage.sh: $*" >&2
	exit 1
}

# run_lane PREFIX LANE NAME...: what fails there does not end this, but is told in the end.
run_lane()
{
	local prefix=$1
	shift

	MTDC_LOGS=coverage-logs MTDC_GCOV=$counts/$prefix "$here/run.sh" --lane "$@" || failed=1
}

# run_all [NAME...]: the short forms, and those long forms in which the driver does something else.
# Not rig, which needs the checks of the debug kernel, and no job of another machine.
run_all()
{
	rm -rf "$counts"
	run_lane "" coverage -unit -um -fuzz -common-fuzz -membench -report -jobs -runner -board \
		-oomfull -oomlog -pressure -rig "$@"
	[ $# = 0 ] || return 0
	run_lane long- long attach blk ebcache log wearlevel ubi swapnand swapubi vanish \
		mediafaults swapread
	MTDC_LONG=1 run_lane long- coverage failnth
}

# with_notes: beside the counts, what the compiler noted of each object
with_notes()
{
	local name object

	find "$counts" -name '*.gcda' | while read -r name; do
		# Below the directories of job and script is the path of the object.
		object=${name#"$counts"/*/*/}
		cp "/${object%.gcda}.gcno" "${name%.gcda}.gcno" ||
			die "the module was built anew since the tests ran"
	done
}

# read_counts DIRECTORY: the counts of one script into DIRECTORY.json, as gcov takes one count
# for each object. One after the other: two gcovr in one tree write to the same files.
read_counts()
{
	gcovr -j "$(nproc)" --gcov-executable gcov-12 -r "$top" --filter '.*drivers/mtd/mtdcompr/.*\.[ch]$' \
		--exclude '.*_test\.[ch]$' --json "$1.json" "$1" \
		> "$1.log" 2>&1 || {
		tail "$1.log" >&2
		die "gcovr cannot read the counts of $1"
	}
	# Built twice, once with KUnit: the same sources in two directories.
	sed -i 's#"file": "build/[^/"]*/#"file": "#g' "$1.json"
}

# report: each script, all together, and what each reaches that no other does
report()
{
	local script all=() alone=() tests

	tests=" $("$here/run.sh" --lane test --list | sed 's/ .*//' | tr '\n' ' ')"
	for script in "$counts"/*/*/; do
		[ -n "$(find "$script" -name '*.gcda' -print -quit)" ] || continue
		read_counts "${script%/}"
		all+=(-a "${script%/}.json")
		case $tests in
		*" $(basename "$(dirname "$script")") "*)
			alone+=(-a "${script%/}.json") ;;
		esac
	done
	[ ${#all[@]} -gt 0 ] || die "no counts in $counts"
	rm -rf "$pages"
	mkdir -p "$pages"
	gcovr -r "$top" "${all[@]}" --json "$pages/coverage.json" \
		--html-details "$pages/index.html" --html-title MTDCOMPR
	cd "$top"
	if [ ${#alone[@]} -gt 0 ]; then
		echo "make test alone, without what needs this kernel:"
		gcovr -r "$top" "${alone[@]}" --print-summary -o /dev/null |
			grep '^lines\|^branches'
	fi
	"$here/coverage.py" "$pages/coverage.json" "$here/coverage.exceptions"
}

"$top/qemu/setup.sh" build guest debug test coverage
failed=
MTDC_KERNEL=$("$top/qemu/kernel.sh" gcov) || die "no kernel for it"
MTDC_KERNEL=$(printf '%s\n' "$MTDC_KERNEL" | sed 's/^KMAKE=.*/& GCOV_PROFILE=y/')
export MTDC_KERNEL
case $* in
--report)	[ -d "$counts" ] || die "there was no run yet" ;;
--*)		die "usage: coverage.sh [--report|NAME...]" ;;
*)		run_all "$@" ;;
esac
with_notes
status=0
report || status=1
[ -z "$failed" ] || die "tests failed"
exit $status
