# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Sourced by the scripts of the lanes, after ../lib.sh. MTDC_LANE is the lane's name.
# What the table shows goes to stdout, all else to stderr.
# shellcheck disable=SC2154

debs=$top/qemu/debs.sh

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

# triplet ARCH: what the compilers for Debian's ARCH are called.
triplet()
{
	case $1 in
	amd64)	echo x86_64-linux-gnu ;;
	i386)	echo i686-linux-gnu ;;
	armel)	echo arm-linux-gnueabi ;;
	armhf)	echo arm-linux-gnueabihf ;;
	arm64)	echo aarch64-linux-gnu ;;
	mips)	echo mips-linux-gnu ;;
	s390x)	echo s390x-linux-gnu ;;
	*)	return 1 ;;
	esac
}

# karch ARCH: what kbuild calls Debian's ARCH.
karch()
{
	case $1 in
	amd64)	echo x86_64 ;;
	arm64)	echo arm64 ;;
	armel|armhf) echo arm ;;
	s390x)	echo s390 ;;
	*)	echo "$1" ;;
	esac
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

# ours LOG: the warnings and errors in it that are about our files. The headers of
# the kernels have their own, with compilers and checkers that are newer than they.
ours()
{
	grep -E '(^|/)(drivers/mtd/mtdcompr|include/(compat|uapi/linux/mtdcompr))[^:]*:[0-9:]+ ?(fatal )?(warning|error|note)?' "$1" |
		grep -Ev ': note:|: (In function|At top level)' || :
}

# verdict KEY STATUS LOG: prints "KEY ok" or "KEY N warnings", and remembers.
bad=
verdict()
{
	local count

	count=$(ours "$3" | sort -u | grep -c . || :)
	if [ "$2" != 0 ]; then
		echo "$1 failed"
		bad="$bad $1"
		tail -n 30 "$3" >&2
	elif [ "$count" != 0 ]; then
		echo "$1 $count warnings"
		bad="$bad $1"
		ours "$3" | sort -u >&2
	else
		echo "$1 ok"
	fi
}
