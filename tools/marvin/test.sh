#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# test.sh [SUITE...]: build libmarvin's suites and marvind's with sanitizers, and run them, the
# model of a page, marvind from end to end on this machine, the module of Lua, and the programs in
# Lua, as one TAP stream with the plan at its end; exit status 0 only if nothing failed.
#
# A suite: lib (places, page, store, heap, trouble, register and shortage, each with ASan and TSan; system
# calls; a program that closes all files; soak; the header in C++; that the library exports marvin_*
# and nothing else), malloc (programs that know nothing of the library), marvind (plan and programs),
# end, spin, lua, programs (of lab/marvin-load/lua).
#
# MTDC_LONG=1        more random cases
# MTDC_SEED          seed of everything random (1)
# MTDC_JOBS          compilers at a time (2)
# CC                 the compiler (gcc)
#
# job: test,programs marvin seconds=240 lib malloc marvind end spin programs
# job: test,programs marvin-lua seconds=47 lua
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
top=${here%/*/*}
# shellcheck source-path=SCRIPTDIR source=../../selftests/tap.sh
. "$top/selftests/tap.sh"
out=$top/build/marvin-test
suites="lib malloc marvind end spin lua programs"
: "${CC:=gcc}" "${MTDC_JOBS:=2}"
export CC
for_sanitizers
[ -n "${MTDC_LONG:-}" ] || export MTDC_QUICK=1 QUICK=1

wanted=${*:-$suites}
known "$wanted" "$suites"
mkdir -p "$out"

# run NAME PREFIX COMMAND...: its results; a suite that never ends has failed, too
run()
{
	local name=$1 prefix=$2 status=0

	shift 2
	timeout "${limit:-600}" "$@" > "$out/$name.tap" 2>&1 || status=$?
	pass_on $status "$out/$name.tap" "$prefix"
}

# exports FILE PATTERN: a result: its names that programs see match, and no others are there
exports()
{
	local names

	names=$(nm -D --defined-only "$out/lib/$1" | awk '$2 ~ /[A-Z]/ { sub(/@.*/, "", $3); print $3 }' |
		grep -vxE "$2|MARVIN_[0-9]+" || :)
	[ -z "$names" ] || printf '%s\n' "$names" | sed 's/^/# /'
	[ -z "$names" ]
	result $? "$1 exports $2 only"
}

run_lib()
{
	local sanitizer suite

	compiled lib make -s -C "$here/libmarvin" -j "$MTDC_JOBS" O="$out/lib" CC="$CC" WERROR=1 \
		all tests || return 0
	exports libmarvin.so 'marvin_[a-z_]+'
	for sanitizer in address thread; do
		for suite in places page store heap trouble register shortage; do
			run "$suite-$sanitizer" "$sanitizer: " \
				"$out/lib/test/$sanitizer/test_$suite"
		done
	done
	run cpp "" "$out/lib/test/test_cpp"
	for sanitizer in none address; do
		for suite in calls closed; do
			run "$suite-$sanitizer" "$sanitizer: " \
				"$out/lib/test/$sanitizer/test_$suite"
		done
	done
	run soak "" "$out/lib/test/none/test_soak"
	# So that each thread has some work of each kind; without children, with ASan, it has more.
	OPS=3000000 run soak-address "address: " "$out/lib/test/address/test_soak"
	OPS=20000 run soak-thread "thread: " "$out/lib/test/thread/test_soak"
}

run_malloc()
{
	compiled malloc make -s -C "$here/libmarvin" -j "$MTDC_JOBS" O="$out/lib" CC="$CC" WERROR=1 \
		all || return 0
	exports libmarvin-malloc.so '[a-z_]*(alloc|align|free)[a-z_]*'
	run malloc "malloc: " "$here/libmarvin/test/malloc.sh" "$out/lib"
}

run_marvind()
{
	local suite

	compiled marvind make -s -f "$here/marvind/test/Makefile" -j "$MTDC_JOBS" O="$out/marvind" \
		CC="$CC" tests || return 0
	for suite in plan programs; do
		run "$suite" "" "$out/marvind/test_$suite"
	done
}

# build_end: marvind and marvinctl with sanitizers, and programs that use the library
build_end()
{
	local sanitizers="-fsanitize=address,undefined -fno-sanitize-recover=all" program

	make -s -C "$here/marvind" -j "$MTDC_JOBS" WERROR=1 O="$out/end" CC="$CC" \
		CFLAGS="-g -O1 $sanitizers" LDFLAGS="$sanitizers" &&
		make -s -C "$here/libmarvin" O="$out/lib" CC="$CC" WERROR=1 "$out/lib/libmarvin.a" ||
		return
	for program in load speak; do
		"$CC" -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -g -O1 -pthread \
			-o "$out/end/$program" "$here/marvind/test/$program.c" "$out/lib/libmarvin.a" ||
			return
	done
}

run_end()
{
	compiled end build_end || return 0
	run end "" "$here/marvind/test/end.sh" "$out/end"
	# As another program than the library does: what marvind does with it does not depend on that.
	run end-speak "speak: " "$here/marvind/test/end.sh" "$out/end" speak
}

for suite in $wanted; do
	case $suite in
	lib)	run_lib ;;
	malloc)	run_malloc ;;
	marvind) run_marvind ;;
	end)	run_end ;;
	spin)	run spin "spin: " "$here/libmarvin/test/spin.sh" "$out/spin" ;;
	lua)	[ ! -x "$here/lua/test.sh" ] || limit=3600 run lua "lua: " "$here/lua/test.sh" ;;
	programs)
		! compiled programs build_end ||
			run programs "programs: " "$top/tools/lab/marvin-load/lua/test.sh" "$out/end" ;;
	esac
done
end_results
