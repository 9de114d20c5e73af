#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# build.sh [VARIABLE=VALUE...]: make what the paper's board boots: its kernel (see
# kernel.sh), mtdcompr.ko and the simulator's module against it, the tests' helpers
# and the benchmark as static programs, and of all that, with busybox, the tree
# that becomes the board's root file system. It stays in build/board/root; run.sh
# makes an image of it, as each run has its own script in there. The variables go
# to the build of mtdcompr.ko: CONFIG_MTDCOMPR_ZSTD=n. Prints KEY=VALUE lines:
#
#   KREL     release, as in uname -r
#   ZIMAGE   the kernel image
#   ROOT     the tree of the root file system
set -eu
. "$(dirname "$0")/../lib.sh"
PATH=$PATH:/sbin:/usr/sbin
here=$top/qemu/board
cross=arm-linux-gnueabi-
board=$build/board
root=$board/root
new=$board/root.new

for variable; do
	case $variable in
	*=*)	;;
	*)	die "what is $variable?" ;;
	esac
done

kernel=$("$here/kernel.sh") || exit 1
field()
{
	printf '%s\n' "$kernel" | sed -n "s/^$1=//p"
}
krel=$(field KREL)
busybox=$("$here/busybox.sh") || exit 1

# One at a time, and not while a run copies the tree.
mkdir -p "$board"
exec 8>"$board/.lock"
flock 8

# module DIRECTORY [OPTION...]: build a module there, out of tree.
module()
{
	local out=$board/$1
	shift
	mkdir -p "$out"
	MTDC_KERNEL=$kernel "$top/qemu/build.sh" "$@" \
		ARCH=arm CROSS_COMPILE="$cross" 8>&-
}

modules()
{
	module module --out "$board/module" "$@"
	if [ -d "$top/selftests/mtdsim" ]; then
		module mtdsim --src "$top/selftests/mtdsim" --out "$board/mtdsim"
	fi
}

# tools: static, because the libraries would need more memory than they share.
tools()
{
	local source out

	mkdir -p "$board/tools"
	for source in "$here"/*.c "$top"/selftests/lib/*.c \
		"$top/tools/bench/membench.c"; do
		[ -f "$source" ] || continue
		out=$board/tools/$(basename "$source" .c)
		if [ "$out" -nt "$source" ] &&
		   [ -z "$(find "${source%/*}" -name '*.h' -newer "$out")" ]; then
			continue
		fi
		"${cross}gcc" -std=gnu11 -Os -Wall -Wextra -Werror -static -s \
			-o "$out" "$source" || return 1
	done
}

# applets: the names that busybox has, which only the board itself could ask it
# for; the list is in its text, each name followed by a NUL, in this order.
applets()
{
	tr '\0' '\n' < "$busybox" | LC_ALL=C awk '
		$0 == "[[" && last == "[" { on = 1; print last }
		on && !/^[][a-z0-9_.-]+$/ { exit }
		on
		{ last = $0 }' | sort -u
}

# plant: the tree, of what was built.
plant()
{
	local name dir

	rm -rf "$new"
	for dir in proc sys dev run tmp root etc mtdc usr/bin usr/sbin lib; do
		mkdir -p "$new/$dir"
	done
	ln -s usr/bin "$new/bin"
	ln -s usr/sbin "$new/sbin"
	cp "$busybox" "$new/usr/bin/busybox"
	applets > "$board/applets"
	grep -qx swapon "$board/applets" ||
		die "found no list of applets in busybox"
	while read -r name; do
		[ "$name" = busybox ] || ln -s busybox "$new/usr/bin/$name"
	done < "$board/applets"
	# The kernel calls modprobe by this name.
	ln -s ../bin/busybox "$new/usr/sbin/modprobe"
	cp "$board/tools"/* "$new/usr/bin/"
	install -m 755 "$here/init" "$new/init"

	cp -r "$(field MODROOT)/lib/modules" "$new/lib/"
	mkdir -p "$new/lib/modules/$krel/extra"
	find "$board/module" "$board/mtdsim" -name '*.ko' 2>/dev/null |
	while read -r name; do
		"${cross}strip" --strip-debug -o \
			"$new/lib/modules/$krel/extra/${name##*/}" "$name"
	done
	depmod -b "$new" "$krel"

	rm -rf "$root"
	mv "$new" "$root"
}

say "building for the board"
modules "$@"
tools || die "could not build the tools"
plant

cat <<END
KREL=$krel
ZIMAGE=$(field ZIMAGE)
ROOT=$root
END
