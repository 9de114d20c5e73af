#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# debianroot.sh [PACKAGE...]: print the path of an ext4 image of Debian 12 with systemd, made by
# debootstrap, with these packages more. It is kept in the cache, by the hash of the packages'
# versions and of how it is made. It takes root (or sudo) to make it, not to use it.
set -eu
. "$(dirname "$0")/../lib.sh"
PATH=$PATH:/sbin:/usr/sbin
suite=bookworm
packages=(systemd-sysv udev kmod procps "$@")

# e2fsprogs is one of the group test.
"$top/qemu/setup.sh" package test

# site: the host's mirror, as debs.sh has it
site()
{
	# shellcheck disable=SC2016 # apt expands it
	apt-get indextargets --format '$(RELEASE) $(SITE)' 'Created-By: Packages' |
		sed -n "s/^$suite //p" | sort -u | head -n 1
}

# strap DIR: what a guest does not need is left out. It is no first boot, at which systemd would
# enable all that it has.
strap()
{
	local list mirror proxy=

	mirror=$(site)
	[ -n "$mirror" ] || die "apt has no source for $suite"
	eval "$(apt-config shell proxy Acquire::http::Proxy)"
	say "debootstrap $suite, some minutes"
	list=$(IFS=,; echo "${packages[*]}")
	as_root env ${proxy:+http_proxy="$proxy"} debootstrap --variant=minbase \
		--include="$list" "$suite" "$1" "$mirror" < /dev/null >&2 || {
		tail -n 20 "$1/debootstrap/debootstrap.log" >&2 || :
		die "debootstrap has failed"
	}
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
	declare -f strap image
} | sha256sum | cut -c 1-16)
root=$cache/debian-$suite-$hash.ext4
if [ ! -s "$root" ]; then
	rm -f "$cache/debian-$suite"-*.new
	work=$(mktemp -d "$cache/debianroot.XXXXXX")
	trap 'as_root rm -rf "$work"' EXIT
	# Others have to get in: it becomes the root.
	chmod 755 "$work"
	strap "$work/root"
	image "$work/root" "$root.new"
	# Renamed last: what has its final name is whole.
	mv "$root.new" "$root"
fi
echo "$root"
