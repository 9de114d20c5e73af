#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# test.sh [DIRECTORY]: tests of the memtrace in it, as TAP: on recorded files with figures worked
# out by hand, and on this machine. DIRECTORY is where make has put it (build/tools).
set -u
here=$(cd "$(dirname "$0")" && pwd -P)
. "$here/../../../selftests/tap.sh"
memtrace=$(cd "${1:-$here/../../../build/tools}" && pwd -P)/memtrace
[ -x "$memtrace" ] || { echo "Bail out! no $memtrace: make it first"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
details=$work/details
tree=$work/tree
tracing=$tree/sys/kernel/tracing

# fresh: the recorded tree
fresh()
{
	rm -rf "$tree"
	cp -r "$here/fixtures" "$tree"
}

# rows ARGUMENTS...: lines without heading and time, on the tree; messages are in $work/err
rows()
{
	"$memtrace" "$@" --root "$tree" 2>"$work/err" | tail -n +2 | cut -d, -f 1,3-
}

# same WHAT WANT GOT
same()
{
	printf 'wanted: %s\ngot:    %s\n' "$2" "$3" >"$details"
	[ "$2" = "$3" ]
	result $? "$1"
}

# refused STATUS PATTERN WHAT ARGUMENTS...: one line that says why, and that status
refused()
{
	local status=$1 pattern=$2 what=$3 got

	shift 3
	"$memtrace" "$@" >"$work/out" 2>"$details"
	got=$?
	[ $got = "$status" ] && [ "$(wc -l <"$details")" = 1 ] &&
		grep -q -e "^memtrace: .*$pattern" "$details"
	result $? "refused: $what"
}

# begun: wait until the program has read what it compares with
begun()
{
	local i

	for ((i = 0; i < 100; i++)); do
		grep -q 'source is' "$work/err" && return
		sleep 0.02
	done
}

test_process()
{
	same "proc: smaps_rollup" '1,"yolo, ""v3",2600,2600,4096,2500,1596,100,512,500' \
		"$(rows proc --pid 100 -n 1)"
	same "proc: smaps, by name" '1,old kernel,1432,1432,1632,1332,300,100,64,64' \
		"$(rows proc --comm 'old kernel' -n 1)"
	same "pagetype: status" '1,"yolo, ""v3",1000,4096,3096' \
		"$(rows pagetype --pid 100 -n 1)"
	same "pagetype: smaps" '1,old kernel,1332,1632,300' "$(rows pagetype --pid 101 -n 1)"
	same "proc: columns" \
		'n,time,name,pss,sum,rss,private,shared,shared_pss,swap,swap_pss' \
		"$("$memtrace" proc --pid 100 -n 1 --root "$tree" | sed -n 1p)"
}

test_system()
{
	local want

	# Used: 200000 - 10000 - 5000 - 64000. Swap used: 98304 - 65536, a third.
	want=1,200000,10000,5.00,121000,60.50,70001,35.00,3333,1.67,5000,2.50,64000,32.00
	same "sys" $want,98304,32768,65536,33.33 "$(rows sys -n 1)"
	want=1,12.34,2.30,5.60,0.45,1.07,0.01,123456789,98765432,0.00,7.00,0.50,55
	same "psi" $want,100.00,99.00,1.00,4.00,2.00,5.00,3,6 "$(rows psi -n 1)"
	sed -i 2d "$tree/proc/pressure/io"
	rm "$tree/proc/pressure/cpu"
	want=1,12.34,2.30,5.60,0.45,1.07,0.01,123456789,98765432,,,,
	same "psi: without a file and a line" $want,100.00,,1.00,,2.00,,3, "$(rows psi -n 1)"
	"$memtrace" psi -n 1 --json --root "$tree" >"$details"
	grep -q '"cpu_some_total":null,.*"io_full_avg10":null,' "$details"
	result $? "psi: null in JSON"
	rm -r "$tree/proc/pressure"
	refused 1 'psi=1' "psi, with no file" psi --root "$tree"
	sed -i '/^Swap/s/[0-9]\+/0/; /^MemAv/d' "$tree/proc/meminfo"
	want=1,200000,10000,5.00,121000,60.50,,,3333,1.67,5000,2.50,64000,32.00
	same "sys: without swap and MemAvailable" $want,0,0,0, "$(rows sys -n 1)"
	fresh
}

# probed COMMAND...: run memtrace in a tree where its trace buffer is there already, as making a
# directory makes no files there. Its name has the id that the program is going to have.
probed()
{
	sh -c '
		instance=$1/instances/memtrace-$$
		mkdir -p $instance/events/block/block_rq_issue $instance/events/block/block_rq_insert \
			$instance/events/block/block_rq_complete $1/events/block/block_rq_issue
		touch $1/trace_clock $1/kprobe_events
		for file in tracing_on trace_clock events/block/block_rq_issue/enable \
			events/block/block_rq_insert/enable events/block/block_rq_complete/enable; do
			touch $instance/$file
		done
		cp $2/trace/trace_pipe $instance
		for event in accessed added dirtied buffers; do
			mkdir -p $instance/events/memtrace/${event}_$$
			touch $instance/events/memtrace/${event}_$$/enable
			printf "  %-44s %15u %15u\n" ${event}_$$ 1000 0
		done >$1/kprobe_profile
		shift 2
		exec "$@"' sh "$tracing" "$here/fixtures" "$@"
}

# In the interval: accessed 1500, added 300, dirtied 100, buffers 200. So there are 1500 - 200
# accesses, 300 - 100 of which miss.
test_kprobes()
{
	: >"$work/err"
	(
		begun
		sed -i '/accessed/s/ 1000 / 2500 /; /added/s/ 1000 / 1300 /
			/dirtied/s/ 1000 / 1100 /; /buffers/s/ 1000 / 1200 /' "$tracing/kprobe_profile"
		sed -i 's/^pgmajfault .*/pgmajfault 331/' "$tree/proc/vmstat"
	) &
	probed "$memtrace" cache -i 0.4 -n 1 --root "$tree" >"$work/out" 2>"$work/err"
	wait
	same "cache: kprobes" 1,1100,200,200,84.62,4.88,58.59,10,0 \
		"$(tail -n 1 "$work/out" | cut -d, -f 1,3-)"
	grep -q 'source is kprobes' "$work/err"
	result $? "cache: says that it uses kprobes"
	grep -q '^-:memtrace/buffers_[0-9]*$' "$tracing/kprobe_events"
	result $? "cache: takes its kprobes away"
	fresh
}

test_vmstat()
{
	: >"$work/err"
	(
		begun
		sed -i 's/^pgpgin .*/pgpgin 40480/; s/^pswpin .*/pswpin 520/
			s/^nr_dirtied .*/nr_dirtied 1007/; s/_file .*/_file 2009/' "$tree/proc/vmstat"
	) &
	# 480 KiB are 120 pages, 20 of which are of swap.
	same "cache: vmstat" 1,,100,7,,4.88,58.59,0,9 "$(rows cache --source vmstat -i 0.4 -n 1)"
	wait
	grep -q 'source is /proc/vmstat' "$work/err"
	result $? "cache: says that it uses vmstat"
	refused 1 'no BPF: ' "BPF without a kernel's description" cache --source bpf --root "$tree"
	refused 1 'mount -t tracefs' "kprobes without tracefs" cache --source kprobe --root "$tree"
	fresh
}

test_bio()
{
	local want

	: >"$work/err"
	(
		begun
		# 8 requests in 36 ms; of zram 2.
		sed -i 's/vda 1000 34525 80000 2000 2000 168586 160000 6000/vda 1006 34525 80048 2012 2002 168586 160007 6024/
			s/zram0 5 0 40/zram0 7 0 56/' "$tree/proc/diskstats"
	) &
	want=$(printf '1,vda,,,6,2,24.0,3.5,4500\n1,zram0,,,2,0,8.0,0.0,0')
	same "bio: diskstats" "$want" "$(rows bio --source diskstats -i 0.4 -n 1)"
	wait
	same "bio: a device, with nothing to tell" 1,vda1,,,0,0,0.0,0.0, \
		"$(rows bio --device vda1 -n 1)"
	probed "$memtrace" bio -n 2 --root "$tree" >"$work/out" 2>"$work/err"
	# The first of cc1's two writes was queued by it, and issued by a thread of the kernel.
	want=$(printf '1,vda,25012,cc1,0,2,0.0,33.0,250\n1,vda,77,[a] b: c,1,0,4.0,0.0,100')
	same "bio: tracepoints" "$want" "$(tail -n +2 "$work/out" | cut -d, -f 1,3-)"
	grep -q ' 5 events were lost' "$work/err"
	result $? "bio: tells of lost events"
	fresh
}

test_refusals()
{
	refused 2 'no command: give' "no command"
	refused 2 'no command "procs"' "a command that there is not" procs
	refused 2 'give --pid PID or --comm NAME' "proc without a process" proc
	refused 2 'give one of them' "two processes" proc --pid 1 --comm init
	refused 2 'leave out --pid' "sys of a process" sys --pid 1
	refused 2 'whole number' "--pid x" proc --pid x
	refused 2 'whole number' "--pid -1" proc --pid -1
	refused 2 'whole number' "-n 0" sys -n 0
	refused 2 'give seconds' "-i 0" sys -i 0
	refused 2 'give seconds' "-i 0.0000001" sys -i 0.0000001
	refused 2 'give seconds' "-t never" sys -t never
	refused 2 'give bpf, kprobe or vmstat' "cache --source trace" cache --source trace
	refused 2 'only' "sys --source vmstat" sys --source vmstat
	refused 2 'slash' "--root here" sys --root here
	refused 2 'no option' "a word too many" sys now
	refused 2 'no such option' "an option that there is not" sys --frequently
	refused 1 'no process 99' "a process that there is not" proc --pid 99 --root "$tree"
	refused 1 'is named "nobody"' "a name that there is not" proc --comm nobody --root "$tree"
	refused 1 'choose one with --pid' "a name of two" proc --comm twin --root "$tree"
	refused 1 'thread of the kernel' "a thread of the kernel" proc --pid 102 --root "$tree"
	refused 1 'no block device' "a device that there is not" bio --device sdz --root "$tree"
	refused 1 'cannot write' "a file that cannot be made" sys -n 1 -o "$work/no/file"
	refused 1 'cannot write.*space' "a full device" sys -n 1 -o /dev/full
	: >"$tree/proc/meminfo"
	refused 1 'MemTotal' "an empty meminfo" sys -n 1 --root "$tree"
	fresh
}

# json ARGUMENTS...: is each line JSON, and are there some?
json()
{
	"$memtrace" "$@" --json >"$work/out" 2>"$work/err"
	python3 - "$work/out" >"$details" 2>&1 <<-'END'
	import json, sys
	lines = [json.loads(line) for line in open(sys.argv[1])]
	assert lines and all(line["n"] >= 1 and line["time"] > 0 for line in lines), lines
	END
}

test_json()
{
	local command

	if ! command -v python3 >"$details"; then
		result 0 "json # SKIP no python3"
		return
	fi
	for command in proc pagetype; do
		json $command --pid 100 -n 2 --root "$tree"
		result $? "json: $command"
	done
	for command in sys psi "bio --device vda --source diskstats"; do
		# shellcheck disable=SC2086
		json $command -n 2 --root "$tree"
		result $? "json: $command"
	done
	json cache -n 1
	result $? "json: cache, here"
	# Of a name only printable ASCII is kept.
	printf '100 (\xe9\x01\xc3\xa9"\\) S 1 1 1 0 -1 0 1 0 7 0 1 3 0 0 20 0 1 0 5000 8192 1 1\n' \
		>"$tree/proc/100/stat"
	json proc --pid 100 -n 1 --root "$tree" &&
		grep -q '"name":"____\\"\\\\"' "$work/out"
	result $? "json: a name of any bytes"
	fresh
}

test_host()
{
	local pid count first last

	sleep 0.4 &
	pid=$!
	timeout 5 "$memtrace" proc --pid $pid -i 0.05 -o "$work/out" 2>"$details" &&
		[ "$(wc -l <"$work/out")" -ge 4 ]
	result $? "ends with the process that it watches"
	wait
	"$memtrace" sys -i 0.02 -t 0.7 >"$work/out" 2>"$details"
	count=$(($(wc -l <"$work/out") - 1))
	first=$(sed -n 2p "$work/out" | cut -d, -f 2)
	last=$(tail -n 1 "$work/out" | cut -d, -f 2)
	echo "$count lines from $first to $last" >"$details"
	# A machine that is busy may leave out samples, but none comes at another time.
	[ $count -ge 12 ] && [ $count -le 35 ] &&
		awk -F, -v first="$first" 'NR > 1 { off = ($2 - first) / 0.02; off -= int(off + 0.5)
			if (off > 0.3 || off < -0.3) late++ } END { exit late > 10 }' "$work/out"
	result $? "samples do not drift"
	"$memtrace" sys -i 30 >"$work/out" 2>"$details" &
	pid=$!
	sleep 0.2
	kill -TERM $pid
	wait $pid && [ "$(wc -l <"$work/out")" = 2 ]
	result $? "SIGTERM ends it in order"
	"$memtrace" -h | grep -q '^usage: memtrace' && "$memtrace" -V | grep -q '^memtrace [0-9]'
	result $? "-h and -V"
}

# What this machine's kernel has is used, and nothing of it stays.
test_host_tracing()
{
	local tracefs=/sys/kernel/tracing before after

	if ! [ -w $tracefs/instances ]; then
		result 0 "tracing, here # SKIP no tracefs"
		return
	fi
	before=$(ls $tracefs/instances; cat $tracefs/kprobe_events 2>"$work/err")
	timeout -s INT 0.3 "$memtrace" cache >"$work/out" 2>"$details"
	timeout -s TERM 0.3 "$memtrace" bio >>"$work/out" 2>>"$details"
	after=$(ls $tracefs/instances; cat $tracefs/kprobe_events 2>"$work/err")
	[ "$before" = "$after" ]
	result $? "nothing stays in tracing after a signal"
}

fresh
test_process
test_system
test_kprobes
test_vmstat
test_bio
test_refusals
test_json
test_host
test_host_tracing
end_results
