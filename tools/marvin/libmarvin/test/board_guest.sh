#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# libmarvin on the paper's board, 32 bits, a processor without atomic steps, and no userfaultfd that
# protects memory, so that it goes by signals: its suites, the module of Lua, and a program whose store
# is a device of MTDCOMPR. The board's kernel has no sockets, so no program can register: marvind has
# to say so.
# shellcheck disable=SC2154 # lib.sh's variables
# shellcheck source=../../../../selftests/guest/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=../../../../selftests/guest/swaplib.sh
. "$(dirname "$0")/swaplib.sh"

plan 24
export QUICK=1
must mount -t tmpfs tmpfs /var/tmp
# A suite's model has a byte for each place, and uses few of them.
echo 1 > /proc/sys/vm/overcommit_memory
phram low 0 $((MTDC_RESERVE_SIZE / 1024))

# suite WHAT COMMAND...: a result for all of its cases
suite()
{
	suite_what=$1
	shift
	limited 400 "$@" > "$TMP/suite" 2>&1
	suite_status=$?
	suite_cases=$(grep -c '^ok ' "$TMP/suite")
	[ "1..$suite_cases" = "$(grep '^1\.\.' "$TMP/suite")" ] || suite_status=1
	result $suite_status "$suite_what, $suite_cases cases"
	# In full only what failed.
	if [ $suite_status = 0 ]; then
		grep '^# ' "$TMP/suite" | sed 's/^# /#   /'
	else
		grep -v '^ok ' "$TMP/suite" | sed 's/^/#   /'
	fi
}

# tell LETTER: to the program; sets $said
tell()
{
	printf %s "$1" >&8
	read -r said <&9
}

must modprobe mtdcompr mtd=low,comp=lzo,name=cold
must mkswap "$(own_disk cold)"
must swapon "$(own_disk cold)"
for name in places page store heap trouble register shortage calls closed; do
	suite "$name" "/mtdc/test_$name"
done
suite "soak" env OPS=30000 THREADS=2 /mtdc/test_soak
suite "types of Lua" lua-marvin /mtdc/types.lua
suite "Lua's collector" lua-marvin /mtdc/gc.lua incremental
must swapoff "$(own_disk cold)"

marvind --check > "$TMP/check"
is "marvind --check: it does not work without sockets" \
	"$? $(grep -c '^sockets  *no  *needed: CONFIG_UNIX$' "$TMP/check")" "1 1"
diag "$(cat "$TMP/check")"
marvind -f -S "$TMP/state" -s "$TMP/sock" 2> "$TMP/log"
is "marvind does not begin" $? 1
diag "$(cat "$TMP/log")"
is "and says why" "$(grep -c 'no program can register: .* no sockets' "$TMP/log")" 1
marvind --once > "$TMP/list"
is "marvind --once: what it would take" "$? $(grep -c '^would_take_kib: ' "$TMP/list")" "0 1"
mkfifo "$TMP/in" "$TMP/out"
marvin-program 8 "$(own_disk cold)" < "$TMP/in" > "$TMP/out" &
program=$!
exec 8> "$TMP/in" 9< "$TMP/out"
read -r said <&9
is "a program with 8 MiB of objects" "$said" ready
tell t
holds "they are saved to the device" "$(stat page_writes cold)" -ge 2048
tell r
before=$said
tell d
tell r
diag "$before KiB resident, then $said"
holds "it drops them: its memory is free" "$said" -lt $((before - 7000))
tell u
is "its bytes are right, read from the device" "$said" right
tell w
tell t
tell u
is "and when they were written anew" "$said" right
exec 8>&- 9<&-
wait $program
is "it ends well" $? 0
must rmmod mtdcompr
check "all is gone" rmmod phram
