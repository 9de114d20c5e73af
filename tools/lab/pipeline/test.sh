#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# test.sh [--units] [DIRECTORY]: tests of pipeline and its stages as TAP. DIRECTORY has the programs
# that make has built (build/tools). --units: only pipe-test, which needs no OpenCV.
set -u
units=
if [ "${1:-}" = --units ]; then
	units=1
	shift
fi
here=$(cd "$(dirname "$0")" && pwd -P)
# shellcheck source-path=SCRIPTDIR source=../../../selftests/tap.sh
. "$here/../../../selftests/tap.sh"
bin=$(cd "${1:-$here/../../../build/tools}" && pwd -P)
if ! [ -x "$bin/pipe-test" ]; then
	echo "Bail out! no pipe-test in $bin: make it first"
	exit 1
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
details=$work/details
cd "$work" || exit 1
small=(--size 24M --images roads)

# ends STATUS PATTERN WHAT ARGUMENTS...: pipeline ends with the status, and a line matches
ends()
{
	local status=$1 pattern=$2 what=$3 got

	shift 3
	"$bin/pipeline" "$@" >"$details" 2>&1 </dev/null
	got=$?
	echo "status $got" >>"$details"
	[ $got = "$status" ] && grep -q -e "$pattern" "$details"
	result $? "$what"
}

# run ARGUMENTS...: run pipeline with small stages; prints its checksum, or nothing on failure
run()
{
	"$bin/pipeline" "${small[@]}" "$@" >"$details" 2>&1 && sed -n 's/^checksum //p' "$details"
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

test_frames()
{
	"$bin/pipeline" --make-frames roads >"$details" 2>&1 &&
		[ "$(find roads -type f -size 230400c | wc -l)" = 24 ] && ! cmp -s roads/000000 roads/000001
	result $? "frames: draws a road"
}

test_run()
{
	local want got

	want=$(run --frames 24 --warm-up 4 --out csv)
	[ -n "$want" ] && grep -q '^frames 24 seconds .* fps .* p50 .* p95 .* ms$' "$details"
	result $? "runs"
	awk -F, 'NR > 1 { wrong += NF != 10 || $1 != NR + 2 || $3 < $6 || $3 <= 0 || ($1 % 2 && $5 > 1) }
		END { exit wrong > 0 || NR != 25 }' csv
	result $? "a line for each frame that counts; objects are looked for in each second one"
	[ "$(awk -F, 'END { print $10 }' csv) of 28 commands" = "$want" ]
	result $? "the last line has the checksum of all"
	got=$(run --frames 28)
	[ -n "$want" ] && [ "$got" = "$want" ]
	result $? "the same checksum once more"
	got=$(run --frames 28 --period 20)
	[ "$got" = "$want" ]
	result $? "the same with a period"
	got=$(run --frames 28 --plan-speed 4)
	[ -n "$got" ] && [ "$got" != "$want" ]
	result $? "another checksum for another speed"
}

# A sixteenth of the sizes covers the memory that every process has.
test_sizes()
{
	local pid stage least kib bad=0

	"$bin/pipeline" "${small[@]}" --frames 1000 --period 20 >"$details" 2>&1 &
	pid=$!
	sleep 2
	for stage in lane:3300 detect:9000 plan:5000 steer:0; do
		least=${stage#*:}
		kib=$(sed -n 's/^RssAnon:[^0-9]*\([0-9]*\).*/\1/p' \
			"/proc/$(pgrep -P $pid -x "pipe-${stage%:*}")/status")
		echo "$stage ${kib:-none}" >>"$details"
		[ "${kib:-0}" -gt "$least" ] || bad=1
	done
	result $bad "the sizes of the stages"
	kill -TERM $pid
	wait $pid && grep -q '^frames [1-9]' "$details"
	result $? "a signal ends it, with its summary"
}

test_death()
{
	local stage pid child stages i

	for stage in lane detect plan steer; do
		"$bin/pipeline" "${small[@]}" --frames 6000 --period 10 >"$details" 2>&1 &
		pid=$!
		sleep 1
		child=$(pgrep -P $pid -x "pipe-$stage")
		kill -KILL "$child"
		wait $pid
		[ $? = 1 ] && grep -q "the stage \"$stage\" (process $child) was killed by signal 9" \
			"$details" && [ "$(grep -c 'the stage' "$details")" = 1 ]
		result $? "tells that the stage \"$stage\" was killed"
	done
	"$bin/pipeline" "${small[@]}" --frames 6000 --period 10 >"$details" 2>&1 &
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
	result $? "its stages end when it was killed"
}

test_refusals()
{
	ends 1 'the stage "lane" .* ended with status 1' "refused: frames that there are not" \
		--size 24M --images none --frames 2
	mkdir -p bad && cp roads/000000 bad && head -c 5000 roads/000001 >bad/000001
	ends 1 'bad/000001: no frame' "refused: a frame that was cut off" --size 24M --images bad --frames 4
	ends 1 'cannot write' "refused: a full device" "${small[@]}" --frames 4 --out /dev/full
	ends 2 'give --images' "refused: no frames" --frames 4
	ends 2 'give --images' "refused: no end" --images roads
	ends 2 'whole number' "refused: --frames 0" --images roads --frames 0
	ends 2 'give a size' "refused: --size 10X" --images roads --size 10X
	ends 2 'no such option' "refused: an option that there is not" --hard
	ends 2 'value is missing' "refused: an option without its value" --frames
	ends 2 'is no option' "refused: an argument" fast
	ends 0 '^usage: pipeline' "-h" -h
}

test_units
if [ -z "$units" ]; then
	[ -x "$bin/pipeline" ]
	result $? "pipeline was built: OpenCV is there"
	test_frames
	test_run
	test_sizes
	test_death
	test_refusals
fi
end_results
