#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# build.sh [--src DIR] [--out DIR] [VARIABLE=VALUE...]: build mtdcompr.ko against
# the guest's kernel, in build/module-KREL, and bring the guest's modules tree up
# to date. With --src it builds the test module in that directory instead, in
# build/kmod-KREL/NAME. With --out it builds in another directory, and leaves
# the modules tree alone. The variables go to kbuild: CONFIG_MTDCOMPR_LZ4=n, W=1.
#
# The build directory is a farm of links to the sources, so that it cannot be
# stale, and so that a "make" for another kernel in the checkout does not meet
# it: what that makes is not linked.
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

# Two makes in one directory would tread on each other's feet.
exec 9>"$dir/.lock"
flock 9

# Links whose source is gone, first.
find "$dir" -xtype l -delete
# shellcheck disable=SC2086 # a list of words
( cd "$src" && find $parts -type f ! -name '*.mod.c' \
	\( -name Kbuild -o -name Makefile -o -name '*.[chS]' \) ) |
while read -r file; do
	[ "$dir/$file" -ef "$src/$file" ] && continue
	mkdir -p "$dir/$(dirname "$file")"
	ln -sfn "$src/$file" "$dir/$file"
done

# compile M [COMMAND...]: by way of COMMAND. BTF needs a vmlinux, which the packages of
# headers lack. KMAKE is what a kernel of our own was built with. The test modules have
# no include/ of their own, and none has a way to name ours.
compile()
{
	local m=$1
	shift

	# shellcheck disable=SC2046 # a list of words
	"$@" make -s -j "$(nproc)" -C "$(kernel KDIR)" M="$m" \
		CONFIG_DEBUG_INFO_BTF_MODULES= $(kernel KMAKE) \
		${variables[@]+"${variables[@]}"} modules >&2
}

# in_root: in the system of the kernel's suite, which does not see our files: on copies.
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

# build_all: kbuild tries by tiny compilations which options the compiler takes, and does not
# say why one fails. Twice in some hundred builds all of them failed for a moment, -mfentry
# among them, with a module that calls mcount(); the cause is not known. So a build that fails
# is made again from nothing, with a look at what such a compilation needs.
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
