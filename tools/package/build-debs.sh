# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Variables of qemu/lib.sh, of roots.sh and of the test that sources this file:
# shellcheck disable=SC2154
#
# Sourced by the tests of packages, after roots.sh: build the packages of this tree as a
# user would, into $out/debs. The build prints TAP results of its own.

: "${MTDC_JOBS:=2}"
debs=$out/debs
# Hash of the tree: packages of an earlier run are reused only if it is the same.
tree=$({
	"$top/selftests/source-hash.sh"
	cat "$top"/debian/* 2>/dev/null || :
} | sha256sum)

# export_tree DIR: copy the files of a release: tracked and new files if there is git, else all
# files except build results.
export_tree()
{
	rm -rf "$1"
	mkdir -p "$1"
	if git -C "$top" rev-parse HEAD >/dev/null 2>&1; then
		# shellcheck disable=SC2016 # for the inner shell
		( cd "$top" && git ls-files -z -co --exclude-standard |
			xargs -0 sh -c 'for f; do [ ! -e "$f" ] || printf "%s\0" "$f"; done' sh |
			tar -c --null -T - ) | tar -x -C "$1" --no-same-owner
	else
		tar -C "$top" -c --exclude=./build --exclude=./.git . | tar -x -C "$1" --no-same-owner
	fi
}

# needs_debs: build the packages unless they are of this tree
needs_debs()
{
	[ "$(cat "$debs/.tree" 2>/dev/null)" = "$tree" ] || build
}

# build_key: hash of the build dependencies
build_key()
{
	awk '/^[^ ]/ { on = /^Build-Depends/ } on' "$top/debian/control" | sha256sum
}

build_needs()
{
	local dir=${!#}

	mkdir -p "$dir/needs/debian"
	cp "$top/debian/control" "$top/debian/changelog" "$dir/needs/debian/"
	apt_inside "$dir" build-dep /needs
}

built=
build()
{
	local status=0

	[ -z "$built" ] || return 0
	built=1
	rm -rf "$debs"
	mkdir -p "$debs"
	provide build "$(build_key)" build_needs || {
		result 1 "what debian/control wants for building can be installed"
		return 1
	}
	result 0 "what debian/control wants for building can be installed"
	rm -rf "$root/build"
	export_tree "$root/build/mtdcompr"
	rm -rf "$out/tree"
	cp -a "$root/build/mtdcompr" "$out/tree"
	inside "$root" sh -c "cd /build/mtdcompr && DEB_BUILD_OPTIONS=parallel=$MTDC_JOBS \
		dpkg-buildpackage -us -uc -b" > "$out/build.log" 2>&1 || status=$?
	[ $status = 0 ] || tail -n 15 "$out/build.log" | sed 's/^/# /'
	result $status "dpkg-buildpackage -us -uc -b"
	[ $status = 0 ] || return 1
	mv "$root"/build/*.deb "$root"/build/*.changes "$root"/build/*.buildinfo "$debs/"
	result "$(grep -c ': warning: ' "$out/build.log")" "the compilers warn of nothing"
	try "the version is that of the programs" grep -qxF "#define VERSION \"$(
		sed -n '1s/.*(\(.*\)).*/\1/p' "$top/debian/changelog")\"" "$top/tools/common/version.h"
	try "what was built is removed by its rule" \
		inside "$root" sh -c "cd /build/mtdcompr && debian/rules clean"
	try "and leaves the tree as it was" diff -r "$out/tree" "$root/build/mtdcompr"
	try "the source package is made" inside "$root" sh -c "cd /build && dpkg-source -b mtdcompr"
	rm -rf "$out/tree" "$root/build"
	echo "$tree" > "$debs/.tree"
}
