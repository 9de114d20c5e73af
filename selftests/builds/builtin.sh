#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# builtin.sh [compile]: put the driver into a tree of Debian's source of 6.1, as Kconfig's
# MTDCOMPR=y, build its directory with W=1 and sparse, and, without "compile", link a real vmlinux
# with it. The link finds undefined and duplicate symbols, which the build of a module misses. The
# tree consists of links, except for the driver's files.
#
# job: build builtin-compile compile
# job: build builtin
set -eu
. "$(dirname "$0")/../../qemu/lib.sh"
. "$(dirname "$0")/lib.sh"
"$top/qemu/setup.sh" build debug check
kernel=$("$top/qemu/kernel.sh" --source) || cannot "no source of the kernel"
ksrc=$(field KSRC "$kernel")
what="$(field KVER "$kernel"), $(gcc-12 --version | compiler)"

# Keep the objects, so that only changed files are compiled again.
dir=$cache/matrix-$(field KVER "$kernel")-builtin
mkdir -p "$dir/obj"
exec 9>"$dir/.lock"
flock 9
if [ ! -e "$dir/tree/.whole" ]; then
	rm -rf "$dir/tree"
	cp -rs "$ksrc" "$dir/tree"
	touch "$dir/tree/.whole"
fi
tree=$dir/tree
obj=$dir/obj
for file in drivers/mtd/Kconfig drivers/mtd/Makefile; do
	rm -f "$tree/$file"
done
sed 's|^endif # MTD$|source "drivers/mtd/mtdcompr/Kconfig"\n&|' \
	"$ksrc/drivers/mtd/Kconfig" > "$tree/drivers/mtd/Kconfig"
{
	cat "$ksrc/drivers/mtd/Makefile"
	# shellcheck disable=SC2016 # make's
	echo 'obj-$(CONFIG_MTDCOMPR) += mtdcompr/'
} > "$tree/drivers/mtd/Makefile"
rm -rf "$tree/drivers/mtd/mtdcompr"
cp -rp "$top/drivers/mtd/mtdcompr" "$tree/drivers/mtd/"
find "$tree/drivers/mtd/mtdcompr" -type f ! -name 'K*' ! -name '*.[ch]' -delete
cp -p "$top/include/uapi/linux/mtdcompr.h" "$tree/include/uapi/linux/"
rm -rf "$tree/include/compat"
cp -rp "$top/include/compat" "$tree/include/"

kbuild()
{
	make -j "$(nproc)" -C "$tree" O="$obj" ARCH=x86_64 CC=gcc-12 "$@"
}
{
	# MTDCOMPR_CRYPT selects its library.
	grep '^CONFIG' "$top/selftests/builds/config.base" | grep -v 'MODULE\|CHACHA'
	printf 'CONFIG_MTDCOMPR%s=y\n' '' _LZ4 _LZO _ZLIB _ZSTD _CRYPT
} > "$obj/mini.config"
kbuild -s KCONFIG_ALLCONFIG="$obj/mini.config" allnoconfig >&2 ||
	fail "cannot configure"
[ "$(grep -c '^CONFIG_MTDCOMPR[_A-Z0-9]*=y' "$obj/.config")" = 6 ] ||
	fail "Kconfig does not offer MTDCOMPR"

rm -rf "$obj/drivers/mtd/mtdcompr" "$obj/check.log" "$obj/checked"
sparse_log "$obj/sparse" "$obj"
status=0
kbuild W=1 C=2 CHECK="$obj/sparse" CF=-D__CHECK_ENDIAN__ drivers/mtd/mtdcompr/ \
	> "$obj/make.log" 2>&1 || status=$?
judge "$obj" "$status" "$what" built-in.a
[ "${1:-}" != compile ] || exit 0
rm -rf "$obj/drivers/mtd/mtdcompr"
kbuild vmlinux > "$obj/vmlinux.log" 2>&1 || {
	tail -n 30 "$obj/vmlinux.log" >&2
	fail "vmlinux was not linked"
}
for symbol in mtdc_comp_lz4 mtdc_comp_lzo mtdc_comp_zlib mtdc_comp_zstd mtdc_crypt_seal; do
	nm "$obj/vmlinux" | grep -q " $symbol\$" || fail "no $symbol in vmlinux"
done
result 0 "a vmlinux is linked with it"
