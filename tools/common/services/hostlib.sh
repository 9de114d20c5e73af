# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # out is from the caller; build, top from qemu/lib.sh
#
# Sourced by tests that boot a Debian guest with the daemons in it, after qemu/lib.sh and
# selftests/tap.sh. The caller sets out, a directory.

# guest_module: build the kernel and the module for the guest
guest_module()
{
	"$top/qemu/setup.sh" build guest tools "$@"
	if [ -z "${MTDC_KERNEL:-}" ]; then
		MTDC_KERNEL=$("$top/qemu/kernel.sh") || exit 1
	fi
	export MTDC_KERNEL
	"$top/qemu/build.sh" > "$out/build.log" 2>&1 || die "no module, see $out/build.log"
}

# unit_of DIR: write $out/NAME.service, the unit of the daemon in DIR as installed in /usr/local
unit_of()
{
	local name=${1##*/}

	sed "s|@PREFIX@|/usr/local|; s|@NAME@|$name|g" "$top/tools/common/daemon.service" \
		"$1/$name.service" > "$out/$name.service"
}

# debian_guest NAME OPTION... SCRIPT [ARGUMENT...]: boot the guest, and print its results
debian_guest()
{
	local name=$1 status=0
	shift

	rm -f "$out"/guest.{log,out,tap}
	"$top/qemu/guest.sh" --machine debian --quiet --log "$out/guest.log" "$@" \
		> "$out/guest.out" 2>&1 || status=$?
	grep -aE '^(ok|not ok|#|1\.\.)' "$out/guest.log" > "$out/guest.tap" || :
	[ $status = 0 ] || tail -q -n 15 "$out/guest.out" "$out/guest.log" | sed 's/^/# /'
	pass_on $status "$out/guest.tap" "$name: "
	result $status "$name: the guest came to its end, and the kernel's log is clean"
}
