#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh [--lane LANE] [--list] [NAME...|-NAME...]: the jobs of a lane ("test"), or only
# the named ones, or all but those with a minus. A NAME is that of a job, of a script in
# any job, or JOB:SCRIPT. Which jobs there are stands in the heads of the tests (Jobs.pm), which
# lanes in selftests/lanes. Installs what they need, builds it while jobs that do not need it run,
# and keeps the logs in build/LANE/. The last line is "N passed, N failed, N skipped"; exit status 0
# only if none failed. --list prints the lane's jobs and their scripts.
#
# A guest that dies takes its tests with it: a script that did not get to its end has failed.
#
# build/results gets a line for each job:
#   DATE TREE LANE JOB PASSED FAILED SKIPPED SECONDS whole|part
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

# A bare Debian has no Perl with TAP::Harness.
lane=test list=
for ((i = 1; i <= $#; i++)); do
	case ${!i} in
	--lane)	i=$((i + 1)) lane=${!i:-} ;;
	--list)	list=1 ;;
	esac
done
groups=$(awk -v lane="$lane" '$1 == lane { gsub(",", " ", $3); print $3 }' "$here/lanes")
# shellcheck disable=SC2086 # a list of words
[ -n "$list" ] || [ -z "$groups" ] || "$here/../qemu/setup.sh" $groups
exec perl "$here/run.pl" "$@"
