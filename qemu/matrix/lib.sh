# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Sourced by the scripts of the lanes, after ../lib.sh. MTDC_LANE is the lane's name.
# What the table shows goes to stdout, all else to stderr.
# shellcheck disable=SC2154

# fail REASON: the lane has failed. cannot REASON: there is no way to run it here.
fail()
{
	echo "reason $*"
	exit 1
}

cannot()
{
	echo "reason $*"
	exit 77
}

# value KEY: of the lines in $kernel.
value()
{
	printf '%s\n' "$kernel" | sed -n "s/^$1=//p"
}

# compiler: what --version says, in short: gcc-12 12.2.0
compiler()
{
	sed -n '1s/ (.*)//; 1s/ version//; 1s/^Debian //; 1p'
}

# sources DIR: the module's sources, as they are now.
sources()
{
	rm -rf "$1"
	mkdir -p "$1"
	( cd "$top" && find Kbuild drivers include -type f ! -name '*.mod.c' \
		\( -name Kbuild -o -name Kconfig -o -name '*.[ch]' \) -print0 |
		tar --null -T - -c ) | tar -C "$1" -x
}

# sparse_log FILE DIR: make FILE a sparse that says what it has to say in DIR/check.log,
# apart from the compiler, and what it has looked at in DIR/checked.
sparse_log()
{
	cat > "$1" <<-END
		#!/bin/sh
		for file; do :; done
		echo "\$file" >> "$2/checked"
		exec sparse "\$@" 2>> "$2/check.log"
	END
	chmod +x "$1"
}

# ours LOG: what is wrong with our files by it. The headers of the kernels have warnings
# of their own, with compilers that are newer than they, or with W=1. An error is one
# wherever it is, as what follows it is not looked at.
ours()
{
	grep -E ': (fatal )?error:|: [A-Z]*: *modpost:|(drivers/mtd/mtdcompr|include/compat|uapi/linux/mtdcompr)[^: ]*:[0-9:]+ warning:' \
		"$1" | sort -u || :
}

# judge DIR STATUS [built-in.a]: of the module that was built in DIR, with W=1 and the
# sparse above, or of what was built into the kernel. Ends the lane if there is something.
judge()
{
	local dir=$1 status=$2 result=${3:-mtdcompr.ko} said checked files build=ok sparse=ok

	touch "$dir/check.log" "$dir/checked"
	said=$(ours "$dir/make.log")
	if [ "$status" != 0 ] ||
	   [ ! -s "$dir/drivers/mtd/mtdcompr/$result" ]; then
		build=failed
		tail -n 30 "$dir/make.log" >&2
	elif [ -n "$said" ]; then
		build="$(printf '%s\n' "$said" | wc -l) warnings"
		printf '%s\n' "$said" >&2
	fi

	said=$(ours "$dir/check.log")
	# Each object has a source that is to be looked at.
	files=$(find "$dir/drivers/mtd/mtdcompr" -name '*.o' ! -name '.*' ! -name '*.mod.o' \
		! -name mtdcompr.o | wc -l)
	checked=$(grep '/mtdcompr/' "$dir/checked" | sort -u | wc -l)
	if [ "$files" = 0 ] || [ "$checked" -lt "$files" ]; then
		sparse="$checked/$files"
	elif [ -n "$said" ]; then
		sparse="$(printf '%s\n' "$said" | wc -l) lines"
		printf '%s\n' "$said" >&2
	fi
	echo "build $build"
	echo "sparse $sparse"
	[ "$build $sparse" = "ok ok" ] || fail "build: $build, sparse: $sparse"
	[ "$result" = built-in.a ] || rm -rf "$dir"
}
