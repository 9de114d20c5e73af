#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# pages.sh: print the path of a file of PAGES real memory pages, the data of the
# paper's benchmark. They are an even sample of the set that "make bench" takes:
# private anonymous pages of running programs, taken in a guest whose time is a
# count of instructions. Kept in the cache by what they are made by. Beside the
# file is FILE.txt: the programs, as CSV.
set -eu
. "$(dirname "$0")/../../../qemu/lib.sh"
here=$top/tools/lab/paper
PAGES=2048	# 8 MiB: the board's root file system has to hold them

[ $# = 0 ] || die "takes no arguments"
key=$(cat "$here/pages.sh" "$here/pages-guest.py" "$top/tools/lab/bench/pageset.py" |
	sha256sum | cut -c 1-16)
file=$cache/pages-$key.bin

mkdir -p "$cache"
exec 9>"$cache/.pages.lock"
flock 9
if [ "$(stat -c %s "$file" 2>/dev/null)" = $((PAGES * 4096)) ] && [ -s "$file.txt" ]; then
	echo "$file"
	exit 0
fi

# shellcheck source=tools/lab/bench/lib.sh
. "$top/tools/lab/bench/lib.sh"
prepare >&2 9>&-
work=$(mktemp -d "$cache/pages.XXXXXX")
trap 'rm -rf "$work"' EXIT
truncate -s $((PAGES * 4096)) "$work/drive"
say "taking $PAGES memory pages of programs"
measure pages --drive "$work/drive" -- \
	"$here/pages-guest.py" "$PAGES" >&2 9>&-
sed -n 's/^PAGES //p' "$out/pages.log" > "$work/txt"
[ -s "$work/txt" ] || die "the guest named no programs, see $out/pages.log"
cmp -s -n $((PAGES * 4096)) "$work/drive" /dev/zero &&
	die "the guest wrote no pages, see $out/pages.log"
mv "$work/txt" "$file.txt"
# Renamed last: a file with the final name is whole.
mv "$work/drive" "$file"
echo "$file"
