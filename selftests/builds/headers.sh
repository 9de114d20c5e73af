#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# headers.sh [--optional] SUITE ARCH FLAVOUR gcc|clang: build the module against Debian's header
# package linux-headers-FLAVOUR of the release SUITE for ARCH, in a system of that release, with its
# compiler and its sparse. There must be no warning about the driver's files.
set -eu
. "$(dirname "$0")/../../qemu/lib.sh"
. "$(dirname "$0")/lib.sh"
[ "$1" != --optional ] || { optional=1; shift; }
suite=$1
kernel=$("$top/qemu/suite.sh" "$@") || cannot "no headers of $suite for $2"
krel=$(field KREL "$kernel") root=$(field KROOT "$kernel") cc=$(field KCC "$kernel")

inside()
{
	"$top/qemu/debs.sh" "$suite" amd64 enter "$root" "$@"
}
what="$krel, $(inside "$cc" --version | compiler)"

work=$root/build/$MTDC_JOB
sources "$work"
sparse_log "$work/sparse" "/build/$MTDC_JOB"
status=0
# shellcheck disable=SC2046 # a list of words
inside make -j "$(nproc)" -C "$(field KDIR "$kernel")" M="/build/$MTDC_JOB" $(field KMAKE "$kernel") \
	CONFIG_DEBUG_INFO_BTF_MODULES= \
	W=1 C=2 CHECK="/build/$MTDC_JOB/sparse" CF=-D__CHECK_ENDIAN__ modules \
	> "$work/make.log" 2>&1 || status=$?
# The kernel's Makefile may choose another compiler.
object=$work/drivers/mtd/mtdcompr/map.o
[ "$status" != 0 ] || readelf -p .comment "$object" | grep -qi "${4:-gcc}" ||
	fail "it was not compiled by ${4:-gcc}"
judge "$work" "$status" "$what"
