#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run_test.sh: does run.sh lose a failure, or count a result wrongly? As TAP: it runs made-up jobs
# in a tree of its own, whose guests only print a log.
#
# The bodies of the made-up scripts are quoted:
# shellcheck disable=SC2016
#
# job: test,long runner
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
. "$here/tap.sh"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
details=$out/details
for name in ${!MTDC_*}; do
	unset "$name"
done
export XDG_CACHE_HOME=$out/cache

# script PATH < BODY: an executable file
script()
{
	mkdir -p "$(dirname "$tree/$1")"
	{
		echo "#!/bin/bash"
		cat
	} > "$tree/$1"
	chmod +x "$tree/$1"
}

# new_tree: a tree with the runner and no jobs, in $tree
new_tree()
{
	tree=$out/tree
	rm -rf "$tree"
	mkdir -p "$tree/selftests/guest" "$tree/tools" "$tree/qemu" "$tree/build"
	cp "$here"/{run.sh,run.pl,Jobs.pm,job.sh,tap.awk,prepare.sh,long.sh,tap.sh} "$tree/selftests/"
	cp "$here/../qemu/lib.sh" "$tree/qemu/"
	echo "test - build test" > "$tree/selftests/lanes"
	script qemu/setup.sh < /dev/null
	script selftests/source-hash.sh <<< "echo sources"
	script qemu/machine/build.sh <<< "echo KERNEL=none"
	script qemu/guest.sh <<< '
		while [ "$1" != --log ]; do shift; done
		tests=${0%/*}/../tests
		. "$tests/$MTDC_JOB" > "$2"'
	mkdir "$tree/tests"
}

# host NAME < BODY: a job
host()
{
	script "selftests/$1.sh" < <(echo "# job: test $1"; cat)
}

# guest NAME "SCRIPT..." < BODY: a job; the body prints the log of its guest, and its status is that
# of the guest
guest()
{
	local name options="--machine board"

	for name in $2; do
		echo "# job: test $1 $options" > "$tree/selftests/guest/$name.sh"
		options=
	done
	cat > "$tree/tests/$1"
}

# runs STATUS LAST_LINE [NAME...]: run.sh ends so; its output is in $out/said
runs()
{
	local status=0 wanted=$1 last=$2

	shift 2
	"$tree/selftests/run.sh" "$@" > "$out/said" 2>&1 || status=$?
	{
		echo "exit status $status"
		tail -n 40 "$out/said"
	} > "$details"
	[ "$status" = "$wanted" ] && [ "$(tail -n 1 "$out/said")" = "$last" ]
}

# counts WHAT JOB OK NOT_OK SKIPPED: a result: the line about the job says so
counts()
{
	grep "^   $2 " "$out/said" > "$details"
	grep -qE "^   $2 +$3 ok, $4 not ok, $5 skipped, " "$out/said"
	result $? "$1"
}

host_jobs()
{
	new_tree
	host good <<< 'printf "ok 1 - a\nok 2 - b # SKIP why\n1..2\n"'
	host silent < /dev/null
	host noplan <<< 'echo "ok 1 - a"'
	host dies <<< 'printf "1..2\nok 1 - a\n"; kill -9 $$'
	host status <<< 'printf "ok 1 - a\n1..1\n"; exit 1'
	host bails <<< 'printf "ok 1 - a\n1..1\nBail out! of it # TODO\n"'
	host nothing <<< 'echo "1..0"'
	host skipped <<< 'echo "1..0 # SKIP not here"'
	host more <<< 'printf "ok 1 - a\nok 2 - b\n1..1\n"'
	host twice <<< 'printf "ok 1 - a\nok 1 - b\n1..2\n"'
	host todo <<< 'printf "not ok 1 - pages #todo list\nnot ok 2 - a # TODO b\n1..2\n"'
	host marks <<< 'printf "%s\n" "ok 1 - a # b \\# c # SKIP why" "not ok 2 - d # SKIP" "ok 3 - \\" 1..3'
	runs 1 "10 passed, 11 failed, 3 skipped"
	result $? "host: the sums of all"
	counts "host: one that is skipped" good 1 0 1
	counts "host: no output is a failure" silent 0 1 0
	counts "host: no plan is a failure" noplan 1 1 0
	counts "host: killed before its end" dies 1 1 0
	counts "host: only its exit status is bad" status 1 1 0
	counts "host: Bail out!" bails 1 1 0
	counts "host: a plan of nothing without a reason" nothing 0 1 0
	counts "host: all of it skipped" skipped 0 0 1
	counts "host: more than planned" more 2 1 0
	counts "host: a number twice" twice 2 1 0
	counts "host: TODO does not excuse a failure" todo 0 2 0
	counts "host: # and \\ in descriptions" marks 1 1 1
}

# marked SCRIPT STATUS LINE...: a guest's log of one script
marked()
{
	local name=$1 status=$2

	shift 2
	printf '%s\n' "# BEGIN $name" "$@" "# END $name status $status after 1 s"
}

guest_jobs()
{
	new_tree
	declare -f marked > "$tree/tests/marked"
	guest whole "a b" <<< '. "$tests/marked"
		marked a 0 "ok 1 - x" 1..1; marked b 0 "ok 1 - y" "ok 2 - z # SKIP w" 1..2'
	guest crash "c d e" <<< '. "$tests/marked"
		marked c 0 "ok 1 - x" 1..1; printf "# BEGIN d\nok 1 - y\nok 2 - z\n"; false'
	guest lost "f g" <<< '. "$tests/marked"
		marked f 0 "ok 1 - x" "[  1.0] a messok 2 - y" 1..2
		printf "# BEGIN g\nok 1 - y\n1..1\n"'
	guest dirty "h" <<< '. "$tests/marked"; marked h 0 "ok 1 - x" 1..1
		echo "judge.sh: the log is not clean"; false'
	guest gcov "i" <<< '. "$tests/marked"; marked i gcov "ok 1 - x" 1..1'
	runs 1 "12 passed, 7 failed, 1 skipped"
	result $? "guest: the sums of all"
	counts "guest: two scripts" whole 3 0 1
	counts "guest: it dies: one script has no end, one never began" crash 3 3 0
	counts "guest: a result within a message, and no end mark" lost 3 2 0
	counts "guest: the kernel's log is not clean" dirty 1 1 0
	counts "guest: counts that cannot be copied" gcov 2 1 0
}

# recorded WHAT [LINE...]: build/results has these lines: JOB PASSED FAILED SKIPPED whole|part
recorded()
{
	local what=$1

	shift
	awk '{ print $4, $5, $6, $7, $9 }' "$tree/build/results" > "$details"
	[ "$(cat "$details")" = "$(printf '%s\n' "$@")" ]
	result $? "$what"
	rm -f "$tree/build/results"
}

time_over()
{
	new_tree
	host good <<< 'printf "ok 1 - a\n1..1\n"'
	guest late "a" <<< 'echo never'
	MTDC_UNTIL=1 runs 0 "0 passed, 0 failed, 0 skipped"
	result $? "time: over before anything begins"
	: >> "$tree/build/results"
	recorded "time: what was left out has no result"
	"$tree/selftests/long.sh" test > "$out/said" 2>&1
	cp "$out/said" "$details"
	grep -q "^ok 1" "$tree/build/test/good.log"
	result $? "time: long.sh runs what was left out"
	script qemu/machine/build.sh <<< 'sleep 1; while [ "$(date +%s)" -le "$MTDC_UNTIL" ]; do sleep 0.1; done'
	rm -f "$tree/selftests/good.sh"
	MTDC_UNTIL=$(($(date +%s) + 1)) runs 0 "0 passed, 0 failed, 0 skipped" && ! grep -q "late.*ok" "$out/said"
	result $? "time: over while a job waits for what it needs"
}

# again: jobs that fail the first time, or each time
again()
{
	local first='if mkdir "$MTDC_LOGS/../once-$MTDC_JOB" 2>/dev/null; then'

	new_tree
	declare -f marked > "$tree/tests/marked"
	host passes <<< "$first"' echo "not ok 1 - a"; else echo "ok 1 - a"; fi; echo 1..1'
	host fails <<< 'echo "not ok 1 - a"; echo 1..1'
	guest passing "a b" <<< ". \$tests/marked; marked a 0 'ok 1 - x' 1..1; $first marked b 0 'not ok 1 - y' 1..1
		else marked b 0 'ok 1 - y' 1..1; fi"
	MTDC_AGAIN=1 runs 1 "4 passed, 1 failed, 0 skipped"
	result $? "again: of three jobs that failed, one fails again"
	grep -q "^not ok 1 - a" "$tree/build/test/passes.first"
	result $? "again: the log of the first time is kept"
	new_tree
	declare -f marked > "$tree/tests/marked"
	guest dirty "one two" <<< '. "$tests/marked"; marked one 0 "not ok 1 - x" 1..1
		case "$* " in *" two "*) marked two 0 "ok 1 - y" 1..1 ;; esac
		while [ "$(date +%s)" -lt "${MTDC_UNTIL:-0}" ]; do sleep 0.1; done
		case "$* " in *" two "*) false ;; esac'
	MTDC_AGAIN=1 MTDC_UNTIL=$(($(date +%s) + 2)) runs 1 "1 passed, 1 failed, 0 skipped"
	grep -q "== dirty: one two" <(sed '1,/once more/d' "$out/said")
	result $? "again: all scripts of a guest that ended badly, also after the time"
}

builds()
{
	new_tree
	guest waits "a" <<< 'echo never'
	host good <<< 'printf "ok 1 - a\n1..1\n"'
	script qemu/machine/build.sh <<< 'exit 1'
	MTDC_AGAIN=1 runs 1 "1 passed, 2 failed, 0 skipped" && ! grep -q 'again: .* build-' "$out/said"
	result $? "builds: one that fails, and the job that waits for it"
	script qemu/machine/build.sh <<< 'kill -9 0'
	runs 1 "1 passed, 2 failed, 0 skipped"
	result $? "builds: one that is killed"
	script qemu/machine/build.sh <<< 'while [ "$(date +%s)" -lt "$MTDC_UNTIL" ]; do sleep 0.1; done; exit 1'
	MTDC_JOBS=1 MTDC_AGAIN=1 MTDC_UNTIL=$(($(date +%s) + 1)) runs 1 "0 passed, 1 failed, 0 skipped"
	result $? "builds: one that fails when the time is over for all jobs"
}

names()
{
	new_tree
	host good <<< 'printf "ok 1 - a\n1..1\n"'
	host other <<< 'printf "ok 1 - a\n1..1\n"'
	runs 0 "1 passed, 0 failed, 0 skipped" -other && ! grep -q other "$out/said"
	result $? "names: with a minus"
	runs 1 "0 passed, 0 failed, 0 skipped" good -good
	result $? "names: nothing is left"
	! runs 0 "" goods && grep -q 'no job or script "goods"' "$out/said"
	result $? "names: an unknown one"
	! runs 0 "" --lane tests && grep -q 'no lane "tests"' "$out/said"
	result $? "names: an unknown lane"
}

lists()
{
	new_tree
	host good <<< 'printf "ok 1 - a\n1..1\n"'
	script selftests/run.sh <<< 'exit 1'
	"$tree/selftests/long.sh" test > "$details" 2>&1
	[ $? = 1 ]
	result $? "long.sh: a list that fails is a failure"
}

# ended SIGNAL STATUS: the signal ends run.sh with this status, and the programs of its jobs
ended()
{
	local signal=$1 pid

	new_tree
	host good <<< 'sleep 60 & echo $! > "$MTDC_LOGS/pid"; wait; echo "never"'
	env --default-signal=INT "$tree/selftests/run.sh" > "$details" 2>&1 & pid=$!
	while [ ! -s "$tree/build/test/pid" ]; do
		sleep 0.05
	done
	kill "-$signal" $pid
	wait $pid 2>/dev/null
	[ $? = "$2" ] && timeout 5 tail -f /dev/null --pid="$(cat "$tree/build/test/pid")" -s 0.05
	result $? "signals: SIG$signal to run.sh ends what a job runs"
}

# refuses WHAT WORDS: run.sh ends with an error that has these words
refuses()
{
	! "$tree/selftests/run.sh" --list > "$details" 2>&1 && grep -q "$2" "$details"
	result $? "heads: $1"
}

heads()
{
	new_tree
	host good <<< 'printf "ok 1 - a\n1..1\n"'
	printf '%s\n' "# job: test good" "echo" > "$tree/tools/other.sh"
	refuses "two programs of one name" 'two tests'
	new_tree
	guest good "one two" < /dev/null
	echo "# job: test good --smp 2" > "$tree/selftests/guest/three.sh"
	refuses "two scripts of a guest with options" 'two tests'
	new_tree
	guest good "one two" < /dev/null
	echo "# job: test god" > "$tree/selftests/guest/three.sh"
	refuses "a guest without options, as its name is mistyped" 'no options'
	new_tree
	host good <<< '# job: test'
	refuses "a job without a name" 'not a job'
	new_tree
	host good < <(echo 'set -eu'; echo '# job: test late')
	refuses "a job that the head does not have" 'not a job'
}

set +e
host_jobs
guest_jobs
time_over
again
builds
names
heads
lists
ended INT 130
ended TERM 143
ended KILL 137
end_results
