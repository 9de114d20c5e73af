#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# build.sh PROGRAM...: build test programs that others wrote and that Debian has as
# source only, into build/selftests:
#
#   fsx        of diod: the file system exerciser, as the Linux Test Project had it,
#              with O_DIRECT, mapped reads and writes, and holes
#   io_paral   of mtd-utils: parallel I/O on UBI volumes
#   nandsim16  of the kernel: nandsim, a module, that knows the columns of chips that
#              are 16 bits wide; MTDC_KERNEL says which kernel
#
# Their sources come from Debian's source packages, through apt and verified by its
# hashes, and are kept in the cache. Apt has lists of its own for that: this machine
# need not have sources enabled, and is not changed.
set -eu
. "$(dirname "$0")/../../qemu/lib.sh"

store=$cache/suites
bin=$build/selftests

# source_lists INTO: this machine's lists of sources, of source packages
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

# source_apt COMMAND...: apt with these lists. The sandbox's user need not be able
# to reach the cache.
source_apt()
{
	"$@" -q -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$work/sources" \
		-o Dir::State::Lists="$work/lists" -o Dir::Cache="$work/cache" \
		-o APT::Sandbox::User="$(id -un)" </dev/null >&2
}

# source_of PACKAGE: sets $dir to its unpacked source
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
		# Not every archive that is in the lists need have sources.
		source_apt apt-get update ||
			say "apt-get update for sources had errors, trying all the same"
	fi
	say "downloading the source of $1"
	mkdir "$work/$1"
	# Only the author's own archive, which is what is to be tested with.
	( cd "$work/$1" && source_apt apt-get source --download-only --tar-only "$1" ) ||
		die "apt offers no source of $1: not Debian 12?"
	mkdir "$work/$1/tree"
	tar -C "$work/$1/tree" --strip-components=1 -xf "$work/$1"/*.orig.tar.*z*
	# Renamed last: what has its final name is whole.
	mv "$work/$1/tree" "$dir"
}

# Static: nothing of it is to be loaded through the guest's file system later, and
# nothing else to be paged in. Warnings are for its authors.
compile()
{
	local program=$1
	shift
	gcc -O2 -w -static -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -o "$bin/$program" "$@"
}

fsx()
{
	source_of diod
	# What its configure script would write; fsx needs nothing from it.
	mkdir -p "$build/suites"
	: > "$build/suites/config.h"
	compile fsx -I "$build/suites" "$dir/tests/kern/fsx/fsx.c"
}

# How often it goes round is a constant, too much for an emulator: it is asked for
# when it runs. Nothing else is changed.
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

# nandsim doubles the column when the address is about to come, and it is 0 then,
# instead of when it has come. Row addresses of erases are kept in the same place and
# must stay as they are.
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
