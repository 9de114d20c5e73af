#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# profile.sh [COMP [ZRAM_COMP [own]]]: where a page's time goes, for MTDCOMPR, zram and
# bare mtdblock: instructions by function, counted by a QEMU plugin (profile.c). The
# compressors are lz4 unless named; "own" uses MTDCOMPR's block device instead of
# mtdblock. It helps to find slow code; no figure has a target.
set -eu
. "$(dirname "$0")/../../../qemu/lib.sh"

[ $# -le 3 ] || die "usage: profile.sh [COMP [ZRAM_COMP [own]]]"
comp=${1:-lz4}
zram=${2:-$comp}

# shellcheck source=tools/lab/bench/lib.sh
. "$top/tools/lab/bench/lib.sh"
prepare

compile profile.so -fPIC -shared
measure profile \
	--plugin "$out/profile.so,out=$out/profile.counts" \
	-- "$top/tools/lab/bench/measure.py" profile "$comp" "$zram" "${@:3}"
"$top/tools/lab/bench/profile.py" "$out/profile.jsonl" "$out/profile.counts" \
	"$build/module-$(kernel KREL)/drivers/mtd/mtdcompr" \
	> "$out/profile-$comp.md"
cat "$out/profile-$comp.md"
