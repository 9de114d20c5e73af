# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Sourced by the scripts here, after qemu/lib.sh. Each is a job of selftests/run.sh: TAP on
# stdout, with what the compilers say. MTDC_JOB is the job's name.
# shellcheck disable=SC2154
. "$(dirname "${BASH_SOURCE[0]}")/../tap.sh"
: "${MTDC_JOB:=${0##*/}}"
optional=''
trap end_results EXIT

# fail REASON
fail()
{
	result 1 "$1"
	exit 1
}

# cannot REASON: there is no way to do it here; $optional: then that is no failure
cannot()
{
	[ -n "$optional" ] || fail "$1"
	result 0 "$MTDC_JOB # SKIP $1"
	exit 0
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

# judge DIR STATUS WHAT [built-in.a]: two results, of the module that was built in DIR, with
# W=1 and the sparse above, or of what was built into the kernel. WHAT is the kernel and the
# compiler.
judge()
{
	local dir=$1 status=$2 what=$3 result=${4:-mtdcompr.ko} said checked files

	touch "$dir/check.log" "$dir/checked"
	said=$(ours "$dir/make.log")
	if [ "$status" != 0 ] ||
	   [ ! -s "$dir/drivers/mtd/mtdcompr/$result" ]; then
		tail -n 30 "$dir/make.log"
		fail "it does not build: $what"
	elif [ -n "$said" ]; then
		printf '%s\n' "$said"
		fail "the compiler has something to say: $what"
	fi
	result 0 "built, and nothing is said of our files: $what"

	said=$(ours "$dir/check.log")
	# Each object has a source that is to be looked at.
	files=$(find "$dir/drivers/mtd/mtdcompr" -name '*.o' ! -name '.*' ! -name '*.mod.o' \
		! -name mtdcompr.o | wc -l)
	checked=$(grep '/mtdcompr/' "$dir/checked" | sort -u | wc -l)
	if [ "$files" = 0 ] || [ "$checked" -lt "$files" ]; then
		fail "sparse has looked at $checked files of $files"
	elif [ -n "$said" ]; then
		printf '%s\n' "$said"
		fail "sparse has something to say"
	fi
	result 0 "sparse is silent of $files files"
	[ "$result" = built-in.a ] || rm -rf "$dir"
}
