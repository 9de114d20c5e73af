# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Variables of kernel.sh and lib.sh:
# shellcheck disable=SC2154
#
# Sourced by the files of kernels with packages of Debian's.

# Several tests may start on an empty cache, so take a lock.
exec 9>"$cache/.lock"
flock 9

# extract_vmlinux FROM TO: QEMU boots an ELF image, too (PVH), and unpacking it once here instead of
# in every guest saves more than half of the boot time. Documentation/x86/boot.rst has the fields:
# setup_sects, payload_offset, payload_length.
extract_vmlinux()
{
	local sects offset length

	sects=$(od -An -tu1 -j $((0x1f1)) -N 1 "$1")
	offset=$(od -An -tu4 -j $((0x248)) -N 4 "$1")
	length=$(od -An -tu4 -j $((0x24c)) -N 4 "$1")
	tail -c +$(((sects + 1) * 512 + offset + 1)) "$1" |
		head -c "$length" > "$2.packed" || return 1
	# The payload ends with its size, which is not part of the compressed format: xz has an
	# option to ignore it, zstd has none.
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

# suite_source SUITE: sets ksrc, the newest source that a release has.
suite_source()
{
	local from=("$top/qemu/debs.sh" "$1" amd64) package version

	package=$("${from[@]}" depends linux-source 'linux-source-[0-9.]*' | tail -n 1)
	version=$("${from[@]}" version "${package:?}") || exit 1
	ksrc=$cache/source-$version
	[ ! -s "$ksrc/Makefile" ] || return 0
	"${from[@]}" unpack "$ksrc.tmp" "$package" >&2 || exit 1
	say "unpacking the source $version"
	mkdir -p "$ksrc.tmp/tree"
	tar -C "$ksrc.tmp/tree" --strip-components=1 -xf "$ksrc.tmp/usr/src/$package".tar.* || exit 1
	rm -rf "$ksrc"
	mv "$ksrc.tmp/tree" "$ksrc"
	rm -rf "$ksrc.tmp"
}

# suite_kernel SUITE: the kernel of another release. Its image in the cache, its headers in a
# system.
suite_kernel()
{
	local suite=$1 debs=$top/qemu/debs.sh image parts lines

	lines=$("$top/qemu/suite.sh" "$suite") || return 1
	krel=$(field KREL "$lines") kver=$(field KVER "$lines")
	dir=$cache/kernel-$suite-$kver
	suite_intact || {
		# The newest releases have the image and the modules in separate packages.
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
		IMAGE=$dir/boot/vmlinux
		MODROOT=$dir
	END
}

suite_tidy()
{
	# If /lib is a link on a real system, packages may have /usr/lib only.
	[ -d "$dir.tmp/lib/modules" ] || ln -s usr/lib "$dir.tmp/lib"
	rm -rf "$dir.tmp/lib/modules/$krel/build" "$dir.tmp/lib/modules/$krel/source"
	if [ ! -e "$dir.tmp/boot/vmlinuz-$krel" ]; then
		mkdir -p "$dir.tmp/boot"
		mv "$dir.tmp/lib/modules/$krel/vmlinuz" "$dir.tmp/boot/vmlinuz-$krel"
	fi
	extract_vmlinux "$dir.tmp/boot/vmlinuz-$krel" "$dir.tmp/boot/vmlinux" &&
	depmod -b "$dir.tmp" "$krel"
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

# foreign_kernel ARCH METAPACKAGE KMAKE: the kernel of another architecture. The programs that build
# modules are the build machine's.
foreign_kernel()
{
	local arch=$1 kmake=$3 image krel dir headers debs=("$top/qemu/debs.sh" bookworm)

	image=$("${debs[@]}" "$arch" depends "$2" 'linux-image-[^ ]*') || exit 1
	[ -n "$image" ] || die "apt offers no $2"
	krel=${image#linux-image-}
	dir=$cache/kernel-$arch-$krel
	headers=$dir/usr/src/linux-headers-$krel
	"${debs[@]}" "$arch" unpack "$dir" "$image" "linux-headers-$krel" \
		"linux-headers-${krel%-"${2#linux-image-}"}-common" >&2 || exit 1
	"${debs[@]}" amd64 unpack "$dir.kbuild" linux-kbuild-6.1 >&2 || exit 1
	# The headers expect to be below /usr/src, in one Makefile.
	sed -i "s|include /usr/src/|include $dir/usr/src/|" "$headers/Makefile"
	mkdir -p "$dir/usr/lib"
	ln -sfn "$dir.kbuild/usr/lib/linux-kbuild-6.1" "$dir/usr/lib/linux-kbuild-6.1"
	rm -f "$dir/lib/modules/$krel/build" "$dir/lib/modules/$krel/source"
	depmod -b "$dir" "$krel"
	cat <<-EOF
		KREL=$krel
		KDIR=$headers
		KMAKE=$kmake
		IMAGE=$dir/boot/vmlinuz-$krel
		MODROOT=$dir
	EOF
}
