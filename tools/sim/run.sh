#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh [--tap]: the allocation policies compared, as Markdown tables on stdout
# (or TAP). Deterministic. Exit status 1 if the default policy misses its targets.
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
top=${here%/*/*}
src=$top/drivers/mtd/mtdcompr
out=$top/build/sim
: "${CC:=gcc}"

# The module's own granule, so that the figures are those of the module.
granule=$(sed -n 's/^#define MTDC_GRANULE_BYTES[[:space:]]*\([0-9]*\)U*$/\1/p' "$src"/*.[ch])
if [ -z "$granule" ]; then
	echo "run.sh: no MTDC_GRANULE_BYTES in $src" >&2
	exit 1
fi
mkdir -p "$out"
# No contraction of a * b + c, where the machine could: the same figures everywhere.
"$CC" -std=gnu11 -O2 -g -ffp-contract=off -Wall -Wextra -Werror -Wno-sign-compare \
	-I"$top/selftests/unit/shim" -I"$src" -o "$out/sim" \
	"$here/sim.c" "$src/freelist.c" -lm
exec "$out/sim" "$@" "$granule"
