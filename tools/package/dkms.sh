#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# dkms.sh copy DIR      copy only the module's source to DIR
# dkms.sh install       as root: put it below /usr/src, and have DKMS build it for the kernel
#                       that runs, or for KREL, and for each kernel installed later
# dkms.sh remove        as root: take it away from DKMS and from /usr/src
#
# DKMS       the program (dkms)
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd -P)
: "${DKMS:=dkms}" "${KREL:=$(uname -r)}"
version=$(sed -n 's/^#define VERSION "\(.*\)"$/\1/p' "$top/tools/common/version.h")
dir=/usr/src/mtdcompr-$version

die()
{
	echo "dkms.sh: $*" >&2
	exit 1
}

copy()
{
	mkdir -p "$1/drivers/mtd/mtdcompr"
	install -m 644 "$top/Kbuild" "$1/"
	# Skip the results of a build in the tree.
	find "$top/drivers/mtd/mtdcompr" -maxdepth 1 -type f \
		\( -name '*.[ch]' ! -name '*.mod.c' -o -name Kbuild -o -name Kconfig \) \
		-exec install -m 644 {} "$1/drivers/mtd/mtdcompr/" \;
	cp -r "$top/include" "$1/"
	find "$1/include" -type d -exec chmod 755 {} +
	find "$1/include" -type f -exec chmod 644 {} +
}

needs()
{
	command -v "$DKMS" >/dev/null ||
		die "there is no dkms: install it (Debian: apt install dkms)"
	[ "$(id -u)" = 0 ] || die "needs root"
	! dpkg-query -W -f '${db:Status-Status}' mtdcompr-dkms 2>/dev/null | grep -qx installed ||
		die "the package mtdcompr-dkms is installed: it does that, or has to be removed first"
}

# known: does DKMS have this version?
known()
{
	"$DKMS" status -m mtdcompr -v "$version" 2>/dev/null | grep -q mtdcompr
}

add()
{
	needs
	[ -d "/lib/modules/$KREL/build/" ] || die "no headers of the kernel $KREL:" \
		"install them (Debian: apt install linux-headers-$KREL), or name another by KREL="
	# Replace an installed one, because its source may differ.
	! known || "$DKMS" remove -m mtdcompr -v "$version" --all
	rm -rf "$dir"
	copy "$dir"
	sed "s/#MODULE_VERSION#/$version/" "$top/tools/package/dkms.conf" > "$dir/dkms.conf"
	"$DKMS" add -m mtdcompr -v "$version"
	"$DKMS" install -m mtdcompr -v "$version" -k "$KREL" --force
}

remove()
{
	needs
	! known || "$DKMS" remove -m mtdcompr -v "$version" --all
	rm -rf "$dir"
}

[ -n "$version" ] || die "tools/common/version.h says no version"
case $*,${1:-} in
copy\ ?*,copy)	copy "$2" ;;
install,*)	add ;;
remove,*)	remove ;;
*)		die "usage: dkms.sh copy DIR | install | remove" ;;
esac
