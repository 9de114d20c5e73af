#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# log.sh [--tap] [--quick]: what the log writes for what it is given, and how evenly
# it wears, as Markdown tables on stdout (or TAP). Deterministic. --quick measures
# only what has a target. Exit status 1 if one is missed.
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
top=${here%/*/*}
src=$top/drivers/mtd/mtdcompr
out=$top/build/sim
: "${CC:=gcc}"

mkdir -p "$out"
# No contraction of a * b + c, where the machine could: the same figures everywhere.
"$CC" -std=gnu11 -O2 -g -ffp-contract=off -Wall -Wextra -Werror -Wno-sign-compare \
	-I"$top/selftests/unit/shim" -I"$src" -o "$out/log" "$here/log.c" \
	"$src"/{log,log_jobs,log_collect,map,media,label,residents,gc,wear,stream}.c -lm
exec "$out/log" "$@"
