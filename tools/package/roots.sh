# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Variables of qemu/lib.sh, and variables for the tests that source this file:
# shellcheck disable=SC2034,SC2154
#
# Sourced by the tests of packages: make small Debian systems in the cache, to build and install
# packages on a system that has nothing else. Needs root, as dpkg does.

roots=$cache/package
suite=bookworm
archives=$roots/archives

# needs_roots: skip the test if this machine can't make such systems
needs_roots()
{
	is_debian || skip "not a Debian system"
	[ "$(id -u)" = 0 ] || skip "needs root"
	"$top/qemu/setup.sh" package
	unshare -m true 2>/dev/null || skip "nothing may be mounted here"
}

# skip WHY: end the test as skipped
skip()
{
	result 0 "all of it # SKIP $*"
	end_results
	exit 0
}

# lock_roots: hold the lock until unlock_roots or the end of the test
lock_roots()
{
	mkdir -p "$archives/partial"
	exec 7>"$roots/.lock"
	flock 7
}

unlock_roots()
{
	flock -u 7
}

# inside ROOT COMMAND...: run a command in ROOT as root, with /dev, /proc, the package cache, and
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

# make_base DIR: make a minimal system with the host's mirror and apt settings
make_base()
{
	"$top/qemu/machine/strap.sh" "$1" --cache-dir="$archives" || return 1
	cp "$cache/apt/$suite-amd64/etc/apt/sources.list" "$1/etc/apt/" || return 1
	apt-config dump Acquire | grep -E '^Acquire::(http|https|Retries)' \
		> "$1/etc/apt/apt.conf.d/90host" || :
	# Do not start services in the chroot.
	printf '#!/bin/sh\nexit 101\n' > "$1/usr/sbin/policy-rc.d"
	chmod 755 "$1/usr/sbin/policy-rc.d"
}

# newest_kernels: versions of Debian's two newest kernels, the older first
newest_kernels()
{
	inside "$base" apt-cache search --names-only '^linux-headers-6[0-9.]*-[0-9]*-amd64$' |
		sed 's/^linux-headers-\([^ ]*\) .*/\1/' | sort -V | tail -n 2
}

# provide_base: make the minimal system once, update its lists. Sets base, kernel_one
# and kernel_two, the versions of Debian's two newest kernels.
provide_base()
{
	local key

	base=$roots/base-$suite
	key=$({
		declare -f make_base
		cat "$top/qemu/machine/strap.sh"
	} | sha256sum)
	mkdir -p "$archives/partial"
	if [ "$(cat "$base/.whole" 2>/dev/null)" != "$key" ]; then
		say "making a minimal Debian system, a minute"
		rm -rf "$base" "$base.tmp"
		make_base "$base.tmp" > "$roots/base.log" 2>&1 || {
			tail -n 5 "$roots/base.log" >&2
			return 1
		}
		echo "$key" > "$base.tmp/.whole"
		mv "$base.tmp" "$base"
	fi
	apt_inside "$base" update > "$roots/update.log" 2>&1 || return 1
	{ read -r kernel_one && read -r kernel_two; } < <(newest_kernels)
}

# provide NAME KEY COMMAND...: copy the minimal system and run COMMAND on it, with the system's
# directory as the last argument. Kept until KEY or the minimal system changes. Sets root.
provide()
{
	local name=$1 key
	key="$2, base $(cat "$base/.whole")"
	shift 2

	root=$roots/$name
	[ "$(cat "$root/.whole" 2>/dev/null)" != "$key" ] || return 0
	say "making the system \"$name\""
	rm -rf "$root" "$root.tmp"
	cp -a --reflink=auto "$base" "$root.tmp"
	rm "$root.tmp/.whole"
	"$@" "$root.tmp" > "$roots/$name.log" 2>&1 || {
		tail -n 10 "$roots/$name.log" >&2
		return 1
	}
	echo "$key" > "$root.tmp/.whole"
	mv "$root.tmp" "$root"
}

# fresh NAME [FROM]: copy a system for one test, with the mirror's present lists. Sets root; adds
# the copy to made.
made=()
fresh()
{
	root=$roots/$1
	made+=("$root")
	rm -rf "$root"
	cp -a --reflink=auto "${2:-$base}" "$root"
	apt_inside "$root" update > "$roots/update.log" 2>&1
}
