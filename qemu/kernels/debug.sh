# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # kernel.sh's and kbuild.sh's variables
#
# The debug lane's: with all that finds errors by itself.
. "$kernels/lib/checked.sh"
kwhat="the debug kernel"
fragment=$kernels/debug.config
checked_kernel
# slub_debug, not as it is on by default in the kernels of others: consistency checks
# and red zones; poison and the users' traces KASAN has in a better form.
cat <<END
KARGS=panic_on_warn=1 page_poison=1 slub_debug=FZ
KMEM=80
KTIMES=6
END
