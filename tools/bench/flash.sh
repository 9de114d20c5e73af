#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# flash.sh: print what NAND has to do for the same random overwrites by MTDCOMPR's log
# and by mtdswap (flash.py).
set -eu
. "$(dirname "$0")/../../qemu/lib.sh"
# shellcheck source=tools/bench/lib.sh
. "$top/tools/bench/lib.sh"
prepare
"$top/qemu/build.sh" --src "$top/selftests/mtdsim"
gcc -std=gnu11 -O2 -Wall -Wextra -o "$out/overwrite" "$top/tools/bench/overwrite.c"
say "measuring on flash in the guest, log in ${out#"$top"/}/flash.log"
"$top/qemu/guest.sh" --mem 512 --reserve 144 --timeout 1800 --quiet \
	--log "$out/flash.log" --append norandmaps \
	--env "MTDC_KDIR=$(kernel KDIR)" "$top/tools/bench/flash.py" || {
	tail -n 20 "$out/flash.log" | cut -c 1-300 >&2
	die "the measurement failed"
}
sed -n 's/^FLASH //p' "$out/flash.log"
