#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# ubi.sh: print the work of a chip for the same random overwrites below our log: directly,
# through UBI, and through UBI and gluebi (ubi.py). Debian's kernel lacks gluebi, so it is
# built from the kernel's source.
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
