# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Sourced by the scripts here, after qemu/lib.sh. Each script is a job of selftests/run.sh: TAP on
# stdout, with the compilers' output. MTDC_JOB is the job's name.
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

# cannot REASON: this machine can't do the job; with $optional this is a skip, not a failure
cannot()
{
	[ -n "$optional" ] || fail "$1"
	result 0 "$MTDC_JOB # SKIP $1"
	exit 0
}

# compiler: shorten the output of --version: gcc-12 12.2.0
compiler()
{
	sed -n '1s/ (.*)//; 1s/ version//; 1s/^Debian //; 1p'
}

# sources DIR: copy the module's sources
sources()
{
	rm -rf "$1"
	mkdir -p "$1"
	( cd "$top" && find Kbuild drivers include -type f ! -name '*.mod.c' \
		\( -name Kbuild -o -name Kconfig -o -name '*.[ch]' \) -print0 |
		tar --null -T - -c ) | tar -C "$1" -x
}

# sparse_log FILE DIR: make FILE a sparse that writes its messages to DIR/check.log, apart from the
# compiler's, and the names of its files to DIR/checked
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

# ours LOG: print the warnings about the driver's files. The kernel's headers have warnings of their
# own, with newer compilers or W=1. An error counts in any file, because the compiler stops there.
ours()
{
	grep -E ': (fatal )?error:|: [A-Z]*: *modpost:|(drivers/mtd/mtdcompr|include/compat|uapi/linux/mtdcompr)[^: ]*:[0-9:]+ warning:' \
		"$1" | sort -u || :
}

# judge DIR STATUS WHAT [built-in.a]: two results for the module built in DIR, with W=1 and the
# sparse above, or for the driver built into the kernel. WHAT: the kernel and the compiler.
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
	# sparse must have checked the source of each object.
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
