#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Replaces zram's files in sysfs, for tests of zram that run on this driver's devices
# (selftests/guest/suites-zram.sh). $ZRAM_SHIM is a directory: class/zram-control and block/zramN as
# in /sys, dev/zramN as in /dev. Plain files can be read directly; all else goes through this
# script:
#
#   hot_add            make zramN, print N
#   hot_remove N       remove it
#   set FILE VALUE     write to a file of block/zramN
#   mm_stat N          print the contents of zram's file of that name
#
# A write fails whenever zram's would. zram uses main memory, and its limit can change at any time.
# The driver's device has an MTD with a fixed size, here in the guest's reserved memory: disksize
# attaches to an MTD as large as the disk. While nothing is stored, mem_limit attaches again, to an
# MTD as large as the limit.
set -eu
: "${ZRAM_SHIM:?}" "${MTDC_RESERVE_ADDR:?}"
control=/sys/devices/mtdcompr

fail()
{
	echo "zram-shim: $*" >&2
	exit 1
}

# next_number WHAT: 0, 1, 2, ...
next_number()
{
	number=0
	[ ! -e "$ZRAM_SHIM/next.$1" ] || read -r number < "$ZRAM_SHIM/next.$1"
}

# bytes TEXT: a number of bytes; K, M and G may follow
bytes()
{
	case $1 in
	*K)	echo $((${1%K} << 10)) ;;
	*M)	echo $((${1%M} << 20)) ;;
	*G)	echo $((${1%G} << 30)) ;;
	*)	echo "$1" ;;
	esac
}

# number_of NAME: number of an MTD
number_of()
{
	sed -n "s/^mtd\\([0-9]*\\): .* \"$1\"\$/\\1/p" /proc/mtd
}

# media BYTES: set $media to the name of a new MTD
media()
{
	next_number media
	media=zram-media$number
	echo $((number + 1)) > "$ZRAM_SHIM/next.media"
	next_number byte
	echo $((number + $1)) > "$ZRAM_SHIM/next.byte"
	modprobe phram
	echo "$media,$((MTDC_RESERVE_ADDR + number)),$1" > /sys/module/phram/parameters/phram
	[ -n "$(number_of "$media")" ] || fail "no MTD of $1 bytes"
}

detach()
{
	[ -e "$ZRAM_SHIM/dev/$1" ] || return 0
	[ "$(mtdop put $control/detach "$1")" = ok ] || fail "$1 is in use"
	rm "$ZRAM_SHIM/dev/$1"
}

# attach NAME MEDIA_BYTES
attach()
{
	media "$2"
	got=$(mtdop put $control/attach \
		"$media,comp=$(cat "$dir/.comp"),size=$(cat "$dir/disksize"),name=$1")
	[ "$got" = ok ] || fail "attach: $got"
	ln -s "/dev/mtdblock$(number_of "$1")" "$ZRAM_SHIM/dev/$1"
}

# show_comp NAME: write comp_algorithm, with brackets around the chosen one
show_comp()
{
	echo " lz4 lzo zlib zstd " | sed "s/ $1 / [$1] /; s/^ //; s/ \$//" \
		> "$dir/comp_algorithm"
	echo "$1" > "$dir/.comp"
}

hot_add()
{
	number=0
	while [ -d "$ZRAM_SHIM/block/zram$number" ]; do
		number=$((number + 1))
	done
	dir=$ZRAM_SHIM/block/zram$number
	mkdir "$dir"
	echo 0 > "$dir/disksize"
	show_comp lz4
	echo "$number"
}

set_file()
{
	file=${1##*/}
	dir=${1%/*}
	name=${dir##*/}
	[ -d "$dir" ] || fail "no $dir"
	case $file in
	comp_algorithm)
		[ "$(cat "$dir/disksize")" = 0 ] || fail "$name has a size already"
		case " $(sed 's/[][]//g' "$dir/comp_algorithm") " in
		*" $2 "*)	show_comp "$2" ;;
		*)		fail "no algorithm $2" ;;
		esac ;;
	disksize)
		[ "$(cat "$dir/disksize")" = 0 ] || fail "$name has a size already"
		bytes "$2" > "$dir/disksize"
		attach "$name" "$(bytes "$2")" ;;
	mem_limit)
		[ -e "$ZRAM_SHIM/dev/$name" ] || fail "$name has no size yet"
		grep -q '^pages_stored: 0$' "/proc/mtdcompr/$name" ||
			fail "$name is in use already"
		detach "$name"
		attach "$name" "$(bytes "$2")"
		bytes "$2" > "$dir/mem_limit" ;;
	reset)
		detach "$name"
		echo 0 > "$dir/disksize" ;;
	*)
		fail "no file $file" ;;
	esac
}

hot_remove()
{
	detach "zram$1"
	rm -r "$ZRAM_SHIM/block/zram$1"
}

# zram's mem_used_total is the memory that it uses for stored pages; here the media in use.
# ZRAM_SHIM_BREAK=1 prints a size larger than the pages.
mm_stat()
{
	awk -v broken="${ZRAM_SHIM_BREAK:-0}" '
		{ v[$1] = $2 }
		END {
			used = v["media_used_bytes:"]
			if (broken)
				used += 100 * v["size_bytes:"]
			print v["orig_bytes:"] + v["pages_filled:"] * v["page_bytes:"],
				v["compressed_bytes:"], used, v["media_bytes:"], used,
				v["pages_filled:"], 0, v["pages_raw:"], v["pages_raw:"]
		}' "/proc/mtdcompr/zram$1"
}

command=$1
shift
case $command in
hot_add|hot_remove|mm_stat)	"$command" "$@" ;;
set)				set_file "$@" ;;
*)				fail "what is $command?" ;;
esac
