# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # kernel.sh's and kbuild.sh's variables
#
# The kernel with KCSAN. With panic_on_warn a report would be a panic, even a race of the stock
# kernel; judge.sh tells them apart.
. "$kernels/lib/checked.sh"
kwhat="the kernel with KCSAN"
other_config "$kernels/kcsan.config"
checked_kernel
# Without the default of its Kconfig, KCSAN is off until it is enabled.
cat <<END
KARGS=kcsan.early_enable=1
KMEM=32
KTIMES=8
END
