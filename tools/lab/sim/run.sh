#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh [--tap]: the allocation policies compared, as Markdown tables on stdout
# (or TAP). Deterministic. Exit status 1 if the default policy misses its targets.
set -eu
. "$(dirname "$0")/lib.sh"

# Use the module's granule.
granule=$(sed -n 's/^#define MTDC_GRANULE_BYTES[[:space:]]*\([0-9]*\)U*$/\1/p' "$src"/*.[ch])
if [ -z "$granule" ]; then
	echo "run.sh: no MTDC_GRANULE_BYTES in $src" >&2
	exit 1
fi
build sim "$src/inplace_freelist.c"
exec "$out/sim" "$@" "$granule"
