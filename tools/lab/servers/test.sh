#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# test.sh [CASE...]: boot a Debian guest with systemd as its first process, and let latd protect
# Debian's own servers as their packages start them: redis beside a program that takes more than the
# memory, in each possible place. guest.sh lists the cases; without arguments, those in MTDC_CASES
# run, or all. Prints TAP; exit status 0 only if nothing failed. Latencies are guest
# time of one emulated processor, so they do not depend on the host.
#
# job: packages servers
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
# shellcheck source-path=SCRIPTDIR source=../../../qemu/lib.sh
. "$here/../../../qemu/lib.sh"
# shellcheck source-path=SCRIPTDIR source=../../../selftests/tap.sh
. "$top/selftests/tap.sh"
# shellcheck source-path=SCRIPTDIR source=../../common/services/hostlib.sh
. "$here/../../common/services/hostlib.sh"
out=${O:-$build/systemd-test}
# kbuild would use O as its output directory.
unset O
tools=$top/tools
mkdir -p "$out/tools"

build_parts()
{
	guest_module package
	make -s -C "$tools/latd" O="$out/tools" WERROR=1
	make -s -C "$tools/lab/memload" O="$out/tools" WERROR=1
	gcc -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -o "$out/tools/kvload" "$here/kvload.c"
	unit_of "$tools/latd"
}

# redis takes 92 of the 204 MiB that the kernel leaves. The swap is never full.
boot()
{
	local name cases adds=(--add "$tools/common/services/guestlib.sh" --add "$here/prefork"
		--add "$out/latd.service:/etc/systemd/system/" --add "$out/tools/latd:/usr/local/sbin/")

	for name in latdctl memload kvload; do
		adds+=(--add "$out/tools/$name:/usr/local/bin/")
	done
	read -r -a cases <<< "${*:-${MTDC_CASES:-}}"
	MTDC_PACKAGES="redis-server memcached" debian_guest systemd \
		--mem 256 --reserve 384 --clock icount --timeout 2400 "${adds[@]}" "$here/guest.sh" \
		${cases[@]+"${cases[@]}"}
}

build_parts
boot "$@"
end_results
