# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Sourced by the scripts of this directory: sets directories, and builds a simulation
# from the sources that the script names.

here=$(cd "$(dirname "$0")" && pwd -P)
top=${here%/*/*/*}
src=$top/drivers/mtd/mtdcompr
out=$top/build/sim
: "${CC:=gcc}"

# build NAME SOURCE...: make build/sim/NAME from NAME.c here and sources of the module
build()
{
	local name=$1
	shift

	mkdir -p "$out"
	# No contraction of a * b + c, so that all machines give the same figures.
	"$CC" -std=gnu11 -O2 -g -DMTDC_CHECKS -ffp-contract=off -Wall -Wextra -Werror -Wno-sign-compare \
		-I"$top/selftests/shim" -I"$src" -o "$out/$name" \
		"$here/$name.c" "$@" -lm
}
