# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Variables of kernel.sh and lib.sh:
# shellcheck disable=SC2154
#
# Debian 12's own kernel for a PC; apt decides on the version when this runs. MTDC_KVER pins it to a
# version in the cache.
"$top/qemu/setup.sh" build
. "$kernels/lib/debian.sh"

# depends METAPACKAGE PATTERN: the newest package it depends on.
depends()
{
	apt-cache depends "$1" 2>/dev/null |
		sed -n "s/^ *Depends: \($2\)\$/\1/p" | sort -V | tail -n 1
}

# versions PACKAGE...: versions that apt would fetch, without repetitions.
versions()
{
	apt-cache policy "$@" 2>/dev/null |
		sed -n 's/^ *Candidate: //p' | sort -u
}

# offered PACKAGE: PACKAGE=VERSION, the kernel's version if apt has it. The signed image comes some
# days after the packages built with it, and the archive keeps one version of these: then take the
# newer one. Debian's headers accept any that is not older, too.
offered()
{
	if apt-cache madison "$1" 2>/dev/null | grep -qF " $kver "; then
		echo "$1=$kver"
	else
		echo "$1=$(versions "$1")"
	fi
}

resolve()
{
	image=$(depends linux-image-amd64 'linux-image-6\.1\.[^ ]*')
	[ -n "$image" ] || return 1
	krel=${image#linux-image-}
	# Two lines, if image and headers have different versions.
	kver=$(versions "$image" "linux-headers-$krel")
	case $kver in
	''|*[!A-Za-z0-9.+~-]*)	return 1 ;;
	esac
}

# fetch DIRECTORY PACKAGE...: download and unpack, verified by apt's hashes. Use a fresh directory
# each time, because a partial download of an earlier run is not trusted. dpkg-deb -x fails by
# itself on a damaged archive.
fetch()
{
	local into=$1 deb package
	shift

	rm -rf "$into.tmp" "$into.debs"
	mkdir -p "$into.tmp" "$into.debs"
	say "downloading $*"
	# As root apt would download as its own user, who may lack access to the cache.
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

# key_sizes: sizes of the most important files, relative to the present directory.
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
		"$(offered linux-kbuild-6.1)" || return 1

	# The headers expect to be below /usr/src, in one Makefile; their links are relative. On a
	# real system lib is merged with usr/lib: let either path of the tools work.
	sed -i "s|/usr/src/|$dir/usr/src/|" \
		"$dir.tmp/usr/src/linux-headers-$krel/Makefile" || return 1
	[ -e "$dir.tmp/lib/linux-kbuild-6.1" ] ||
		ln -s ../usr/lib/linux-kbuild-6.1 "$dir.tmp/lib/linux-kbuild-6.1"
	ln -sfn "$dir/usr/src/linux-headers-$krel" \
		"$dir.tmp/lib/modules/$krel/build"
	rm -f "$dir.tmp/lib/modules/$krel/source"
	extract_vmlinux "$dir.tmp/boot/vmlinuz-$krel" "$dir.tmp/boot/vmlinux" ||
		return 1
	depmod -b "$dir.tmp" "$krel" || return 1

	( cd "$dir.tmp" && key_sizes ) > "$dir.tmp/.sizes" || return 1

	# Rename last, so that a directory with the final name is complete.
	rm -rf "$dir"
	mv "$dir.tmp" "$dir"
}

unpack_source()
{
	fetch "$src" "$(offered linux-source-6.1)" || return 1
	say "unpacking the source"
	mkdir "$src.tmp/tree"
	tar -C "$src.tmp/tree" --strip-components=1 -xf \
		"$src.tmp/usr/src/linux-source-6.1.tar.xz" || return 1
	rm -rf "$src"
	mv "$src.tmp/tree" "$src"
	rm -rf "$src.tmp"
}

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

# A user may have deleted files, or the disk was full: check the important files. By size, because
# hashing the kernel takes longer than all the rest.
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

# Leftovers of runs that were killed.
rm -rf "$cache"/kernel-*.tmp "$cache"/source-*.tmp "$cache"/*.debs

cat <<END
KREL=$krel
KVER=$kver
KDIR=$dir/usr/src/linux-headers-$krel
IMAGE=$dir/boot/vmlinux
MODROOT=$dir
END
[ -z "$want_source" ] || echo "KSRC=$src"
