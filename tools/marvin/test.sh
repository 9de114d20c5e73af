#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# test.sh [SUITE...]: build libmarvin's suites and marvind's with sanitizers, and run them, the
# model of the lock protocol, marvind from end to end on this machine, the module of Lua, and the
# programs in Lua, as one TAP stream with the plan at its end; exit status 0 only if nothing failed.
#
# A suite: lib (slots, store, heap, lock and register, each with ASan and with TSan; the header in C++;
# soak), marvind (reclaim, need, table and registry), end, spin, lua, programs (of load/lua).
#
# MTDC_LONG=1        the long form of what is random
# MTDC_SEED          seed of everything random (1)
# MTDC_JOBS          compilers at a time (2)
# CC                 the compiler (gcc)
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
top=${here%/*/*}
# shellcheck source-path=SCRIPTDIR source=../../selftests/tap.sh
. "$top/selftests/tap.sh"
out=$top/build/marvin-test
suites="lib marvind end spin lua programs"
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

run_lib()
{
	local sanitizer suite

	compiled lib make -s -C "$here/lib" -j "$MTDC_JOBS" O="$out/lib" CC="$CC" WERROR=1 all tests ||
		return 0
	for sanitizer in address thread; do
		for suite in slots store heap lock register; do
			run "$suite-$sanitizer" "$sanitizer: " \
				"$out/lib/test/$sanitizer/test_$suite"
		done
	done
	run cpp "" "$out/lib/test/test_cpp"
	run soak "" "$out/lib/test/none/test_soak"
	OPS=20000 OBJECTS=200 run soak-thread "thread: " "$out/lib/test/thread/test_soak"
}

run_marvind()
{
	local suite

	compiled marvind make -s -f "$here/marvind/test/Makefile" -j "$MTDC_JOBS" O="$out/marvind" \
		CC="$CC" tests || return 0
	for suite in reclaim need table registry; do
		run "$suite" "" "$out/marvind/test_$suite"
	done
}

# build_end: marvind and marvinctl with sanitizers, and a program that uses the library
build_end()
{
	local sanitizers="-fsanitize=address,undefined -fno-sanitize-recover=all"

	make -s -C "$here/marvind" -j "$MTDC_JOBS" WERROR=1 O="$out/end" CC="$CC" \
		CFLAGS="-g -O1 $sanitizers" LDFLAGS="$sanitizers" &&
		make -s -C "$here/lib" O="$out/lib" CC="$CC" WERROR=1 "$out/lib/libmarvin.a" &&
		"$CC" -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -g -O1 -pthread \
			-o "$out/end/load" "$here/marvind/test/load.c" "$out/lib/libmarvin.a"
}

for suite in $wanted; do
	case $suite in
	lib)	run_lib ;;
	marvind) run_marvind ;;
	end)	! compiled end build_end || run end "" "$here/marvind/test/end.sh" "$out/end" ;;
	spin)	run spin "spin: " "$here/lib/test/spin.sh" "$out/spin" ;;
	lua)	[ ! -x "$here/lua/test.sh" ] || limit=3600 run lua "lua: " "$here/lua/test.sh" ;;
	programs)
		! compiled programs build_end ||
			run programs "programs: " "$here/load/lua/test.sh" "$out/end" ;;
	esac
done
end_results
