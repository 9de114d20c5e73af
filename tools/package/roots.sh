# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What qemu/lib.sh sets:
# shellcheck disable=SC2154
#
# Sourced by the tests of packages: small Debian systems in the cache, in which packages are
# built and installed as on a machine that has nothing else. Needs root, as dpkg does.

roots=$cache/package
suite=bookworm
archives=$roots/archives

# inside ROOT COMMAND...: run it there as root, with /dev, /proc, the cache of packages, and
# the environment that apt may need to reach its mirror.
inside()
{
	local root=$1
	shift

	# shellcheck disable=SC2016 # for the inner shells
	env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
		DEBIAN_FRONTEND=noninteractive ARCHIVES="$archives" MAKEFLAGS= \
		${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
		${no_proxy:+no_proxy="$no_proxy"} unshare -m bash -c '
		mount --rbind /dev "$0/dev" && mount -t proc proc "$0/proc" &&
		mount --bind "$ARCHIVES" "$0/var/cache/apt/archives" &&
		exec chroot "$0" "$@"' "$root" "$@" </dev/null
}

# apt_inside ROOT ARGUMENT...
apt_inside()
{
	local root=$1
	shift

	inside "$root" apt-get -q -y -o APT::Keep-Downloaded-Packages=true \
		-o APT::Install-Recommends=false -o DPkg::Lock::Timeout=300 \
		-o APT::Sandbox::User=root -o Dpkg::Use-Pty=0 "$@"
}

# provide_base: a minimal system, once. It has the host's mirror and settings of apt.
provide_base()
{
	local dir=$roots/base-$suite mirror

	base=$dir
	[ ! -e "$dir/.whole" ] || return 0
	"$top/qemu/debs.sh" $suite amd64 version base-files >/dev/null || return 1
	mirror=$(awk 'NR == 1 { print $2 }' "$cache/apt/$suite-amd64/etc/apt/sources.list")
	say "making a minimal Debian system"
	rm -rf "$dir.tmp"
	mkdir -p "$archives/partial"
	PATH=$PATH:/sbin:/usr/sbin debootstrap --variant=minbase --cache-dir="$archives" \
		$suite "$dir.tmp" "$mirror" > "$roots/debootstrap.log" 2>&1 || {
		tail -n 5 "$roots/debootstrap.log" >&2
		return 1
	}
	cp "$cache/apt/$suite-amd64/etc/apt/sources.list" "$dir.tmp/etc/apt/"
	apt-config dump Acquire | grep -E '^Acquire::(http|https|Retries)' \
		> "$dir.tmp/etc/apt/apt.conf.d/90host" || :
	# Services are not started in a chroot.
	printf '#!/bin/sh\nexit 101\n' > "$dir.tmp/usr/sbin/policy-rc.d"
	chmod 755 "$dir.tmp/usr/sbin/policy-rc.d"
	apt_inside "$dir.tmp" update > "$roots/update.log" 2>&1 || return 1
	touch "$dir.tmp/.whole"
	rm -rf "$dir"
	mv "$dir.tmp" "$dir"
}

# provide NAME KEY COMMAND...: a copy of the minimal system in which COMMAND was run, with the
# system's directory as its last argument; kept while KEY is the same. Sets root.
provide()
{
	local name=$1 key=$2
	shift 2

	root=$roots/$name
	[ "$(cat "$root/.whole" 2>/dev/null)" != "$key" ] || return 0
	say "making the system \"$name\""
	rm -rf "$root" "$root.tmp"
	cp -a --reflink=auto "$base" "$root.tmp"
	rm "$root.tmp/.whole"
	if ! { apt_inside "$root.tmp" update && "$@" "$root.tmp"; } > "$roots/$name.log" 2>&1; then
		tail -n 10 "$roots/$name.log" >&2
		return 1
	fi
	echo "$key" > "$root.tmp/.whole"
	mv "$root.tmp" "$root"
}

# fresh NAME [FROM]: a copy for one test. Sets root.
fresh()
{
	root=$roots/$1
	rm -rf "$root"
	cp -a --reflink=auto "${2:-$base}" "$root"
}
