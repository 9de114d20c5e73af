#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# kernel.sh: build the kernel of the paper's board from Debian's source and print
# KEY=VALUE lines, as qemu/kernel.sh does:
#
#   KREL     release, as in uname -r
#   KDIR     object tree, to build modules against
#   ZIMAGE   the kernel image
#   SYMBOLS  its System.map
#   MODROOT  directory with its modules below lib/modules/$KREL
#
# The result is kept in the cache, named by the hash of all that it is made of:
# the source's version, the config, the compiler, and this script.
set -eu
. "$(dirname "$0")/../lib.sh"
PATH=$PATH:/sbin:/usr/sbin
here=$top/qemu/board
cross=arm-linux-gnueabi-

[ $# = 0 ] || die "takes no arguments"
"$top/qemu/setup.sh" build board

# The caller may have looked up the source already.
ksrc=$(printf '%s\n' "${MTDC_KERNEL:-}" | sed -n 's/^KSRC=//p')
if [ -z "$ksrc" ]; then
	ksrc=$("$top/qemu/kernel.sh" --source | sed -n 's/^KSRC=//p') || exit 1
fi
[ -s "$ksrc/arch/arm/configs/mainstone_defconfig" ] ||
	die "no mainstone_defconfig in the kernel's source \"$ksrc\""

# The names and times that kbuild would put into the image are of no interest,
# and would make a difference of each build.
kbuild()
{
	KBUILD_BUILD_USER=mtdcompr KBUILD_BUILD_HOST=board \
		KBUILD_BUILD_TIMESTAMP='2024-01-01 00:00 UTC' \
		make -C "$ksrc" O="$new/build" ARCH=arm CROSS_COMPILE="$cross" "$@"
}

# configure: defconfig and our fragment, and a look whether all of it is there:
# kbuild drops what it does not know or what lacks a dependency, and says nothing.
configure()
{
	local line name lost=

	cat "$ksrc/arch/arm/configs/mainstone_defconfig" "$here/config" \
		> "$new/build/.config"
	kbuild -s olddefconfig 2>"$new/config.log" || {
		cat "$new/config.log" >&2
		return 1
	}
	while read -r line; do
		name=${line#\# }
		name=${name%%[ =]*}
		case $line in
		CONFIG_*)
			grep -qxF "$line" "$new/build/.config" ;;
		'# CONFIG_'*' is not set')
			! grep -q "^$name=" "$new/build/.config" ;;
		esac || lost="$lost $name"
	done < "$here/config"
	[ -z "$lost" ] || die "these options of the config did not take:$lost"
}

# progress: kbuild says a line for each file; there are about so many.
progress()
{
	awk -v files=1130 '
		/^  (CC|AS|LD|AR)/ && ++n % 100 == 0 {
			printf "   %d of about %d files\n", n, files
			fflush()
		}
		/[Ee]rror:|[Ww]arning:/ { print; fflush() }' >&2
}

compile()
{
	local jobs
	jobs=$(nproc)

	say "building the board's kernel, some minutes"
	# pipefail: the status of make counts.
	kbuild -j "$jobs" zImage modules 2>&1 | tee "$new/build.log" | progress || {
		tail -n 30 "$new/build.log" >&2
		return 1
	}
	kbuild -s INSTALL_MOD_PATH="$new" INSTALL_MOD_STRIP=1 modules_install \
		> "$new/install.log" 2>&1 || {
		cat "$new/install.log" >&2
		return 1
	}
}

# prune: of the object tree only that which building a module needs.
prune()
{
	local release
	release=$(cat "$new/build/include/config/kernel.release")

	cp "$new/build/arch/arm/boot/zImage" "$new/build/System.map" "$new/"
	find "$new/build" \( -path "$new/build/scripts" -o \
		-path "$new/build/include" -o \
		-path "$new/build/arch/arm/include" \) -prune -o -type f \
		! -name .config ! -name Makefile ! -name Module.symvers \
		! -name auto.conf -exec rm -f {} +
	find "$new/build" -depth -type d -empty -delete
	rm -f "$new/lib/modules/$release/build" "$new/lib/modules/$release/source"
	rm -f "$new"/*.log
}

# By what is executed, so that a comment more does not cost minutes.
hash=$({
	echo "${ksrc##*/}"
	cat "$here/config"
	declare -f kbuild configure compile prune
	"${cross}gcc" --version
} | sha256sum | cut -c 1-16)
dir=$cache/board-$hash
new=$dir.new

# key_sizes: of the files without which nothing works.
key_sizes()
{
	stat -c '%s %n' zImage System.map build/.config build/Module.symvers \
		build/scripts/mod/modpost build/include/generated/autoconf.h \
		lib/modules/*/modules.dep
}

intact()
{
	[ -s "$dir/.sizes" ] &&
	[ "$(cd "$dir" && key_sizes 2>/dev/null)" = "$(cat "$dir/.sizes")" ]
}

build_kernel()
{
	rm -rf "$cache"/board-*.new
	mkdir -p "$new/build"
	configure && compile && prune || return 1
	( cd "$new" && key_sizes ) > "$new/.sizes" || return 1
	# Renamed last: what has its final name is whole.
	rm -rf "$dir"
	mv "$new" "$dir"
}

set -o pipefail
# One at a time: several tests may start on an empty cache.
mkdir -p "$cache"
exec 9>"$cache/.board.lock"
flock 9
intact || build_kernel || die "could not build the board's kernel"
intact || die "the board's kernel does not look as expected: $dir"

krel=$(cat "$dir/build/include/config/kernel.release")
cat <<END
KREL=$krel
KDIR=$dir/build
ZIMAGE=$dir/zImage
SYMBOLS=$dir/System.map
MODROOT=$dir
END
