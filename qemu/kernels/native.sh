# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # kernel.sh's and kbuild.sh's variables
#
# User Mode Linux of Debian's newest source with this checkout's driver in it, for times on the
# processor itself (tools/lab/bench/native.sh). The driver is in the image, as perf has no names for
# modules in there. A source and an object tree for it stay in the cache, so a change of the driver
# compiles only the driver; IMAGE is a copy in this checkout. native2.sh makes another one.
. "$kernels/lib/debian.sh"
. "$kernels/lib/kbuild.sh"
"$top/qemu/setup.sh" build debug

kwhat="User Mode Linux for times"
kfiles=1100
fragment=${fragment:-$kernels/native.config}
karch=um
kvars=(ARCH=um CC=gcc-12)
kimages=(linux)

# find_source: a copy of links, as the driver is put into it.
find_source()
{
	ksrc=$pristine-native
	[ -e "$ksrc" ] || {
		rm -rf "$ksrc.tmp"
		cp -al "$pristine" "$ksrc.tmp"
		mv "$ksrc.tmp" "$ksrc"
	}
	put_driver
}

# put_driver: the files of the driver's patch for this kernel, as far as they differ
put_driver()
{
	local work file driver=drivers/mtd/mtdcompr

	work=$(mktemp -d)
	"$top/tools/export/intree.sh" "$pristine" "$work/patch" > /dev/null || exit 1
	while read -r file; do
		[ ! -e "$pristine/$file" ] || install -D -m 644 "$pristine/$file" "$work/new/$file"
	done < <(sed -n 's|^--- a/||p' "$work/patch")
	patch -s -p1 -d "$work/new" < "$work/patch" >&2 || exit 1
	# install makes a new file, so the pristine source keeps its own.
	while read -r file; do
		cmp -s "$work/new/$file" "$ksrc/$file" ||
			install -D -m 644 "$work/new/$file" "$ksrc/$file"
	done < <(cd "$work/new" && find . -type f)
	while read -r file; do
		[ -e "$work/new/$driver/$file" ] || rm "$ksrc/$driver/$file"
	done < <(cd "$ksrc/$driver" && find . -type f)
	rm -rf "$work"
}

# prune: the object tree is needed whole.
prune()
{
	cp "$new/build/linux" "$new/"
}

suite_source experimental
pristine=$ksrc
# Others may use packages while this compiles: debian.sh's lock.
exec 9>&-
exec 8>"$cache/.native-driver.lock"
flock 8
compiler=gcc-12
lines=$(provide_kernel $compiler linux modules) || exit 1
new=$(field MODROOT "$lines")
ksrc=$(field KSRC "$lines")
kbuild -s -j "$(nproc)" linux >&2 || die "cannot build the driver into $kwhat"
mkdir -p "$build/native"
# It may be running.
cp "$new/build/linux" "$build/native/linux-$name.new"
mv "$build/native/linux-$name.new" "$build/native/linux-$name"
exec 8>&-
printf '%s\n' "$lines" | sed "s|^IMAGE=.*|IMAGE=$build/native/linux-$name|"
