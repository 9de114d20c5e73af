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

# zigzag: a pattern of two regions of 200 pages, a phase for both and four for one of them
zigzag()
{
	cat <<-'END'
		a, 819200
		b, 819200

		both
		10
		a, 0, 4096, 1
		b, 0, 4096, 1

		low 1
		10
		a, 0, 4096, 1

		high 1
		10
		b, 0, 4096, 1, rw

		low 2
		10
		a, 0, 4096, 1, ro

		high 2
		10
		b, 0, 4096, 1, wo
	END
}

# accepted WHAT [OPTION...]: standard input is a pattern that can be run
accepted()
{
	local what=$1

	shift
	cat >any.cfg
	ends 0 '^[1-9][0-9]* accesses, ' "pattern: $what" memload pattern any.cfg --time-percent 10 "$@"
}

test_pattern_format()
{
	local names

	accepted "regions of less than a page, a file, random accesses, modes" --verify <<-'END'
		# name, length, file
		small, 256, none
		zeros, 6000, /dev/zero
		# between paragraphs
		smaller, 64

		phase, with a comma
		# milliseconds
		100
		small, 1, 64, 80, wo

		second phase
		100
		zeros, 1, 0, 50, ro
		smaller, 0, 4096, 50, rw
	END
	accepted "spaces, comments after values, more empty lines, strides of 0" --verify <<-'END'

		 a , 10000 # bytes
		  b b,20000, none of them


		  1 GiB
		10 # ms
		a,0,64,1
		b b , 0 , 0 , 3 , ro # only

		#
		a pause
		20
		a, 0, 4096, 0


	END
	accepted "lines of DOS, the last one without an end" < <(
		printf 'a, 9999\r\n\r\nx\r\n5\r\na, 0, 64, 1, wo\r')
	"$bin/memload" pattern "$here/patterns/zigzag.cfg" --size-percent 1 --time-percent 1 \
		--skip 1 --verify --out o >"$details" 2>&1
	cat o >>"$details"
	names=$(sed 1d o | cut -d, -f 1,2 | tr '\n' ' ')
	[ "$names" = "0,both 1,low 1 1,high 1 1,low 2 1,high 2 1,low 3 1,high 3 1,low 4 1,high 4 $(
		)1,low 5 1,high 5 " ]
	result $? "pattern: the zigzag that is shipped"
}

test_pattern_phases()
{
	local want

	zigzag >z
	ends 0 '^4800 accesses, [0-9.]* s, [0-9]* accesses/s$' "pattern: passes, and what counts" \
		memload pattern z --passes 3 --skip 1 --repeat 2 --verify --out o --marks marks
	[ "$(sed -n 1p o)" = "round,phase,begin_s,seconds,accesses,passes,majflt,minflt" ]
	result $? "pattern: columns"
	want="0,both,1200,3.000 1,low 1,600,3.000 1,high 1,600,3.000 1,low 2,600,3.000 $(
		)1,high 2,600,3.000 2,low 1,600,3.000 2,high 1,600,3.000 2,low 2,600,3.000 $(
		)2,high 2,600,3.000 "
	cp o "$details"
	[ "$(sed 1d o | cut -d, -f 1,2,5,6 | tr '\n' ' ')" = "$want" ]
	result $? "pattern: a line for each phase that is run"
	sed 1d o | awk -F, '{ print "phase", $2, $3 }' | cmp - marks >"$details" 2>&1
	result $? "pattern: marks at the same times"
	"$bin/memload" pattern z --out o --progress pp >"$details"
	cat o >>"$details"
	awk -F, 'NR > 1 && ($4 < 0.01 || $4 > 0.1 || $5 < 256) { bad = 1 } NR > 2 && $3 < end - 1e-5 {
		bad = 1 } { end = $3 + $4 } END { exit bad || NR != 6 }' o && [ -s pp ]
	result $? "pattern: phases end by time, and begin one after the other"
	printf 'a, 4096\n\npause\n300\na, 0, 64, 0\n' >pause
	ends 0 '^0 accesses, 0.3[0-9]* s' "pattern: a phase without accesses" memload pattern pause
	ends 0 '^0 accesses, 0.0[0-9]* s' "pattern: the same with passes" \
		memload pattern pause --passes 9
	ends 0 '^0 accesses, 0.1[0-9]* s' "pattern: --seconds" memload pattern pause --seconds 0.1
	printf 'a, 100000\n\nx\n1\na, 1, 0, 1, ro\n\ny\n1\na, 1, 100, 1, rw\n' >r
	ends 0 '^84 accesses' "pattern: passes of random accesses, of a scaled region" \
		memload pattern r --passes 2 --size-percent 1 --verify --work 1000 --read
	"$bin/memload" pattern z --passes 2 --out - 2>"$details" >o
	grep -q '^2400 accesses' "$details" && [ "$(wc -l <o)" = 6 ]
	result $? "pattern: CSV to standard output, and the sum apart from it"
}

test_pattern_data()
{
	local pid

	zigzag >z
	printf 'a, 9000\n\nx\n9000\na, 0, 64, 1\n' >one
	ends 3 'wrong data: region "a", page 1: its stamp is 17.0 instead of 1.0' \
		"pattern: finds a wrong stamp at an access" \
		memload pattern one --verify --corrupt-test
	printf 'a, 9000\nb, 9000\n\nx\n1\nb, 0, 64, 0\n' >nothing
	ends 3 'wrong data: region "a", page 1, byte 7: 0x.. instead of 0x' \
		"pattern: finds wrong data at the end" memload pattern nothing --verify --corrupt-test
	printf 'a, 90000, %s\nb, 9\n\nx\n1\na, 1, 64, 1\n' "$bin/memload" >data
	ends 0 '^[1-9]' "pattern: verifies the data of a file" memload pattern data --verify
	sed -i 's/a, 1, 64, 1/a, 1, 64, 0/' data
	ends 3 'wrong data: region "a", page 11: its checksum' "pattern: finds wrong data of a file" \
		memload pattern data --verify --corrupt-test
	printf 'a, 9000, one\n\nx\n1\na, 1, 64, 1\n' >short
	ends 0 '^[1-9]' "pattern: a file shorter than its region" memload pattern short --verify
	"$bin/memload" pattern one --verify >"$details" 2>&1 &
	pid=$!
	sleep 0.2
	kill -TERM $pid && wait $pid && grep -q '^[1-9][0-9]* accesses, 0' "$details"
	result $? "pattern: SIGTERM ends it in order"
}

# wrong LINE PATTERN TEXT: a text of that kind is refused, with the line
wrong()
{
	printf '%b' "$3" >bad.cfg
	refused 2 "bad.cfg:$1: $2" "pattern: line $1: $2" memload pattern bad.cfg --out never
}

test_pattern_wrong()
{
	local some='a, 9\n\nx\n5\na, 0, 64, 1\n'

	wrong 0 'no region' ''
	wrong 2 'no region' '# nothing\n\n'
	wrong 1 'region "a": give NAME, LENGTH' 'a\n'
	wrong 2 'region "b, 1, c, d": give NAME' 'a, 9\nb, 1, c, d\n'
	wrong 1 'region "a": length "10M": give digits' 'a, 10M\n'
	wrong 1 'region "a": length "0": give' 'a, 0\n'
	wrong 1 'region "a": length "-1": give' 'a, -1\n'
	wrong 1 'region "a": length "99999999999999999999": give' 'a, 99999999999999999999\n'
	wrong 1 'region "a": no file' 'a, 9,\n'
	wrong 1 "a region's name" ', 9\n'
	wrong 2 'region "a" is there already' 'a, 9\na, 8\n'
	wrong 1 'no phase' 'a, 9\n'
	wrong 65 'more than 64 regions' "$(printf 'r%d, 9\\n' {1..65})"
	wrong 3 'phase "x" ends without a time' 'a, 9\n\nx\n'
	wrong 4 'phase "x": time "soon": give milliseconds' 'a, 9\n\nx\nsoon\na, 0, 64, 1\n'
	wrong 4 'phase "x" ends without a pattern' 'a, 9\n\nx\n5\n'
	wrong 10 'phase "y" ends without a pattern' "$some\ny\n5\n# a, 0, 64, 1\n\n"
	wrong 6 'phase "x": give REGION, RANDOMNESS' "${some}y\n5\na, 0, 64, 1\n"
	wrong 5 'phase "x": give REGION' 'a, 9\n\nx\n5\na, 0, 64, 1, wo, 3\n'
	wrong 7 'phase "x": no region "q"' "# one\n${some}q, 0, 64, 1\n"
	wrong 5 'phase "x": randomness "yes": give digits' 'a, 9\n\nx\n5\na, yes, 64, 1\n'
	wrong 5 'phase "x": stride "4K": give digits' 'a, 9\n\nx\n5\na, 0, 4K, 1\n'
	wrong 5 'phase "x": probability "": give digits' 'a, 9\n\nx\n5\na, 0, 64,\n'
	wrong 5 'phase "x": mode "w": give ro, wo or rw' 'a, 9\n\nx\n5\na, 0, 64, 1, w\n'
	wrong 69 'phase "x": more than 64 patterns' "$some$(printf 'a, %d, 64, 1\\n' {1..64})"
	wrong 1027 'more than 256 phases' "a, 9\n\n$(printf 'x%d\\n5\\na, 0, 64, 1\\n\\n' {1..257})"
	wrong 3 'phase "x.*": give a name of' "a, 9\n\n$(printf 'x%.0s' {1..200})\n"
	[ ! -e never ]
	result $? "pattern: nothing was begun"
	head -c 5000 /dev/zero >zeros
	refused 2 'no text' "pattern: a file that is no text" memload pattern zeros
	refused 1 'cannot read none.cfg' "pattern: no such file" memload pattern none.cfg
	printf 'a, 1125899906842624\n\nx\n5\na, 0, 64, 1\n' >huge
	refused 1 'size-percent N makes all smaller' "pattern: too much memory" memload pattern huge \
		--size-percent 10000
	printf 'a, 9, no/file\n\nx\n5\na, 0, 64, 1\n' >nofile
	refused 1 'region "a": cannot open no/file' "pattern: no such data" memload pattern nofile
	refused 2 'name it' "pattern without a file" memload pattern
	refused 2 'name no more' "pattern with two files" memload pattern z z
	refused 2 '5 phases' "pattern --skip 5" memload pattern z --skip 5
	refused 2 'from 1 to 10000' "pattern --size-percent 0" memload pattern z --size-percent 0
	refused 2 'whole number' "pattern --passes 0" memload pattern z --passes 0
	refused 2 'leave out --time-percent' "pattern with passes and a time" \
		memload pattern z --passes 1 --time-percent 50
	refused 2 'for anon only' "pattern --size" memload pattern z --size 1M
	refused 2 'for pattern only' "anon --passes" memload anon --passes 1
	refused 2 'for file-loop and pattern only' "anon --read" memload anon --read
	ends 1 'cannot write to /dev/full' "refused: pattern: a full device" \
		memload pattern z --out /dev/full
	refused 1 'cannot write to no/marks' "pattern: marks that cannot be written" \
		memload pattern z --marks no/marks
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
	refused 2 'for file-loop only' "anon --shared" memload anon --shared
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
test_pattern_format
test_pattern_phases
test_pattern_data
test_pattern_wrong
test_infer
test_infer_more
test_yolo
test_refusals
end_results
