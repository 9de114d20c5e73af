#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh [--again] [PATTERN...]: run the experiments of the thesis behind latd and make their page,
# build/paper-latd/index.html. See ../hostlib.sh. For instance
#
#   tools/lab/paper-latd/run.sh 'anon*' '*.trixie.*'
#
# MTDC_COUNT  images of a run (60; the thesis had 1000)
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
. "$here/../../../qemu/lib.sh"
. "$here/../hostlib.sh"
: "${MTDC_COUNT:=60}"
out=$build/paper-latd
arguments "$@"

# run NAME KERNEL LRU: a line of the list
run()
{
	guest '' --mem 160 --reserve 320 --clock icount --env MTDC_COUNT="$MTDC_COUNT" \
		--env MTDC_LRU="$3" || return
	sed 's/^/      /' "$out/runs/$name/infer"
}

"$top/qemu/setup.sh" build guest tools paper latd
logged programs latd lab/memload
sources=$MTDC_COUNT$(sum "$here/guest.sh" "$here/../guestlib.sh" \
	"$top"/tools/{common,latd,lab,lab/memload}/*.[ch])
experiments
