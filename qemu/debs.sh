#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# debs.sh SUITE ARCH COMMAND...: Debian packages of another release or architecture, without
# touching the host: apt works in a root of its own in the cache, with the host's mirror, proxy and
# keys. SUITE is bullseye, bookworm, bookworm-backports, trixie, sid, experimental, ...
#
#   version PACKAGE...         the version that apt would take, one a line
#   depends PACKAGE [PATTERN]  its direct dependencies that match (sed's)
#   unpack DIR PACKAGE...      these packages, nothing else, into DIR
#   root DIR PACKAGE...        these, all their dependencies, and the essential
#                              packages: a system to chroot into
#   enter DIR COMMAND...       run COMMAND in such a system, as its root
#
# unpack and root may be repeated on a directory: unpacked packages are kept, but if Debian has a
# newer version by then, all are fetched again. No program of a package runs while it is unpacked;
# this script makes the few links that are needed from their install scripts.
#
# The lists are at most a day old; MTDC_APT_AGE (minutes) changes that.
set -eu
. "$(dirname "$0")/lib.sh"

usage()
{
	die "usage: debs.sh SUITE ARCH version|depends|unpack|root|enter ..."
}
[ $# -ge 4 ] || usage
suite=$1 arch=$2 command=$3
shift 3
: "${MTDC_APT_AGE:=1440}"

apt=$cache/apt/$suite-$arch

# site RELEASE: the host's mirror of this release.
site()
{
	# shellcheck disable=SC2016 # apt expands it
	env -u APT_CONFIG apt-get indextargets --format '$(RELEASE) $(SITE)' \
		'Created-By: Packages' | sed -n "s/^$1 //p" | sort -u | head -n 1
}

# sources: apt's sources for a release. The next release has no updates; unreleased ones get them
# at once.
sources()
{
	local host main security release

	# shellcheck source=/dev/null
	host=$(. /etc/os-release && echo "$VERSION_CODENAME")
	main=$(site "$host")
	security=$(site "$host-security")
	[ -n "$main" ] || die "apt has no source for $host"
	release=${suite%-backports}
	[ "$release" != experimental ] || release=sid
	echo "deb $main $release main"
	case $suite in
	experimental|*-backports)
		echo "deb $main $suite main" ;;
	esac
	[ "$release" != sid ] && [ ! -e "$apt/.no-updates" ] || return 0
	echo "deb $main $release-updates main"
	[ -z "$security" ] || echo "deb $security $release-security main"
}

# A root for apt: the host's settings apply, except for these.
make_apt()
{
	mkdir -p "$apt/etc/apt/preferences.d" "$apt/etc/apt/sources.list.d" \
		"$apt/var/lib/apt/lists/partial" \
		"$apt/var/cache/apt/archives/partial" "$apt/var/lib/dpkg"
	: > "$apt/var/lib/dpkg/status"
	cat > "$apt/apt.conf" <<-END
		Dir "$apt";
		Dir::State::status "$apt/var/lib/dpkg/status";
		Dir::Etc::parts "/etc/apt/apt.conf.d";
		Dir::Etc::netrc "/etc/apt/auth.conf";
		Dir::Etc::netrcparts "/etc/apt/auth.conf.d";
		Dir::Etc::trusted "/etc/apt/trusted.gpg";
		Dir::Etc::trustedparts "/etc/apt/trusted.gpg.d";
		APT::Architecture "$arch";
		APT::Architectures { "$arch"; };
		APT::Install-Recommends "false";
		APT::Sandbox::User "$(id -un)";
		APT::Update::Error-Mode "any";
		Acquire::Languages "none";
		Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
		Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled "false";
		Acquire::GzipIndexes "true";
		Acquire::Retries "2";
		Acquire::Check-Valid-Until "false";
	END
	# apt takes packages of these archives only on request; here for the kernel.
	cat > "$apt/etc/apt/preferences" <<-END
		Package: src:linux src:linux-signed-*
		Pin: release a=experimental
		Pin-Priority: 900

		Package: src:linux src:linux-signed-*
		Pin: release n=*-backports
		Pin-Priority: 900
	END
	export APT_CONFIG=$apt/apt.conf
}

# apt would add APT::Architectures of the host's own configuration.
private()
{
	"$@" </dev/null
}

update()
{
	[ -z "$(find "$apt/.updated" -mmin "-$MTDC_APT_AGE" 2>/dev/null)" ] ||
		return 0
	# A day later the updates may work again.
	[ ! -e "$apt/.updated" ] || rm -f "$apt/.no-updates"
	say "$suite, $arch: apt-get update"
	lists || {
		# Mirrors of the updates are not always in step.
		say "$suite, $arch: without the updates"
		touch "$apt/.no-updates"
		lists
	} || {
		tail -n 5 "$apt/update.log" >&2
		die "apt cannot get the lists of $suite for $arch"
	}
	touch "$apt/.updated"
}

lists()
{
	sources > "$apt/etc/apt/sources.list"
	private apt-get -q update > "$apt/update.log" 2>&1
}

version()
{
	private apt-cache policy "$@" 2>/dev/null |
		sed -n 's/^ *Candidate: //p' | grep -v '^(none)$'
}

depends()
{
	private apt-cache depends "$1" 2>/dev/null |
		sed -n "s/^ *|*Depends: <*\(${2:-[^>]*}\)>*\$/\1/p"
}

# wanted FILE_LIST...: packages that apt would get, "NAME=VERSION FILE" a line.
wanted()
{
	private apt-get -qq --print-uris "$@" | awk -v q="'" '
		{
			split($2, part, "_")
			version = part[2]
			gsub(/%3a/, ":", version)
			print part[1] "=" version " " $2
		}'
}

# add DIR COMMAND...: unpack in DIR the packages that this apt command would get.
add()
{
	local dir=$1 missing
	shift

	mkdir -p "$dir"
	exec 8>"$dir/.debs.lock"
	flock 8
	touch "$dir/.debs"
	wanted "$@" > "$dir/.wanted" || : > "$dir/.wanted"
	[ -s "$dir/.wanted" ] ||
		die "$suite has no way to get for $arch: ${*: -1}"
	# If the version of an unpacked package differs, begin anew.
	if awk '
		{ name = $1; sub(/=.*/, "", name) }
		FILENAME == ARGV[1] { have[name] = $2; next }
		name in have && have[name] != $2 { differs = 1 }
		END { exit !differs }' "$dir/.debs" "$dir/.wanted"; then
		find "$dir" -mindepth 1 -maxdepth 1 ! -name .wanted \
			! -name .debs.lock -exec rm -rf {} +
		: > "$dir/.debs"
	fi
	missing=$(awk 'FILENAME == ARGV[1] { have[$2]; next } !($2 in have) { print $1 }' \
		"$dir/.debs" "$dir/.wanted")
	[ -z "$missing" ] || get "$missing"
}

# get "NAME=VERSION...": download and unpack into $dir.
get()
{
	local work deb

	work=$(mktemp -d "$cache/apt/debs.XXXXXX")
	say "$suite, $arch: downloading $(echo "$1" | wc -w) packages"
	# shellcheck disable=SC2086 # a list of words
	( cd "$work" && private apt-get -q download $1 ) > "$work/log" 2>&1 || {
		tail -n 5 "$work/log" >&2 || :
		rm -rf "$work"
		# The lists may name packages that the mirror lacks by now, or lacks yet: refresh
		# them at the next try. The caller repeats it, because the version may change.
		rm -f "$apt/.updated"
		touch "$apt/.no-updates"
		die "could not download packages of $suite for $arch"
	}
	say "$suite, $arch: unpacking"
	for deb in "$work"/*.deb; do
		# Not dpkg-deb -x: it replaces the link /bin by a directory.
		dpkg-deb --fsys-tarfile "$deb" |
			tar -C "$dir" -x --keep-directory-symlink --no-same-owner
	done
	cat "$dir/.wanted" "$dir/.debs" | sort -u > "$dir/.debs.new"
	mv "$dir/.debs.new" "$dir/.debs"
	rm -rf "$work"
}

# The layout of a merged /usr, which newer packages need and older ones accept; and the actions of
# the packages' install scripts.
before_root()
{
	local name

	mkdir -p "$1"
	for name in bin sbin lib lib64 libx32; do
		mkdir -p "$1/usr/$name"
		[ -e "$1/$name" ] || ln -s "usr/$name" "$1/$name"
	done
}

after_root()
{
	local dir=$1

	mkdir -p "$dir/dev" "$dir/proc" "$dir/tmp" "$dir/root" "$dir/etc"
	chmod 1777 "$dir/tmp"
	# A link to an absolute path seems to dangle from here.
	[ -L "$dir/usr/bin/sh" ] || [ -e "$dir/usr/bin/sh" ] || ln -s dash "$dir/usr/bin/sh"
	[ -L "$dir/usr/bin/awk" ] || [ -e "$dir/usr/bin/awk" ] || ln -s mawk "$dir/usr/bin/awk"
	[ -e "$dir/etc/passwd" ] || echo "root:x:0:0:root:/root:/bin/bash" > "$dir/etc/passwd"
	[ -e "$dir/etc/group" ] || echo "root:x:0:" > "$dir/etc/group"
}

# enter DIR COMMAND...: with /dev and /proc, if mounting is allowed. If not, as in many containers,
# root can still make the one node that all programs need.
enter()
{
	local dir=$1 user=
	shift

	[ "$(id -u)" = 0 ] || user=-r
	# shellcheck disable=SC2016 # for the inner shell
	set -- env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C \
		bash -c 'cd / && exec "$@"' bash "$@"
	if unshare -m $user true 2>/dev/null; then
		# shellcheck disable=SC2016
		exec unshare -m $user bash -c '
			mount --rbind /dev "$0/dev" &&
			mount --rbind /proc "$0/proc" &&
			PATH=$PATH:/sbin:/usr/sbin exec chroot "$0" "$@"' "$dir" "$@"
	fi
	[ "$(id -u)" = 0 ] || die "needs root, or user namespaces, to enter $dir"
	[ -c "$dir/dev/null" ] || mknod -m 666 "$dir/dev/null" c 1 3
	PATH=$PATH:/sbin:/usr/sbin exec chroot "$dir" "$@"
}

is_debian || die "needs a Debian system (apt) to fetch packages"
if [ "$command" = enter ]; then
	enter "$@"
fi

mkdir -p "$apt"
exec 9>"$apt/.lock"
flock 9
make_apt
update
case $command in
version)
	version "$@" ;;
depends)
	depends "$@" ;;
unpack)
	dir=$1
	shift
	add "$dir" download "$@" ;;
root)
	dir=$1
	shift
	before_root "$dir"
	add "$dir" install '?essential' "$@"
	after_root "$dir" ;;
*)
	usage ;;
esac
