#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# all.sh: what `make test` runs: the tests on Debian's kernel, with less of each those
# on the debug kernel, and some lanes of the matrix. Each of them ends with a line
# "N passed, N failed, N skipped", and so does this, with the sums. Exit status 0 only
# if none failed.
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
top=${here%/*}
last=$top/build/all.log
failures=$top/build/all.failures
passed=0 failed=0 skipped=0

# part COMMAND...: one that dies without its closing line is a failure
part()
{
	local status=0 sums

	set -o pipefail
	"$@" 2>&1 | tee "$last" || status=$?
	set +o pipefail
	sums=$(tail -n 1 "$last" |
		sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed, \([0-9]*\) skipped$/\1 \2 \3/p')
	# shellcheck disable=SC2086 # three numbers
	set -- "${1##*/}" ${sums:-0 1 0}
	[ $status = 0 ] || [ "$3" != 0 ] || set -- "$1" "$2" 1 "$4"
	if [ "$3" != 0 ]; then
		bad="$bad $1"
		# What run.sh says at its end, or the lanes of the matrix.
		sed -n '/^== failed:$/,$p; /: FAIL, /p' "$last" |
			grep -v '^== \| passed, ' >> "$failures" || true
	fi
	passed=$((passed + $2)) failed=$((failed + $3)) skipped=$((skipped + $4))
}

mkdir -p "$top/build"
bad=
: > "$failures"
part "$here/run.sh"
part "$here/debug.sh" --short
part "$top/qemu/matrix/run.sh" --short
if [ -n "$bad" ]; then
	# Once more: often only the end of a long output is kept.
	echo "== failed:$bad"
	cat "$failures"
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
