#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# debianroot.sh [PACKAGE...]: print the path of an ext4 image of Debian 12 with systemd, made by
# debootstrap, with these additional packages. The cache keeps it under the hash of the packages'
# versions and of the code that makes it. Making it needs root (or sudo), using it does not.
set -eu
. "$(dirname "$0")/../lib.sh"
PATH=$PATH:/sbin:/usr/sbin
suite=bookworm
packages=(systemd-sysv udev kmod procps "$@")

"$top/qemu/setup.sh" package

# fill DIR: leave out the files that a guest does not need. The machine-id prevents a "first boot":
# there systemd would enable all of its units.
fill()
{
	local list

	list=$(IFS=,; echo "${packages[*]}")
	"$top/qemu/machine/strap.sh" "$1" --include="$list"
	as_root rm -rf "$1"/usr/share/{doc,man,locale} "$1"/var/{cache/apt/archives,lib/apt/lists}
	as_root mkdir -p "$1/var/cache/apt/archives/partial" "$1/var/lib/apt/lists/partial"
	echo mtdcompr | as_root tee "$1/etc/hostname" > /dev/null
	echo 0123456789abcdef0123456789abcdef | as_root tee "$1/etc/machine-id" > /dev/null
}

# image DIR FILE
image()
{
	truncate -s 2G "$2"
	as_root mkfs.ext4 -q -F -L mtdcompr -d "$1" -E root_owner=0:0 "$2" >&2
}

mkdir -p "$cache"
exec 9>"$cache/.debianroot.lock"
flock 9
versions=$("$top/qemu/debs.sh" "$suite" amd64 version "${packages[@]}") || exit 1
hash=$({
	echo "$suite" "${packages[@]}" "$versions"
	declare -f fill image
	cat "$top/qemu/machine/strap.sh"
} | sha256sum | cut -c 1-16)
root=$cache/debian-$suite-$hash.ext4
if [ ! -s "$root" ]; then
	# Leftovers of runs that were killed.
	rm -f "$cache/debian-$suite"-*.new
	as_root rm -rf "$cache"/debianroot.??????
	work=$(mktemp -d "$cache/debianroot.XXXXXX")
	trap 'as_root rm -rf "$work"' EXIT
	# Other users need access, because this directory becomes the root.
	chmod 755 "$work"
	fill "$work/root"
	image "$work/root" "$root.new"
	# Rename last, so that an image with the final name is complete.
	mv "$root.new" "$root"
fi
echo "$root"
