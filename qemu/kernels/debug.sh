# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # kernel.sh's and kbuild.sh's variables
#
# The kernel of the lane debug, with all checks that find errors.
. "$kernels/lib/checked.sh"
kwhat="the debug kernel"
fragment=$kernels/debug.config
checked_kernel
# slub_debug with other flags than other kernels' default: consistency checks and red zones; KASAN
# has better poison and user traces.
cat <<END
KARGS=panic_on_warn=1 page_poison=1 slub_debug=FZ
KMEM=80
KTIMES=6
END
