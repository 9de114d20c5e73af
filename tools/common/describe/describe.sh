#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# describe.sh [--check]: writes the key tables of the daemons (config.c) into the generated files:
# all of the sample NAME.conf, and the parts between marks of NAME.bash-completion and NAME.conf.5.
# With --check it changes nothing, prints the differences, and fails if there are any.
#
# CC  a compiler for this machine (gcc)
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
common=${here%/*} tools=${here%/*/*}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
check=${1:-}
status=0

# table DIRECTORY: print the daemon's key table with describe.c
table()
{
	"${CC:-gcc}" -std=c11 -D_GNU_SOURCE -ffunction-sections -Wl,--gc-sections \
		-I"$common" -I"$1" -o "$work/describe" "$here/describe.c" \
		"$common"/{conf,ini,parse}.c "$1/config.c"
	"$work/describe"
}

# put FILE: the file new has the new contents of FILE
put()
{
	if [ "$check" = --check ]; then
		diff -u "$1" "$work/new" || status=1
	elif ! cmp -s "$1" "$work/new"; then
		cat "$work/new" > "$1"
	fi
}

for dir in "$tools"/{latd,proswapd,rectifyd,marvin/marvind}; do
	name=${dir##*/}
	table "$dir" > "$work/keys"
	for kind in conf bash-completion conf.5; do
		awk -F '\t' -v name="$name" -v kind="$kind" -f "$here/describe.awk" \
			"$work/keys" "$dir/$name.$kind" > "$work/new"
		put "$dir/$name.$kind"
	done
done
exit $status
