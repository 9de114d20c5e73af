#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# membench_test.sh: does membench report its measurements, notice a wrong page,
# survive the end of memory and refuse nonsense? TAP, with the plan at its end; exit
# status 0 only if all tests passed. It runs on this machine; the guests test
# membench under real pressure, with swap.
#
# job: test,long membench
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
. "$here/../../../selftests/tap.sh"
top=${here%/*/*/*}
out=$top/build/bench/membench_test
: "${CC:=gcc}"

mkdir -p "$out"
bench=$out/membench
"$CC" -O2 -Wall -Wextra -Werror -static -o "$bench" "$here/membench.c"

details=$out/err

# run ARGUMENT...: its exit status goes to $status, its words to files; in an
# address space of $run_in KiB, if set
run_in=
run()
{
	status=0
	rm -f "$out/csv" "$out/json"
	(
		[ -z "$run_in" ] || ulimit -v "$run_in"
		exec timeout 60 "$bench" "$@"
	) > "$out/out" 2> "$out/err" || status=$?
}

# refused WHAT ARGUMENT...: one line on standard error, status 2, nothing done
refused()
{
	local what=$1 bad=0
	shift
	run --csv="$out/csv" "$@"
	[ "$status" = 2 ] && [ "$(wc -l < "$out/err")" = 1 ] &&
		[ ! -s "$out/out" ] && [ ! -e "$out/csv" ] || bad=1
	result $bad "refused: $what"
}

# report END MIB COUNT: the files are well-formed, agree, and say that it ended
# so, with so much allocated ("<N": a bit less, or "any"), and so many
# measurements ("some").
report()
{
	python3 - "$out/csv" "$out/json" "$@" >> "$out/err" 2>&1 <<'END'
import csv, json, sys

rows = list(csv.DictReader(open(sys.argv[1], newline="")))
data = json.load(open(sys.argv[2]))
end, mib, count = sys.argv[3], sys.argv[4], sys.argv[5]
assert all(None not in row and None not in row.values() for row in rows)
*samples, last = rows
assert last["event"] == data["end"] == end, last
assert int(last["allocated_bytes"]) == data["largest_bytes"]
largest = data["largest_bytes"] / 2**20
if mib != "any":
    assert largest == float(mib) if mib[0] != "<" else \
        float(mib[1:]) * 0.7 < largest <= float(mib[1:]), largest
assert len(samples) == len(data["samples"])
assert len(samples) == int(count) if count != "some" else samples, len(samples)
for at, (row, sample) in enumerate(zip(samples, data["samples"])):
    assert row.pop("event") == "measure"
    assert sample["allocated_bytes"] == (at + 1) * data["step_bytes"]
    assert {key: float(value) for key, value in row.items() if value} == sample
    assert all(row[f"{p}_mib_s"] == "" or float(row[f"{p}_mib_s"]) > 0
               for p in ("random", "fixed", "last"))
END
}

# measured WHAT END MIB COUNT ARGUMENT...
measured()
{
	local what=$1 end=$2 mib=$3 count=$4 bad=0
	shift 4
	run --csv="$out/csv" --json="$out/json" "$@"
	[ "$status" = 0 ] && report "$end" "$mib" "$count" || bad=1
	result $bad "$what"
}

# broken HOW WHAT: a page is falsified, and it says so
broken()
{
	local bad=0
	export MEMBENCH_BREAK=$1
	run --max=2M --csv="$out/csv"
	unset MEMBENCH_BREAK
	[ "$status" = 3 ] && grep -q 'WRONG DATA in page' "$out/err" &&
		[ "$(tail -n 1 "$out/csv" | cut -d, -f1)" = killed ] || bad=1
	result $bad "$2"
}

# cgroup: make a group with a limit of 24 MiB, and print its directory. Fails where
# that is not possible.
cgroup()
{
	local root=/sys/fs/cgroup dir limit=memory.max
	if [ -d $root/memory ]; then
		root=$root/memory limit=memory.limit_in_bytes
	fi
	dir=$root/mtdc-membench-$$
	mkdir "$dir" 2> /dev/null || return 1
	if { echo 25165824 > "$dir/$limit"; } 2> /dev/null; then
		# The group gets no swap; a kernel without this limit has no swap either.
		{ echo 0 > "$dir/memory.swap.max"; } 2> /dev/null || :
		{ echo 25165824 > "$dir/memory.memsw.limit_in_bytes"; } 2> /dev/null || :
		echo "$dir"
	else
		rmdir "$dir"
		return 1
	fi
}

out_of_memory()
{
	local dir bad=0
	if ! dir=$(cgroup); then
		number=$((number + 1))
		echo "ok $number - the OOM killer leaves the results # SKIP no cgroup can be made here"
		return
	fi
	# Joined by its shell, not by us.
	status=0
	# shellcheck disable=SC2016 # for the shell that it is given to
	timeout 60 sh -c 'echo $$ > "$1/cgroup.procs" && shift && exec "$@"' sh "$dir" \
		"$bench" --max=200M --csv="$out/csv" --json="$out/json" \
		> "$out/out" 2> "$out/err" || status=$?
	[ $status = 0 ] && report oom "<24" some || bad=1
	rmdir "$dir"
	result $bad "the OOM killer takes the child and leaves the results"
}

killed()
{
	local bad=0
	rm -f "$out/csv" "$out/json"
	status=0
	timeout --preserve-status -s TERM 2 "$bench" --max=4G --repeat=100 \
		--csv="$out/csv" --json="$out/json" > "$out/out" 2> "$out/err" || status=$?
	[ $status = 143 ] && report killed any some || bad=1
	result $bad "a signal ends it, and the files are complete"
}

# Pages of a file: 3 of text, a zero page.
python3 -c '
import random, sys
r = random.Random(1)
words = "alpha beta gamma delta swap page memory".split()
for page in range(3):
    text = " ".join(r.choice(words) for _ in range(2000))
    sys.stdout.write(text[:4096])
sys.stdout.write(4096 * "\0")' > "$out/pages"

measured "text, all patterns" max 4 4 --max=4M
for data in random zero "pages:$out/pages"; do
	measured "--data=${data%:*}" max 2 2 --max=2M --data="$data"
done
measured "--read=bytes" max 2 2 --max=2M --read=bytes
measured "--read=words, one pattern" max 2 1 --max=2M --step=2M --read=words --patterns=fixed
measured "chunks of a page" max 1 4 --max=1M --chunk=4K --step=256K --picks=7,2 --repeat=3
measured "--seconds" time any some --max=4G --seconds=1 --repeat=100
run --max=1M
[ "$status" = 0 ] && [ "$(wc -l < "$out/out")" = 3 ] || status=1
result $status "CSV on standard output is the default"
run --help
[ "$status" = 0 ] && [ ! -s "$out/err" ] && grep -q -- --repeat=K "$out/out" || status=1
result $status "--help"

broken flip "one bit of a page has changed"
broken exchange "a page has taken the place of another"

run_in=16384
run --csv="$out/csv" --json="$out/json" --max=1G
run_in=
[ "$status" = 0 ] && report refused "<15" some || status=1
result "$status" "mmap refuses memory: it ends, with the results"
out_of_memory
killed

refused "a chunk that is not whole pages" --chunk=5000
refused "a chunk of nothing" --chunk=0
refused "a step that is not whole chunks" --step=96K
refused "less memory than a step" --max=512K
refused "a size that is none" --max=lots
refused "a negative number" --seed=-1
refused "a number with something behind it" --repeat=10x
refused "more than 64 bits" --max=99999999999999999999G
refused "three numbers of picks" --picks=1,2,3
refused "a pattern that is unknown" --patterns=random,worst
refused "an empty list of patterns" --patterns=
refused "data that are unknown" --data=music
refused "a page file of odd length" --data="pages:$here/membench.c"
refused "a way of reading that is unknown" --read=aloud
refused "an unknown option" --fast
refused "an option without its value" --chunk
refused "a word" fast
run --data=pages:/nonexistent
[ "$status" = 1 ] && grep -q 'No such file' "$out/err" && status=0 || status=1
result $status "a page file that is not there"
run --csv=/nonexistent/x
[ "$status" = 1 ] && grep -q 'No such file' "$out/err" && status=0 || status=1
result $status "a result file that cannot be made"
run --csv=/dev/full --max=1M
[ "$status" = 1 ] && grep -q 'No space' "$out/err" && status=0 || status=1
result $status "a result file that cannot be written"

end_results
