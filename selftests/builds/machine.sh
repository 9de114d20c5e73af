#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# machine.sh MACHINE: build the module for another machine (qemu/machine), with W=1 and sparse,
# which checks the byte order of declared types. There must be no warning about the driver's files.
#
# job: machine sparse-board board
# job: machine sparse-arm64 arm64
# job: machine sparse-mips mips
# job: machine sparse-i386 i386
set -eu
. "$(dirname "$0")/../../qemu/lib.sh"
. "$(dirname "$0")/lib.sh"

[ $# = 1 ] || die "usage: machine.sh MACHINE"
machine=$1
built=$("$top/qemu/machine/build.sh" "$machine") || fail "it does not build"
tree=$build/builds.work/$MTDC_JOB
rm -rf "$tree"
mkdir -p "${tree%/*}"
MTDC_KERNEL=$built "$top/qemu/build.sh" --out "$tree" W=1 C=2 > "$tree.log" 2>&1 || {
	tail -n 30 "$tree.log"
	fail "it does not build with W=1 C=2"
}
! grep '/drivers/mtd/mtdcompr/.*: \(warning\|error\):' "$tree.log" ||
	fail "W=1 or sparse is not silent"
result 0 "W=1 and sparse are silent: $(field KREL "$built"), $(field COMPILER "$built")"
