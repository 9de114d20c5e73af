# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # run.sh's variables
#
# Sourced by run.sh: a queue of jobs, as many at a time as MTDC_JOBS says, each begun when
# what it needs is there, and what came of them.

passed=0 failed=0 skipped=0 left=

# The jobs that wait. All four arrays have the same numbers.
queue_name=() queue_needs=() queue_scripts=() queue_command=()
# The jobs that run, by process id. A job is in a process group of its own, which Ctrl-C does not
# reach.
declare -A job_name=() job_scripts=() job_progress=() job_begun=()
# What can be needed: "yes" when it is there, "no" if it could not be made.
declare -A ready=([none]=yes)

trap 'for job in "${!job_name[@]}"; do kill -- "-$job" 2>/dev/null || :; done' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# queue NAME NEEDS "SCRIPT..." COMMAND...
queue()
{
	queue_name+=("$1") queue_needs+=("$2") queue_scripts+=("$3")
	shift 3
	queue_command+=("$(printf '%q ' "$@")")
}

# progress: what of a job's log is worth seeing at once
progress()
{
	awk '
		/^# BEGIN / { name = $3; ok = bad = skip = 0; next }
		/^# END / {
			printf "   %-11s %3d ok, %d not ok, %d skipped, %s s\n", \
				name, ok, bad, skip, $(NF - 1)
			fflush()
			next
		}
		/^not ok / { bad++; print "   " name ": " $0; diag = 1; fflush(); next }
		/^ok .*# SKIP/ { skip++; diag = 0; next }
		/^ok / { ok++; diag = 0; next }
		/^# / && diag { print "      " $0; fflush(); next }
		/^Bail out/ { print "   " name ": " $0; fflush() }'
}

# forget NUMBER: of the jobs that wait
forget()
{
	unset "queue_name[$1]" "queue_needs[$1]" "queue_scripts[$1]" "queue_command[$1]"
}

# fails_again JOB "SCRIPT...": these have failed, and may be run once more
fails_again()
{
	local script

	for script in $2; do
		echo "$1 $script" >> "$again"
	done
}

# begin NUMBER: the job is taken from the queue
begin()
{
	local name=${queue_name[$1]} scripts=${queue_scripts[$1]} log job
	local command=${queue_command[$1]} output

	forget "$1"
	log=$logs/$name.log
	echo "== $name${scripts:+: $scripts}"
	: > "$log"
	set -m
	case $command in
	guest*)	output=$logs/$name.out ;;
	*)	output=$log ;;
	esac
	(
		status=0
		(eval "$command") < /dev/null > "$output" 2>&1 || status=$?
		times > "$logs/$name.cpu"
		exit $status
	) &
	job=$!
	set +m
	job_name[$job]=$name job_scripts[$job]=$scripts job_begun[$job]=$SECONDS
	tail -n +1 -s 0.5 --pid="$job" -f "$log" 2>/dev/null | progress &
	job_progress[$job]=$!
}

# result_line JOB SCRIPT PASSED FAILED SKIPPED SECONDS CPU_SECONDS: into build/results, and the sums
result_line()
{
	echo "$(date -u +%FT%TZ) $tree $lane $*" >> "$results"
	passed=$((passed + $3)) failed=$((failed + $4)) skipped=$((skipped + $5))
	[ "$4" = 0 ] || [ "$2" = - ] || fails_again "$1" "$2"
}

# count NAME STATUS SECONDS "SCRIPT...": the results of a job that has ended
count()
{
	local name=$1 status=$2 seconds=$3 scripts=$4 cpu script good bad skip time none=0

	cpu=$(awk -F '[ms ]+' '{ sum += 60 * ($1 + $3) + $2 + $4 } END { print int(sum + 0.5) }' \
		"$logs/$name.cpu")
	while read -r script good bad skip time; do
		result_line "$name" "$script" "$good" "$bad" "$skip" "$time" -
	done < <(awk -v names="$scripts" -v failures="$failures" -v skips="$skips" \
		-f "$here/results.awk" "$logs/$name.log")
	if [ ! -e "$logs/$name.out" ]; then
		# Of what needs no guest the script says all there is to say.
		result_line "$name" - 0 0 0 "$seconds" "${cpu:-0}"
		return
	fi
	grep -q '^init.sh: kmemleak gave up' "$logs/$name.log" && {
		none=1
		echo "guest $name: no memory was left for kmemleak" >> "$skips"
	}
	if [ "$status" = 0 ]; then
		result_line "$name" - 1 0 $none "$seconds" "${cpu:-0}"
		return
	fi
	echo "guest $name: it did not end well, or the kernel's log is not clean" | tee -a "$failures"
	result_line "$name" - 0 1 $none "$seconds" "${cpu:-0}"
	fails_again "$name" "$scripts"
	last_words "$name"
}

# last_words NAME: why a guest has failed, shown at once, and in short among the failures: what
# init and the judge say; or, as they say nothing where the kernel died, the panic. The races of
# the stock kernel, which KCSAN's prints from its boot on, are neither
last_words()
{
	local log=$logs/$1.log what='^init|^judge'

	grep -qaE "$what" "$log" || what='Kernel panic|INFO: task|BUG: ([^K]|K[^C])|WARNING:'
	grep -a -E -A 30 "$what" "$log" | head -n 60 || true
	{ grep -a -E -A 20 "$what" "$log" || tail -n 12 "$log" "$logs/$1.out"; } |
		head -n 24 >> "$failures" || true
}

# end PROCESS: a job has ended
end()
{
	local status=0 name=${job_name[$1]} scripts=${job_scripts[$1]} seconds

	seconds=$((SECONDS - job_begun[$1]))
	wait "$1" || status=$?
	wait "${job_progress[$1]}" || :
	unset "job_name[$1]" "job_scripts[$1]" "job_progress[$1]" "job_begun[$1]"
	case $name in
	build-*)	built "${name#build-}" $status ;;
	*)		count "$name" $status $seconds "$scripts" ;;
	esac
}

# built WHAT STATUS: those who need it can begin, or have failed
built()
{
	ready[$1]=yes
	if [ "$2" = 0 ]; then
		# shellcheck source=/dev/null
		. "$logs/$1.env"
		return
	fi
	ready[$1]=no
	echo "$1: it could not be built, see ${logs#"$top/"}/build-$1.log" >> "$failures"
	tail -n 20 "$logs/build-$1.log" | tee -a "$failures"
}

# next: sets number to that of the first job in the queue that can begin
next()
{
	for number in "${!queue_name[@]}"; do
		case ${ready[${queue_needs[$number]}]:-} in
		yes)	return 0 ;;
		no)
			echo "${queue_name[$number]}: not run" >> "$failures"
			fails_again "${queue_name[$number]}" "${queue_scripts[$number]}"
			failed=$((failed + 1))
			forget "$number" ;;
		esac
	done
	return 1
}

time_is_over()
{
	[ -n "${MTDC_UNTIL:-}" ] && [ "$(date +%s)" -ge "$MTDC_UNTIL" ]
}

run_queue()
{
	local number job

	while [ ${#queue_name[@]} -gt 0 ] || [ ${#job_name[@]} -gt 0 ]; do
		for job in "${!job_name[@]}"; do
			kill -0 "$job" 2>/dev/null || end "$job"
		done
		if time_is_over; then
			for number in "${!queue_name[@]}"; do
				left="$left ${queue_name[$number]}"
			done
			queue_name=()
		fi
		while [ ${#job_name[@]} -lt "$MTDC_JOBS" ] && next; do
			begin "$number"
		done
		sleep 0.2
	done
}
