# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Sourced by the host side scripts of the rig: where things are, and how to
# fail. Nothing here has a side effect besides setting variables.

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
# The scripts that source this file use these; shellcheck looks at one file.
# shellcheck disable=SC2034
build=$top/build
# shellcheck disable=SC2034
cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/mtdcompr

die()
{
	printf '%s: %s\n' "${0##*/}" "$*" >&2
	exit 1
}

# Progress goes to stderr: stdout belongs to the script's result.
say()
{
	printf '%s\n' "== $*" >&2
}

# as_root COMMAND...: through sudo where the user is not root.
as_root()
{
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo "$@"
	else
		die "needs root or sudo for: $*"
	fi
}

is_debian()
{
	command -v apt-get >/dev/null && command -v dpkg-query >/dev/null
}

# apt_update: refresh the package lists, at most once a script.
apt_updated=
apt_update()
{
	[ -z "$apt_updated" ] || return 0
	apt_updated=1
	say "apt-get update"
	as_root apt-get -q -o APT::Update::Error-Mode=any update >&2
}

# kbuild refuses a module directory with blanks or colons, and the kernel
# command line, which tells the guest where its files are, knows no escapes.
case $top$cache in
*[!A-Za-z0-9_/.+@%=,-]*)
	die "the checkout and the cache need paths of plain characters:" \
		"$top, $cache" ;;
esac

# field KEY [LINES]: of KEY=VALUE lines, those in $built if no others
field()
{
	printf '%s\n' "${2-$built}" | sed -n "s/^$1=//p"
}

# kernel KEY: of the kernel in $MTDC_KERNEL, as qemu/kernel.sh has printed it
kernel()
{
	field "$1" "$MTDC_KERNEL"
}

# machine_times KTIMES: how many times longer than on an idle machine of the kind that all
# time-outs are made for things take here and now, on a kernel that takes KTIMES times as
# long as Debian's; and twice that, as there may be more to do later. It is measured by a
# fixed loop, which takes 100 ms on that machine. At most 40.
machine_times()
{
	local i sum=0 from to times

	from=${EPOCHREALTIME/[.,]/}
	for ((i = 0; i < 50000; i++)); do
		((sum += i)) || :
	done
	to=${EPOCHREALTIME/[.,]/}
	times=$((${1:-1} * ((to - from + 49999) / 50000)))
	[ $times -ge 1 ] || times=1
	[ $times -le 40 ] || times=40
	echo $times
}
