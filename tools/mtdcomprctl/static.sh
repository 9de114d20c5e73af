#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# static.sh DIR: build mtdcomprctl into DIR for ARM boards: static, stripped, small. glibc alone is
# larger than the limit for the program, so use musl, whose package for ARM qemu/debs.sh fetches,
# with the board's compiler. -flto makes it 1.1 KiB smaller.
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
top=${here%/*/*}
[ $# = 1 ] || { echo "usage: static.sh DIR" >&2; exit 2; }
mkdir -p "$1"
out=$(cd "$1" && pwd -P)

"$top/qemu/setup.sh" board
"$top/qemu/debs.sh" bookworm armel unpack "$out/musl" musl-dev
lib=usr/lib/arm-linux-musleabi
sed "s|/$lib|$out/musl/$lib|g; s|/usr/include/arm-linux|$out/musl&|g" \
	"$out/musl/$lib/musl-gcc.specs" > "$out/musl.specs"
make -s -C "$here" WERROR=1 STATIC=1 O="$out" CC="arm-linux-gnueabi-gcc -specs $out/musl.specs" \
	CFLAGS="-Os -flto -mthumb -fno-pie" LDFLAGS="-static -no-pie"
arm-linux-gnueabi-strip "$out/mtdcomprctl"
