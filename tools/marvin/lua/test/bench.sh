#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# bench.sh [PART...]: what objects cost in bench.lua: f64, bytes, i32, record, list, map; all of
# them if none is given. With the module, and with one that is built without Marvin: the same types,
# whose memory comes from calloc(). Columns: instructions of both in millions, how many more, best
# times of both, how much more. Instructions are counted by valgrind, which does not know
# userfaultfd: nothing is saved meanwhile. "-" without it. The times are of a program that saves.
#
# ROUNDS             how often each is run for its best time (10)
# O                  where to build (build/marvin)
# CC, LUA            the compiler (gcc), the interpreter (lua5.4)
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
top=$(cd "$here/../../../.." && pwd -P)
: "${CC:=gcc}" "${LUA:=lua5.4}" "${O:=$top/build/marvin}" "${ROUNDS:=10}"
make -s -f "$here/../Makefile" O="$O" CC="$CC" bench

# instructions DIRECTORY PART: the least of three runs. Lua's hashes differ from run to run.
instructions()
{
	local i

	command -v valgrind >/dev/null || return 0
	for ((i = 0; i < 3; i++)); do
		MARVIN_STORE='' LUA_CPATH="$1/?.so" valgrind --tool=callgrind \
			--callgrind-out-file=/dev/null "$LUA" "$here/bench.lua" "$2" 2>&1 |
			sed -n 's/.*Collected : //p'
	done | sort -n | head -n 1
}

# best DIRECTORY PART: in seconds
best()
{
	local i

	for ((i = 0; i < ROUNDS; i++)); do
		LUA_CPATH="$1/?.so" "$LUA" "$here/bench.lua" "$2" | awk '{ print $2 }'
	done | sort -n | head -n 1
}

printf '%-8s %9s %9s %7s %9s %9s %7s\n' part plain marvin more plain_s marvin_s more
[ $# -gt 0 ] || set -- f64 bytes i32 record list map
for part; do
	# The two take turns, as the machine has better and worse times.
	plain=$(instructions "$O/lua/plain" "$part")
	marvin=$(instructions "$O/lua" "$part")
	plain_s=$(best "$O/lua/plain" "$part")
	marvin_s=$(best "$O/lua" "$part")
	awk -v part="$part" -v p="$plain" -v m="$marvin" -v ps="$plain_s" -v ms="$marvin_s" 'BEGIN {
		if (p)
			printf "%-8s %9.1f %9.1f %6.1f%%", part, p / 1e6, m / 1e6, (m / p - 1) * 100
		else
			printf "%-8s %9s %9s %7s", part, "-", "-", "-"
		printf " %9.3f %9.3f %6.1f%%\n", ps, ms, (ms / ps - 1) * 100
	}'
done
