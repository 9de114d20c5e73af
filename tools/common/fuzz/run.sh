#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh [--seconds N] [TARGET...]: fuzz each target for N seconds (MTDC_SECONDS, 10) with
# libFuzzer, ASan and UBSan, starting from the committed inputs. Without clang or its libFuzzer it
# does the same as --replay. The results are TAP. An input that fails goes to
# build/common-fuzz/found/TARGET; "selftests/fuzz/inputs.sh add corpus/TARGET.tar crashes/NAME FILE"
# adds it to the committed inputs, under a name that tells the error.
#
# run.sh --replay [TARGET...]: no fuzzing: run each committed input once, with any compiler.
#
# run.sh --minimise [TARGET...]: add the inputs found so far to corpus/TARGET.tar, and keep in its
# found/ only those that are needed to reach the same code.
#
# Targets: parse (files of /proc), conf (latd's configuration), control (requests to all four
# daemons), maps (files of /proc line by line, and the memory of a process), message (packets to
# marvind).
#
# selftests/fuzz/inputs.sh tells what is in corpus/TARGET.tar.
#
# CC           compiler for --replay (gcc)
# MTDC_SEED    seed of libFuzzer (1)
# MTDC_JOBS    compilers at a time (2)
#
# job: test,long common-fuzz seconds=56
# job: fuzz common-parse parse
# job: fuzz common-conf conf
# job: fuzz common-control control
# job: fuzz common-maps maps
# job: fuzz common-message message
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
top=${here%/*/*/*}
# shellcheck source-path=SCRIPTDIR source=../../../selftests/tap.sh
. "$top/selftests/tap.sh"
all="parse conf control maps message"
out=$top/build/common-fuzz
: "${CC:=gcc}" "${MTDC_JOBS:=2}" "${MTDC_SEED:=1}"

die()
{
	echo "run.sh: $*" >&2
	exit 1
}

what=fuzz seconds=${MTDC_SECONDS:-10}
while [ $# -gt 0 ]; do
	case $1 in
	--seconds)	[ $# -ge 2 ] || die "--seconds: how many?"
			seconds=$2
			shift ;;
	--replay)	what=replay ;;
	--minimise)	what=minimise ;;
	-*)		die "usage: run.sh [--seconds N | --replay | --minimise] [TARGET...]" ;;
	*)		break ;;
	esac
	shift
done
wanted=${*:-$all}
known "$wanted" "$all"
for_sanitizers
mkdir -p "$out"
# Temporary files of the targets.
TMPDIR=$(mktemp -d "$out/tmp.XXXXXX")
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT

has_libfuzzer()
{
	echo 'int LLVMFuzzerTestOneInput(const char *data, long n) { return 0; }' |
		clang -fsanitize=fuzzer,address -x c -o "$out/try" - > /dev/null 2>&1
}

# compile MODE COMPILER: build the targets in $out/MODE
compile()
{
	local target programs=()

	for target in $wanted; do
		programs+=("$out/$1/fuzz_$target")
	done
	# Lock: the jobs of the lane fuzz share their object files.
	exec 8>"$out/.lock"
	flock 8
	compiled "$1" make -s -f "$top/tools/common/test/Makefile" -j "$MTDC_JOBS" \
		O="$out/$1" MODE="$1" CC="$2" "${programs[@]}" || return
	exec 8>&-
}

# unpack MODE TARGET: unpack its inputs, and set inputs to their directory
unpack()
{
	inputs=$out/$1/inputs/$2
	"$top/selftests/fuzz/inputs.sh" unpack "$here/corpus/$2.tar" "$inputs"
	mkdir -p "$inputs/found" "$out/corpus/$2" "$out/found/$2"
}

replay()
{
	local target list status

	compile replay "$CC" || return 0
	for target in $wanted; do
		unpack replay "$target"
		mapfile -t list < <(find "$inputs" -type f | LC_ALL=C sort)
		status=0
		details=$out/$target.log
		timeout 300 "$out/replay/fuzz_$target" "${list[@]}" > "$details" 2>&1 || status=$?
		[ "$(tail -n 1 "$details")" = ${#list[@]} ] || status=1
		result $status "$target: ${#list[@]} inputs"
	done
}

# words TARGET: print libFuzzer's options for it
words()
{
	echo "-max_len=4096 -timeout=20 -rss_limit_mb=3000 -use_value_profile=1"
	[ ! -e "$here/dict/$1" ] || echo "-dict=$here/dict/$1"
}

# figure KEY LOG: print a figure that libFuzzer wrote at its end
figure()
{
	sed -n "s/^stat::$1: *//p" "$2"
}

fuzz_one()
{
	local log=$out/$1.log options status=0

	unpack libfuzzer "$1"
	mapfile -t options < <(words "$1" | tr ' ' '\n')
	"$out/libfuzzer/fuzz_$1" "${options[@]}" -max_total_time="$seconds" -seed="$MTDC_SEED" \
		-print_final_stats=1 -artifact_prefix="$out/found/$1/" "$out/corpus/$1" \
		"$inputs" > "$log" 2>&1 || status=$?
	if [ $status = 0 ]; then
		result 0 "$1: $(figure number_of_executed_units "$log") inputs, $(sed -n \
			's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1) edges, in $seconds s"
		return
	fi
	grep -aE '^==.*ERROR|: not so|runtime error|fuzz_[a-z]*\.c:[0-9]*:|Test unit' "$log" \
		> "$out/$1.error" || tail -n 8 "$log" > "$out/$1.error"
	details=$out/$1.error
	result 1 "$1: an input that fails, see ${log#"$top"/}"
}

fuzz()
{
	local target

	if ! has_libfuzzer; then
		echo "# no libFuzzer (qemu/setup.sh fuzz installs it): each input once"
		replay
		return
	fi
	compile libfuzzer clang || return 0
	for target in $wanted; do
		fuzz_one "$target"
	done
}

minimise()
{
	local target into

	compile libfuzzer clang || return 0
	for target in $wanted; do
		unpack libfuzzer "$target"
		into=$out/minimal/$target
		rm -rf "$into"
		mkdir -p "$into"
		"$out/libfuzzer/fuzz_$target" -merge=1 -use_counters=0 -max_len=4096 "$into" \
			"$inputs" "$out/corpus/$target" > "$out/$target.log" 2>&1 ||
			die "$target: see $out/$target.log"
		rm -rf "$inputs/found"
		mv "$into" "$inputs/found"
		# Of the same input once is enough.
		find "$inputs" -path "$inputs/found" -prune -o -type f -exec sha1sum {} + |
			while read -r hash _; do rm -f "$inputs/found/$hash"; done
		"$top/selftests/fuzz/inputs.sh" pack "$inputs" "$here/corpus/$target.tar"
		result 0 "$target: $(find "$inputs/found" -type f | wc -l) inputs, $(stat -c %s \
			"$here/corpus/$target.tar") bytes"
	done
}

"$what"
end_results
