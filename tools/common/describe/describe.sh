#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# describe.sh [--check]: writes what the key tables of the daemons (config.c) say into the files
# that are made from them: all of the sample NAME.conf, and of NAME.bash-completion and NAME.conf.5
# what stands between marks. With --check it changes nothing, prints what differs, and fails if
# anything does.
#
# CC  the compiler, for this machine (gcc)
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
common=${here%/*} tools=${here%/*/*}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
check=${1:-}
status=0

# table DIRECTORY: the key table of the daemon, as describe.c prints it
table()
{
	"${CC:-gcc}" -std=c11 -D_GNU_SOURCE -ffunction-sections -Wl,--gc-sections \
		-I"$common" -I"$1" -o "$work/describe" "$here/describe.c" \
		"$common"/{conf,ini,parse}.c "$1/config.c"
	"$work/describe"
}

# put FILE: the file new is what FILE has to be
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
