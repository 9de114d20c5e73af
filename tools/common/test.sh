#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# test.sh [SUITE...]: build the suites of common and the daemons into build/tools-test with ASan and UBSan,
# and memload, infer and pipeline with them, too; run them all as one TAP stream with the plan at its
# end; exit status 0 only if nothing failed. fuzz/run.sh has the fuzz targets.
#
# A suite: NAME of common/test/test_NAME.c, or of the same in latd, proswapd or rectifyd; memload,
# pipeline or desktop. Of pipeline and desktop only the parts that need no OpenCV and no desktop run,
# unless MTDC_LONG=1 or the command line names the suite: then this script installs what they need.
#
# MTDC_LONG=1        all of pipeline and desktop
# MTDC_QUICK=1       leaves out what is long and random
# MTDC_SEED          seed of everything random (1)
# MTDC_JOBS          compilers at a time (2)
# CC                 the compiler (gcc)
#
# job: test,long common seconds=110
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
top=${here%/*/*}
# shellcheck source-path=SCRIPTDIR source=../../selftests/tap.sh
. "$top/selftests/tap.sh"
out=$top/build/tools-test
suites=$(cd "$top/tools" && echo {common,latd,proswapd,rectifyd}/test/test_*.c |
	sed 's,[a-z]*/test/test_,,g; s,\.c,,g')
tools="memload pipeline desktop"
: "${CC:=gcc}" "${MTDC_JOBS:=2}"
for_sanitizers
[ -z "${MTDC_QUICK:-}" ] || export QUICK=1

whole=${MTDC_LONG:-}
[ $# = 0 ] || whole=1
wanted=${*:-$suites $tools}
known "$wanted" "$suites $tools"
mkdir -p "$out"

# wants SUITE
wants()
{
	case " $wanted " in
	*" $1 "*)	return 0 ;;
	esac
	return 1
}

# programs: the suites to build
programs()
{
	local name

	for name in $suites; do
		! wants "$name" || echo "$out/test_$name"
	done
}

# build_suites [OPTION...]: of make
build_suites()
{
	local list

	mapfile -t list < <(programs)
	[ ${#list[@]} = 0 ] ||
		make -s -f "$here/test/Makefile" O="$out" CC="$CC" "$@" "${list[@]}"
}

# place NAME: the directory of a tool
place()
{
	case $1 in
	desktop) echo "$top/tools/rectifyd/desktop" ;;
	*)	echo "$top/tools/lab/$1" ;;
	esac
}

# has_parts NAME: are there parts of this tool that a bare machine cannot build?
has_parts()
{
	[ "$1" != memload ]
}

# built NAME: the directory of its programs, one for all of a tool and one for a part
built()
{
	if has_parts "$1" && [ -z "$whole" ]; then
		echo "$out/parts"
	else
		echo "$out/tools"
	fi
}

# build_tool NAME: memload with infer; or pipeline; or desktop, with the daemon that it tells
build_tool()
{
	local sanitizers="-fsanitize=address,undefined -fno-sanitize-recover=all"
	local dir dirs=("$(place "$1")") left=

	[ "$1" != desktop ] || dirs+=("$top/tools/rectifyd")
	[ -n "$whole" ] || left="opencv xcb wayland-client"
	for dir in "${dirs[@]}"; do
		make -s -C "$dir" -j "$MTDC_JOBS" WERROR=1 O="$(built "$1")" CC="$CC" WITHOUT="$left" \
			CFLAGS="-g -O1 $sanitizers" LDFLAGS="$sanitizers" || return
	done
	[ "$1" != memload ] || make -s -C "${dirs[0]}" -j "$MTDC_JOBS" WERROR=1 O="$out/tools/plain" \
		CC="$CC" "$out/tools/plain/memload"
}

# run NAME COMMAND...: its results; a suite that never ends has failed, too
run()
{
	local name=$1 status=0

	shift
	(
		ulimit -t 120
		timeout 300 "$@"
	) > "$out/$name.tap" 2>&1 || status=$?
	pass_on $status "$out/$name.tap" "$prefix"
}

run_suite()
{
	prefix=
	if make -s -q -f "$here/test/Makefile" O="$out" CC="$CC" "$out/test_$1"; then
		run "$1" "$out/test_$1"
	else
		result 1 "$1: it compiles without a warning"
	fi
}

run_tool()
{
	local log=$out/$1.log options=()

	! has_parts "$1" || [ -n "$whole" ] || options=(--units)
	if build_tool "$1" > "$log" 2>&1; then
		prefix="$1: "
		run "$1" "$(place "$1")/test.sh" "${options[@]}" "$(built "$1")"
	else
		sed 's/^/# /' "$log"
		result 1 "$1: it compiles without a warning"
	fi
}

rm -f "$out"/*.tap
build_suites -k -j "$MTDC_JOBS" > "$out/make.log" 2>&1 || sed 's/^/# /' "$out/make.log"
for suite in $suites; do
	! wants "$suite" || run_suite "$suite"
done
if [ -n "$whole" ]; then
	! wants desktop || "$top/qemu/setup.sh" tools desktop
	! wants pipeline || "$top/qemu/setup.sh" vehicle
fi
for tool in $tools; do
	! wants "$tool" || run_tool "$tool"
done
end_results
