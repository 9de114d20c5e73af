#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# headers.sh SUITE ARCH FLAVOUR gcc|clang: build the module against Debian's header
# package linux-headers-FLAVOUR of SUITE for ARCH, in a system of that suite, with its
# compiler and its sparse. Nothing may be said about our files.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/lib.sh"
suite=$1
kernel=$("$top/qemu/suite.sh" "$@") || cannot "no headers of $suite for $2, see the log"
krel=$(value KREL) root=$(value KROOT) cc=$(value KCC)
echo "kernel $krel"

inside()
{
	"$top/qemu/debs.sh" "$suite" amd64 enter "$root" "$@"
}
echo "compiler $(inside "$cc" --version | compiler)"

work=$root/build/$MTDC_LANE
sources "$work"
sparse_log "$work/sparse" "/build/$MTDC_LANE"
status=0
# shellcheck disable=SC2046 # a list of words
inside make -j "$(nproc)" -C "$(value KDIR)" M="/build/$MTDC_LANE" $(value KMAKE) \
	CONFIG_DEBUG_INFO_BTF_MODULES= \
	W=1 C=2 CHECK="/build/$MTDC_LANE/sparse" CF=-D__CHECK_ENDIAN__ modules \
	> "$work/make.log" 2>&1 || status=$?
judge "$work" "$status"
