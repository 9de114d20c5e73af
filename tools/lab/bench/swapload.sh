#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# swapload.sh [COMP...]: a program that needs more than the memory, on each kind of swap
# (swapload.py), in one boot of a guest whose time is a count of instructions: zram,
# MTDCOMPR's block device with sync=1 and sync=0, and mtdblock. The compressors are lz4
# and zstd unless named; MTDC_ROUNDS (3) is the number of rounds, mtdblock has one. A
# missed goal is printed as missed and is no error.
set -eu
. "$(dirname "$0")/../../../qemu/lib.sh"
# shellcheck source=tools/lab/bench/lib.sh
. "$top/tools/lab/bench/lib.sh"

[ $# -gt 0 ] || set -- lz4 zstd
: "${MTDC_ROUNDS:=3}"
case $MTDC_ROUNDS in
0* | *[!0-9]*)	die "MTDC_ROUNDS=$MTDC_ROUNDS: not a number above 0" ;;
esac
# MiB: the guest's memory, the media in it, and the program's memory. zram's pool is in
# the same memory, and nearly as large as the media.
mem=192
media=48
program=150

prepare
mkdir -p "$build/selftests"
gcc -O2 -Wall -Wextra -static -o "$build/selftests/memsig" "$top/selftests/lib/memsig.c"
measure swapload --mem $mem --timeout 7200 -- \
	"$top/tools/lab/bench/swapload.py" $media $program "$MTDC_ROUNDS" "$@"
"$top/tools/lab/bench/swapreport.py" "$out/swapload.jsonl" > "$out/swapload.md"
cat "$out/swapload.md"
