#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# setup.sh GROUP...: install missing Debian packages for a group of make targets; packages() below
# has the groups. Silent and quick if all are installed. On other systems it lists the missing ones,
# as far as it can tell, and fails.
set -eu
. "$(dirname "$0")/lib.sh"

# The library of clang's fuzzer and sanitizers has clang's version in its name.
clang_rt()
{
	apt-cache depends clang 2>/dev/null |
		sed -n 's/^ *Depends: clang-\([0-9]*\)$/libclang-rt-\1-dev/p'
}

# "package:program" names the program to look for on other systems. gcc-12 is the compiler of
# Debian's 6.1 kernel, libelf1 and libssl3 are for the objtool and sign-file in linux-kbuild (which
# is unpacked, not installed). python3-prometheus-client has Prometheus' own parser for the output
# of mtdcomprctl; zsh and groff check its completion and its man page. Sphinx makes the site of
# Documentation; make check requires it to print no warning, and skips this without Sphinx.
packages()
{
	case $1 in
	build)	echo "make:make gcc-12:gcc-12 gcc:gcc libc6-dev libelf1 libssl3
		kmod:modprobe xz-utils:xz zstd:zstd perl:perl util-linux:flock" ;;
	guest)	echo "qemu-system-x86:qemu-system-x86_64 cpio:cpio gcc:gcc
		libc6-dev kmod:modprobe" ;;
	board)	echo "gcc-arm-linux-gnueabi:arm-linux-gnueabi-gcc
		libc6-dev-armel-cross qemu-system-arm:qemu-system-arm
		mtd-utils:mkfs.jffs2 bc:bc bison:bison flex:flex gcc:gcc
		libc6-dev kmod:modprobe ccache:ccache" ;;
	armhf)	echo "gcc-arm-linux-gnueabihf:arm-linux-gnueabihf-gcc libc6-dev-armhf-cross" ;;
	mips)	echo "gcc-mips-linux-gnu:mips-linux-gnu-gcc libc6-dev-mips-cross
		qemu-system-mips:qemu-system-mips bc:bc bison:bison flex:flex
		gcc:gcc libc6-dev ccache:ccache bzip2:bzip2 cpio:cpio kmod:modprobe" ;;
	arm64)	echo "gcc-12-aarch64-linux-gnu:aarch64-linux-gnu-gcc-12
		gcc-aarch64-linux-gnu:aarch64-linux-gnu-gcc libc6-dev-arm64-cross
		qemu-system-arm:qemu-system-aarch64 cpio:cpio kmod:modprobe" ;;
	i386)	echo "gcc-12-i686-linux-gnu:i686-linux-gnu-gcc-12
		gcc-i686-linux-gnu:i686-linux-gnu-gcc libc6-dev-i386-cross
		qemu-system-x86:qemu-system-i386 cpio:cpio kmod:modprobe" ;;
	debug)	echo "ccache:ccache gcc-12:gcc-12 gcc:gcc libc6-dev libelf-dev bc:bc bison:bison
		flex:flex perl:perl" ;;
	tools)	echo "gcc:gcc make:make libc6-dev pkg-config:pkg-config
		clang:clang bpftool:bpftool libbpf-dev" ;;
	vehicle) echo "g++:g++ libopencv-imgproc-dev procps:ps" ;;
	desktop) echo "libxcb1-dev libwayland-dev:wayland-scanner librust-wayland-protocols-dev xvfb:Xvfb
		x11-utils:xprop openbox:openbox xterm:xterm xdotool:xdotool sway:sway foot:foot
		util-linux:setpriv" ;;
	marvin)	echo "gcc:gcc make:make libc6-dev pkg-config:pkg-config libxxhash-dev lua5.4:lua5.4
		liblua5.4-dev spin:spin g++:g++ sqlite3:sqlite3 nodejs:node" ;;
	hardening) echo "dpkg-dev:dpkg-buildflags musl-tools:musl-gcc gcc-arm-linux-gnueabi:arm-linux-gnueabi-gcc
		libc6-dev-armel-cross gcc-arm-linux-gnueabihf:arm-linux-gnueabihf-gcc
		libc6-dev-armhf-cross gcc-aarch64-linux-gnu:aarch64-linux-gnu-gcc libc6-dev-arm64-cross
		binutils:readelf pkg-config:pkg-config" ;;
	boot)	echo "gcc:gcc make:make libc6-dev systemd:systemd-analyze shellcheck:shellcheck
		groff-base:groff device-tree-compiler:dtc dash:dash sudo:visudo util-linux:setpriv" ;;
	ctl)	echo "gcc:gcc make:make libc6-dev python3:python3 python3-prometheus-client
		zsh:zsh groff-base:groff" ;;
	latd)	echo "earlyoom:earlyoom python3:python3 python3-matplotlib" ;;
	quick)	echo "mtd-utils:ubiattach" ;;
	unit)	echo "libxxhash-dev gcc-12-multilib" ;;
	test)	echo "libxxhash-dev gcc-12-multilib python3:python3 mtd-utils:nandtest fio:fio
		e2fsprogs:mkfs.ext4 xz-utils:xz dmsetup:dmsetup procps:pgrep dpkg-dev:dpkg-buildflags" ;;
	check)	echo "sparse:sparse shellcheck:shellcheck perl:perl
		xz-utils:xz python3:python3 python3-sphinx python3-sphinx-rtd-theme mandoc:mandoc" ;;
	# mandoc makes the man pages of the site: one command, and HTML that fits into a page.
	docs)	echo "python3:python3 python3-sphinx:sphinx-build python3-sphinx-rtd-theme
		mandoc:mandoc git:git" ;;
	cocci)	echo "coccinelle:spatch" ;;
	bench)	echo "python3:python3 perl:perl nodejs:node sqlite3:sqlite3
		gdb:gdb git:git mawk:awk" ;;
	native)	echo "linux-perf:perf util-linux:chrt binutils:nm patch:patch gcc:gcc libc6-dev" ;;
	paper)	echo "python3:python3 python3-matplotlib" ;;
	programs) echo "python3:python3 nodejs:node sqlite3:sqlite3 w3m:w3m mupdf-tools:mutool g++:g++
		git:git vim:vim lua5.4:lua5.4 gzip:gzip
		libopencv-imgproc-dev" ;;
	coverage) echo "python3:python3 gcovr:gcovr gcc-12:gcov-12" ;;
	fuzz)	echo "clang:clang $(clang_rt)" ;;
	ci)	echo "git:git" ;;
	demo)	echo "python3:python3" ;;
	suites)	echo "stress-ng:stress-ng stressapptest:stressapptest
		memtester:memtester bc:bc gcc:gcc libc6-dev" ;;
	clang)	echo "clang:clang lld:ld.lld llvm:llvm-nm" ;;
	package) echo "debootstrap:debootstrap e2fsprogs:mkfs.ext4 git:git make:make util-linux:unshare
		kmod:modinfo patch:patch" ;;
	*)	return 1 ;;
	esac
}

[ $# -gt 0 ] || die "usage: setup.sh GROUP... (see packages() in it)"

# The lists may be absent, see below.
case " $* " in
*" fuzz "*)	! is_debian || [ -n "$(clang_rt)" ] || apt_update ;;
esac

# The packages of all groups asked for.
want=
for group; do
	want="$want $(packages "$group")" || die "unknown group \"$group\""
done

missing=
if is_debian; then
	for item in $want; do
		package=${item%%:*}
		status=$(dpkg-query -W -f='${db:Status-Status}' "$package" \
			2>/dev/null) || status=
		[ "$status" = installed ] || missing="$missing $package"
	done
	[ -n "$missing" ] || exit 0
else
	# On another system the programs can be checked, libraries can't.
	for item in $want; do
		case $item in
		*:*)	PATH=$PATH:/sbin:/usr/sbin \
				command -v "${item#*:}" >/dev/null ||
				missing="$missing ${item#*:}" ;;
		esac
	done
	[ -n "$missing" ] || exit 0
	say "not a Debian system, please install yourself:"
	for item in $missing; do
		printf '   %s\n' "$item" >&2
	done
	exit 1
fi

say "installing:$missing"
apt_install()
{
	# No recommends: QEMU alone would bring a desktop. No questions: stdin may be closed. Wait
	# for another apt's lock.
	# shellcheck disable=SC2086 # a list of words
	as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y \
		-o DPkg::Lock::Timeout=300 \
		install --no-install-recommends $missing </dev/null >&2
}

# The lists may be absent (fresh container) or name files that are gone.
apt_install || { apt_update && apt_install; } ||
	die "could not install:$missing"
