#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# build.sh PROGRAM...: build test programs of other projects, which Debian has as source only, into
# build/selftests:
#
#   fsx        of diod: the file system exerciser of the Linux Test Project,
#              with O_DIRECT, mapped reads and writes, and holes
#   io_paral   of mtd-utils: parallel I/O on UBI volumes
#   nandsim16  of the kernel: the module nandsim, corrected for the columns of chips that
#              are 16 bits wide; MTDC_KERNEL says which kernel
#
# The sources come from Debian's source packages by apt, which verifies their hashes, and are kept
# in the cache. Apt uses separate lists, so this machine needs no deb-src lines, and is not changed.
set -eu
. "$(dirname "$0")/../../qemu/lib.sh"

store=$cache/suites
bin=$build/selftests

# source_lists INTO: lists of source packages for the archives of this machine
source_lists()
{
	local list

	mkdir -p "$1"
	for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
		[ ! -f "$list" ] ||
			sed -n 's/^[[:space:]]*deb[[:space:]]/deb-src /p' "$list" \
				> "$1/${list##*/}.list"
	done
	for list in /etc/apt/sources.list.d/*.sources; do
		[ ! -f "$list" ] ||
			sed 's/^Types:.*/Types: deb-src/' "$list" > "$1/${list##*/}"
	done
}

# source_apt COMMAND...: apt with these lists. The sandbox's user may lack access to the cache.
source_apt()
{
	"$@" -q -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$work/sources" \
		-o Dir::State::Lists="$work/lists" -o Dir::Cache="$work/cache" \
		-o APT::Sandbox::User="$(id -un)" </dev/null >&2
}

# source_of PACKAGE: set $dir to its unpacked source
source_of()
{
	dir=$store/$1
	[ ! -d "$dir" ] || return 0
	is_debian || die "needs a Debian 12 system (apt) to fetch the source of $1"
	mkdir -p "$store"
	if [ -z "$work" ]; then
		work=$(mktemp -d "$store/work.XXXXXX")
		trap 'rm -rf "$work"' EXIT
		mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
		source_lists "$work/sources"
		say "downloading Debian's list of sources"
		# Some archives in the lists may have no sources.
		source_apt apt-get update ||
			say "apt-get update for sources had errors, trying all the same"
	fi
	say "downloading the source of $1"
	mkdir "$work/$1"
	# Only the upstream archive, without Debian's patches.
	( cd "$work/$1" && source_apt apt-get source --download-only --tar-only "$1" ) ||
		die "apt offers no source of $1: not Debian 12?"
	mkdir "$work/$1/tree"
	tar -C "$work/$1/tree" --strip-components=1 -xf "$work/$1"/*.orig.tar.*z*
	# Rename last, so that a directory with the final name is complete.
	mv "$work/$1/tree" "$dir"
}

# Static: a program pages in no libraries, and loads nothing more through the guest's file system
# later. Its warnings do not concern us.
compile()
{
	local program=$1
	shift
	gcc -O2 -w -static -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -o "$bin/$program" "$@"
}

fsx()
{
	source_of diod
	# fsx includes config.h, but uses no macro of it.
	mkdir -p "$build/suites"
	: > "$build/suites/config.h"
	compile fsx -I "$build/suites" "$dir/tests/kern/fsx/fsx.c"
}

# The number of iterations is a constant, too large for an emulator: take it from the environment
# instead. Nothing else is changed.
io_paral()
{
	local tests

	source_of mtd-utils
	tests=$dir/tests/ubi-tests
	mkdir -p "$build/suites"
	sed 's/^\(#define ITERATIONS\) .*/\1 atoi(getenv("IO_PARAL_ITERATIONS"))/' \
		"$tests/io_paral.c" > "$build/suites/io_paral.c"
	grep -q IO_PARAL_ITERATIONS "$build/suites/io_paral.c" ||
		die "mtd-utils' io_paral is not as it was"
	compile io_paral -pthread -DVERSION='"Debian"' -I "$dir/include" \
		-I "$dir/ubi-utils/include" -I "$tests" "$build/suites/io_paral.c" \
		"$tests/helpers.c" "$dir/lib/libubi.c" "$dir/lib/libcrc32.c"
}

# nandsim doubles the column just before the address arrives, when it is still 0, instead of after.
# Row addresses of erases use the same field and must not be doubled.
nandsim16()
{
	local ksrc src=$build/suites/nandsim16

	ksrc=$(printf '%s\n' "${MTDC_KERNEL:?}" | sed -n 's/^KSRC=//p')
	mkdir -p "$src"
	sed 's/if ((ns->nxstate & STATE_ADDR_MASK) && ns->busw == 16)/'\
'if (ns->busw == 16 \&\& (NS_STATE(ns->state) == STATE_ADDR_PAGE ||'\
' NS_STATE(ns->state) == STATE_ADDR_COLUMN))/' \
		"$ksrc/drivers/mtd/nand/raw/nandsim.c" > "$src/nandsim16.c"
	! cmp -s "$src/nandsim16.c" "$ksrc/drivers/mtd/nand/raw/nandsim.c" ||
		die "the kernel's nandsim is not as it was"
	echo 'obj-m := nandsim16.o' > "$src/Kbuild"
	"$top/qemu/build.sh" --src "$src"
}

[ $# -gt 0 ] || die "usage: build.sh fsx|io_paral|nandsim16..."
work=
mkdir -p "$bin" "$store"
exec 9>"$store/.lock"
flock 9
for program; do
	case $program in
	fsx|io_paral|nandsim16)
			"$program" ;;
	*)		die "unknown program \"$program\"" ;;
	esac
done
