#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# busybox.sh ARCH: print the path of a static busybox for this architecture, kept in the cache:
# Debian's if it has one; for mips it is built from Debian's source.
set -eu
. "$(dirname "$0")/../lib.sh"

[ $# = 1 ] || die "usage: busybox.sh ARCH"
arch=$1
dir=$cache/busybox-$arch

# configured: everything, but static, and with the modprobe that reads modules.dep. Without an
# option that newer kernel headers break.
configured()
{
	make -s defconfig > "$1" 2>&1 &&
	sed -i -e 's/^# CONFIG_STATIC is not set/CONFIG_STATIC=y/' \
		-e 's/^CONFIG_\(TC\|MODPROBE_SMALL\)=y/# CONFIG_\1 is not set/' \
		.config &&
	yes '' | make -s oldconfig >> "$1" 2>&1 &&
	grep -q '^CONFIG_STATIC=y' .config && grep -q '^CONFIG_MODPROBE=y' .config
}

# from_source WORK CROSS: apt verifies the archive; the host's own lists need no sources.
from_source()
{
	local work=$1 cross=$2 site release apt

	# shellcheck source=/dev/null
	release=$(. /etc/os-release && echo "$VERSION_CODENAME")
	# shellcheck disable=SC2016 # for apt
	site=$(apt-get indextargets --format '$(RELEASE) $(SITE)' \
		'Created-By: Packages' | sed -n "s/^$release //p" | sort -u | head -n 1)
	[ -n "$site" ] || die "apt has no source for $release"
	mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/tree"
	: > "$work/status"
	echo "deb-src $site $release main" > "$work/sources.list"
	apt=(apt-get -q -o Dir::State="$work" -o Dir::State::lists="$work/lists"
		-o Dir::State::status="$work/status" -o Dir::Cache="$work/cache"
		-o Dir::Etc::sourcelist="$work/sources.list"
		-o Dir::Etc::sourceparts=/dev/null -o APT::Sandbox::User="$(id -un)"
		-o APT::Update::Error-Mode=any)
	say "downloading the source of busybox"
	"${apt[@]}" update </dev/null >&2
	( cd "$work" && "${apt[@]}" source --download-only busybox ) </dev/null >&2
	tar -C "$work/tree" --strip-components=1 -xf "$work"/busybox_*.orig.tar.*
	say "building busybox for $arch, a minute"
	( cd "$work/tree" && configured "$work/log" &&
		make -s -j "$(nproc)" CROSS_COMPILE="$cross" busybox >> "$work/log" 2>&1 ) || {
		tail -n 30 "$work/log" >&2
		die "could not build busybox"
	}
	mkdir -p "$work/new"
	cp "$work/tree/busybox" "$work/new/busybox"
}

# from_packages WORK: the path depends on whether /bin is merged.
from_packages()
{
	"$top/qemu/debs.sh" bookworm "$arch" unpack "$1/tree" busybox-static >&2
	mkdir -p "$1/new"
	find "$1/tree" -type f -path '*/bin/busybox' -exec cp {} "$1/new/busybox" \;
}

mkdir -p "$cache"
exec 7>"$cache/.busybox.lock"
flock 7
if [ -s "$dir/busybox" ]; then
	echo "$dir/busybox"
	exit 0
fi
is_debian || die "needs a Debian 12 system (apt) to fetch busybox"
work=$(mktemp -d "$cache/busybox.XXXXXX")
trap 'rm -rf "$work"' EXIT
case $arch in
mips)	from_source "$work" mips-linux-gnu- ;;
*)	from_packages "$work" ;;
esac
[ -s "$work/new/busybox" ] || die "no busybox for $arch"
# Rename last, so that a directory with the final name is complete.
rm -rf "$dir"
mv "$work/new" "$dir"
echo "$dir/busybox"
