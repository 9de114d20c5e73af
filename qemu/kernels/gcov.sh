# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # kernel.sh's and kbuild.sh's variables
#
# The kernel that counts lines.
. "$kernels/lib/checked.sh"
kwhat="the kernel for coverage"
other_config "$kernels/gcov.config"
checked_kernel
# Smaller than Debian's kernel: with this KMEM programs have as much memory, and swap as much.
cat <<END
KARGS=panic_on_warn=1
KMEM=-16
KTIMES=3
END
