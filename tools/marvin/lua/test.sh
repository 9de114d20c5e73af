#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# test.sh: build the module of Lua and its tests, also with ASan and UBSan, and run them as one TAP
# stream; exit status 0 only if nothing failed.
#
# MTDC_QUICK=1       100,000 random operations, not 1,000,000
# MTDC_SEED          seed of everything random (1)
# O                  where to build (build/marvin)
# CC, LUA            the compiler (gcc), the interpreter (lua5.4)
set -u
here=$(cd "$(dirname "$0")" && pwd -P)
top=$(cd "$here/../../.." && pwd -P)
# shellcheck source-path=SCRIPTDIR source=../../../selftests/tap.sh
. "$top/selftests/tap.sh"
: "${CC:=gcc}" "${LUA:=lua5.4}" "${O:=$top/build/marvin}"
ops=1000000
[ -z "${MTDC_QUICK:-}" ] || ops=100000
export LUA_PATH="$here/test/?.lua" MTDC_SEED="${MTDC_SEED:-1}"
export SEED=$MTDC_SEED
work=$(mktemp -d)
store=$(mktemp -d /var/tmp/marvin-lua.XXXXXX)
trap 'rm -rf "$work" "$store"' EXIT

# pass_on STATUS PREFIX: the results of a test, numbered anew. A test that ends badly has failed.
pass_on()
{
	local status=$1 prefix=$2 plan='' seen=0 bad=0 line

	while IFS= read -r line; do
		case $line in
		1..*)	plan=${line#1..} ;;
		ok\ *)	seen=$((seen + 1))
			result 0 "$prefix: ${line#ok * - }" ;;
		not\ ok\ *)
			seen=$((seen + 1)) bad=$((bad + 1))
			result 1 "$prefix: ${line#not ok * - }" ;;
		*)	echo "# ${line#\# }" ;;
		esac
	done < "$work/out"
	if [ "$seen" != "${plan:-none}" ] || { [ "$status" != 0 ] && [ $bad = 0 ]; }; then
		result 1 "$prefix: $seen of ${plan:-?} cases, exit status $status"
	fi
}

# run VARIANT WHAT ARGUMENTS...: a test in Lua. release: the module as it is installed
run()
{
	local variant=$1 what=$2 status=0 preload=''

	shift 2
	case $variant in
	address) preload=$("$CC" -print-file-name=libasan.so) ;;
	release) variant=. ;;
	esac
	LD_PRELOAD=$preload LUA_CPATH="$O/lua/$variant/?.so" \
		ASAN_OPTIONS=abort_on_error=1:detect_leaks=0:allocator_may_return_null=1 \
		UBSAN_OPTIONS=abort_on_error=1:print_stacktrace=1 \
		timeout 1800 "$LUA" "$@" > "$work/out" 2>&1 || status=$?
	pass_on $status "$what"
}

if ! make -s -f "$here/Makefile" WERROR=1 O="$O" CC="$CC" tests > "$work/make" 2>&1; then
	sed 's/^/# /' "$work/make"
	echo "Bail out! it does not compile"
	exit 1
fi
"$O/lua/address/test_packed" > "$work/out" 2>&1
pass_on $? packed
LUA_CPATH="$O/lua/address/?.so" ASAN_OPTIONS=detect_leaks=0 timeout 600 \
	"$O/lua/address/test_states" > "$work/out" 2>&1
pass_on $? states

# A step of the collector at every instruction.
steps='debug.sethook(function() collectgarbage("step") end, "", 1)'

run release types "$here/test/types.lua"
run address "types, address" "$here/test/types.lua"
for mode in incremental generational; do
	run address "types, steps, $mode" -e "collectgarbage('$mode') $steps" \
		"$here/test/types.lua"
	run drop gc "$here/test/gc.lua" $mode
	run address "gc, address" "$here/test/gc.lua" $mode
	run drop random "$here/test/random.lua" $mode $ops
	MARVIN_TEST_DROP=50 run drop "random, half is dropped" "$here/test/random.lua" $mode \
		$((ops / 5))
	MARVIN_TEST_DROP=50 run address "random, address" "$here/test/random.lua" $mode $((ops / 5))
done
MARVIN_TEST_DROP=0 run drop "random, nothing dropped" "$here/test/random.lua" incremental \
	$((ops / 5))
run release "random, as installed" "$here/test/random.lua" generational $((ops / 5))
run drop write "$here/test/write.lua"
run address "write, address" "$here/test/write.lua"
run drop loss "$here/test/loss.lua" "$store/store"
# The road of machines without userfaultfd's write protection.
export MARVIN_TEST_ROAD=signal
run release "random, signal" "$here/test/random.lua" incremental $((ops / 5))
run release "write, signal" "$here/test/write.lua"
run release "loss, signal" "$here/test/loss.lua" "$store/store"
run release "two threads, signal" "$here/test/thread.lua"
unset MARVIN_TEST_ROAD
run address "loss, address" "$here/test/loss.lua" "$store/store"
(
	# bash counts kilobytes.
	trap '' XFSZ
	ulimit -f 5000
	MARVIN_TEST_DROP=50 LUA_CPATH="$O/lua/drop/?.so" "$LUA" "$here/test/full.lua" \
		"$store/full" > "$work/out" 2>&1
)
pass_on $? "full"
run release "the default store" "$here/test/default.lua" saved
MARVIN_STORE=$store/named run release "MARVIN_STORE" "$here/test/default.lua" saved
MARVIN_STORE='' run release "MARVIN_STORE is empty" "$here/test/default.lua" unsaved
MARVIN_STORE=/nonexistent/store run release "MARVIN_STORE that cannot be" "$here/test/default.lua" unsaved
grep -c "^marvin: /nonexistent/store: No such file or directory: objects stay in memory$" \
	"$work/out" | grep -q -x 1
result $? "MARVIN_STORE that cannot be: it is said once"
# A setgid copy of the interpreter: its caller's MARVIN_STORE does not count. It needs root, and a
# file system that is not mounted with nosuid.
what="MARVIN_STORE of a setgid program's caller"
cp "$(command -v "$LUA")" "$work/setgid-lua"
chgrp 65534 "$work/setgid-lua" 2> "$work/out" && chmod 2755 "$work/setgid-lua"
setgid='os.exit(io.open("/proc/self/status"):read("a"):find("Gid:%s+%d+%s+65534") ~= nil)'
if "$work/setgid-lua" -e "$setgid"; then
	MARVIN_STORE=/nonexistent/store LUA=$work/setgid-lua run release "$what" \
		"$here/test/default.lua" saved
else
	result 0 "$what # SKIP no setgid programs here"
fi
# The user reads why a store is refused.
echo "Chapter 1" > "$store/thesis"
MARVIN_STORE=$store/thesis run release "a MARVIN_STORE that has other contents" \
	"$here/test/default.lua" unsaved
grep -q "^marvin: $store/thesis is not used as the store: it is not empty, " "$work/out"
result $? "a MARVIN_STORE that has other contents: the reason is said"
grep -q -x "Chapter 1" "$store/thesis"
result $? "a MARVIN_STORE that has other contents: they stay"
run release "two threads" "$here/test/thread.lua"
end_results
