#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh [--lane LANE] [--list] [NAME...|-NAME...]: the jobs of a lane ("test"), or only
# the named ones, or all but those with a minus. A NAME is that of a job, of a script in
# any job, or JOB:SCRIPT. Lanes are in selftests/lanes, jobs in selftests/jobs. Sets itself up, builds
# what is missing while jobs that do not need it run, shows progress, and keeps the logs in
# build/LANE/. The last line is "N passed, N failed, N skipped"; exit status 0 only if
# none failed. --list prints the lane's jobs and their scripts.
#
# A guest that dies takes its tests with it: a test that was planned and has no
# result counts as failed, and so does a script that never began.
#
# build/results gets a line for each script, and one for each job, whose script is "-":
#   DATE TREE LANE JOB SCRIPT PASSED FAILED SKIPPED SECONDS CPU_SECONDS
#
# MTDC_LONG    1: the long form of the scripts that have one
# MTDC_SEED    seed of everything random (1)
# MTDC_OPS, MTDC_CYCLES, MTDC_ROUNDS, MTDC_GENS, MTDC_STEP, MTDC_EVERY, MTDC_VANISH,
# MTDC_FAULTS, MTDC_SECONDS, MTDC_SWAP_LIMIT  how much of it, see the scripts
# MTDC_MTHP    always, never: what the guests say of large folios, where the kernel has them
# MTDC_JOBS    jobs at a time (the number of processors)
# MTDC_AGAIN   1: a script that fails is run once more, alone, and has failed if that fails
# MTDC_UNTIL   a time (seconds since 1970): what has not begun by then is left out, and
#              said so; the first job is another one with each seed
# MTDC_GCOV    what the name of a directory for the counts of gcov begins with; the job's name ends it
# MTDC_KERNEL  what qemu/kernel.sh has printed: the guests' kernel, instead of the lane's
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
. "$here/../qemu/lib.sh"
. "$here/queue.sh"
. "$here/prepare.sh"
: "${MTDC_SEED:=1}" "${MTDC_JOBS:=$(nproc)}"

# What goes to the scripts, if it is set.
amounts="MTDC_LONG MTDC_SEED MTDC_OPS MTDC_CYCLES MTDC_ROUNDS MTDC_GENS MTDC_STEP
	MTDC_EVERY MTDC_VANISH MTDC_FAULTS MTDC_SECONDS MTDC_SWAP_LIMIT MTDC_MTHP MTDC_KSRC MTDC_BUSYBOX"

lane=test list=
while [ $# -gt 0 ]; do
	case $1 in
	--lane)	[ $# -ge 2 ] || die "--lane: which? There are: $(awk '/^[a-z]/ { printf "%s ", $1 }' "$here/lanes")"
		lane=$2
		shift ;;
	--list)	list=1 ;;
	--*)	die "usage: run.sh [--lane LANE] [--list] [NAME...|-NAME...]" ;;
	*)	break ;;
	esac
	shift
done
read -r kernel groups tags settings < <(awk -v lane="$lane" '
	$1 == lane { $1 = ""; print }' "$here/lanes") || die "no lane \"$lane\" in selftests/lanes"

# jobs: the lane's, NAME OPTIONS... : SCRIPT...
jobs_of_lane()
{
	awk -v tags=",$tags," -v turn="${MTDC_UNTIL:+$MTDC_SEED}" '
		!/^#/ && NF {
			n_tags = split($1, own, ",")
			for (i = 1; i <= n_tags && !index(tags, "," own[i] ","); i++)
				;
			if (i > n_tags)
				next
			$1 = ""
			line[n++] = $0
		}
		END {
			for (i = 0; i < n; i++)
				print line[(i + turn) % n]
		}' "$here/jobs"
}

# list_jobs: the lane's, JOB : SCRIPT...; what needs no guest is a script of its own name
list_jobs()
{
	jobs_of_lane | sed 's/^ *//; s/^\([^ ]*\) *HOST .*/\1 : \1/; s/ .* : / : /'
}

if [ -n "$list" ]; then
	list_jobs
	exit 0
fi

known=" $(list_jobs | awk '{
		print $1
		for (i = 3; i <= NF; i++)
			print $i, $1 ":" $i
	}' | tr '\n' ' ') "
wanted='' unwanted=''
for name; do
	case $known in
	*" ${name#-} "*)	;;
	*)		die "no job or script \"${name#-}\" in the lane $lane; there are:" \
				"$(tr ' ' '\n' <<< "$known" | sort -u | tr '\n' ' ')" ;;
	esac
	case $name in
	-*)	unwanted="$unwanted ${name#-}" ;;
	*)	wanted="$wanted $name" ;;
	esac
done

# chosen JOB SCRIPT: is it to be run?
chosen()
{
	case " $unwanted " in
	*" $1 "* | *" $2 "* | *" $1:$2 "*)	return 1 ;;
	esac
	case " ${wanted:-$1} " in
	*" $1 "* | *" $2 "* | *" $1:$2 "*)	return 0 ;;
	*)					return 1 ;;
	esac
}

# What the user has set, to be said with how to repeat a failure.
given=
for name in $amounts; do
	[ "$name" = MTDC_SEED ] || [ -z "${!name+set}" ] || given="$given$name=${!name} "
done
# The lane's variables, unless the user has set them.
for setting in $settings; do
	name=${setting%%=*}
	[ -n "${!name+set}" ] || export "${setting?}"
done

started=$SECONDS
logs=$build/${MTDC_LOGS:-$lane}
results=$build/results
tree=$("$here/tree.sh")
mkdir -p "$logs"
rm -f "$logs"/*.log "$logs"/*.out "$logs/summary"
failures=$logs/failures.log
skips=$logs/skips.log
again=$logs/failed.jobs
: > "$failures"
: > "$skips"
: > "$again"

# host NAME WORDS...: a job that needs no guest, as TAP between the marks of batch.sh
# shellcheck disable=SC2317 # the queue calls it
host()
{
	local name=$1 status=0 begun=$SECONDS
	shift
	echo "# BEGIN $name"
	MTDC_JOB=$name "$here/$1" "${@:2}" || status=$?
	echo "# END $name status $status after $((SECONDS - begun)) s"
}

# job NAME OPTION... : SCRIPT...: put it into the queue, with what of it is wanted
job()
{
	local name=$1 needs=guest host='' machine='' options=() scripts=() script
	shift
	while [ "$1" != : ]; do
		case $1 in
		HOST)		host=1 needs=none ;;
		NEEDS)		needs=$2; shift ;;
		--machine)	machine=$2; options+=("$1" "$2"); shift ;;
		DISK)
			rm -f "$logs/disk.img"
			truncate -s 112M "$logs/disk.img"
			options+=("$logs/disk.img") ;;
		*)		options+=("$1") ;;
		esac
		shift
	done
	shift
	if [ -n "$host" ]; then
		! chosen "$name" "$name" || queue "$name" "$needs" "$name" host "$name" "$@"
		return
	fi
	for script; do
		! chosen "$name" "$script" || scripts+=("$script")
	done
	[ ${#scripts[@]} -gt 0 ] || return 0
	queue "$name" "${machine:-$needs}" "${scripts[*]}" guest "$name" "${options[@]}" -- "${scripts[@]}"
}

# guest NAME OPTION... -- SCRIPT...: boot it
# shellcheck disable=SC2317 # the queue calls it
guest()
{
	local name=$1 options=() variable
	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	for variable in $amounts; do
		[ -z "${!variable:-}" ] || options+=(--env "$variable=${!variable}")
	done
	if [ -n "${MTDC_GCOV:-}" ]; then
		mkdir -p "$MTDC_GCOV$name"
		options+=(--out "$MTDC_GCOV$name")
	fi
	exec "$top/qemu/guest.sh" "${options[@]}" --quiet --log "$logs/$name.log" -- \
		"$here/guest/batch.sh" "$@"
}

# once_more: each script that has failed, alone, with all the time it needs; what passes then
# has not failed
once_more()
{
	local name script status

	[ -n "${MTDC_AGAIN:-}" ] && [ -s "$again" ] || return 0
	sed 's/^/   /' "$failures"
	cp "$failures" "$logs/first.log"
	: > "$failures"
	failed=0
	while read -r name script <&3; do
		echo "== once more, alone: $name:$script"
		status=0
		MTDC_AGAIN='' MTDC_UNTIL='' MTDC_JOBS=1 MTDC_LOGS=$lane/again \
			"$here/run.sh" --lane "$lane" "$name:$script" || status=$?
		if [ $status = 0 ]; then
			passed=$((passed + 1))
		else
			failed=$((failed + 1))
			cat "$logs/again/failures.log" >> "$failures"
		fi
	done 3< <(sort -u "$again")
}

# excerpt FILE: without the most of what a kernel has to say of its end
excerpt()
{
	awk '/^\[ *[0-9.]*\] / { if (++lines > 3) next } !/^\[/ { lines = 0 } 1' "$1" |
		cut -c 1-160 | sed 's/^/   /'
}

# say_failures: they, where the logs are, and how to repeat it
say_failures()
{
	if [ -s "$logs/first.log" ]; then
		echo "== failed the first time:"
		excerpt "$logs/first.log" | sed -n 1,6p
	fi
	if [ -s "$failures" ]; then
		echo "== failed:"
		excerpt "$failures" | sed -n 1,40p
	fi
	sort -u "$again" | head -n 6 | while read -r name script; do
		echo "   log: ${logs#"$top/"}/$name.log; again:" \
			"MTDC_SEED=$MTDC_SEED ${given}selftests/run.sh --lane $lane $name:$script"
	done
}

# summary: at most a dozen lines of that
summary()
{
	say_failures | awk '
		/^   log: / { where[n++] = $0; next }
		lines++ < 9
		END {
			for (i = 0; i < n && i < 3; i++)
				print where[i]
		}'
}

# A function, so that the shell has read all of it before it begins: who edits this file
# meanwhile does no harm.
run_lane()
{
	echo "== lane $lane, seed $MTDC_SEED"
	set_up
	while read -r line; do
		# shellcheck disable=SC2086 # to be split
		job $line
	done < <(jobs_of_lane)
	run_queue
	rm -f "$logs/disk.img"
	once_more

	echo "== $((SECONDS - started)) s"
	[ -z "$left" ] || echo "== the time was over, left out:$left"
	if [ -s "$skips" ]; then
		echo "== skipped:"
		sed 's/^/   /' "$skips"
	fi
	say_failures
	summary > "$logs/summary"
	echo "$passed passed, $failed failed, $skipped skipped"
	[ "$failed" = 0 ] && [ "$passed${left:+1}" != 0 ]
}
run_lane
exit
