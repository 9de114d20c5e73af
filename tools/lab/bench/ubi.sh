#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# ubi.sh: print what a chip has to do for the same random overwrites below our log: by
# itself, with UBI between, and with UBI and gluebi (ubi.py). Debian's kernel has no
# gluebi: it is built from the kernel's source.
set -eu
. "$(dirname "$0")/../../../qemu/lib.sh"
# shellcheck source=tools/lab/bench/lib.sh
. "$top/tools/lab/bench/lib.sh"
prepare
MTDC_KERNEL=$("$top/qemu/kernel.sh" --source) || exit 1
"$top/qemu/build.sh" --src "$top/selftests/mtdsim"
"$top/qemu/gluebi.sh"
compile overwrite
count ubi --reserve 144 --timeout 1800 -- "$top/tools/lab/bench/ubi.py"
sed -n 's/^UBI //p' "$out/ubi.log"
