#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# headers.sh [--optional] SUITE ARCH FLAVOUR gcc|clang: build the module against Debian's header
# package linux-headers-FLAVOUR of the release SUITE for ARCH, in a system of that release, with its
# compiler and its sparse. There must be no warning about the driver's files.
#
# job: build amd64-5.10-gcc bullseye amd64 amd64 gcc
# job: build amd64-6.1-gcc bookworm amd64 amd64 gcc
# job: build amd64-6.12-gcc trixie amd64 amd64 gcc
# job: build amd64-new-gcc experimental amd64 amd64 gcc
# job: build amd64-5.10-clang bullseye amd64 amd64 clang
# job: build amd64-6.1-clang bookworm amd64 amd64 clang
# job: build amd64-6.12-clang trixie amd64 amd64 clang
# job: build amd64-new-clang experimental amd64 amd64 clang
# job: build i386-5.10-gcc bullseye i386 686-pae gcc
# job: build i386-6.1-gcc bookworm i386 686-pae gcc
# job: build i386-6.1-clang bookworm i386 686-pae clang
# job: build armel-6.1-gcc bookworm armel marvell gcc
# job: build armel-6.12-gcc bookworm-backports armel rpi gcc
# job: build armel-6.1-clang bookworm armel marvell clang
# job: build armhf-5.10-gcc bullseye armhf armmp gcc
# job: build armhf-6.1-gcc bookworm armhf armmp gcc
# job: build armhf-6.12-gcc bookworm-backports armhf armmp gcc
# job: build armhf-trixie-gcc --optional trixie armhf armmp gcc
# job: build armhf-new-gcc experimental armhf armmp gcc
# job: build armhf-6.12-clang bookworm-backports armhf armmp clang
# job: build arm64-5.10-gcc bullseye arm64 arm64 gcc
# job: build arm64-6.1-gcc bookworm arm64 arm64 gcc
# job: build arm64-6.12-gcc trixie arm64 arm64 gcc
# job: build arm64-new-gcc experimental arm64 arm64 gcc
# job: build arm64-16k-6.12-gcc trixie arm64 arm64-16k gcc
# job: build arm64-6.12-clang trixie arm64 arm64 clang
# job: build s390x-6.1-gcc bookworm s390x s390x gcc
# job: build s390x-6.12-gcc bookworm-backports s390x s390x gcc
# job: build s390x-trixie-gcc --optional trixie s390x s390x gcc
# job: build s390x-new-gcc experimental s390x s390x gcc
# job: build amd64-rt-6.1-gcc bookworm amd64 rt-amd64 gcc
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
