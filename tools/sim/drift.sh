#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# drift.sh [--tap] [--quick]: wear of media that are rewritten in place, half of
# whose data are cold, as a Markdown table on stdout (or TAP). Deterministic. --quick
# measures only what has a target. Exit status 1 if it is missed.
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
top=${here%/*/*}
src=$top/drivers/mtd/mtdcompr
out=$top/build/sim
: "${CC:=gcc}"

mkdir -p "$out"
# No contraction of a * b + c, where the machine could: the same figures everywhere.
"$CC" -std=gnu11 -O2 -g -ffp-contract=off -Wall -Wextra -Werror -Wno-sign-compare \
	-I"$top/selftests/unit/shim" -I"$src" -o "$out/drift" \
	"$here/drift.c" "$src"/{freelist,drift}.c -lm
exec "$out/drift" "$@"
