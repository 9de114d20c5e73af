#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# modtree.sh KREL MODROOT: make the directory that is /lib/modules in the guest: the stock modules,
# mtdcompr.ko from build/module-KREL and the test modules from build/kmod-KREL and build/selftests,
# with modules.dep for all. Prints its path.
set -eu
. "$(dirname "$0")/lib.sh"
PATH=$PATH:/sbin:/usr/sbin

[ $# = 2 ] || die "usage: modtree.sh KREL MODROOT"
krel=$1
stock=$2/lib/modules/$krel
tree=$build/modtree-$krel

mkdir -p "$build"
exec 9>"$build/.modtree.lock"
flock 9

ours()
{
	find "$build/module-$krel" "$build/kmod-$krel" "$build/selftests" \
		-name '*.ko' 2>/dev/null | LC_ALL=C sort
}

# Compare content and names, not times, because kbuild rewrites unchanged files.
state=$(echo "$stock"; ours | xargs -r sha256sum)
if [ "$state" = "$(cat "$tree/.state" 2>/dev/null)" ]; then
	echo "$tree"
	exit 0
fi

rm -rf "$tree"
dir=$tree/lib/modules/$krel
mkdir -p "$dir/extra"
ln -s "$stock/kernel" "$dir/kernel"
cp "$stock"/modules.order "$stock"/modules.builtin* "$dir/"
ours | while read -r module; do
	cp "$module" "$dir/extra/"
done
depmod -b "$tree" "$krel"
printf '%s\n' "$state" > "$tree/.state"
echo "$tree"
