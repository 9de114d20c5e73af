#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# strap.sh DIR [OPTION...]: make a minimal Debian 12 in DIR by debootstrap, with these options of
# debootstrap more, from the host's mirror and by the host's proxy. It takes root (or sudo).
set -eu
. "$(dirname "$0")/../lib.sh"
PATH=$PATH:/sbin:/usr/sbin
suite=bookworm

[ $# -ge 1 ] || die "usage: strap.sh DIR [OPTION...]"
dir=$1
shift
# debs.sh knows the mirror, and has written it there.
"$top/qemu/debs.sh" $suite amd64 version base-files > /dev/null || exit 1
mirror=$(awk 'NR == 1 { print $2 }' "$cache/apt/$suite-amd64/etc/apt/sources.list")
proxy=
eval "$(apt-config shell proxy Acquire::http::Proxy)"
say "debootstrap $suite, some minutes"
as_root env ${proxy:+http_proxy="$proxy"} debootstrap --variant=minbase "$@" \
	$suite "$dir" "$mirror" < /dev/null >&2 || {
	tail -n 20 "$dir/debootstrap/debootstrap.log" >&2 || :
	die "debootstrap has failed"
}
