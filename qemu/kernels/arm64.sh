# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # kernel.sh's variable
#
# The 64-bit ARM: Debian's own kernel.
. "$kernels/lib/debian.sh"
foreign_kernel arm64 linux-image-arm64 "ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu-"
