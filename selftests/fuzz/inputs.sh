#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# inputs.sh unpack ARCHIVE DIRECTORY: replace DIRECTORY by the inputs in ARCHIVE.
# inputs.sh pack DIRECTORY ARCHIVE: write ARCHIVE anew; the same inputs give the same bytes.
# inputs.sh add ARCHIVE NAME FILE: copy FILE into ARCHIVE under NAME, crashes/doomed-victim for
# example.
#
# All committed inputs of a fuzz target are in one archive, TARGET.tar, in up to three directories:
#
#   found/    libFuzzer found them, under names that are hashes; run.sh --minimise writes them anew
#   hand/     made by hand
#   crashes/  each showed an error once, and has a name that tells which
#
# "tar -xOf ARCHIVE NAME" prints one of them.
set -eu

unpack()
{
	rm -rf "$2"
	mkdir -p "$2"
	[ ! -e "$1" ] || tar -xf "$1" -C "$2"
}

# Names in the order of C, and nothing of who packs them, nor when. -b 1: no padding at the end.
pack()
{
	mkdir -p "$(dirname "$2")"
	find "$1" -type f -printf '%P\n' | LC_ALL=C sort |
		tar -C "$1" -b 1 --format=ustar --mtime=@0 --owner=0 --group=0 --numeric-owner \
			--mode=0644 -cf "$2.new" -T -
	mv "$2.new" "$2"
}

add()
{
	local into

	into=$(mktemp -d)
	unpack "$1" "$into"
	mkdir -p "$into/$(dirname "$2")"
	cp "$3" "$into/$2"
	pack "$into" "$1"
	rm -rf "$into"
}

case ${1:-}:$# in
unpack:3|pack:3|add:4)	"$@" ;;
*)			sed -n '3,6s/^# //p' "$0" >&2
			exit 1 ;;
esac
