#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# gluebi.sh: build gluebi, which makes MTDs of UBI volumes, from the source of Debian's kernel,
# which does not enable it; for the guests' modules tree.
#
# MTDC_KERNEL  output of qemu/kernel.sh --source
set -eu
. "$(dirname "$0")/lib.sh"

if [ -z "${MTDC_KERNEL:-}" ]; then
	MTDC_KERNEL=$("$top/qemu/kernel.sh" --source) || exit 1
	export MTDC_KERNEL
fi
ksrc=$(printf '%s\n' "$MTDC_KERNEL" | sed -n 's/^KSRC=//p')
[ -f "$ksrc/drivers/mtd/ubi/gluebi.c" ] || die "no gluebi in \"$ksrc\""
src=$build/gluebi
mkdir -p "$src"
cp -u "$ksrc/drivers/mtd/ubi/gluebi.c" "$ksrc/drivers/mtd/ubi/ubi-media.h" "$src/"
echo 'obj-m := gluebi.o' > "$src/Kbuild"
"$top/qemu/build.sh" --src "$src"
