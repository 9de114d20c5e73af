#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# test.sh [DIRECTORY]: tests of memload and infer, as TAP. DIRECTORY is where make has put them
# (build/tools).
set -u
here=$(cd "$(dirname "$0")" && pwd -P)
. "$here/../../../selftests/tap.sh"
bin=$(cd "${1:-$here/../../../build/tools}" && pwd -P)
if ! [ -x "$bin/memload" ] || ! [ -x "$bin/infer" ]; then
	echo "Bail out! no memload and infer in $bin: make them first"
	exit 1
fi
# ASan needs a large address space. Beside a memload with ASan is one without it, to limit its memory.
plain=$bin/memload
[ ! -x "$bin/plain/memload" ] || plain=$bin/plain/memload
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
details=$work/details
cd "$work" || exit 1

# ends STATUS PATTERN WHAT PROGRAM ARGUMENTS...: ends with the status, and a line matches
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

# passes WHAT ARGUMENTS...: memload touches all of its memory within 0.2 s; more on a busy machine
passes()
{
	local what=$1 seconds bad=1

	shift
	for seconds in 0.2 2 20; do
		"$bin/memload" "$@" --seconds $seconds >"$details" 2>&1 || break
		if grep -q ' [1-9][0-9]* passes' "$details"; then
			bad=0
			break
		fi
	done
	result $bad "$what"
}

# refused STATUS PATTERN WHAT PROGRAM ARGUMENTS...: the program ends with the status and one line
refused()
{
	local program=$4

	ends "$1" "^$program: .*$2" "refused: $3" "${@:4}"
	[ "$(wc -l <"$details")" = 2 ] || result 1 "refused: $3: in one line"
}

test_anon()
{
	local touched

	ends 0 '^12.00 MiB touched, 1 passes' "anon: takes its size" \
		memload anon --chunk 5M --size 12M --exit
	passes "anon: touches all again and again" anon --chunk 4M --size 8M --loop
	passes "anon: writes all again and again" anon --chunk 4M --size 8M --loop --rewrite
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
	# Wait for 4 MiB; the program itself has less than 1 MiB.
	while kill -0 $pid && [ "$(awk '{ print $2 * 4 }' /proc/$pid/statm)" -lt 4096 ]; do
		sleep 0.1
	done
	sleep 0.2
	kill -TERM $pid && wait $pid && grep -q '^4.00 MiB touched' "$details"
	result $? "anon: keeps its memory until SIGTERM"
	(ulimit -v 120000; exec "$plain" anon --chunk 50M --exit) >"$details" 2>&1
	grep -q 'refused after [1-9][0-9]* MiB' "$details"
	result $? "anon: memory that is refused"
}

test_files()
{
	head -c 4194304 /dev/urandom >a
	head -c 4190000 /dev/urandom >b
	cp a before
	ends 0 '^8.00 MiB touched, 1 passes' "file-once: reads files" memload file-once a b
	passes "file-loop: writes through private maps" file-loop a b
	passes "file-loop: writes through maps that stay" file-loop a b --keep --progress fp
	[ -s fp ] && cmp before a >"$details" 2>&1
	result $? "file-loop: the files are as they were"
}

# zigzag: a pattern of two regions of 200 pages, a phase for both and four for one of them
zigzag()
{
	printf '# two regions\na, 819200\n b , 819200\n\nboth\n# in milliseconds\n10\na, 0, 4096, 1\nb, 0, 4096, 1\n\n' |
		sed 's/^ b , /b, /'
	printf '%s\n10\n%s, 0, 4096, 1\n\n\n' 'low 1' a 'high 1' b 'low 2' a 'high 2' b
}

test_pattern_phases()
{
	local want

	zigzag >z
	ends 0 '^4800 accesses, [0-9.]* s, [0-9]* accesses/s$' "pattern: passes, and what counts" \
		memload pattern z --passes 3 --skip 1 --repeat 2 --out o
	[ "$(sed -n 1p o)" = "round,phase,begin_s,seconds,accesses,passes,majflt,minflt" ]
	result $? "pattern: columns"
	want="0,both,1200,3.000 1,low 1,600,3.000 1,high 1,600,3.000 1,low 2,600,3.000 $(
		)1,high 2,600,3.000 2,low 1,600,3.000 2,high 1,600,3.000 2,low 2,600,3.000 $(
		)2,high 2,600,3.000 "
	cp o "$details"
	[ "$(sed 1d o | cut -d, -f 1,2,5,6 | tr '\n' ' ')" = "$want" ]
	result $? "pattern: a line for each phase that is run"
	"$bin/memload" pattern z --out o >"$details"
	cat o >>"$details"
	awk -F, 'NR > 1 && ($4 < 0.01 || $4 > 0.1 || $5 < 256) { bad = 1 } NR > 2 && $3 < end - 1e-5 {
		bad = 1 } { end = $3 + $4 } END { exit bad || NR != 6 }' o
	result $? "pattern: phases end by time, and begin one after the other"
	printf 'a, 4096\n\npause\n300\na, 0, 64, 0\n' >pause
	ends 0 '^0 accesses, 0.3[0-9]* s' "pattern: a phase without accesses" memload pattern pause
	ends 0 '^0 accesses, 0.0[0-9]* s' "pattern: the same with passes" \
		memload pattern pause --passes 9
	printf 'a, 100000\nb, 256\n\nx\n1\na, 1, 0, 1\n\ny, z\n' | sed 's/, z$//' >r
	printf '1\na, 1, 100, 1\nb, 1, 1, 50\n' >>r
	ends 0 '^2562 accesses' "pattern: passes of random accesses, also of less than a page" \
		memload pattern r --passes 2 --work 1000
}

test_pattern_data()
{
	local pid

	printf 'a, 9000\n\nx\n9000\na, 0, 64, 1\n' >one
	ends 3 'wrong data: region "a", page 1: its stamp is 17.0 instead of 1.0' \
		"pattern: finds a wrong stamp at an access" memload pattern one --corrupt-test
	printf 'a, 9000\nb, 9000\n\nx\n1\nb, 0, 64, 0\n' >nothing
	ends 3 'wrong data: region "a", page 1, byte 7: 0x.. instead of 0x' \
		"pattern: finds wrong data at the end" memload pattern nothing --corrupt-test
	"$bin/memload" pattern one --repeat 1000000000 >"$details" 2>&1 &
	pid=$!
	sleep 0.2
	kill -TERM $pid && wait $pid && grep -q '^[1-9][0-9]* accesses, 0' "$details"
	result $? "pattern: SIGTERM ends it in order"
}

# wrong LINE PATTERN TEXT: a wrong configuration is refused with the number of its line
wrong()
{
	printf '%b' "$3" >bad.cfg
	refused 2 "bad.cfg:$1: $2" "pattern: line $1: $2" memload pattern bad.cfg --out never
}

test_pattern_wrong()
{
	local some='a, 9\n\nx\n5\na, 0, 64, 1\n' region='give a region: NAME, LENGTH' phase='a, 9\n\nx\n5\n'

	wrong 1 'no phase' '# nothing'
	wrong 2 'no phase' 'a, 9\n'
	wrong 1 "$region" 'a\n'
	wrong 2 "$region" 'a, 9\nb, 1, c\n'
	wrong 1 "$region" 'a, 10M\n'
	wrong 1 "$region" 'a, 0\n'
	wrong 1 "$region" 'a, -1\n'
	wrong 1 "$region" 'a, 99999999999999999999\n'
	wrong 1 "$region" ', 9\n'
	wrong 2 'that region is there already' 'a, 9\na, 8\n'
	wrong 65 'more than 64 regions' "$(printf 'r%d, 9\\n' {1..65})"
	wrong 4 'a phase ends without a time' 'a, 9\n\nx\n'
	wrong 4 'give the time' 'a, 9\n\nx\nsoon\na, 0, 64, 1\n'
	wrong 5 'a phase ends without a time or an access' "$phase"
	wrong 6 'give REGION, RANDOM' "$phase$(printf 'a, 0, 64, 1\\na, 0, 64\\n')"
	wrong 6 'no such region' "${some}y\n5\na, 0, 64, 1\n"
	wrong 5 'give REGION' "${phase}a, 0, 64, 1, wo\n"
	wrong 5 'give REGION' "${phase}a, yes, 64, 1\n"
	wrong 5 'give REGION' "${phase}a, 0, 4K, 1\n"
	wrong 13 'more than 8 lines' "$some$(printf 'a, %d, 64, 1\\n' {1..8})"
	wrong 1027 'more than 256 phases' "a, 9\n\n$(printf 'x%d\\n5\\na, 0, 64, 1\\n\\n' {1..257})"
	wrong 3 'give the name of a phase' "a, 9\n\n$(printf 'x%.0s' {1..200})\n"
	[ ! -e never ]
	result $? "pattern: nothing was begun"
	refused 1 'cannot read none.cfg' "pattern: no such file" memload pattern none.cfg
	printf 'a, 1125899906842624\n\nx\n5\na, 0, 64, 1\n' >huge
	refused 1 'region "a": no memory' "pattern: too much memory" memload pattern huge
	refused 2 'takes one file' "pattern without a file" memload pattern
	refused 2 'takes one file' "pattern with two files" memload pattern z z
	refused 2 '5 phases' "pattern --skip 5" memload pattern z --skip 5
	refused 2 'whole number' "pattern --passes 0" memload pattern z --passes 0
	refused 2 'no such option' "pattern --size" memload pattern z --size 1M
	ends 1 'cannot write to /dev/full' "refused: pattern: a full device" \
		memload pattern z --out /dev/full
}

# Apps that are small enough for a test, with files in d.
small="--apps 3 --anon 1M --file 256K --shared 256K --dir d --think 1"

# columns FILE COLUMNS: print columns of all lines after the first, in one line
columns()
{
	sed 1d "$1" | cut -d, -f "$2" | tr '\n' ' '
}

# hook LINES: make a script "hook" that logs its arguments and runs LINES; $n is the call's number
hook()
{
	rm -f hook.log
	cat >hook <<-END
		#!/bin/bash
		echo "\$*" >>hook.log
		n=\$(wc -l <hook.log)
		$1
	END
	chmod +x hook
}

# shellcheck disable=SC2086
test_apps()
{
	local sum

	ends 0 '^4 files made$' "apps: --prepare makes a file for each and one for all" \
		memload apps $small --prepare
	[ "$(stat -c %s d/app0 d/app1 d/app2 d/shared | uniq -c | tr -s ' ')" = " 4 262144" ] &&
		! cmp -s d/app0 d/app1
	result $? "apps: the files have their size and are not the same"
	printf 'wrong' | dd of=d/app2 bs=1 seek=200000 conv=notrunc 2>"$details"
	ends 0 '^1 files made$' "apps: --prepare makes a file anew that is a wrong one" \
		memload apps $small --prepare
	sum='mean [0-9.]* p50 [0-9.]* p95 [0-9.]* max [0-9.]* ms'
	ends 0 "^switches 20 $sum, cold 0, killed 0, hook failures 0\$" \
		"apps: switches, verifies and tells the sum" \
		memload apps $small --switches 20 --warm-up 3 --out o
	[ "$(sed -n 1p o)" = "switch,app,time_s,latency_ms,hook_ms,majflt,minflt,cold" ]
	result $? "apps: columns"
	awk -F, 'BEGIN { app = -1 } NR > 1 && (NF != 8 || $1 != NR - 1 || $2 == app || $2 > 2 ||
		$4 <= 0 || $5 != 0 || $8 != 0 || $3 < end + 0.00099) { bad = 1 } NR > 1 { end = $3 + $4 / 1000; app = $2
		faults += $6 } END { print faults; exit bad || NR != 21 }' o >faults
	result $? "apps: a line for each switch that counts, and time to think between them"
	grep -q -x "majflt $(cat faults)" "$details"
	result $? "apps: the sum of the faults"
	ends 0 '^switches 3 ' "apps: no files, all hot" memload apps --file 0 --shared 0 --anon 1M \
		--hot 100 --think 0 --switches 3 --apps 1
	ends 0 '^switches 3 ' "apps: nothing hot" memload apps $small --hot 0 --switches 3
	ends 0 '^switches 2 ' "apps: the app in front uses its memory meanwhile" \
		memload apps $small --switches 2 --think 250
}

# shellcheck disable=SC2086
test_apps_order()
{
	local order

	printf '2\n0\n0\n1\n' >order
	"$bin/memload" apps $small --switches 9 --sequence order --out o >"$details" 2>&1
	[ "$(columns o 2)" = "2 0 0 1 2 0 0 1 2 " ]
	result $? "apps: follows a sequence, again and again"
	"$bin/memload" apps $small --switches 4 --warm-up 2 --sequence order --out o \
		>"$details" 2>&1
	[ "$(columns o 2)" = "0 1 2 0 " ]
	result $? "apps: the warm-up takes the first ones of the sequence"
	printf '2 1\n0\n1 700\n' >order
	"$bin/memload" apps $small --think 0 --switches 4 --sequence order --out o >"$details" 2>&1
	[ "$(columns o 2)" = "2 0 1 2 " ] && sed 1d o | awk -F, '{ t[NR] = $3 }
		END { exit !(t[4] - t[3] >= 0.7 && t[3] - t[1] < t[4] - t[3]) }'
	result $? "apps: a sequence says for how long, too"
	"$bin/memload" apps $small --apps 32 --file 0 --shared 0 --anon 32K --think 0 --switches 60 --out o \
		>"$details" 2>&1
	order=$(columns o 2)
	echo "$order" >>"$details"
	# The order of the first version, because results are compared with published ones.
	[ "$order" = "10 0 5 0 30 0 31 5 0 2 11 0 31 7 1 2 0 30 0 12 4 9 16 0 1 23 0 4 2 0 23 2 0 16 3 2 3 12 2 1 2 0 1 11 0 23 3 2 4 10 2 3 19 4 20 6 0 29 8 7 " ]
	result $? "apps: the order by Zipf's law is that of all runs before"
}

# shellcheck disable=SC2016,SC2086
test_apps_hook()
{
	local want

	printf '1\n2\n0\n' >order
	hook 'sleep 0.01'
	ends 0 'hook failures 0$' "apps: a hook" memload apps $small --switches 5 \
		--sequence order --out o --hook "  ./hook  word "
	want="word fg app0,word fg app1,word fg app2,word fg app1,word fg app2,word fg app0,$(
		)word fg app1,word fg app2,"
	cp hook.log "$details"
	[ "$(tr '\n' , <hook.log)" = "$want" ]
	result $? "apps: the hook has its words, and the app's name"
	awk -F, 'NR > 1 && ($5 < 10 || $4 <= $5) { bad = 1 } END { exit bad }' o
	result $? "apps: the hook's time is part of the latency"
	hook '[ $n -lt 5 ] || exit 3'
	ends 0 'hook failures 4$' "apps: a hook that fails is counted" \
		memload apps $small --switches 5 --sequence order --hook ./hook
	[ "$(grep -c 'the hook "./hook" failed for app2: status 3' "$details")" = 1 ] &&
		[ "$(wc -l <"$details")" = 4 ]
	result $? "apps: a hook that fails is said once"
	ends 0 'the hook "no/hook" failed for app0: status 127' "apps: a hook that there is not" \
		memload apps $small --switches 1 --hook no/hook
	hook 'cat /proc/$(pgrep -P $PPID -x $2)/comm >>names; kill -PIPE $$'
	ends 0 'failed for app0: signal 13' "apps: the hook finds the process, and has its signals" \
		memload apps $small --switches 1 --sequence order --hook ./hook
	[ "$(tr '\n' ' ' <names)" = "app0 app1 app2 app1 " ]
	result $? "apps: names of the processes"
}

# shellcheck disable=SC2016,SC2086
test_apps_killed()
{
	printf '0\n1\n2\n' >order
	# The second switch kills the app that comes to the front, and the fourth one another one.
	hook '[ $n != 5 ] && [ $n != 8 ] || kill -9 $(pgrep -P $PPID -x app1)'
	ends 0 '^switches 7 .* ms, cold 2, killed 2, hook failures 0$' \
		"apps: an app that is killed is counted and comes back" \
		memload apps $small --switches 7 --sequence order --out o --hook ./hook
	[ "$(grep -c '^memload: app1 was killed: it is started anew' "$details")" = 2 ]
	result $? "apps: an app that is killed is said"
	cat o >>"$details"
	[ "$(columns o 1,2,8)" = "1,0,0 2,1,1 3,2,0 4,0,0 5,1,1 6,2,0 7,0,0 " ]
	result $? "apps: the switches that had to start the app"
	hook '[ $2 != app1 ] || [ $n = 2 ] || kill -9 $(pgrep -P $PPID -x app1)'
	ends 0 '^switches 4 .* killed 6' "apps: an app that is killed again and again" \
		memload apps $small --switches 6 --sequence order --out o --hook ./hook
	[ "$(columns o 1,2)" = "1,0 3,2 4,0 6,2 " ] &&
		grep -q 'app1 died 3 times in one switch, which is not counted' "$details"
	result $? "apps: a switch without an end has no latency"
	hook '[ $n != 5 ] || kill -BUS $(pgrep -P $PPID -x app1)'
	ASAN_OPTIONS=${ASAN_OPTIONS:-}:handle_sigbus=0 \
		ends 1 'app1 was ended by a signal: Bus error: memory or a file could not be read' \
		"apps: memory that is lost is an error" \
		memload apps $small --switches 7 --sequence order --hook ./hook
}

# nobody SESSION: wait until no app of the session is left
nobody()
{
	local i

	for ((i = 0; i < 600; i++)); do
		[ -n "$(pgrep -s "$1" -x 'app[0-9]')" ] || return 0
		sleep 0.1
	done
	return 1
}

# has SESSION NUMBER PATTERN: wait until the session has that number of matching programs
has()
{
	local i

	for ((i = 0; i < 600; i++)); do
		[ "$(pgrep -s "$1" -x -c "$3")" != "$2" ] || return 0
		sleep 0.1
	done
	return 1
}

# shellcheck disable=SC2086
test_apps_signals()
{
	local pid

	setsid "$bin/memload" apps $small --switches 100000 --out o >"$details" 2>&1 &
	pid=$!
	has $pid 3 'app[0-2]'
	result $? "apps: a process for each"
	kill -TERM $pid && wait $pid && [ "$(wc -l <"$details")" = 2 ] && nobody $pid &&
		grep -q -x "switches $(($(wc -l <o) - 1)) mean .*" "$details"
	result $? "apps: SIGTERM ends all in order"
	setsid "$bin/memload" apps $small --switches 100000 --hook "sleep 100" >"$details" 2>&1 &
	pid=$!
	has $pid 1 sleep
	kill -INT $pid && wait $pid && nobody $pid && [ -z "$(pgrep -s $pid)" ]
	result $? "apps: SIGINT ends the hook, too"
	setsid "$bin/memload" apps $small --switches 100000 >"$details" 2>&1 &
	pid=$!
	has $pid 3 'app[0-2]'
	{ kill -KILL $pid && wait $pid; } 2>/dev/null
	nobody $pid
	result $? "apps: they end with their parent, whatever ends it"
}

# shellcheck disable=SC2016,SC2086
test_apps_data()
{
	ends 1 'wrong data: app0, anonymous memory, page [0-9]*, byte 7: 0x.. instead of 0x' \
		"apps: finds wrong data in memory" memload apps $small --switches 9 --corrupt-test
	printf '0\n1\n2\n' >order
	hook '[ $n != 5 ] || printf wrong | dd of=d/app1 bs=1 seek=65536 conv=notrunc'
	ends 1 'wrong data: app1, file, page 16, byte 0: 0x77 instead of 0x' \
		"apps: finds wrong data in its file" \
		memload apps $small --switches 9 --sequence order --hook ./hook
	hook '[ $n != 5 ] || tr "\0-\377" "\1-\377\0" <d/app1 | dd of=d/shared conv=notrunc'
	ends 1 'wrong data: app1, shared file, page [0-9]*, byte 0' \
		"apps: finds wrong data in the shared file" \
		memload apps $small --switches 9 --sequence order --hook ./hook
	mkdir -p g/app0 g/app1
	touch g/app0/cgroup.procs g/app1/cgroup.procs
	ends 1 'app2: cannot enter the group by g/app2/cgroup.procs: No such file' \
		"apps: a control group that is none" memload apps $small --group g
	[ "$(cat g/app0/cgroup.procs g/app1/cgroup.procs)" = 00 ]
	result $? "apps: each enters its group"
}

# shellcheck disable=SC2086
test_apps_wrong()
{
	refused 2 'no directory for the files: give --dir' "apps without a directory" memload apps
	refused 2 'whole number' "apps --apps 33" memload apps $small --apps 33
	refused 2 'give a size' "apps --anon 0" memload apps $small --anon 0
	refused 2 'whole number' "apps --hot 101" memload apps $small --hot 101
	refused 2 'whole number' "apps --switches 0" memload apps $small --switches 0
	refused 2 'whole number' "apps --switches 5 x" memload apps $small --switches '5 x'
	refused 2 'milliseconds' "apps --think soon" memload apps $small --think soon
	refused 2 'options only' "apps with a file" memload apps $small file
	refused 2 'no such option' "apps --size" memload apps $small --size 1M
	printf '0\n3\n' >bad
	refused 2 'bad:2: "3": give the number of an app, from 0 to 2' "apps: a sequence" \
		memload apps $small --sequence bad
	printf '0\n\n1' >bad
	refused 2 'bad:2: ""' "apps: an empty line in a sequence" memload apps $small --sequence bad
	printf '0 1 2\n' >bad
	refused 2 'bad:1: "0 1 2"' "apps: three numbers in a line" memload apps $small --sequence bad
	printf '0 86400001\n' >bad
	refused 2 'bad:1: "0 86400001"' "apps: more than a day in an app" memload apps $small --sequence bad
	: >bad
	refused 2 'bad: no line' "apps: an empty sequence" memload apps $small --sequence bad
	refused 1 'cannot read none' "apps: no such sequence" memload apps $small --sequence none
	refused 1 'cannot make no/dir' "apps: a directory in none" memload apps $small --dir no/dir
	refused 1 'cannot write to no/out' "apps: a file in no directory" \
		memload apps $small --out no/out
	refused 1 'cannot write to /dev/full' "apps: a full device" memload apps $small --out /dev/full
	ends 1 'cannot make the group no/group/app0' "refused: apps: a group in none" \
		memload apps $small --group no/group
}

# programs [LINE...]: make the file "programs": a shell that counts its visits, then LINEs (or cat)
programs()
{
	cat >count.sh <<-'END'
		n=0
		while read -r word; do
			n=$((n + 1))
			eval "${1:-}"
			echo "$word is done"
		done
	END
	printf '%s\n' "# name and command" "sh sh count.sh" \
		"${@:-cat cat}" >programs
}

programs_run=(memload apps --programs programs --think 1 --switches 6 --sequence order)

# shellcheck disable=SC2016
test_programs()
{
	programs "sed sed -u 's/\$/ by sed/'" "cat cat"
	printf '0\n1\n2\n' >order
	hook '[ $n != 5 ] || cat /proc/$PPID/task/$PPID/children >children'
	mkdir -p g2/sh g2/sed g2/cat
	touch g2/sh/cgroup.procs g2/sed/cgroup.procs g2/cat/cgroup.procs
	ends 0 '^switches 6 .* ms, cold 0, killed 0, hook failures 0$' "programs: switches" \
		"${programs_run[@]}" --out o --hook ./hook --group g2
	[ "$(columns o 1,2,8)" = "1,0,0 2,1,0 3,2,0 4,0,0 5,1,0 6,2,0 " ]
	result $? "programs: a line for each switch"
	[ "$(tr '\n' , <hook.log)" = "fg sh,fg sed,fg cat,fg sh,fg sed,fg cat,fg sh,fg sed,fg cat," ]
	result $? "programs: the hook is told their names"
	[ "$(cat g2/sh/cgroup.procs g2/sed/cgroup.procs g2/cat/cgroup.procs)" = 000 ]
	result $? "programs: each enters its group"
	[ "$(wc -w <children)" = 4 ] && nobody_of children
	result $? "programs: nothing is left of them"
	programs "slow sh count.sh 'word=\$(sleep 0.2; echo visit)'"
	printf '0\n1\n' >order
	ends 0 '^switches 2 ' "programs: a slow one" "${programs_run[@]}" --switches 2 --out o
	awk -F, 'NR == 3 && $4 >= 200 { good = 1 } END { exit !good }' o
	result $? "programs: the latency is the time of the task"
	# A fork makes some.
	awk -F, 'NR == 3 && $7 > 0 { good = 1 } END { exit !good }' o
	result $? "programs: their faults are counted"
	programs "twice sh count.sh 'printf \"visit \"; sleep 0.1'"
	ends 0 '^switches 6 ' "programs: an answer that comes in parts" "${programs_run[@]}"
}

# nobody_of FILE: wait until none of these processes is left
nobody_of()
{
	local i pids left

	mapfile -t pids < <(tr -s ' ' '\n' <"$1")
	for ((i = 0; i < 100; i++)); do
		left=0
		for pid in "${pids[@]}"; do
			! kill -0 "$pid" 2>/dev/null || left=1
		done
		[ $left = 1 ] || return 0
		sleep 0.1
	done
	return 1
}

# shellcheck disable=SC2016
test_programs_wrong()
{
	printf '0\n1\n' >order
	programs "liar sh count.sh '[ \$n -lt 3 ] || word=other'"
	ends 1 'wrong data: liar answered "other is done" instead of "visit is done"' \
		"programs: another answer at the third visit" "${programs_run[@]}" --out o
	[ "$(columns o 1,2)" = "1,0 2,1 3,0 " ]
	result $? "programs: what was right before is told"
	programs "two sh count.sh 'printf \"1\\n2\\n\"'"
	ends 1 'wrong data: two: it answered more than one line' "programs: two lines" \
		"${programs_run[@]}"
	programs "late sh count.sh '[ \$n != 2 ] || { sleep 0.2; echo late; } &'"
	ends 1 'wrong data: late: it answered when nobody had asked' "programs: a line too late" \
		"${programs_run[@]}" --think 300
	programs "long sh count.sh 'printf %300d 1'"
	ends 1 'wrong data: long: its answer is too long a line' "programs: a line that is too long" \
		"${programs_run[@]}"
	programs "ends sh count.sh '[ \$n -lt 3 ] || exit 0'"
	ends 1 '^memload: ends has ended by itself: status 0' "programs: one that ends by itself" \
		"${programs_run[@]}"
	programs "none ./no/program"
	ends 1 '^memload: none has ended by itself: status 127' "programs: one that there is not" \
		"${programs_run[@]}"
	grep -q 'no/program.*not found' "$details"
	result $? "programs: why it could not be started"
	ends 1 'sh: cannot make the group no/group/sh' "programs: a group in none" \
		"${programs_run[@]}" --group no/group
	programs "segv sh count.sh 'kill -SEGV \$\$'"
	ends 1 'segv was ended by a signal: Segmentation fault' "programs: one that crashes" \
		"${programs_run[@]}"
}

# shellcheck disable=SC2016
test_programs_killed()
{
	printf '0\n1\n' >order
	# The program's other process would keep its pipe open.
	programs "dies sh count.sh '[ \$n != 3 ] || { sleep 100 & echo \$! >left; kill -9 \$\$; }'"
	ends 0 '^switches 6 .* cold 1, killed 1, hook' "programs: one that is killed" \
		"${programs_run[@]}" --out o
	grep -q '^memload: dies was killed: it is started anew' "$details" &&
		[ "$(columns o 1,2,8)" = "1,0,0 2,1,0 3,0,0 4,1,1 5,0,0 6,1,0 " ]
	result $? "programs: it is started anew in the same switch"
	nobody_of left
	result $? "programs: its other processes have ended with it"
	programs "closed sh count.sh '[ \$n != 3 ] || { exec >&-; sleep 100; }'"
	ends 0 'switches 6 .* cold 1, killed 1' "programs: one that closes its output is ended" \
		"${programs_run[@]}"
	programs "liar sh count.sh '[ ! -e flag ] || word=other; touch flag; [ \$n != 3 ] || kill -9 \$\$'"
	rm -f flag
	ends 1 'wrong data: liar answered' "programs: the first answer holds after that, too" \
		"${programs_run[@]}"
	programs "busy sh count.sh 'sleep 100 & echo \$! >left; echo \$\$ >>left; wait'"
	rm -f left
	"$bin/memload" apps --programs programs >"$details" 2>&1 &
	local pid=$! i
	for ((i = 0; i < 100; i++)); do
		[ "$(wc -l 2>/dev/null <left)" != 2 ] || break
		sleep 0.1
	done
	kill -TERM $pid && wait $pid && nobody_of left
	result $? "programs: SIGTERM ends memload and all of a program that is busy"
	programs "busy sh count.sh 'echo \$\$ >left; while :; do :; done'"
	rm -f left
	"$bin/memload" apps --programs programs >"$details" 2>&1 &
	pid=$!
	for ((i = 0; i < 100; i++)); do
		[ ! -s left ] || break
		sleep 0.1
	done
	{ kill -KILL $pid && wait $pid; } 2>/dev/null
	nobody_of left
	result $? "programs: they end with memload, whatever ends it"
}

test_programs_refused()
{
	refused 1 'cannot read none' "programs: no such file" memload apps --programs none
	programs "sh sh count.sh"
	refused 2 'programs:3: that name is there already' "programs: a name twice" \
		memload apps --programs programs
	programs "a/b sh"
	refused 2 'programs:3: give a name' "programs: no name" memload apps --programs programs
	programs "a23456789012345b x"
	refused 2 'programs:3: give a name' "programs: a name that is too long" memload apps --programs programs
	programs "c  "
	refused 2 'programs:3: give a command' "programs: no command" memload apps --programs programs
	programs "c $(printf 'x%.0s' {1..512})"
	refused 2 'programs:3: give a command' "programs: a command that is too long" \
		memload apps --programs programs
	programs p{1..32}" x"
	refused 2 'programs:34: more than 32 programs' "programs: more than 32" memload apps --programs programs
	echo >programs
	refused 2 'programs: no program' "programs: an empty list" memload apps --programs programs
	programs
	printf '2\n' >order
	refused 2 'order:1: "2": give the number of an app, from 0 to 1' \
		"programs: a sequence for more" memload apps --programs programs --sequence order
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
		infer --weights w --images i --out o2 --period 10 --count 20
	bad=$(awk -F, 'NR == 2 { first = $2 } NR > 1 { due = first + (NR - 2) * 0.01 - $2
		late = ($3 - $2) * 1000 - $9; if (due * due > 1e-11 || late * late > 1e-4 ||
		$7 < 1000 || $3 < $2) bad++ } END { print bad + 0 }' o2)
	cp o2 "$details"
	[ "$bad" = 0 ]
	result $? "infer: images are due at equal distances, and lateness is told"
	n=$(tail -q -n +2 o o2 | cut -d, -f 1,8 | sort -u | wc -l)
	[ "$n" = 6 ] && [ "$(tail -n +2 o | cut -d, -f 8 | sort -u | wc -l)" = 6 ]
	result $? "infer: results are those of each image, in every run"
	# The network's result with this seed, on any machine. It changes if the network changes.
	[ "$(sed -n 2p o | cut -d, -f 8)" = 08efeb36e0f7bff9 ]
	result $? "infer: the result that it gave when this test was written"
	ends 3 'wrong result: 000000.ppm gives' "infer: finds a wrong weight" \
		infer --weights w --images i --count 12 --corrupt-test --out o3
	[ "$(wc -l <o3)" = 8 ]
	result $? "infer: writes the wrong result, too"
}

# percentile FILE PERCENT: compute it in another way than the program
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
	"$bin/infer" --weights w --images i --count 1000000 --out o >"$details" &
	pid=$!
	has $pid 1 sleep
	kill -INT $pid && wait $pid && grep -q '^images [1-9]' "$details" &&
		[ "images $(($(wc -l <o) - 1))" = "$(cut -d' ' -f 1,2 "$details")" ]
	result $? "infer: SIGINT ends it in order"
}

test_refusals()
{
	refused 2 'give a load' "no load" memload
	refused 2 'give a load' "a load that there is not" memload anno
	refused 2 'give a size' "--size 3" memload anon --size 3
	refused 2 'give a size' "--size 10X" memload anon --size 10X
	refused 2 'give a size' "--size 17179869184G" memload anon --size 17179869184G
	refused 2 'give a whole number' "--rate 0" memload anon --rate 0
	refused 2 'give seconds' "--seconds soon" memload anon --seconds soon
	refused 2 'give seconds' "--seconds 5 x" memload anon --seconds '5 x'
	refused 2 'takes no argument' "anon with a file" memload anon file
	refused 2 'not both' "anon --loop --exit" memload anon --loop --exit
	refused 2 'no file: name' "file-once without a file" memload file-once
	refused 2 'no such option' "file-loop --size" memload file-loop --size 1M a
	refused 2 'value is missing' "an option without its value" memload anon --size
	refused 1 'cannot open none' "a file that there is not" memload file-once none
	refused 1 'not empty' "a file that is none" memload file-once /dev/null
	refused 1 'cannot write' "progress that cannot be written" \
		memload anon --size 1M --exit --progress no/p
	refused 2 'give --weights' "infer without weights" infer --images i
	refused 2 'give --weights' "infer without images" infer --weights w
	refused 2 'number' "--count 0" infer --count 0
	refused 1 'cannot open none' "weights that there are not" infer --weights none --images i
	refused 1 'no weights of infer' "weights of something else" infer --weights before --images i
	head -c 100000 w >short
	refused 1 'no weights of infer' "weights that were cut off" infer --weights short --images i
	refused 1 'directory none' "images that there are not" infer --weights w --images none
	mkdir empty
	refused 1 'no images in it' "an empty directory" infer --weights w --images empty
	refused 1 '1200K' "weights that are too few" infer --make-weights x --size 100K
	ends 1 'cannot write' "refused: a full device" \
		infer --weights w --images i --out /dev/full
	ends 0 '^usage: memload' "memload -h" memload -h
	ends 0 '^usage: memload apps' "memload apps -h" memload apps -h
	ends 0 '^usage: infer' "infer -h" infer -h
}

test_anon
test_anon_signals
test_files
test_pattern_phases
test_pattern_data
test_pattern_wrong
test_apps
test_apps_order
test_apps_hook
test_apps_killed
test_apps_signals
test_apps_data
test_apps_wrong
test_programs
test_programs_wrong
test_programs_killed
test_programs_refused
test_infer
test_infer_more
test_refusals
end_results
