# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # out, build, top: of who sources this, of qemu/lib.sh
#
# Sourced by the tests that boot a Debian guest with the daemons in it, after qemu/lib.sh and
# selftests/tap.sh; they set out, a directory.

# guest_module: the kernel and the module that the guest boots with
guest_module()
{
	"$top/qemu/setup.sh" build guest tools "$@"
	if [ -z "${MTDC_KERNEL:-}" ]; then
		MTDC_KERNEL=$("$top/qemu/kernel.sh") || exit 1
	fi
	export MTDC_KERNEL
	"$top/qemu/build.sh" > "$out/build.log" 2>&1 || die "no module, see $out/build.log"
}

# unit_of DIR: the unit of the daemon whose sources are there, as it is installed below /usr/local
unit_of()
{
	local name=${1##*/}

	sed "s|@PREFIX@|/usr/local|; s|@NAME@|$name|g" "$top/tools/common/daemon.service" \
		"$1/$name.service" > "$out/$name.service"
}

# debian_guest NAME OPTION... SCRIPT [ARGUMENT...]: boot it, and pass its results on
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
