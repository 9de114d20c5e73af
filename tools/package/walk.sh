#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# walk.sh: do what a user does, from installation to removal, as one TAP stream; exit status 0 only
# if nothing failed. A guest with Debian 12, GRUB, Debian's kernel and systemd, without network:
#
#   boot 1   install the packages of this tree as install.rst says; DKMS builds the module in the
#            guest; configure swap at boot as the page says
#   boot 2   swap is active; use more memory than the machine has, verify every byte, read the
#            figures; then install a newer kernel of Debian
#   boot 3   the same on that kernel with the module that DKMS has built for it
#   boot 4   boot with two errors in the configuration; then remove the packages
#   boot 5   nothing of them is left
#
# The guest reboots itself while QEMU keeps running. Needs root and about 3 GB in the cache. It
# takes half an hour of processor time; 5 minutes more the first time.
#
# O  directory for the output (build/package); the guest's console goes to its walk.log
#
# job: packages walk
set -eu
# shellcheck source-path=SCRIPTDIR source=../../qemu/lib.sh
. "$(dirname "$0")/../../qemu/lib.sh"
# shellcheck source-path=SCRIPTDIR source=../../selftests/tap.sh
. "$top/selftests/tap.sh"
# shellcheck source-path=SCRIPTDIR source=roots.sh
. "$top/tools/package/roots.sh"
[ $# = 0 ] || die "usage: walk.sh"
needs_roots
"$top/qemu/setup.sh" guest
out=${O:-$top/build/package}
PATH=$PATH:/sbin:/usr/sbin
# make would use O as its output directory.
unset O
# shellcheck source-path=SCRIPTDIR source=build-debs.sh
. "$top/tools/package/build-debs.sh"
mkdir -p "$out"
lock_roots
run=$(mktemp -d "$out/walk.XXXXXX")
trap 'rm -rf "$run" "$roots/build/build"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
provide_base || die "cannot make a Debian system; see $roots/base.log and update.log"
# shellcheck source-path=SCRIPTDIR source=walk-image.sh
. "$top/tools/package/walk-image.sh"
# The guest's memory includes the 64 MiB at 0x78000000 that install.rst reserves.
mem=2048
limit=3600

# second_disk: make the disk with the packages and scripts for the guest
second_disk()
{
	local dir=$run/second

	mkdir -p "$dir"
	make -s -C "$top/selftests/lib" O="$out/lib" "$out/lib/memsig" &&
	cp "$out/lib/memsig" "$top/qemu/judge.sh" "$top/tools/package/walk-guest.sh" \
		"$top/Documentation/guides/install.rst" "$top/Documentation/guides/remove.rst" "$dir/" &&
	cp "$debs"/mtdcompr-dkms_*.deb "$debs"/mtdcompr-tools_*.deb "$dir/" &&
	printf '%s=%s\n' KERNEL_ONE "$kernel_one" KERNEL_TWO "$kernel_two" TIMES "$times" \
		> "$dir/walk.env" &&
	truncate -s 32M "$run/second.img" &&
	mkfs.ext4 -q -F -L walk -d "$dir" -E root_owner=0:0 "$run/second.img"
}

# guest: run the walk; its writes to the first disk are discarded at the end
guest()
{
	TMPDIR=$run timeout --foreground -k 10 $((limit * times)) qemu-system-x86_64 -accel tcg \
		-M pc -cpu qemu64,+ssse3,+sse4.1,+sse4.2,+popcnt -m $mem -smp 2 \
		-nodefaults -no-user-config -vga std -display none \
		-serial stdio -serial "file:$run/tap" \
		-drive "if=virtio,format=raw,cache=unsafe,snapshot=on,file=$disk" \
		-drive "if=virtio,format=raw,readonly=on,file=$run/second.img" < /dev/null 2>&1 |
		sed -u 's/\r//g' > "$out/walk.log"
}

# A function, because the shell reads it completely before it runs; later edits of this file then do
# no harm.
walk()
{
	local status=0

	needs_debs || {
		result 1 "the packages are built"
		return
	}
	try "the disk of a fresh Debian is made, with $kernel_one" provide_disk || return 0
	try "the second disk is made, with the packages" second_disk || return 0
	unlock_roots
	say "the walk begins; what the guest says is in $out/walk.log"
	guest || status=$?
	cp "$run/tap" "$out/walk.tap"
	pass_on $status "$out/walk.tap" ""
	result "$([ "$(tail -n 1 "$out/walk.tap")" = "# walk: success" ]; echo $?)" \
		"the guest came to the end of its walk"
}

times=$(machine_times 1)
: > "$run/tap"
set -o pipefail
walk
end_results
