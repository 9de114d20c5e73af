#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# busybox.sh: fetch Debian's static busybox for armel, keep it in the cache and
# print its path. Apt is told everything about that architecture on its command
# line, with lists and state of its own: this machine's dpkg does not learn that
# there is one. Mirrors and keys are those of this machine, and what comes is
# verified by apt's hashes.
set -eu
. "$(dirname "$0")/../lib.sh"

[ $# = 0 ] || die "takes no arguments"
dir=$cache/busybox-armel

mkdir -p "$cache"
exec 9>"$cache/.busybox.lock"
flock 9
if [ -s "$dir/busybox" ]; then
	echo "$dir/busybox"
	exit 0
fi
is_debian || die "needs a Debian 12 system (apt) to fetch busybox for armel"

work=$(mktemp -d "$cache/busybox.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/new"
: > "$work/status"

# armel COMMAND...: an apt command for the board. The sandbox's user need not be
# able to reach the cache. Only the lists of packages: the rest is large.
armel()
{
	"$@" -o APT::Architecture=armel -o APT::Architectures=armel \
		-o Dir::State="$work" -o Dir::State::lists="$work/lists" \
		-o Dir::State::status="$work/status" -o Dir::Cache="$work/cache" \
		-o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false \
		-o Acquire::IndexTargets::deb::Translations::DefaultEnabled=false \
		-o APT::Sandbox::User="$(id -un)"
}

say "downloading busybox for armel"
# Not all that this machine has in its lists of sources need have armel.
armel apt-get -q update </dev/null >&2 ||
	say "apt-get update for armel had errors, trying all the same"
( cd "$work" && armel apt-get -q download busybox-static:armel ) </dev/null >&2 ||
	die "apt offers no busybox-static for armel: not Debian 12?"
dpkg-deb -x "$work"/busybox-static_*_armel.deb "$work/new/tree"
# Where it is depends on whether /bin is merged.
find "$work/new/tree" -type f -path '*/bin/busybox' -exec cp {} "$work/new/busybox" \;
[ -s "$work/new/busybox" ] || die "no busybox in Debian's busybox-static"
rm -rf "$work/new/tree"

# Renamed last: what has its final name is whole.
rm -rf "$dir"
mv "$work/new" "$dir"
echo "$dir/busybox"
