#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# coverage.sh [--report|NAME...]: which lines and branches of the driver the tests of the
# debug lane reach, with a module that counts (gcov). Writes build/coverage/, index.html
# first, and fails when it is less than 90 % of the lines or 80 % of the branches, or when
# a function that is not reached in all its lines has no reason in selftests/unreached.
# With --report it only evaluates the last run anew; with names, as run.sh takes them,
# only those tests run. As lines are counted, and not errors looked for, the kernel is the
# debug kernel without what looks for errors (qemu/debug/gcov), and less is done of each,
# as by debug.sh --short, where MTDC_OPS and the like say nothing.
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

# run_lane: what fails there does not end this, but is told in the end. rig shows that the
# debug kernel finds errors, which this one does not.
# run_lane NAME...
run_lane()
{
	MTDC_KERNEL=$("$top/qemu/debug/kernel.sh" gcov) || die "no kernel for it"
	MTDC_KERNEL=$(printf '%s\n' "$MTDC_KERNEL" | sed 's/^KMAKE=.*/& GCOV_PROFILE=y/')
	export MTDC_KERNEL MTDC_OPS=${MTDC_OPS:-200} MTDC_CYCLES=${MTDC_CYCLES:-20}
	export MTDC_ROUNDS=${MTDC_ROUNDS:-6} MTDC_EVERY=${MTDC_EVERY:-97}
	rm -rf "$counts"
	MTDC_GCOV=$counts/debug "$here/run.sh" --lane debug -rig "$@" || failed=1
}

# with_notes: beside the counts, what the compiler noted of each object
with_notes()
{
	local name object

	find "$counts" -name '*.gcda' | while read -r name; do
		# Below the guest's directory is the path of the object.
		object=${name#"$counts"/*/*/}
		cp "/${object%.gcda}.gcno" "${name%.gcda}.gcno" ||
			die "the module was built anew since the tests ran"
	done
}

# report: each guest by itself first, as gcov takes one count for each object
report()
{
	local guest all=()

	for guest in "$counts"/*/*/; do
		[ -n "$(find "$guest" -name '*.gcda')" ] || continue
		gcovr --gcov-executable gcov-12 -r "$top" --filter '.*drivers/mtd/mtdcompr/.*\.[ch]$' \
			--exclude '.*(_test|kunit_lower)\.[ch]$' --json "${guest%/}.json" "$guest" > "$counts/gcovr.log" 2>&1 || {
			tail "$counts/gcovr.log" >&2
			die "gcovr cannot read the counts of $guest"
		}
		# Built twice, once with KUnit: the same sources in two directories.
		sed -i 's#"file": "build/[^/"]*/#"file": "#g' "${guest%/}.json"
		all+=(-a "${guest%/}.json")
	done
	[ ${#all[@]} -gt 0 ] || die "no counts in $counts"
	rm -rf "$pages"
	mkdir -p "$pages"
	gcovr -r "$top" "${all[@]}" --json "$pages/coverage.json" \
		--html-details "$pages/index.html" --html-title MTDCOMPR
	cd "$top"
	"$here/coverage.py" "$pages/coverage.json" "$here/unreached"
}

"$top/qemu/setup.sh" build guest debug test coverage
failed=
case $* in
--report)	[ -d "$counts" ] || die "there was no run yet" ;;
--*)		die "usage: coverage.sh [--report|NAME...]" ;;
*)		run_lane "$@" ;;
esac
with_notes
status=0
report || status=1
[ -z "$failed" ] || die "tests failed"
exit $status
