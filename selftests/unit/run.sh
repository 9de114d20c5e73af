#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh [SUITE...]: build the PURE units and their suites into build/unit with
# ASan and UBSan, for 64 and for 32 bits, and run them, the eraseblock cache on
# flash that fails, erases that take too long, UBI volumes, users, the simulated media of
# the guests' tests, and the simulations of the allocation policies, of the log and
# of wear levelling. One TAP stream with the plan at its end; exit status 0 only if
# nothing failed.
#
# A suite: freelist, map, fill, media, stats, opts, blocks, backoff, label, residents,
# gc, wear, stream, drift, slots, log, ebcache, eraser, lower_ubi, users, mtdsim, sim,
# logsim or driftsim.
#
# SEED, MTDC_SEED     seed of everything random (1)
# OPS, MTDC_UNIT_OPS  random operations of a suite (1000000); a tenth of it where
#                     long has 32 bits
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
. "$here/../tap.sh"
top=${here%/*/*}
out=$top/build/unit
src=$top/drivers/mtd/mtdcompr
units="freelist map fill media stats opts blocks backoff label residents gc wear stream drift slots"
: "${CC:=gcc}"
# No page of explanations after a finding.
export ASAN_OPTIONS=${ASAN_OPTIONS:-print_legend=0}
export SEED="${SEED:-${MTDC_SEED:-1}}"
ops=${OPS:-${MTDC_UNIT_OPS:-1000000}}

all="$units log ebcache eraser lower_ubi users mtdsim sim logsim driftsim"
wanted=${*:-$all}
for suite in $wanted; do
	case " $all " in
	*" $suite "*)	;;
	*)		echo "run.sh: unknown suite \"$suite\"; there are: $all" >&2
			exit 1 ;;
	esac
done
mkdir -p "$out"

warnings="-Wall -Wextra -Werror -Wno-sign-compare"
includes="-I$here -I$here/shim -I$src -I$top/include"
# Frame pointers, for traces one can read; no recovery, so that UBSan fails, too.
sanitizers="-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer"

# pass_on PREFIX STATUS FILE: pass a suite's results on, numbered anew. What it
# planned and did not do has failed, and so has a suite that ends badly.
pass_on()
{
	local prefix=$1 status=$2 file=$3 plan='' seen=0 bad=0 line

	while IFS= read -r line; do
		case $line in
		1..*)	plan=${line#1..} ;;
		ok\ *)	seen=$((seen + 1))
			result 0 "$prefix${line#ok * - }" ;;
		not\ ok\ *)
			seen=$((seen + 1)) bad=$((bad + 1))
			result 1 "$prefix${line#not ok * - }" ;;
		*)	echo "# ${line#\# }" ;;
		esac
	done < "$file"
	if [ "$seen" != "${plan:-none}" ] || { [ "$status" != 0 ] && [ $bad = 0 ]; }; then
		result 1 "$prefix${file##*/}: $seen of ${plan:-?} cases, exit status $status"
	fi
}

# compile OUTPUT FLAGS... SOURCE...: the compiler's own words are the diagnostics
compile()
{
	local output=$1
	shift
	# shellcheck disable=SC2086 # lists of flags
	"$CC" -std=gnu11 -g -DMTDC_CHECKS $warnings $includes "$@" -o "$output" 2>&1 | sed 's/^/# /'
	return "${PIPESTATUS[0]}"
}

# suite NAME VARIANT OPERATIONS FLAGS... SOURCE...
suite()
{
	local name=$1 prefix=${2:+$2 } count=$3 program=$out/test_$1${2:+-$2} status=0
	shift 3
	# shellcheck disable=SC2086 # a list of flags
	if ! compile "$program" -O2 "$@" $sanitizers "$here/test_$name.c"; then
		result 1 "$prefix$name: compiles without a warning"
		return
	fi
	# A walk that never ends has failed, too.
	OPS=$count timeout $((300 + count / 2000)) "$program" > "$program.tap" 2>&1 || status=$?
	pass_on "$prefix" $status "$program.tap"
}

# The units call nothing but the compiler's own: no allocator that could refuse,
# no lock, no print. What they must not know they cannot reach.
calls_nothing()
{
	local unit calls=''

	# The log's files call the units that it puts together, and each other.
	for unit in $units log; do
		# shellcheck disable=SC2046 # a list of files
		compile "$out/$unit.o" -O2 -r -nostdlib $(sources "$unit") || return
		calls+=$(nm -u "$out/$unit.o" | awk -v unit="$unit" '
			$2 !~ /^(mem(cpy|move|set|cmp|chr)|strlen)$/ { print unit ": " $2 }')
	done
	[ -z "$calls" ] || echo "# $calls"
	[ -z "$calls" ]
}

# The kernel's headers are where only the 64-bit compiler looks, unless all of
# gcc-multilib is installed, which shuts out cross compilers.
multiarch=$("$CC" -print-multiarch 2> /dev/null || :)
flags_32="-m32 -idirafter /usr/include/$multiarch"

can_32_bit()
{
	echo '#include <errno.h>
int main(void) { return sizeof(long) == 4 ? 0 : errno + 1; }' > "$out/can32.c"
	# shellcheck disable=SC2086 # lists of flags
	"$CC" $flags_32 $sanitizers -I"$here/shim" -o "$out/can32" "$out/can32.c" 2> /dev/null &&
		"$out/can32"
}

# simulation NAME COMMAND...
simulation()
{
	local name=$1 status=0
	shift

	"$@" --tap > "$out/$name.tap" 2> "$out/$name.err" || status=$?
	sed 's/^/# /' "$out/$name.err"
	pass_on "" $status "$out/$name.tap"
}

# sources SUITE: what it tests. ebcache, eraser, lower_ubi and users are not PURE: what
# they call, the MTD below, threads, UBI and locks, the suites bring along. mtdsim is that
# of the other module.
sources()
{
	case $1 in
	ebcache)	echo "$src/ebcache.c" "$src/blocks.c" ;;
	log)		echo "$src"/{log,log_jobs,log_collect,map,media,label,residents,gc,wear,stream}.c ;;
	mtdsim)		echo "$top"/selftests/mtdsim/{chip,fault}.c ;;
	*)		echo "$src/$1.c" ;;
	esac
}

# shellcheck disable=SC2046 # a list of flags
for name in $wanted; do
	case $name in
	sim)	simulation sim "$top/tools/sim/run.sh" ;;
	logsim)	simulation logsim "$top/tools/sim/log.sh" --quick ;;
	driftsim)
		simulation driftsim "$top/tools/sim/drift.sh" --quick ;;
	media)	suite media "" "$ops" $(sources media)
		suite media crc32 "$ops" -DMTDC_CSUM_CRC32 $(sources media) ;;
	*)	suite "$name" "" "$ops" $(sources "$name") ;;
	esac
done
if can_32_bit; then
	# It stands in for ARM: char is unsigned there.
	for name in $wanted; do
		[[ $name != *sim || $name = mtdsim ]] || continue
		# shellcheck disable=SC2046,SC2086 # lists of flags
		suite "$name" 32-bit $((ops / 10)) $flags_32 -funsigned-char $(sources "$name")
	done
else
	result 0 "32-bit suites # SKIP $CC -m32 does not work here (gcc-12-multilib)"
fi
status=0
calls_nothing || status=$?
result $status "the units call no allocator, no lock and no print"

end_results
