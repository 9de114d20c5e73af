#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh [--lane LANE] [--list] [NAME...|-NAME...]: run the jobs of a lane ("test"), or only the named
# ones, or all but the ones with a minus. A NAME is a job, a script of any job, or JOB:SCRIPT. The
# head of each test defines its jobs (Jobs.pm), selftests/lanes the lanes. Installs packages, builds
# kernel and module while jobs run that need neither, and keeps the logs in build/LANE/. The last
# line is "N passed, N failed, N skipped"; exit status 0 only if none failed. --list prints the
# lane's jobs and their scripts.
#
# A guest that dies takes its tests with it: a script that did not get to its end has failed.
#
# build/results gets a line for each job:
#   DATE TREE LANE JOB PASSED FAILED SKIPPED SECONDS whole|part
#
# MTDC_LONG    1: the long form of the scripts that have one
# MTDC_SEED    seed of everything random (1)
# MTDC_OPS, MTDC_CYCLES, MTDC_ROUNDS, MTDC_GENS, MTDC_STEP, MTDC_EVERY, MTDC_VANISH,
# MTDC_FAULTS, MTDC_SECONDS, MTDC_SWAP_LIMIT  amounts, see the scripts
# MTDC_MTHP    always, never: large folios in the guests, if the kernel has them
# MTDC_JOBS    jobs at a time (the number of processors). With one more, it takes a sixth less, but the
#              guests' programs then wait for each other
# MTDC_AGAIN   1: a script that fails is run once more, alone, and has failed if that fails
# MTDC_UNTIL   a time (seconds since 1970): no job begins later, and the output names those left out;
#              each seed begins with another job
# MTDC_GCOV    the counts of gcov go to the directory of this name and the job's name after it
# MTDC_KERNEL  the output of qemu/kernel.sh for the guests' kernel, instead of the lane's
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
exec perl "$here/run.pl" "$@" < /dev/null
