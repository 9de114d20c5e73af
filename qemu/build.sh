#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# build.sh [--src DIR] [--out DIR] [VARIABLE=VALUE...]: build mtdcompr.ko against the guest's
# kernel, in build/module-KREL, and update the guest's modules tree. With --src it builds the test
# module in that directory instead, in build/kmod-KREL/NAME. With --out it builds in another
# directory, and leaves the modules tree alone. The variables go to kbuild: CONFIG_MTDCOMPR_LZ4=n,
# W=1.
#
# The build directory consists of links to the sources, so it is never stale, and a "make" for
# another kernel in the checkout does not disturb it: generated files are not linked.
set -eu
. "$(dirname "$0")/lib.sh"

src='' out=''
while [ $# -gt 0 ]; do
	case $1 in
	--src|--out)
		[ $# -gt 1 ] || die "$1 needs a directory" ;;
	esac
	case $1 in
	--src)	src=$(cd "$2" && pwd -P) || exit 1; shift ;;
	--out)	out=$2; shift ;;
	*=*)	break ;;
	*)	die "what is $1?" ;;
	esac
	shift
done

if [ -n "$src" ]; then
	parts=.
else
	src=$top
	parts="Kbuild drivers include"
fi
[ -f "$src/Kbuild" ] || [ "$parts" = . ] || die "no Kbuild in $src"
"$top/qemu/setup.sh" build
if [ -z "${MTDC_KERNEL:-}" ]; then
	MTDC_KERNEL=$("$top/qemu/kernel.sh") || exit 1
fi
krel=$(kernel KREL)

case $out$src in
"$top")	dir=$build/module-$krel ;;
"$src")	dir=$build/kmod-$krel/${src##*/} ;;
*)	dir=$out ;;
esac
mkdir -p "$dir"
dir=$(cd "$dir" && pwd -P)

# Two makes in one directory would disturb each other.
exec 9>"$dir/.lock"
flock 9

# First delete links without a source.
find "$dir" -xtype l -delete
# shellcheck disable=SC2086 # a list of words
( cd "$src" && find $parts -type f ! -name '*.mod.c' \
	\( -name Kbuild -o -name Makefile -o -name '*.[chS]' \) ) |
while read -r file; do
	[ "$dir/$file" -ef "$src/$file" ] && continue
	mkdir -p "$dir/$(dirname "$file")"
	ln -sfn "$src/$file" "$dir/$file"
done

# compile M [COMMAND...]: run make through COMMAND. BTF needs a vmlinux, which the header packages
# lack. KMAKE has the variables of a kernel that was built here. The test modules have no include/
# of their own, and must not use the driver's.
compile()
{
	local m=$1
	shift

	# shellcheck disable=SC2046 # a list of words
	"$@" make -s -j "$(nproc)" -C "$(kernel KDIR)" M="$m" \
		CONFIG_DEBUG_INFO_BTF_MODULES= $(kernel KMAKE) \
		${variables[@]+"${variables[@]}"} modules >&2
}

# in_root: build in a system of the kernel's Debian release, which can't see the checkout, on
# copies.
in_root()
{
	local root suite inner
	root=$(kernel KROOT)
	suite=$(kernel KSUITE)
	inner=/build/$(printf '%s' "$dir" | sha256sum | cut -c 1-16)

	rm -rf "${root:?}$inner"
	mkdir -p "$root$inner/compat"
	tar -C "$dir" -ch --exclude='*.o' --exclude='*.ko' --exclude='.*.cmd' . |
		tar -C "$root$inner" -x
	cp -r "$top/include/compat/." "$root$inner/compat/"
	variables+=(KCPPFLAGS="-I$inner/compat")
	compile "$inner" "$top/qemu/debs.sh" "$suite" amd64 enter "$root" || return 1
	( cd "$root$inner" && find . -name '*.ko' -print0 | tar --null -T - -c ) |
		tar -C "$dir" -x || return 1
	rm -rf "${root:?}$inner"
}

# build_all: kbuild finds the compiler's options by tiny compilations, and does not report why one
# fails. Twice in a few hundred builds all of them failed for a moment, even -mfentry, which gave a
# module that calls mcount(); the cause is unknown. So a failed build is repeated from scratch, and
# the script checks what such a compilation needs.
build_all()
{
	if [ -n "$(kernel KROOT)" ]; then
		in_root
	else
		compile "$dir"
	fi
}

variables=("$@")
build_all || {
	say "the build failed; once more, from nothing"
	ls -ld /dev/null "${TMPDIR:-/tmp}" "$dir" >&2
	df -k "${TMPDIR:-/tmp}" "$dir" >&2
	find "$dir" -type f \( -name '*.o' -o -name '.*.cmd' -o -name '*.mod*' \) -delete
	build_all
}

[ -n "$out" ] || "$top/qemu/modtree.sh" "$krel" "$(kernel MODROOT)" >/dev/null
