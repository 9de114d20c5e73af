#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# bench.sh [OPTION...] [PART...]: build marvin-bench, and run it: tables of what libmarvin costs beside
# malloc(), a mapped file, the swap, and the media (marvin-bench -h). Each figure is the median of
# rounds in turn, with the least and the most.
#
# O                  where it is built (build/marvin)
# CC                 the compiler (gcc)
# MTDC_STORE         a directory for the stores (/var/tmp): the media that are measured
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
: "${O:=${here%/*/*/*}/build/marvin}" "${CC:=gcc}" "${MTDC_STORE:=/var/tmp}"
make -s -C "$here" O="$O" CC="$CC"
echo "# load $(cut -d ' ' -f 1 /proc/loadavg), store on $(df --output=fstype,source "$MTDC_STORE" |
	tail -n 1 | tr -s ' '), huge pages: $(cat /sys/kernel/mm/transparent_hugepage/enabled)"
exec "$O/marvin-bench" --store "$MTDC_STORE" "$@"
