#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# record.sh: record trees/NAME.tree again: files of a real guest, the input of the tests. Afterwards
# run ../test.sh --update and review the difference.
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
top=${here%/*/*/*}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$top/qemu/build.sh"
make -s -C "$top/selftests/lib" O="$top/build/selftests"
"$top/qemu/guest.sh" --mem 112 --reserve 64 --timeout 400 --quiet --log "$log" \
	"$here/record-guest.sh"
tr -d '\r' < "$log" | awk -v to="$here/trees" '
	/^==TREE / { file = to "/" $2 ".tree"; printf "" > file; next }
	/^==TREE$/ { close(file); file = "" }
	file { print > file }'
ls -l "$here/trees"
