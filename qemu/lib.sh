# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Sourced by the scripts on the host: paths, and functions for errors. It has no side effect besides
# setting variables.

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

# as_root COMMAND...: through sudo if the user is not root.
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

# field KEY [LINES]: value of KEY in KEY=VALUE lines, by default in $built
field()
{
	printf '%s\n' "${2-$built}" | sed -n "s/^$1=//p"
}

# kernel KEY: value of KEY for the kernel in $MTDC_KERNEL, the output of qemu/kernel.sh
kernel()
{
	field "$1" "$MTDC_KERNEL"
}

# machine_times KTIMES: factor for all time-outs, for a kernel that is KTIMES times slower than
# Debian's. The time-outs fit an idle machine on which a fixed loop takes 100 ms; the function
# compares this machine by that loop; doubled, because the load may grow later. At most 40.
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
