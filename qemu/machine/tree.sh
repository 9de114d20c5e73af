# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # the sourcing script's variabless
#
# Sourced by build.sh, which sets
#
#   out      directory to build in
#   cross    prefix of the cross compiler
#   kernel   output of the kernel's script
#   busybox  path of a static busybox for it
#   root     directory for the root file system

# build_module DIRECTORY [OPTION...]: build a module there, out of tree.
build_module()
{
	local into=$out/$1
	shift
	mkdir -p "$into"
	# shellcheck disable=SC2046 # a list of words
	MTDC_KERNEL=$kernel "$top/qemu/build.sh" "$@" --out "$into" 8>&-
}

# build_modules [VARIABLE=VALUE...]: build mtdcompr.ko with these, and the tests' modules.
build_modules()
{
	MTDC_KERNEL=$kernel "$top/qemu/build.sh" --out "$out/module" "$@" 8>&-
	build_module mtdsim --src "$top/selftests/mtdsim"
	build_module faultmtd --src "$top/selftests/modules/faultmtd"
}

# build_tools: static, because the libraries would need more memory than sharing saves.
build_tools()
{
	local source program tool

	mkdir -p "$out/tools"
	for source in "$machines/rngseed.c" "$top"/selftests/lib/*.c \
		"$top/tools/lab/bench/membench.c"; do
		program=$out/tools/$(basename "$source" .c)
		if [ "$program" -nt "$source" ] &&
		   [ -z "$(find "${source%/*}" -name '*.h' -newer "$program")" ]; then
			continue
		fi
		"${cross}gcc" -std=gnu11 -Os -Wall -Wextra -Werror -static -s \
			-o "$program" "$source" || return 1
	done
	# Debian has no packages for this machine: build without the optional libraries.
	for tool in latd proswapd rectifyd lab/memload; do
		make -s -C "$top/tools/$tool" O="$out/made" CC="${cross}gcc" CFLAGS=-Os \
			STATIC=1 WITHOUT=libbpf 8>&- || return 1
		"${cross}strip" -o "$out/tools/${tool##*/}" "$out/made/${tool##*/}" || return 1
	done
	# Small, as on a real board.
	if [ "$cross" = arm-linux-gnueabi- ]; then
		"$top/tools/mtdcomprctl/static.sh" "$out/ctl" 8>&- >&2 || return 1
		cp "$out/ctl/mtdcomprctl" "$out/tools/"
	fi
}

# applets: the names of busybox's applets. Only the machine itself could run busybox to list them;
# the list is in its text, each name followed by a NUL, in this order.
applets()
{
	tr '\0' '\n' < "$busybox" | LC_ALL=C awk '
		$0 == "[[" && last == "[" { on = 1; print last }
		on && !/^[][a-z0-9_.-]+$/ { exit }
		on
		{ last = $0 }' | sort -u
}

# ours: files of the modules built here
ours()
{
	find "$out/module" "$out/mtdsim" "$out/faultmtd" -name '*.ko'
}

# plant MODULE...: make the root file system with all modules of the kernel, or with these, those
# that the driver needs, and their dependencies.
plant()
{
	local name dir krel modroot

	krel=$(field KREL "$kernel")
	modroot=$(field MODROOT "$kernel")
	rm -rf "$root.new"
	for dir in proc sys dev run tmp root etc mtdc usr/bin usr/sbin lib; do
		mkdir -p "$root.new/$dir"
	done
	ln -s usr/bin "$root.new/bin"
	ln -s usr/sbin "$root.new/sbin"
	cp "$busybox" "$root.new/usr/bin/busybox"
	applets > "$out/applets"
	grep -qx swapon "$out/applets" ||
		die "found no list of applets in busybox"
	while read -r name; do
		[ "$name" = busybox ] || ln -s busybox "$root.new/usr/bin/$name"
	done < "$out/applets"
	# The kernel calls modprobe by this name.
	ln -s ../bin/busybox "$root.new/usr/sbin/modprobe"
	cp "$out/tools"/* "$root.new/usr/bin/"
	install -m 755 "$machines/init" "$root.new/init"
	install -m 644 "$top/qemu/judge.sh" "$root.new/judge.sh"
	[ ! -f "$machines/$machine.leave" ] ||
		install -m 755 "$machines/$machine.leave" "$root.new/mtdc/leave"

	plant_modules "$krel" "$modroot" "$@"
	mkdir -p "$root.new/lib/modules/$krel/extra"
	ours | while read -r name; do
		"${cross}strip" --strip-debug -o \
			"$root.new/lib/modules/$krel/extra/${name##*/}" "$name"
	done
	depmod -b "$root.new" "$krel"

	rm -rf "$root"
	mv "$root.new" "$root"
}

# plant_modules KREL MODROOT [MODULE...]
plant_modules()
{
	local krel=$1 modroot=$2 dir=$root.new/lib/modules/$1 module
	shift 2

	if [ $# = 0 ]; then
		mkdir -p "$dir"
		cp -r "$modroot/lib/modules/$krel/." "$dir/"
		return
	fi
	mkdir -p "$dir"
	cp "$modroot/lib/modules/$krel"/modules.builtin* "$dir/"
	cp "$modroot/lib/modules/$krel"/modules.order "$dir/"
	# shellcheck disable=SC2046 # a list of words
	for module in "$@" $(ours | xargs -n 1 modinfo -F depends | tr , ' '); do
		modprobe -C /dev/null -d "$modroot" -S "$krel" --show-depends "$module" ||
			die "the kernel $krel has no module $module"
	done | sed -n 's/^insmod \([^ ]*\).*/\1/p' | sort -u |
	while read -r module; do
		cp "$module" "$dir/"
	done
}
