#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# test.sh [DIRECTORY]: tests of memload, infer and, if it is there, infer-yolo, as TAP. DIRECTORY
# is where make has put them (build/tools).
set -u
here=$(cd "$(dirname "$0")" && pwd -P)
. "$here/../../../selftests/tap.sh"
bin=$(cd "${1:-$here/../../../build/tools}" && pwd -P)
if ! [ -x "$bin/memload" ] || ! [ -x "$bin/infer" ]; then
	echo "Bail out! no memload and infer in $bin: make them first"
	exit 1
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
details=$work/details
cd "$work" || exit 1

# ends STATUS PATTERN WHAT PROGRAM ARGUMENTS...: that status, and a line with the pattern
ends()
{
	local status=$1 pattern=$2 what=$3 got

	shift 3
	"$bin/$1" "${@:2}" >"$details" 2>&1
	got=$?
	echo "status $got" >>"$details"
	[ $got = "$status" ] && grep -q -e "$pattern" "$details"
	result $? "$what"
}

# refused STATUS PATTERN WHAT PROGRAM ARGUMENTS...: one line that says why, and that status
refused()
{
	local program=$4

	ends "$1" "^$program: .*$2" "refused: $3" "${@:4}"
	[ "$(wc -l <"$details")" = 2 ] || result 1 "refused: $3: in one line"
}

test_anon()
{
	local touched

	ends 0 '^12.00 MiB touched, 1 passes' "anon: takes its size and verifies it" \
		memload anon --chunk 5M --size 12M --exit --verify
	ends 0 ' [1-9][0-9]* passes' "anon: touches all again and again" \
		memload anon --chunk 4M --size 8M --loop --verify --seconds 0.2
	ends 0 ' [1-9][0-9]* passes' "anon: writes all again and again" \
		memload anon --chunk 4M --size 8M --loop --rewrite --verify --seconds 0.2
	ends 3 'wrong data: page 1024, byte 7, after 1 passes: 0x.. instead of 0x' \
		"anon: finds wrong data at a touch" \
		memload anon --chunk 4M --size 8M --loop --verify --corrupt-test --seconds 9
	ends 3 'wrong data: page 1024, byte 7' "anon: finds wrong data at the end" \
		memload anon --size 8M --exit --verify --corrupt-test --random 0
	ends 3 'wrong data: page 1024, byte 7' "anon: finds wrong data in random pages" \
		memload anon --size 8M --loop --rewrite --verify --corrupt-test --random 100 \
		--seconds 9
	"$bin/memload" anon --chunk 1M --size 90M --rate 20 --seconds 0.6 --progress p >"$details"
	touched=$(tail -n 1 p | cut -d' ' -f 2 | cut -d. -f 1)
	cat p >>"$details"
	[ "$touched" -ge 5 ] && [ "$touched" -le 13 ]
	result $? "anon: keeps its rate"
	grep -qvE '^[0-9]+\.[0-9]{6} [0-9]+\.[0-9]{3} [0-9]+$' p || [ "$(wc -l <p)" != 3 ]
	[ $? = 1 ]
	result $? "anon: tells of its progress each half second"
}

test_anon_signals()
{
	local pid

	"$bin/memload" anon --chunk 1M --size 4M >"$details" 2>&1 &
	pid=$!
	sleep 0.2
	kill -TERM $pid && wait $pid && grep -q '^4.00 MiB touched' "$details"
	result $? "anon: keeps its memory until SIGTERM"
	if grep -qa __asan_init "$bin/memload"; then
		result 0 "anon: memory that is refused # SKIP ASan needs a large address space"
		return
	fi
	(ulimit -v 120000; exec "$bin/memload" anon --chunk 50M --exit) >"$details" 2>&1
	grep -q 'refused after [1-9][0-9]* MiB' "$details"
	result $? "anon: memory that is refused"
}

test_files()
{
	ends 0 '^8.00 MiB touched, 1 passes' "file-once: makes files and reads them" \
		memload file-once a b --make 4M --verify --seed 7
	[ "$(stat -c %s a)" = 4194304 ] && ! cmp -s a b
	result $? "file-once: the files have their size and are not the same"
	cp a before
	ends 0 ' [1-9][0-9]* passes' "file-loop: writes through private maps" \
		memload file-loop a b --seconds 0.2 --verify --seed 7
	cmp before a >"$details" 2>&1
	result $? "file-loop: the files are as they were"
	ends 0 ' [1-9][0-9]* passes' "file-loop: writes through shared maps" \
		memload file-loop a b --shared --seconds 0.2 --verify --seed 7
	ends 0 ' [1-9][0-9]* passes' "file-loop: writes through maps that stay" \
		memload file-loop a b --keep --seconds 0.2 --verify --seed 7
	ends 0 ' [1-9][0-9]* passes' "file-loop: reads" \
		memload file-loop a b --read --seconds 0.2 --verify --seed 7
	ends 3 'wrong data in a: page 0, byte 0' "file-once: other contents" \
		memload file-once a --verify --seed 8
	ends 3 'wrong data in a: page 512, byte 0' "file-loop: finds wrong data" \
		memload file-loop a b --verify --seed 7 --corrupt-test --seconds 9
	head -c 10000 before >c
	ends 0 '^0.01 MiB' "file-once: a file that is no multiple of a page" \
		memload file-once c --verify --seed 7
	ends 0 passes "file-loop: a file that is no multiple of a page" \
		memload file-loop c --seconds 0.1 --verify --seed 7
}

test_infer()
{
	local n bad

	"$bin/infer" --make-weights w --size 2M --seed 5 >"$details" 2>&1 &&
		"$bin/infer" --make-images i --count 6 --seed 5 >"$details" 2>&1 &&
		[ "$(find i -name '*.ppm' -size +97k -size -196k | wc -l)" = 6 ]
	result $? "infer: makes weights, and images of 100 to 200 KB"
	"$bin/infer" --make-weights w2 --size 2M --seed 5 && cmp w w2 >"$details" 2>&1
	result $? "infer: the same seed makes the same weights"
	ends 0 '^images 6 p50 .* p95 .* p98 .* p99 .* max .* ms$' "infer: each image once" \
		infer --weights w --images i --out o
	[ "$(sed -n 1p o)" = "image,due_s,begin_s,latency_ms,majflt,minflt,rss_kib,class,late_ms" ]
	result $? "infer: columns"
	ends 0 '^images 20 ' "infer: with a period" \
		infer --weights w --images i --out o2 --period 10 --count 20 --map shared
	bad=$(awk -F, 'NR == 2 { first = $2 } NR > 1 { due = first + (NR - 2) * 0.01 - $2
		late = ($3 - $2) * 1000 - $9; if (due * due > 1e-11 || late * late > 1e-4 ||
		$7 < 1000 || $3 < $2) bad++ } END { print bad + 0 }' o2)
	cp o2 "$details"
	[ "$bad" = 0 ]
	result $? "infer: images are due at equal distances, and lateness is told"
	n=$(tail -q -n +2 o o2 | cut -d, -f 1,8 | sort -u | wc -l)
	[ "$n" = 6 ] && [ "$(tail -n +2 o | cut -d, -f 8 | sort -u | wc -l)" = 6 ]
	result $? "infer: results are those of each image, in every run and by every map"
	# What the network finds with this seed, on any machine. Who changes the network, changes it.
	[ "$(sed -n 2p o | cut -d, -f 8)" = 08efeb36e0f7bff9 ]
	result $? "infer: the result that it gave when this test was written"
	ends 0 'images 12' "infer: weights in anonymous memory" \
		infer --weights w --images i --map anon --count 12
	ends 3 'wrong result: 000000.ppm gives' "infer: finds a wrong weight" \
		infer --weights w --images i --count 12 --corrupt-test --out o3
	[ "$(wc -l <o3)" = 8 ]
	result $? "infer: writes the wrong result, too"
}

# percentile FILE PERCENT: by another way than the program's
percentile()
{
	tail -n +2 "$1" | cut -d, -f 4 | sort -n |
		awk -v p="$2" '{ l[NR] = $1 } END { r = NR * p / 100; i = int(r); print l[i < r ? i + 1 : i] }'
}

test_infer_more()
{
	local want pid

	"$bin/infer" --weights w --images i --count 30 --out o >"$details"
	want="p50 $(percentile o 50) p95 $(percentile o 95) p98 $(percentile o 98)"
	want+=" p99 $(percentile o 99) max $(percentile o 100) ms"
	echo "wanted $want" >>"$details"
	grep -q -x "images 30 $want" "$details"
	result $? "infer: percentiles"
	"$bin/infer" --weights w --images i --count 9 --out - 2>"$details" >o
	grep -q '^images 9 ' "$details" && [ "$(wc -l <o)" = 10 ]
	result $? "infer: CSV to standard output, and the sum apart from it"
	"$bin/infer" --weights w --images i --count 1000000 --out o >"$details" &
	pid=$!
	sleep 0.3
	kill -INT $pid && wait $pid && grep -q '^images [1-9]' "$details" &&
		[ "images $(($(wc -l <o) - 1))" = "$(cut -d' ' -f 1,2 "$details")" ]
	result $? "infer: SIGINT ends it in order"
	mkdir q && cp i/000000.ppm 'q/a, "b".ppm'
	"$bin/infer" --weights w --images q --out o >"$details" && grep -q '^"a, ""b"".ppm",' o
	result $? "infer: a name with a comma and quotes"
}

test_yolo()
{
	local cfg=/usr/share/darknet/cfg/yolov3-tiny.cfg

	if ! [ -x "$bin/infer-yolo" ] || ! [ -r $cfg ]; then
		result 0 "infer-yolo # SKIP made without darknet"
		return
	fi
	# The library is not ours: what it never frees is not counted.
	export ASAN_OPTIONS=detect_leaks=0
	ends 0 'Saving weights' "infer-yolo: makes weights" \
		infer-yolo --cfg $cfg --side 32 --make-weights y --seed 3
	[ "$(od -A n -t d4 -N 20 y | tr -s ' \n' ' ')" = ' 0 2 0 0 0 ' ]
	result $? "infer-yolo: the header of the weights"
	ends 0 '^images 12 ' "infer-yolo: gives each image the same result twice" \
		infer-yolo --cfg $cfg --side 32 --weights y --images i --count 12
	ends 3 'wrong result' "infer-yolo: finds a wrong weight" \
		infer-yolo --cfg $cfg --side 32 --weights y --images i --count 12 --corrupt-test
	unset ASAN_OPTIONS
}

test_refusals()
{
	refused 2 'no load: give' "no load" memload
	refused 2 'no load "anno"' "a load that there is not" memload anno
	refused 2 'give a size' "--size 3" memload anon --size 3
	refused 2 'give a size' "--size 10X" memload anon --size 10X
	refused 2 'MiB a second' "--rate 0" memload anon --rate 0
	refused 2 'percentage' "--random 101" memload anon --random 101
	refused 2 'give seconds' "--seconds soon" memload anon --seconds soon
	refused 2 'uses no file' "anon with a file" memload anon file
	refused 2 'no file: name' "file-once without a file" memload file-once
	refused 2 'for anon only' "file-loop --size" memload file-loop --size 1M a
	refused 2 'not for anon' "anon --shared" memload anon --shared
	refused 2 'one of them' "--shared --read" memload file-loop --shared --read a
	refused 2 'no such option' "an option that there is not" memload anon --hard
	refused 2 'value is missing' "an option without its value" memload anon --size
	refused 1 'make SIZE' "a file that there is not" memload file-once none
	refused 1 'not empty' "a file that is none" memload file-once /dev/null
	refused 1 'cannot write' "progress that cannot be written" \
		memload anon --size 1M --exit --progress no/p
	refused 2 'no weights' "infer without weights" infer --images i
	refused 2 'no images' "infer without images" infer --weights w
	refused 2 'infer-yolo' "infer --darknet" infer --darknet c --weights w --images i
	refused 2 'private, shared or anon' "--map x" infer --map x
	refused 2 'number' "--count 0" infer --count 0
	refused 1 'cannot open none' "weights that there are not" infer --weights none --images i
	refused 1 'no weights of infer' "weights of something else" infer --weights before --images i
	head -c 100000 w >short
	refused 1 'shorter than' "weights that were cut off" infer --weights short --images i
	refused 1 'directory none' "images that there are not" infer --weights w --images none
	mkdir empty
	refused 1 'no images in it' "an empty directory" infer --weights w --images empty
	refused 1 'too small' "weights that are too few" infer --make-weights x --size 100K
	ends 1 'cannot write' "refused: a full device" \
		infer --weights w --images i --out /dev/full
	ends 0 '^usage: memload' "memload -h" memload -h
	ends 0 '^usage: infer' "infer -h" infer -h
}

test_anon
test_anon_signals
test_files
test_infer
test_infer_more
test_yolo
test_refusals
end_results
