#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# test.sh [DIRECTORY]: tests of pipeline and its stages as TAP. DIRECTORY is where make has put them
# (build/tools). Without OpenCV there is no pipe-lane: what needs it is left out.
set -u
here=$(cd "$(dirname "$0")" && pwd -P)
# shellcheck source-path=SCRIPTDIR source=../../../selftests/tap.sh
. "$here/../../../selftests/tap.sh"
bin=$(cd "${1:-$here/../../../build/tools}" && pwd -P)
if ! [ -x "$bin/pipeline" ] || ! [ -x "$bin/pipe-test" ]; then
	echo "Bail out! no pipeline in $bin: make it first"
	exit 1
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
details=$work/details
cd "$work" || exit 1
small=(--size 24M --images roads)

# ends STATUS PATTERN WHAT PROGRAM ARGUMENTS...: that status, and a line with the pattern
ends()
{
	local status=$1 pattern=$2 what=$3 got

	shift 3
	"$bin/$1" "${@:2}" >"$details" 2>&1 </dev/null
	got=$?
	echo "status $got" >>"$details"
	[ $got = "$status" ] && grep -q -e "$pattern" "$details"
	result $? "$what"
}

# skip WHAT WHY
skip()
{
	result 0 "$1 # SKIP $2"
}

# checksum: of the last run
checksum()
{
	sed -n 's/^checksum //p' "$details"
}

# run ARGUMENTS...: of pipeline with small stages, whose checksum is printed; empty, if it fails
run()
{
	"$bin/pipeline" "${small[@]}" "$@" >"$details" 2>&1 && checksum
}

test_units()
{
	local line

	while read -r line; do
		case $line in
		ok\ *)	result 0 "${line#ok * - }" ;;
		not\ ok\ *)
			result 1 "${line#not ok * - } (seed ${SEED:-1})" ;;
		1..*)	[ $((number + 0)) = "${line#1..}" ]
			result $? "all of them were run" ;;
		esac
	done < <("$bin/pipe-test" "${SEED:-1}" 2>&1)
}

test_images()
{
	"$bin/pipe-images" --out roads --count 30 --seed 3 >truth 2>"$details" &&
		[ "$(find roads -name '*.ppm' | wc -l)" = 30 ] && [ "$(wc -l <truth)" = 30 ] &&
		[ "$(head -c 15 roads/000007.ppm | tr '\n' ' ')" = "P6 320 240 255 " ]
	result $? "images: draws a road"
	"$bin/pipe-images" --out parts --count 5 --width 64 --height 80 roads/00000[12].ppm \
		>"$details" 2>&1 && [ "$(stat -c %s parts/000004.ppm)" = 15373 ] &&
		! cmp -s parts/000000.ppm parts/000001.ppm
	result $? "images: shows parts of photographs"
	if command -v djpeg >/dev/null && command -v cjpeg >/dev/null; then
		cjpeg roads/000003.ppm >photo.jpg
		BIN=$bin COUNT=4 "$here/pipe-prepare" prepared photo.jpg roads/000004.ppm \
			>"$details" 2>&1 && [ "$(find prepared -name '*.ppm' | wc -l)" = 4 ]
		result $? "prepare: of a JPEG and a PPM"
	else
		skip "prepare: of a JPEG and a PPM" "no djpeg"
	fi
}

# Of the lines that were drawn; per mille of the width, so that 25 are 8 points.
test_lane()
{
	"$bin/pipe-lane" --images roads --size 2M --print >lanes 2>"$details"
	paste -d ' ' truth lanes | awk '
	function far(a, b) { return a > b ? a - b : b - a }
	{ wrong += $1 != $4 || $5 != 3 || far($2, $6) > 25 || far($3, $7) > 25; n++ }
	END { exit wrong > 0 || n != 30 }'
	result $? "lane: found in all frames, within 8 points"
	"$bin/pipe-lane" --images roads --size 2M --print >again 2>"$details" && cmp lanes again
	result $? "lane: the same once more"
}

test_run()
{
	local want got

	want=$(run --frames 24 --warm-up 4 --out csv --sizes sizes --sizes-every 7)
	[ -n "$want" ] && grep -q '^frames 24 seconds .* fps .* p50 .* p95 .* ms$' "$details"
	result $? "pipeline: runs"
	awk -F, 'NR > 1 { wrong += NF != 10 || $1 != NR + 2 || $3 < $6 || $3 <= 0 || ($1 % 2 && $5 > 1) }
		END { exit wrong > 0 || NR != 25 }' csv
	result $? "pipeline: a line for each frame that counts; objects are looked for in each second one"
	[ "$(awk -F, 'END { print $10 }' csv) of 28 commands" = "$want" ]
	result $? "pipeline: the last line has the checksum of all"
	# A sixteenth of the sizes is for what every program has.
	awk -F, 'NR > 1 { n[$3]++; anon[$3] = $6 } END {
		exit n["lane"] != 4 || n["detect"] != 4 || n["plan"] != 4 || n["steer"] != 4 ||
		     anon["lane"] < 3300 || anon["detect"] < 9000 || anon["plan"] < 5000 }' sizes
	result $? "pipeline: the sizes of the stages"
	got=$(run --frames 28)
	[ -n "$want" ] && [ "$got" = "$want" ]
	result $? "pipeline: the same checksum once more"
	got=$(run --frames 28 --in-flight 5)
	[ "$got" = "$want" ]
	result $? "pipeline: the same with five frames in flight"
	got=$(run --frames 28 --in-flight 2 --period 20)
	[ "$got" = "$want" ]
	result $? "pipeline: the same with a period"
	got=$(run --frames 28 --seed 2)
	[ -n "$got" ] && [ "$got" != "$want" ]
	result $? "pipeline: another checksum for another seed"
	got=$(run --frames 28 --detect-every 3 --sweep-every 5)
	[ -n "$got" ] && [ "$got" != "$want" ]
	result $? "pipeline: another one for other periods"
}

test_time()
{
	local pid

	ends 0 '^frames [1-9]' "pipeline: ends after its time" \
		pipeline "${small[@]}" --seconds 0.5
	ends 0 '^frames \([1-9]\|1[0-2]\) ' "pipeline: no more frames than its period gives" \
		pipeline "${small[@]}" --seconds 1 --period 100 --warm-up 3
	"$bin/pipeline" "${small[@]}" --seconds 60 >"$details" 2>&1 &
	pid=$!
	sleep 1
	kill -TERM $pid
	wait $pid && grep -q '^frames [1-9]' "$details"
	result $? "pipeline: a signal ends it, with its summary"
}

test_death()
{
	local stage pid child stages i

	for stage in lane detect plan steer; do
		"$bin/pipeline" "${small[@]}" --seconds 60 --period 10 >"$details" 2>&1 &
		pid=$!
		sleep 1
		child=$(pgrep -P $pid -f "/pipe-$stage|^pipe-$stage")
		kill -KILL "$child"
		wait $pid
		[ $? = 1 ] && grep -q "the stage \"$stage\" (process $child) was killed by signal 9" \
			"$details" && [ "$(grep -c 'the stage' "$details")" = 1 ]
		result $? "pipeline: tells that the stage \"$stage\" was killed"
	done
	"$bin/pipeline" "${small[@]}" --seconds 60 >"$details" 2>&1 &
	pid=$!
	sleep 1
	mapfile -t stages < <(pgrep -P $pid)
	kill -KILL $pid
	wait $pid 2>/dev/null
	for ((i = 0; i < 50; i++)); do
		kill -0 "${stages[@]}" 2>/dev/null || break
		sleep 0.1
	done
	[ ${#stages[@]} = 4 ] && [ $i -lt 50 ]
	result $? "pipeline: its stages end when it was killed"
}

test_refusals_of_run()
{
	ends 1 'the stage "lane" .* ended with status 1' "refused: frames that there are not" \
		pipeline --size 24M --images none --frames 2
	ends 1 'the stage "lane" .* ended with status 2' "refused: an option of a stage" \
		pipeline "${small[@]}" --lane-every 0 --frames 2
	mkdir -p bad && cp roads/000000.ppm bad/0 && head -c 5000 roads/000001.ppm >bad/1
	ends 1 'bad/1: not a PPM' "refused: a frame that was cut off" \
		pipeline --size 24M --images bad --frames 4 --detect-every 9
	cp parts/000000.ppm bad/1
	ends 1 'bad/1: of another size' "refused: frames of two sizes" \
		pipeline --size 24M --images bad --frames 4
	ends 1 'cannot write' "refused: a full device" \
		pipeline "${small[@]}" --frames 4 --out /dev/full
	ends 1 'cannot run' "refused: no programs" pipeline "${small[@]}" --frames 4 --bin "$work"
}

test_refusals()
{
	ends 2 'no frames' "refused: no frames" pipeline --frames 4
	ends 2 'no end' "refused: no end" pipeline --images roads
	ends 2 'whole number' "refused: --frames 0" pipeline --images roads --frames 0
	ends 2 'give a size' "refused: --size 10X" pipeline --images roads --size 10X
	ends 2 'no such option' "refused: an option that there is not" pipeline --hard
	ends 2 'value is missing' "refused: an option without its value" pipeline --frames
	ends 2 'is no option' "refused: an argument" pipe-plan fast
	ends 1 'pipe-detect-yolo' "refused: pipe-detect --cfg" pipe-detect --images roads --cfg c
	ends 1 'cannot open none' "refused: weights that there are not" \
		pipe-detect --images roads --weights none
	ends 0 '^usage: pipeline' "pipeline -h" pipeline -h
	ends 0 '^usage: pipe-plan' "pipe-plan -h" pipe-plan -h
	ends 0 'status 0' "a stage without input ends" pipe-steer
	head -c 5000 /dev/zero | "$bin/pipe-steer" >"$details" 2>&1
	[ $? = 1 ] && grep -q 'not a message of kind 4' "$details"
	result $? "refused: what is no message"
	head -c 100 /dev/zero | "$bin/pipe-detect" --images roads --size 2M >"$details" 2>&1
	[ $? = 1 ] && grep -q 'not a message of kind 1' "$details"
	result $? "refused: what is no frame"
}

test_yolo()
{
	local cfg=/usr/share/darknet/cfg/yolov3-tiny.cfg want got
	local what="yolo: the same checksum twice"

	if ! [ -x "$bin/pipe-detect-yolo" ] || ! [ -x "$bin/infer-yolo" ] || ! [ -r $cfg ]; then
		skip "$what" "no darknet, or infer-yolo is not there"
		return
	fi
	"$bin/infer-yolo" --cfg $cfg --make-weights yolo >"$details" 2>&1
	want=$(run --cfg $cfg --side 64 --weights yolo --frames 6)
	got=$(run --cfg $cfg --side 64 --weights yolo --frames 6 --in-flight 3)
	[ -n "$want" ] && [ "$got" = "$want" ]
	result $? "$what"
}

test_units
test_images
if [ -x "$bin/pipe-lane" ]; then
	test_lane
	test_run
	test_time
	test_death
	test_refusals_of_run
	test_yolo
else
	skip "pipeline and pipe-lane" "no OpenCV"
fi
test_refusals
end_results
