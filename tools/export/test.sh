#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# test.sh [KERNEL...]: apply intree.sh's patch to kernel trees and build the driver there, built in
# and as a module, as one TAP stream. KERNEL is 6.1 (of Debian 12), a suite of Debian (experimental
# has the newest kernel), or a directory with the source. Default: 6.1 and experimental.
#
# O          directory for the output (build/export)
# MTDC_JOBS  parallel compiler runs (2)
#
# job: packages export
set -eu
# shellcheck source-path=SCRIPTDIR source=../../qemu/lib.sh
. "$(dirname "$0")/../../qemu/lib.sh"
# shellcheck source-path=SCRIPTDIR source=../../selftests/tap.sh
. "$top/selftests/tap.sh"
: "${MTDC_JOBS:=2}"
"$top/qemu/setup.sh" build debug check package
out=${O:-$top/build/export}
mkdir -p "$out"

# suite_source SUITE: sets ksrc
suite_source()
{
	local suite=$1 lines package version

	lines=$("$top/qemu/suite.sh" "$suite") || return 1
	package=linux-source-$(field KREL "$lines" | sed 's/^\([0-9]*\.[0-9]*\).*/\1/')
	version=$("$top/qemu/debs.sh" "$suite" all version "$package") || return 1
	ksrc=$cache/tree-$suite-$version
	exec 9>"$cache/.tree-$suite.lock"
	flock 9
	[ ! -s "$ksrc/Makefile" ] || return 0
	say "unpacking $package"
	# A digit begins the version; without it this would match suites with a longer name.
	rm -rf "$cache/tree-$suite"-[0-9]*
	"$top/qemu/debs.sh" "$suite" all unpack "$ksrc.deb" "$package" &&
	mkdir -p "$ksrc.tmp" &&
	tar -C "$ksrc.tmp" --strip-components=1 -xf "$ksrc.deb/usr/src/$package.tar.xz" || return 1
	rm -rf "$ksrc.deb"
	mv "$ksrc.tmp" "$ksrc"
}

find_ksrc()
{
	local kernel

	case $1 in
	/*)	ksrc=$1 ;;
	6.1)	kernel=$("$top/qemu/kernel.sh" --source) || return 1
		ksrc=$(field KSRC "$kernel") ;;
	*)	suite_source "$1" ;;
	esac
}

# Make a tree of links to the source, with copies of the files that the patch changes.
make_tree()
{
	local file

	rm -rf "$tree"
	cp -rs "$ksrc" "$tree"
	sed -n 's|^--- a/||p' "$patch" | while read -r file; do
		rm "$tree/$file"
		cp --remove-destination "$ksrc/$file" "$tree/$file"
	done
	patch -d "$tree" -p1 --fuzz=0 < "$patch"
}

kbuild()
{
	nice -n 10 make -j "$MTDC_JOBS" -C "$tree" O="$obj" ARCH=x86_64 CC=gcc-12 "$@"
}

# configure VALUE: a small kernel with the driver: y or m
configure()
{
	{
		grep '^CONFIG' "$top/selftests/builds/config.base"
		echo CONFIG_MTD_UBI=m
		echo "CONFIG_MTDCOMPR=$1"
		printf 'CONFIG_MTDCOMPR_%s=y\n' LZ4 LZO ZLIB ZSTD CRYPT
	} > "$obj/mini.config"
	kbuild -s KCONFIG_ALLCONFIG="$obj/mini.config" allnoconfig &&
	grep -qx "CONFIG_MTDCOMPR=$1" "$obj/.config" &&
	[ "$(grep -c '^CONFIG_MTDCOMPR_L*Z[A-Z0-9]*=y' "$obj/.config")" = 4 ]
}

# silent: the compiler has no warning about our files
silent()
{
	! grep -E '(drivers/mtd/mtdcompr|uapi/linux/mtdcompr).*(warning|error):' "$out/step.log"
}

# Run the kernel's scripts on the patch: maintainers and patch format. "make check" checks the lines
# themselves, with its list of exceptions.
who()
{
	( cd "$tree" && perl scripts/get_maintainer.pl --no-git --no-tree --no-rolestats \
		-f drivers/mtd/mtdcompr/main.c --sections ) | grep -x 'MTDCOMPR DRIVER'
}

references()
{
	! ( cd "$tree" && grep -ohE 'Documentation/[A-Za-z0-9/_.-]*\.rst' \
		Documentation/admin-guide/mtdcompr.rst Documentation/ABI/testing/*mtdcompr \
		drivers/mtd/mtdcompr/* |
		sort -u | while read -r file; do
			[ -e "$file" ] || echo "$file"
		done ) | grep .
}

one()
{
	local what

	find_ksrc "$1" || {
		result 1 "the source of the kernel of $1 is there"
		return
	}
	patch=$out/$(basename "$1").patch tree=$out/tree obj=$out/obj
	try "$1: the patch is made" make -s --no-print-directory -C "$top" export-intree \
		KERNEL="$ksrc" OUT="$patch" || return 0
	what=$(sed -n 's/^For Linux \([0-9.]*[0-9]\)\..*/\1/p' "$patch")
	try "$what: it applies" make_tree || return 0
	try "$what: git takes it, too" git -C "$tree" apply --check -R --unsafe-paths "$patch" || :
	try "$what: MAINTAINERS says whose it is" who || :
	try "$what: the pages that it names are there" references || :
	rm -rf "$obj"
	mkdir -p "$obj"
	try "$what: Kconfig offers it, built in" configure y || return 0
	try "$what: it is built in" kbuild drivers/mtd/mtdcompr/ || return 0
	result "$(silent >&2; echo $?)" "$what: without a warning"
	result "$([ -s "$obj/drivers/mtd/mtdcompr/built-in.a" ]; echo $?)" "$what: there is a built-in.a"
	try "$what: Kconfig offers it as a module" configure m || return 0
	# Without vmlinux modpost does not know the exported symbols. The out-of-tree build checks
	# them.
	try "$what: it is built as a module" kbuild KBUILD_MODPOST_WARN=1 \
		drivers/mtd/mtdcompr/mtdcompr.ko || return 0
	result "$(silent >&2; echo $?)" "$what: without a warning"
	result "$([ -s "$obj/drivers/mtd/mtdcompr/mtdcompr.ko" ]; echo $?)" "$what: there is a .ko"
	rm -rf "$tree" "$obj"
}

refusals()
{
	local status=0

	mkdir -p "$out/none"
	rm -f "$out/none.patch"
	make -s -C "$top" export-intree KERNEL="$out/none" OUT="$out/none.patch" \
		> "$out/step.log" 2>&1 || status=$?
	result "$([ $status != 0 ] && grep -q 'is no source of Linux' "$out/step.log" &&
		[ ! -e "$out/none.patch" ]; echo $?)" "a directory that is no kernel is refused"
	status=0
	make -s -C "$top" export-intree > "$out/step.log" 2>&1 || status=$?
	result "$([ $status != 0 ] && grep -q 'say which tree' "$out/step.log"; echo $?)" \
		"no directory at all is refused"
}

# The files named in MAINTAINERS exist.
named()
{
	sed -n 's/^F:\t//p' "$top/MAINTAINERS" | while read -r file; do
		[ -e "$top/$file" ] || echo "$file"
	done > "$out/step.log"
	sed 's/^/# /' "$out/step.log"
	result "$(wc -l < "$out/step.log")" "the files that MAINTAINERS names are there"
}

refusals
named
[ $# -gt 0 ] || set -- 6.1 experimental
for kernel; do
	one "$kernel"
done
end_results
