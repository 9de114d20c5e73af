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
gcc -std=gnu11 -O2 -Wall -Wextra -o "$out/overwrite" "$top/tools/lab/bench/overwrite.c"
say "measuring on UBI in the guest, log in ${out#"$top"/}/ubi.log"
"$top/qemu/guest.sh" --mem 512 --reserve 144 --timeout 1800 --quiet \
	--log "$out/ubi.log" --append norandmaps \
	--env "MTDC_KDIR=$(kernel KDIR)" "$top/tools/lab/bench/ubi.py" || {
	tail -n 20 "$out/ubi.log" | cut -c 1-300 >&2
	die "the measurement failed"
}
sed -n 's/^UBI //p' "$out/ubi.log"
