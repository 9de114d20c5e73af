#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# kernel.sh [--source | --suite SUITE]: fetch Debian's stock kernel and its headers,
# unpack them in the cache (nothing is installed), and print KEY=VALUE lines:
#
#   KREL     release, as in uname -r
#   KVER     Debian's package version
#   KDIR     headers, to build modules against
#   VMLINUZ  the kernel image
#   VMLINUX  the same uncompressed
#   MODROOT  directory with the stock modules below lib/modules/$KREL
#   MODDIR   $MODROOT/lib/modules/$KREL
#   KSRC     the kernel's source (--source only)
#
# The kernel of another SUITE, such as trixie or sid, is built for in a system of that
# suite (see suite.sh), which these lines describe; KDIR is a path in there:
#
#   KROOT, KSUITE, KMAKE   see suite.sh
#   KMEM     MiB of memory that it takes more than 6.1
#
# Which kernel that is, apt decides when this runs. MTDC_KVER pins it to
# one that is in the cache already.
set -eu
. "$(dirname "$0")/lib.sh"

want_source='' suite=''
case $#:${1-} in
0:)		;;
1:--source)	want_source=1 ;;
2:--suite)	suite=$2 ;;
*)		die "usage: kernel.sh [--source | --suite SUITE]" ;;
esac

mkdir -p "$cache"
# One at a time: several tests may start on an empty cache.
exec 9>"$cache/.lock"
flock 9

# depends METAPACKAGE PATTERN: the newest package it depends on.
depends()
{
	apt-cache depends "$1" 2>/dev/null |
		sed -n "s/^ *Depends: \($2\)\$/\1/p" | sort -V | tail -n 1
}

# versions PACKAGE...: what apt would fetch, without repetitions.
versions()
{
	apt-cache policy "$@" 2>/dev/null |
		sed -n 's/^ *Candidate: //p' | sort -u
}

resolve()
{
	image=$(depends linux-image-amd64 'linux-image-6\.1\.[^ ]*')
	[ -n "$image" ] || return 1
	krel=${image#linux-image-}
	# Two lines, if the headers are not as far as the image.
	kver=$(versions "$image" "linux-headers-$krel")
	case $kver in
	''|*[!A-Za-z0-9.+~-]*)	return 1 ;;
	esac
}

# fetch DIRECTORY PACKAGE...: download and unpack, verified by apt's hashes.
# A fresh directory each time: a partial download of an earlier run is not
# trusted. dpkg-deb -x fails by itself on a damaged archive.
fetch()
{
	local into=$1 deb package
	shift

	rm -rf "$into.tmp" "$into.debs"
	mkdir -p "$into.tmp" "$into.debs"
	say "downloading $*"
	# As root apt would like to download as its own user, who need not be
	# able to reach the cache.
	( cd "$into.debs" && apt-get -q -o APT::Sandbox::User="$(id -un)" \
		download "$@" ) </dev/null >&2 || return 1
	say "unpacking"
	for deb in "$into.debs"/*.deb; do
		dpkg-deb -x "$deb" "$into.tmp" || return 1
	done
	for package; do
		[ -n "$(find "$into.debs" -name "${package%%=*}_*.deb")" ] ||
			return 1
	done
	rm -rf "$into.debs"
}

# extract_vmlinux FROM TO: QEMU boots an ELF image, too (PVH), and unpacking it
# here once instead of in every guest saves more than half of the boot time.
# The fields are those of Documentation/x86/boot.rst: setup_sects,
# payload_offset, payload_length.
extract_vmlinux()
{
	local sects offset length

	sects=$(od -An -tu1 -j $((0x1f1)) -N 1 "$1")
	offset=$(od -An -tu4 -j $((0x248)) -N 4 "$1")
	length=$(od -An -tu4 -j $((0x24c)) -N 4 "$1")
	tail -c +$(((sects + 1) * 512 + offset + 1)) "$1" |
		head -c "$length" > "$2.packed" || return 1
	# The payload ends with its size, which is not of the unpackers' format:
	# xz can be told so, zstd cannot.
	case $(head -c 4 "$2.packed" | od -An -tx1 | tr -d ' ') in
	fd377a58)
		xz -dc --single-stream < "$2.packed" > "$2" || return 1 ;;
	28b52ffd)
		head -c -4 "$2.packed" | zstd -qdc > "$2" || return 1 ;;
	*)
		return 1 ;;
	esac
	rm -f "$2.packed"
	[ "$(head -c 4 "$2" | od -An -c | tr -d ' ')" = '177ELF' ]
}

# key_sizes: of the files without which nothing works, seen from here.
key_sizes()
{
	stat -c '%s %n' "boot/vmlinuz-$krel" boot/vmlinux \
		"usr/src/linux-headers-$krel/Module.symvers" \
		usr/lib/linux-kbuild-6.1/scripts/mod/modpost \
		"lib/modules/$krel/modules.dep"
}

unpack_kernel()
{
	fetch "$dir" "linux-image-$krel=$kver" "linux-headers-$krel=$kver" \
		"linux-headers-${krel%-amd64}-common=$kver" \
		"linux-kbuild-6.1=$kver" || return 1

	# The headers want to be below /usr/src, and say so in one Makefile;
	# their links are relative. lib is merged with usr/lib on a real
	# system: let either path of the tools work.
	sed -i "s|/usr/src/|$dir/usr/src/|" \
		"$dir.tmp/usr/src/linux-headers-$krel/Makefile" || return 1
	[ -e "$dir.tmp/lib/linux-kbuild-6.1" ] ||
		ln -s ../usr/lib/linux-kbuild-6.1 "$dir.tmp/lib/linux-kbuild-6.1"
	ln -sfn "$dir/usr/src/linux-headers-$krel" \
		"$dir.tmp/lib/modules/$krel/build"
	rm -f "$dir.tmp/lib/modules/$krel/source"
	extract_vmlinux "$dir.tmp/boot/vmlinuz-$krel" "$dir.tmp/boot/vmlinux" ||
		return 1
	PATH=$PATH:/sbin:/usr/sbin depmod -b "$dir.tmp" "$krel" || return 1

	( cd "$dir.tmp" && key_sizes ) > "$dir.tmp/.sizes" || return 1

	# Renamed last: what has its final name is whole.
	rm -rf "$dir"
	mv "$dir.tmp" "$dir"
}

unpack_source()
{
	fetch "$src" "linux-source-6.1=$kver" || return 1
	say "unpacking the source"
	mkdir "$src.tmp/tree"
	tar -C "$src.tmp/tree" --strip-components=1 -xf \
		"$src.tmp/usr/src/linux-source-6.1.tar.xz" || return 1
	rm -rf "$src"
	mv "$src.tmp/tree" "$src"
	rm -rf "$src.tmp"
}

# suite_kernel: of another suite. Its image in the cache, its headers in a system.
suite_kernel()
{
	local debs=$top/qemu/debs.sh image parts lines

	lines=$("$top/qemu/suite.sh" "$suite") || return 1
	krel=$(printf '%s\n' "$lines" | sed -n 's/^KREL=//p')
	kver=$(printf '%s\n' "$lines" | sed -n 's/^KVER=//p')
	dir=$cache/kernel-$suite-$kver
	suite_intact || {
		# The newest have the image and the modules apart.
		image=linux-image-$krel
		parts=$("$debs" "$suite" amd64 depends "$image" \
			"linux-[a-z]*-$krel") || parts=
		rm -rf "$dir.tmp"
		# shellcheck disable=SC2086 # a list of words
		"$debs" "$suite" amd64 unpack "$dir.tmp" "$image" $parts &&
		suite_tidy && ( cd "$dir.tmp" && suite_sizes ) > "$dir.tmp/.sizes" ||
			return 1
		rm -rf "$dir"
		mv "$dir.tmp" "$dir"
	}
	printf '%s\n' "$lines"
	cat <<-END
		KSUITE=$suite
		VMLINUZ=$dir/boot/vmlinuz-$krel
		VMLINUX=$dir/boot/vmlinux
		MODROOT=$dir
		MODDIR=$dir/lib/modules/$krel
		KMEM=$(suite_mem)
	END
}

suite_tidy()
{
	# Where /lib is a link on a real system, packages may have /usr/lib only.
	[ -d "$dir.tmp/lib/modules" ] || ln -s usr/lib "$dir.tmp/lib"
	rm -rf "$dir.tmp/lib/modules/$krel/build" "$dir.tmp/lib/modules/$krel/source"
	if [ ! -e "$dir.tmp/boot/vmlinuz-$krel" ]; then
		mkdir -p "$dir.tmp/boot"
		mv "$dir.tmp/lib/modules/$krel/vmlinuz" "$dir.tmp/boot/vmlinuz-$krel"
	fi
	extract_vmlinux "$dir.tmp/boot/vmlinuz-$krel" "$dir.tmp/boot/vmlinux" &&
	PATH=$PATH:/sbin:/usr/sbin depmod -b "$dir.tmp" "$krel"
}

suite_sizes()
{
	stat -c '%s %n' "boot/vmlinuz-$krel" boot/vmlinux \
		"lib/modules/$krel/modules.dep" \
		"lib/modules/$krel/modules.order" \
		"lib/modules/$krel/modules.builtin"
}

suite_intact()
{
	[ -s "$dir/.sizes" ] &&
	[ "$(cd "$dir" && suite_sizes 2>/dev/null)" = "$(cat "$dir/.sizes")" ]
}

# Kernels have become larger.
suite_mem()
{
	echo 0
}

if [ -n "$suite" ]; then
	suite_kernel || die "no kernel of $suite"
	exit 0
fi

if [ -n "${MTDC_KVER:-}" ]; then
	kver=$MTDC_KVER
	krel=$(ls "$cache/kernel-$kver/lib/modules") ||
		die "no kernel $kver in $cache"
else
	is_debian || die "needs a Debian 12 system (apt) to fetch its kernel"
	resolve || { apt_update && resolve; } ||
		die "apt offers no linux-image-amd64 6.1: not Debian 12?"
fi

dir=$cache/kernel-$kver
src=$cache/source-$kver

# Somebody may have tidied up inside, or the disk was full: look at what the
# others need. Sizes, because to hash the kernel takes longer than all the rest.
intact_kernel()
{
	[ -s "$dir/.sizes" ] &&
	[ "$(cd "$dir" && key_sizes 2>/dev/null)" = "$(cat "$dir/.sizes")" ] &&
	grep -q "$dir/" "$dir/usr/src/linux-headers-$krel/Makefile"
}

intact_kernel || unpack_kernel || { apt_update && unpack_kernel; } ||
	die "could not fetch the kernel $krel $kver"
intact_kernel || die "the kernel packages $kver do not look as expected"

if [ -n "$want_source" ]; then
	[ -s "$src/Makefile" ] || unpack_source ||
		{ apt_update && unpack_source; } ||
		die "could not fetch the source of $kver"
fi

# What runs that were killed left behind.
rm -rf "$cache"/*.tmp "$cache"/*.debs

cat <<END
KREL=$krel
KVER=$kver
KDIR=$dir/usr/src/linux-headers-$krel
VMLINUZ=$dir/boot/vmlinuz-$krel
VMLINUX=$dir/boot/vmlinux
MODROOT=$dir
MODDIR=$dir/lib/modules/$krel
END
[ -z "$want_source" ] || echo "KSRC=$src"
