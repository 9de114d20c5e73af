#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# guest-test.sh [DAEMON...]: boot a Debian guest with systemd, and run the daemons there by their
# units, in each mode and with real work. Each has to start, work and stop under the restrictions of
# its unit. A system call that a unit does not allow kills the daemon. The service that writes the
# statistics for node_exporter runs as well. As TAP; exit status 0 only if nothing failed. It takes
# about ten minutes; the first run also makes the guest with debootstrap.
#
# job: packages daemons
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
# shellcheck source-path=SCRIPTDIR source=../../../qemu/lib.sh
. "$here/../../../qemu/lib.sh"
# shellcheck source-path=SCRIPTDIR source=../../../selftests/tap.sh
. "$top/selftests/tap.sh"
# shellcheck source-path=SCRIPTDIR source=hostlib.sh
. "$here/hostlib.sh"
out=${O:-$build/services-test}
# kbuild must not see O from the environment.
unset O
tools=$top/tools
marvin=$top/tools/marvin
ctl=$top/tools/mtdcomprctl
daemons="$tools/latd $tools/proswapd $tools/rectifyd $marvin/marvind"
mkdir -p "$out/tools"

build_parts()
{
	local dir

	guest_module marvin
	for dir in $daemons "$tools/lab/memload" "$ctl"; do
		make -s -C "$dir" O="$out/tools" WERROR=1
	done
	make -s -C "$marvin/libmarvin" O="$out/lib" "$out/lib/libmarvin.a"
	gcc -std=c11 -D_GNU_SOURCE -O2 -pthread -o "$out/tools/marvin-load" \
		"$marvin/marvind/test/load.c" "$out/lib/libmarvin.a"
	for dir in $daemons; do
		unit_of "$dir"
	done
	sed 's|@PREFIX@/.*/|/usr/local/bin/|' "$ctl/examples/mtdcompr-textfile.service" \
		> "$out/mtdcompr-textfile.service"
	printf '[Service]\nSystemCallErrorNumber=kill\n' > "$out/kill.conf"
}

boot()
{
	local dir name adds=(--add "$here/guestlib.sh")

	for dir in $daemons; do
		name=${dir##*/}
		adds+=(--add "$out/$name.service:/etc/systemd/system/"
			--add "$out/kill.conf:/etc/systemd/system/$name.service.d/"
			--add "$out/tools/$name:/usr/local/sbin/")
	done
	for name in latdctl proswapctl rectifyctl marvinctl memload marvin-load; do
		adds+=(--add "$out/tools/$name:/usr/local/bin/")
	done
	adds+=(--add "$out/mtdcompr-textfile.service:/etc/systemd/system/"
		--add "$ctl/examples/textfile.sh:/usr/local/bin/"
		--add "$out/tools/mtdcomprctl:/usr/local/sbin/")
	MTDC_PACKAGES="libbpf1 libxxhash0" debian_guest units \
		--mem 256 --reserve 128 --timeout 1800 "${adds[@]}" "$here/guest.sh" "$@"
}

build_parts
boot "$@"
end_results
