#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh [SUITE...]: build the PURE units and their suites into build/unit with ASan and UBSan, for
# 64 and for 32 bits, and run them on all processors. Other suites: the eraseblock cache on flash
# that fails, erases that take too long, UBI volumes, users, the simulated media of the guests. The
# simulations of the allocation policies, of the log and of wear levelling are benchmarks; they run
# in the long form or by name. Prints one TAP stream with the plan at its end; exit status 0 only if
# nothing failed.
#
# A suite has the name of the unit that it tests (see units and suites below), or is sim, logsim or
# driftsim.
#
# SEED, MTDC_SEED     seed of everything random (1)
# OPS, MTDC_UNIT_OPS  random operations of a suite (100000; MTDC_LONG=1: 1000000;
#                     MTDC_QUICK=1: 10000); a tenth of it for 32 bits
#
# job: quick,test,long unit seconds=130
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
. "$here/../tap.sh"
top=${here%/*/*}
out=$top/build/unit
units="inplace_freelist map media stats opts ebcache_blocks store_backoff log_label log_residents log_gc log_wear"
units="$units log_stream inplace_drift front_slots crypt"
suites="$units store_fill log log_media log_attack ebcache lower_eraser lower_ubi front_users mtdsim"
simulations="sim logsim driftsim"
: "${CC:=gcc}"
# Suppress ASan's legend after a report.
export ASAN_OPTIONS=${ASAN_OPTIONS:-print_legend=0}
export SEED="${SEED:-${MTDC_SEED:-1}}"

ops=100000
[ -z "${MTDC_QUICK:-}" ] || ops=10000
[ -z "${MTDC_LONG:-}" ] || ops=1000000
ops=${OPS:-${MTDC_UNIT_OPS:-$ops}}

wanted=${*:-$suites${MTDC_LONG:+ $simulations}}
for suite in $wanted; do
	case " $suites $simulations " in
	*" $suite "*)	;;
	*)		echo "run.sh: unknown suite \"$suite\"; there are: $suites $simulations" >&2
			exit 1 ;;
	esac
done
mkdir -p "$out"

# Only the 64-bit compiler looks for the kernel's headers in this directory, unless all of
# gcc-multilib is installed, which conflicts with cross compilers.
multiarch=$("$CC" -print-multiarch 2> /dev/null || :)
flags_32="-m32 -idirafter /usr/include/$multiarch"

can_32_bit()
{
	echo '#include <errno.h>
int main(void) { return sizeof(long) == 4 ? 0 : errno + 1; }' > "$out/can32.c"
	# shellcheck disable=SC2086 # lists of flags
	"$CC" $flags_32 -fsanitize=address,undefined -I"$top/selftests/shim" -o "$out/can32" \
		"$out/can32.c" 2> /dev/null && "$out/can32"
}

build()
{
	make -s -C "$here" O="$out" CC="$CC" FLAGS_32="$flags_32" "$@"
}

# programs: the programs of the wanted suites, each with its number of operations
programs()
{
	local name

	for name in $wanted; do
		case " $simulations " in
		*" $name "*)	continue ;;
		esac
		echo "test_$name $ops"
		[ "$name" != media ] || echo "test_media-crc32 $ops"
	done
	[ -n "$thirty_two" ] || return 0
	for name in $wanted; do
		case " $simulations " in
		*" $name "*)	continue ;;
		esac
		echo "test_$name-32 $((ops / 10))"
	done
}

# prefix PROGRAM: prefix of the names of its results
prefix()
{
	case $1 in
	*-32)		echo "32-bit " ;;
	*-crc32)	echo "crc32 " ;;
	esac
}

# simulation NAME COMMAND...
simulation()
{
	local name=$1 status=0
	shift

	"$@" --tap > "$out/$name.tap" 2> "$out/$name.err" || status=$?
	sed 's/^/# /' "$out/$name.err"
	pass_on $status "$out/$name.tap" ""
}

# calls_nothing: the units call no function but the compiler's own: no allocator that could fail, no
# lock, no print. This keeps them independent of the rest. The log's files call the units that the
# log uses, and each other; and log_keys.c the kernel's random numbers, which neither sleep nor fail.
calls_nothing()
{
	local unit calls=''

	build -j "$(nproc)" pure 2>&1 | sed 's/^/# /'
	[ "${PIPESTATUS[0]}" = 0 ] || return
	for unit in $units log; do
		calls+=$(nm -u "$out/$unit.pure" | awk -v unit="$unit" '
			$2 !~ /^(mem(cpy|move|set|cmp|chr)|strlen|get_random_bytes)$/ { print unit ": " $2 }')
	done
	[ -z "$calls" ] || echo "# $calls"
	[ -z "$calls" ]
}

thirty_two=
! can_32_bit || thirty_two=1
list=$(programs)
mapfile -t targets < <(awk -v out="$out" '{ print out "/" $1 }' <<< "$list")
build -k -j "$(nproc)" "${targets[@]}" > "$out/make.log" 2>&1 || sed 's/^/# /' "$out/make.log"

rm -f "$out"/*.tap "$out"/*.status
while read -r program count; do
	# A program that failed to compile may still exist from an earlier build.
	! build -q "$out/$program" || printf '%s %s\n' "$out/$program" "$count"
done <<< "$list" | xargs -r -P "$(nproc)" -n 2 "$here/once.sh"

while read -r program _; do
	if [ -e "$out/$program.status" ]; then
		pass_on "$(cat "$out/$program.status")" "$out/$program.tap" "$(prefix "$program")"
	else
		result 1 "$program: it compiles without a warning"
	fi
done <<< "$list"
[ -n "$thirty_two" ] ||
	result 0 "32-bit suites # SKIP $CC -m32 does not work here (gcc-12-multilib)"
for name in $wanted; do
	case $name in
	sim)		simulation sim "$top/tools/lab/sim/run.sh" ;;
	logsim)		simulation logsim "$top/tools/lab/sim/log.sh" --quick ;;
	driftsim)	simulation driftsim "$top/tools/lab/sim/drift.sh" --quick ;;
	esac
done
status=0
calls_nothing || status=$?
result $status "the units call no allocator, no lock and no print"
end_results
