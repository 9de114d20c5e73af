# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # kernel.sh's variable
#
# The 32-bit PC, with PAE, and so HIGHMEM: Debian's own kernel.
. "$kernels/lib/debian.sh"
foreign_kernel i386 linux-image-686-pae "ARCH=i386 CROSS_COMPILE=i686-linux-gnu-"
