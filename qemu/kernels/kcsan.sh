# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # kernel.sh's and kbuild.sh's variables
#
# The one that looks for data races. A report would be a panic by panic_on_warn, in races of
# the stock kernel, too; judge.sh looks whose it is.
. "$kernels/lib/checked.sh"
kwhat="the kernel with KCSAN"
other_config "$kernels/kcsan.config"
checked_kernel
# It is off until it is told so, where its default was not taken.
cat <<END
KARGS=kcsan.early_enable=1
KMEM=32
KTIMES=8
END
