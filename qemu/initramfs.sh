#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# initramfs.sh KREL MODROOT: make the guest's initramfs of init.c and the modules that it needs for
# the host's files, and print its path. The cache keeps it under the hash of its inputs.
set -eu
. "$(dirname "$0")/lib.sh"
PATH=$PATH:/sbin:/usr/sbin

[ $# = 2 ] || die "usage: initramfs.sh KREL MODROOT"
krel=$1
modroot=$2

hash=$(cat "$0" "$top/qemu/init.c" "$modroot/lib/modules/$krel/modules.dep" |
	sha256sum | cut -c 1-16)
image=$cache/initramfs-$krel-$hash.cpio
if [ -s "$image" ]; then
	echo "$image"
	exit 0
fi

work=$(mktemp -d "$cache/initramfs.XXXXXX.tmp")
trap 'rm -rf "$work"' EXIT
mkdir "$work/root"

gcc -std=gnu11 -O2 -Wall -Wextra -static -s -o "$work/root/init" "$top/qemu/init.c"

# In load order; lines with "builtin" are skipped.
for module in virtio_pci 9pnet_virtio 9p overlay; do
	modprobe -C /dev/null -d "$modroot" -S "$krel" --show-depends "$module"
done | sed -n 's/^insmod \([^ ]*\).*/\1/p' | awk '!seen[$0]++' > "$work/list"
# init.c can't unpack the compressed modules of newer kernels.
while read -r path; do
	name=${path##*/}
	name=${name%.ko*}.ko
	case $path in
	*.xz)	xz -dc "$path" ;;
	*.zst)	zstd -qdc "$path" ;;
	*)	cat "$path" ;;
	esac > "$work/root/$name"
	echo "/$name"
done < "$work/list" > "$work/root/modules"

# The kernel has no /dev/console before devtmpfs is mounted: without the node init.c's first
# messages would be lost.
mkdir "$work/root/dev"
( cd "$work/root" && find . -mindepth 1 | LC_ALL=C sort |
	cpio -o -H newc --quiet -R 0:0 ) > "$work/image"
mv "$work/image" "$image"
echo "$image"
