#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh [--again] [PATTERN...]: run the experiments behind Marvin and make a page of them,
# build/paper-marvin/index.html. See ../hostlib.sh. For instance
#
#   tools/lab/paper-marvin/run.sh 'apps.*' '*.nand'
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
. "$here/../../../qemu/lib.sh"
. "$here/../hostlib.sh"
out=$build/paper-marvin
marvin=$top/tools/marvin
load=$top/tools/lab/marvin-load
arguments "$@"

all_programs() { programs lab/marvin-load marvin/marvind && make -s -C "$marvin/lua" all bench; }

# depends WORD...: hash of the inputs of runs with Lua programs
depends()
{
	case "$*" in
	*programs:*|*collect:*)	sum "$here/collect.sh" "$marvin"/lua/*.[ch] "$load"/lua/*.lua ;;
	esac
}

# run NAME KERNEL MEDIA MIB: a line of the list
run() { guest '' --mem "$4" --reserve 512 --clock icount --env MTDC_MEDIA="$3"; }

"$top/qemu/setup.sh" build guest tools marvin paper
logged all_programs
sources=$(sum "$here/guest.sh" "$here/../guestlib.sh" "$marvin"/{libmarvin,marvind}/*.[ch] \
	"$load"/*.[ch] "$top"/tools/lab/*.[ch])
experiments
