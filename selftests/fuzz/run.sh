#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh [--seconds N] [TARGET...]: fuzz each target for N seconds (MTDC_SECONDS, 600) by libFuzzer,
# with ASan and UBSan. Findings go to build/fuzzers/found/TARGET. Once a finding is understood,
# "inputs.sh add corpus/TARGET.tar crashes/NAME FILE" adds it to the committed inputs. The results
# are TAP.
#
# run.sh --replay [TARGET...]: no fuzzing, any compiler: run every input in corpus/TARGET.tar once,
# as TAP.
#
# run.sh --msan [TARGET...]: the same with MemorySanitizer, by clang: uninitialised bytes must not
# affect a decision, nor go to the media.
#
# run.sh --minimise [TARGET...]: add the found inputs to corpus/TARGET.tar, and keep only as many as
# needed for the same coverage.
#
# run.sh --coverage [TARGET...]: the lines of the driver that all corpora together reach.
#
# A target: opts, media, comp, device, sysfs, freelist, map, blocks, ebcache, label or log. The
# driver's code is compiled unchanged, with small stand-ins for the kernel in ../shim; the compressors are the kernel's own, from its source.
#
# CC           for --replay (gcc)
# MTDC_SEED    of libFuzzer (1)
# MTDC_KERNEL  output of qemu/kernel.sh --source
#
# job: test,long fuzz --replay
# job: fuzz fuzz-opts opts
# job: fuzz fuzz-media media
# job: fuzz fuzz-comp comp
# job: fuzz fuzz-device device
# job: fuzz fuzz-sysfs sysfs
# job: fuzz fuzz-freelist freelist
# job: fuzz fuzz-map map
# job: fuzz fuzz-blocks blocks
# job: fuzz fuzz-ebcache ebcache
# job: fuzz fuzz-label label
# job: fuzz fuzz-log log
# job: fuzz msan --msan
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
. "$here/../../qemu/lib.sh"
top=${here%/*/*}
build=$top/build/fuzzers
all="opts media comp device sysfs freelist map blocks ebcache label log"
driver=$top/drivers/mtd/mtdcompr
: "${CC:=gcc}" "${MTDC_SEED:=1}"

die()
{
	echo "run.sh: $*" >&2
	exit 1
}

what=fuzz seconds=${MTDC_SECONDS:-600}
while [ $# -gt 0 ]; do
	case $1 in
	--seconds)	[ $# -ge 2 ] || die "--seconds: how many?"
			seconds=$2
			shift ;;
	--replay)	what=replay ;;
	--msan)		what=msan ;;
	--minimise)	what=minimise ;;
	--coverage)	what=coverage ;;
	*)		break ;;
	esac
	shift
done
wanted=${*:-$all}
for target in $wanted; do
	case " $all " in
	*" $target "*)	;;
	*)		die "unknown target \"$target\"; there are: $all" ;;
	esac
done

# A finding aborts the program, so that libFuzzer notices it; no legend follows. Large allocations
# may fail.
export ASAN_OPTIONS=${ASAN_OPTIONS:-abort_on_error=1:print_legend=0:allocator_may_return_null=1}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-abort_on_error=1:print_stacktrace=1}

# compile MODE COMPILER: compile the targets into $build/MODE
compile()
{
	local ksrc programs=() target

	"$top/qemu/setup.sh" test >&2
	if [ -z "${MTDC_KERNEL:-}" ]; then
		MTDC_KERNEL=$("$top/qemu/kernel.sh" --source) || die "no kernel"
	fi
	ksrc=$(printf '%s\n' "$MTDC_KERNEL" | sed -n 's/^KSRC=//p')
	# MTDC_KERNEL of the user's own kernel may lack KSRC.
	[ -n "$ksrc" ] || ksrc=$("$top/qemu/kernel.sh" --source | sed -n 's/^KSRC=//p')
	for target in $wanted; do
		programs+=("$build/$1/fuzz_$target")
	done
	# The jobs of the lane fuzz share one directory of objects, so compile one at a time.
	exec 8>"$build/.lock"
	flock 8
	make -s -f "$here/Makefile" -j "${MTDC_JOBS:-$(nproc)}" O="$build/$1" KSRC="$ksrc" \
		MODE="$1" CC="$2" "${programs[@]}" > "$build/$1.log" 2>&1 || {
			sed 's/^/# /' "$build/$1.log"
			die "cannot compile"
		}
	exec 8>&-
}

# unpack MODE TARGET: its committed inputs, into $build/MODE/inputs/TARGET
unpack()
{
	"$here/inputs.sh" unpack "$here/corpus/$2.tar" "$build/$1/inputs/$2"
	mkdir -p "$build/$1/inputs/$2/found"
}

# inputs MODE TARGET: the files of the committed inputs
inputs()
{
	unpack "$1" "$2"
	find "$build/$1/inputs/$2" -type f | LC_ALL=C sort
}

# inputs_once MODE COMPILER
inputs_once()
{
	local target list number=0 failures=0 begun log limit=$((60 * $(machine_times 1))) mode=$1

	compile "$mode" "$2"
	# shellcheck disable=SC2086 # a list of words
	set -- $wanted
	echo "1..$#"
	for target; do
		number=$((number + 1))
		log=$build/$mode/$target.log
		mapfile -t list < <(inputs "$mode" "$target")
		begun=$SECONDS
		if [ ${#list[@]} -gt 0 ] &&
			timeout $limit "$build/$mode/fuzz_$target" "${list[@]}" > "$log" 2>&1 &&
			[ "$(tail -n 1 "$log")" = ${#list[@]} ]; then
			echo "ok $number - $target: ${#list[@]} inputs, $((SECONDS - begun)) s"
		else
			failures=$((failures + 1))
			echo "not ok $number - $target: ${#list[@]} inputs"
			tail -n 40 "$log" 2>/dev/null | sed 's/^/# /'
		fi
	done
	[ $failures = 0 ]
}

replay()
{
	inputs_once replay "$CC"
}

msan()
{
	"$top/qemu/setup.sh" build fuzz test >&2
	inputs_once msan clang
}

# words TARGET: options of libFuzzer for the target
words()
{
	case $1 in
	opts)		echo "-dict=$here/dict/options -max_len=512" ;;
	sysfs)		echo "-dict=$here/dict/sysfs -max_len=2048" ;;
	comp)		echo "-max_len=4096" ;;
	*)		echo "-max_len=2048" ;;
	esac
}

# figure KEY LOG: a figure that libFuzzer prints at the end
figure()
{
	sed -n "s/^stat::$1: *//p" "$2"
}

fuzz()
{
	local target log number=0 failed=0 options

	"$top/qemu/setup.sh" build fuzz test
	compile libfuzzer clang
	wc -w <<< "$wanted" | sed 's/^/1../'
	for target in $wanted; do
		number=$((number + 1))
		unpack libfuzzer "$target"
		mkdir -p "$build/corpus/$target" "$build/found/$target"
		log=$build/$target.log
		read -r -a options < <(words "$target")
		if "$build/libfuzzer/fuzz_$target" -max_total_time="$seconds" -seed="$MTDC_SEED" \
			-print_final_stats=1 -timeout=20 -rss_limit_mb=3000 -use_value_profile=1 \
			-artifact_prefix="$build/found/$target/" "${options[@]}" \
			"$build/corpus/$target" "$build/libfuzzer/inputs/$target/found" > "$log" 2>&1; then
			echo "ok $number - $target: $(figure number_of_executed_units "$log") inputs," \
				"$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1) edges," \
				"nothing found in $seconds s"
		else
			failed=$((failed + 1))
			echo "not ok $number - $target: found something, see ${log#"$top"/}"
			grep -aE '^==.*ERROR|: not so|runtime error|fuzz_[a-z]*\.c:[0-9]*:|Test unit' \
				"$log" | head -n 5 | sed 's/^/# /'
		fi
	done
	[ $failed = 0 ]
}

# Use libFuzzer to find the smallest set of files with the same coverage.
minimise()
{
	local target into inputs

	"$top/qemu/setup.sh" build fuzz test
	compile libfuzzer clang
	for target in $wanted; do
		unpack libfuzzer "$target"
		inputs=$build/libfuzzer/inputs/$target
		into=$build/minimal/$target
		rm -rf "$into"
		mkdir -p "$into" "$build/corpus/$target"
		"$build/libfuzzer/fuzz_$target" -set_cover_merge=1 -use_counters=0 -max_len=4096 \
			"$into" "$inputs/found" "$build/corpus/$target" \
			> "$build/$target.log" 2>&1 || die "$target: see $build/$target.log"
		rm -rf "$inputs/found"
		cp -r "$into" "$inputs/found"
		"$here/inputs.sh" pack "$inputs" "$here/corpus/$target.tar"
		echo "$target: $(find "$into" -type f | wc -l) files," \
			"$(find "$into" -type f -printf '%s\n' | awk '{ n += $1 } END { print n + 0 }') bytes"
	done
}

# Coverage by gcov, which needs only gcc. A line counts once, whichever target reaches it.
coverage()
{
	local target list

	rm -rf "$build/coverage"
	mkdir -p "$build/coverage"
	compile coverage gcc
	for target in $wanted; do
		mapfile -t list < <(inputs coverage "$target"; find "$build/corpus/$target" -type f 2>/dev/null)
		"$build/coverage/fuzz_$target" "${list[@]}" > /dev/null
	done
	(
		cd "$build/coverage"
		# The units of the suites are compiled a second time, with the other shim.
		gcov -t driver/*.gcda suite_*.gcda 2>/dev/null | awk -v driver="$driver/" '
			/Source:/ { file = $0; sub(/.*Source:/, "", file); next }
			index(file, driver) != 1 { next }
			{
				split($0, part, ":")
				number = part[2] + 0
				gsub(/ /, "", part[1])
				if (!number || part[1] == "-")
					next
				key = substr(file, length(driver) + 1) SUBSEP number
				seen[key] = 1
				if (part[1] !~ /^#|^=/)
					hit[key] = 1
			}
			END {
				for (key in seen) {
					split(key, at, SUBSEP)
					lines[at[1]]++
					reached[at[1]] += key in hit
					n++
					m += key in hit
				}
				for (file in lines)
					printf "%-16s %4d of %4d lines, %5.1f %%\n", file, \
						reached[file], lines[file], \
						100 * reached[file] / lines[file] | "sort"
				close("sort")
				printf "%-16s %4d of %4d lines, %5.1f %%\n", "all", m, n, 100 * m / n
			}'
	)
}

mkdir -p "$build"
"$what"
