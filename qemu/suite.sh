#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# suite.sh SUITE [ARCH [FLAVOUR [gcc|clang]]]: provide a system to build a module for the kernel of
# a Debian release (linux-headers-FLAVOUR): a system of that release in the cache, with its tools
# and the headers. Prints KEY=VALUE lines:
#
#   KREL   release of the kernel, as in uname -r
#   KVER   Debian's package version
#   KROOT  the system, to be entered by qemu/debs.sh SUITE amd64 enter $KROOT
#   KDIR   the headers, as seen in there
#   KMAKE  variables for kbuild
#   KCC    the compiler
#
# The compiler is the kernel's own, or the release's clang.
set -eu
. "$(dirname "$0")/lib.sh"
debs=$top/qemu/debs.sh

[ $# -ge 1 ] || die "usage: suite.sh SUITE [ARCH [FLAVOUR [gcc|clang]]]"
suite=$1 arch=${2:-amd64}
flavour=${3:-$arch} kind=${4:-gcc}
root=$cache/root-$suite

# Names of Debian's ARCH in kbuild and in the compilers.
case $arch in
amd64)	karch=x86_64 cross='' ;;
i386)	karch=i386 cross=i686-linux-gnu ;;
armel)	karch=arm cross=arm-linux-gnueabi ;;
armhf)	karch=arm cross=arm-linux-gnueabihf ;;
arm64)	karch=arm64 cross=aarch64-linux-gnu ;;
s390x)	karch=s390 cross=s390x-linux-gnu ;;
*)	die "what is $arch?" ;;
esac

# resolve: find the packages.
resolve()
{
	local needs

	headers=$("$debs" "$suite" "$arch" depends "linux-headers-$flavour" \
		'linux-headers-[0-9][^ ]*' | tail -n 1)
	[ -n "$headers" ] || die "$suite has no linux-headers-$flavour for $arch"
	needs=$("$debs" "$suite" "$arch" depends "$headers")
	common=$(printf '%s\n' "$needs" | grep -- '-common\(-rt\)*$')
	gcc=$(printf '%s\n' "$needs" |
		sed -n 's/^\(linux-compiler-\)*\(gcc-[0-9]*\)\(-.*\)*$/\2/p' | head -n 1)
	[ "${common:+1}${gcc:+1}" = 11 ] || die "$headers needs no compiler?"
	kbuild=$(printf '%s\n' "$needs" | grep '^linux-kbuild-')
}

# tools: packages of the build machine's architecture, whatever they build for.
tools()
{
	tools=("$kbuild" make mawk perl sparse kmod binutils)
	kmake="ARCH=$karch"
	if [ -n "$cross" ]; then
		tools+=("binutils-$cross")
		kmake="$kmake CROSS_COMPILE=$cross-"
	fi
	case $kind in
	gcc)
		cc=${cross:+$cross-}$gcc
		tools+=("$gcc${cross:+-$cross}")
		kmake="$kmake CC=$cc" ;;
	clang)
		cc=mtdc-clang
		tools+=(clang lld llvm)
		# The headers' Makefiles name gcc, in spite of LLVM=, but the command line wins.
		kmake="$kmake LLVM=1 CC=$cc" ;;
	*)
		die "what is $kind?" ;;
	esac
}

provide()
{
	resolve && tools &&
	"$debs" "$suite" amd64 root "$root" "${tools[@]}" &&
	"$debs" "$suite" "$arch" unpack "$root" "$headers" "$common"
}

# Try again, because a package may have been replaced meanwhile.
provide || provide || die "no headers of $suite for $arch"
[ "$kind" != clang ] || install -m 755 "$top/qemu/clang.sh" "$root/usr/bin/$cc"

# The newest kernels check the version of sparse by a script that the packages lack; without it they
# do not run sparse at all.
valid=$root/usr/src/$common/scripts/checker-valid.sh
[ -e "$valid" ] || {
	printf '#!/bin/sh\necho 1\n' > "$valid"
	chmod +x "$valid"
}

cat <<END
KREL=${headers#linux-headers-}
KVER=$("$debs" "$suite" "$arch" version "$headers")
KROOT=$root
KDIR=/usr/src/$headers
KMAKE=$kmake
KCC=$cc
END
