#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# headers.sh SUITE ARCH FLAVOUR gcc|clang: build the module against Debian's header
# package linux-headers-FLAVOUR of SUITE for ARCH, in a system of that suite, with its
# compiler and its sparse. Nothing may be said about our files.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/lib.sh"
suite=$1 arch=$2 flavour=$3 kind=$4
"$top/qemu/setup.sh" build

# Which kernel, and which compiler it was made with.
krel=$("$debs" "$suite" "$arch" depends "linux-headers-$flavour" \
	'linux-headers-[0-9][^ ]*' | tail -n 1)
[ -n "$krel" ] || fail "$suite has no linux-headers-$flavour for $arch"
krel=${krel#linux-headers-}
needs=$("$debs" "$suite" "$arch" depends "linux-headers-$krel")
gcc=$(printf '%s\n' "$needs" |
	sed -n 's/^\(linux-compiler-\)*\(gcc-[0-9]*\)\(-.*\)*$/\2/p' | head -n 1)
[ -n "$gcc" ] || fail "linux-headers-$krel names no compiler"
echo "kernel $krel"

common=$(printf '%s\n' "$needs" | grep -- '-common$')
tools=($(printf '%s\n' "$needs" | grep '^linux-kbuild-'))
root=$cache/root-$suite
tools+=(make mawk perl sparse kmod binutils)
cross=$(triplet "$arch")
vars=(ARCH="$(karch "$arch")")
prefix=
if [ "$arch" != amd64 ]; then
	tools+=("binutils-$cross")
	prefix=$cross-
	vars+=(CROSS_COMPILE="$prefix")
fi
case $kind in
gcc)
	cc=$prefix$gcc
	[ "$arch" = amd64 ] && tools+=("$gcc") || tools+=("$gcc-$cross")
	vars+=(CC="$cc") ;;
clang)
	cc=clang
	tools+=(clang lld llvm)
	vars+=(LLVM=1) ;;
esac

"$debs" "$suite" amd64 root "$root" "${tools[@]}" ||
	cannot "no packages of $suite"
"$debs" "$suite" "$arch" unpack "$root" "linux-headers-$krel" "$common" ||
	cannot "no packages of $suite for $arch"
inside()
{
	"$debs" "$suite" amd64 enter "$root" "$@"
}
echo "compiler $(inside "$cc" --version | sed -n '1s/ (.*)//; 1s/^Debian //; 1p')"

# The newest kernels ask whether sparse is new enough for them, by a script that the
# packages lack; without it they do not run sparse at all.
valid=$root/usr/src/$common/scripts/checker-valid.sh
[ -e "$valid" ] || printf '#!/bin/sh\necho 1\n' > "$valid"
chmod +x "$valid"

work=$root/build/$MTDC_LANE
sources "$work"
sparse_log "$work/sparse" "/build/$MTDC_LANE"
status=0
inside make -j "$(nproc)" -C "/usr/src/linux-headers-$krel" \
	M="/build/$MTDC_LANE" "${vars[@]}" CONFIG_DEBUG_INFO_BTF_MODULES= \
	W=1 C=2 CHECK="/build/$MTDC_LANE/sparse" CF=-D__CHECK_ENDIAN__ modules \
	> "$work/make.log" 2>&1 || status=$?
judge "$work" "$status"
