#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# [MTDBLOCK=1] demo.sh: a Linux guest with too little memory finishes real work because it swaps on
# MTDCOMPR, and fails without it. The work: Python compiles a large part of its own library at once;
# the result must equal, bit for bit, the result of the same program on the host. With MTDBLOCK=1
# there is another guest, whose swap is on /dev/mtdblock<N> instead of MTDCOMPR's own block device.
set -eu
. "$(dirname "$0")/lib.sh"

# MiB: the guest's memory, the memory outside it that only MTDCOMPR uses, and the size of the swap
# area there. Debian's kernel needs 54 MiB for itself and does not boot with 80; with 104 the demo
# takes longer than with 128, because the program has only 15 MiB to work in instead of 38. The
# program needs more than twice the first; the check below verifies that. The data of its parser
# compress to about 36 % with lz4, and so fit the media. The swap area is twice as large as needed:
# if more than half of it is in use, the kernel gives up the swap copy of each page that it reads,
# and has to write it again. With sync=1 it always has to.
mem=128
media=112
swap=512
# For mtdblock, which does not report freed slots, so their pages stay on the media.
media_mtdblock=144
# Bytes of Python source. The compiler takes about 48 times as much memory.
size=5800000

modes="swap noswap"
case ${MTDBLOCK:-0} in
0)	;;
1)	modes="$modes mtdblock" ;;
*)	die "MTDBLOCK is 1 or 0, not \"$MTDBLOCK\"" ;;
esac

"$top/qemu/setup.sh" build guest demo
MTDC_KERNEL=$("$top/qemu/kernel.sh") || exit 1
export MTDC_KERNEL

work=$build/demo
rm -rf "$work"
mkdir -p "$work/host"

say "building the module"
"$top/qemu/build.sh"

python=/usr/bin/python3
$python "$top/qemu/demo-data.py" "$work/library.py" $size
# As in the guest: ignore the user's environment, and write beside the source, because its name and
# time become part of the result.
unset SOURCE_DATE_EPOCH
ln "$work/library.py" "$work/host/"
expected=$(cd "$work/host" && $python -I -m py_compile library.py &&
	sha256sum __pycache__/library.*.pyc | cut -d ' ' -f 1)
[ -n "$expected" ] || die "Python cannot compile $work/library.py"

# name MODE: the mode's name for the user.
name()
{
	case $1 in
	swap)		echo "with MTDCOMPR" ;;
	mtdblock)	echo "by mtdblock" ;;
	noswap)		echo "without swap" ;;
	esac
}

# boot MODE: the console's output is in $work/MODE.log, guest.sh's messages in $work/MODE.err. Each
# guest has a single processor, because emulating two is slower.
boot()
{
	local options=(--reserve "$media" --env "demo_swap=$swap")

	case $1 in
	noswap)		options=() ;;
	mtdblock)	options[1]=$media_mtdblock ;;
	esac
	"$top/qemu/guest.sh" --mem $mem --timeout 900 --log "$work/$1.log" \
		"${options[@]}" -- \
		"$top/qemu/demo-guest.sh" "$work/library.py" "$1" 2> "$work/$1.err" |
		sed -un "s/^progress:/   $(printf %-13s "$(name "$1")")/p" >&2
}

# told MODE KEY: a result from the guest.
told()
{
	sed -n "s/^demo: $2 //p" "$work/$1.log"
}

# stat KEY: of /proc/mtdcompr/mtdcompr0
stat()
{
	sed -n "s/^stat: $1: //p" "$work/swap.log"
}

# run MODE: run a guest, and check how its program ended. If the program failed, report its reason
# instead of the guest's failure that follows from it.
run()
{
	local status oom why=

	boot "$1" || why=$(tail -n 1 "$work/$1.err")
	status=$(told "$1" status)
	oom=$(told "$1" oom)
	case $1:$status:$oom in
	*::)	: "${why:=it ended too early}" ;;
	noswap:137:*"(python3)"*)	;;
	noswap:*)
		why="the kernel should have killed the program, its status is $status" ;;
	*:0:)	: "${why:=$(flaw "$1")}" ;;
	*)	why="the program failed with status $status${oom:+, out of memory}" ;;
	esac
	why=${why#== }
	[ -z "$why" ] || die "$(name "$1"): ${why%, log in*}, see $work/$1.log"
}

# flaw MODE: print the reason if the run is no proof although the program has finished.
flaw()
{
	if [ "$(told "$1" sha256)" != "$expected" ]; then
		echo "the program's output is not that of this machine"
	elif [ "$(told "$1" errors)" != 0 ]; then
		echo "MTDCOMPR counted $(told "$1" errors) errors"
	elif [ "$(told "$1" peak_kib)" -lt $((2 * mem * 1024)) ]; then
		echo "no proof, the program held only $(told "$1" peak_kib) KiB"
	fi
}

say "the same program in guests with $mem MiB, at the same time; about a minute"
# In process groups of their own, so that the trap ends all of their processes.
set -m
job='' jobs=''
trap 'for job in $jobs; do kill -- "-$job" 2>/dev/null || :; done' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
set -o pipefail
for mode in $modes; do
	run "$mode" </dev/null &
	jobs="$jobs $!"
done
for mode in $modes; do
	wait -n || exit 1
done

mib()
{
	echo $((($1 + 512) / 1024))
}

# seconds MODE
seconds()
{
	echo $((($(told "$1" time_ms) + 500) / 1000))
}

# moved MODE: MiB swapped, from numbers of 4 KiB pages.
moved()
{
	echo "$(mib $((4 * $(told "$1" pswpout)))) MiB swapped out," \
		"$(mib $((4 * $(told "$1" pswpin)))) MiB in"
}

report()
{
	local peak pages_kib used_kib extra_kib ram

	peak=$(told swap peak_kib)
	pages_kib=$(($(stat pages_stored) * $(stat page_bytes) / 1024))
	used_kib=$(($(stat media_used_bytes) / 1024))
	extra_kib=$((($(stat metadata_bytes) + $(stat buffer_bytes)) / 1024))
	ram=$(mib "$(told swap ram_kib)")

	cat <<END

A program that needs $(mib "$peak") MiB, on a machine with $mem MiB of RAM:

Without swap:   KILLED after $(seconds noswap) s, out of memory, when it held $(mib "$(told noswap killed_kib)") MiB
With MTDCOMPR:  FINISHED after $(seconds swap) s, its output the same, bit for bit, as on this machine
END
	[ "$modes" = "${modes#*mtdblock}" ] || cat <<END
By mtdblock:    FINISHED after $(seconds mtdblock) s, with the same output; $(moved mtdblock)
END
	cat <<END

Program:        python3 -m py_compile, $(wc -l < "$work/library.py") lines
Machine:        QEMU, Linux $(kernel KREL), which leaves $ram of the $mem MiB of RAM to programs
Swap:           MTDCOMPR on $media MiB more, which Linux does not use as RAM; $(moved swap)
Compression:    $(mib "$pages_kib") MiB of pages stored in $(mib "$used_kib") MiB, at $(stat ratio_percent) % of their size ($(stat comp))
Gain:           $(mib $((pages_kib - used_kib - extra_kib))) MiB of memory, $(mib "$extra_kib") MiB for tables and buffers deducted
Speed:          $(($(stat write_avg_ns) / 1000)) us to store a page, $(($(stat read_avg_ns) / 1000)) us to load one, on this emulated processor
Statistics:     /proc/mtdcompr/mtdcompr0, when most was swapped, is in ${work#"$top"/}/swap.log
END
}

report | tee "$work/report.txt"
