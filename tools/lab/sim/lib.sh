# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Sourced by the scripts of this directory: how a simulation is built, and where
# things are. What it is built from, the scripts say.

here=$(cd "$(dirname "$0")" && pwd -P)
top=${here%/*/*/*}
src=$top/drivers/mtd/mtdcompr
out=$top/build/sim
: "${CC:=gcc}"

# build NAME SOURCE...: build/sim/NAME, from NAME.c here and the module's own sources
build()
{
	local name=$1
	shift

	mkdir -p "$out"
	# No contraction of a * b + c, where the machine could: the same figures everywhere.
	"$CC" -std=gnu11 -O2 -g -DMTDC_CHECKS -ffp-contract=off -Wall -Wextra -Werror -Wno-sign-compare \
		-I"$top/selftests/unit/shim" -I"$src" -o "$out/$name" \
		"$here/$name.c" "$@" -lm
}
