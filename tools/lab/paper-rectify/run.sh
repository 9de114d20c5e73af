#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh [--again] [PATTERN...]: run the experiments behind rectifyd and make a page of them,
# build/paper-rectify/index.html. See ../hostlib.sh. For instance
#
#   tools/lab/paper-rectify/run.sh 'mem-*' '*.trixie.*'
#
# MTDC_ROUNDS  how often each guest runs its plans, instead of the list's number
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
. "$here/../../../qemu/lib.sh"
. "$here/../hostlib.sh"
out=$build/paper-rectify
parts=4
# MiB: 128 for the swap, the rest for the disk; programs need a larger disk.
reserve=304
reserve_programs=464
# MiB that Debian's PC kernel takes beside MemTotal; a board's kernel takes a few.
kernel=52
arguments "$@"

# depends WORD...: also make the root of the programs
depends()
{
	case "$*" in
	*MTDC_PROGRAMS=*)	;;
	*)			return ;;
	esac
	"$top/qemu/setup.sh" programs >&2 || exit
	logged root >&2
	sum "$out/programs.version" "$here"/programs/{apps,eight,order.py}
}

root() { "$here/programs/prepare" "$out/programs"; }

# run NAME KERNEL LRU MEDIA MIB ROUNDS: a line of the list
run()
{
	local one size=$reserve

	for one in "${variables[@]}"; do
		case $one in
		MTDC_PROGRAMS=*)	size=$reserve_programs ;;
		# Eight programs; more switches than any run needs.
		MTDC_ORDER=*)	/usr/bin/python3 "$here/programs/order.py" "${one#*=}" 8 400 \
					> "$out/order.${one#*=}" ;;
		esac
	done
	guest "$5" --mem $(($5 + kernel)) --reserve "$size" --clock icount --env MTDC_LRU="$3" \
		--env MTDC_MEDIA="$4" --env MTDC_ROUNDS="$6"
}

"$top/qemu/setup.sh" build guest tools paper
logged programs rectifyd lab/memload
sources=$(sum "$here/guest.sh" "$here/../guestlib.sh" \
	"$top"/tools/{common,rectifyd,lab,lab/memload}/*.[ch])
experiments
