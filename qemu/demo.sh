#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# demo.sh: a Linux guest with too little memory finishes real work because it
# swaps on MTDCOMPR, and fails without. The work is Python compiling a large
# part of its own library at once; the result must be the same, bit for bit, as
# that of the same program on the host.
set -eu
. "$(dirname "$0")/lib.sh"

# MiB: the guest's memory, the memory beside it which only MTDCOMPR uses, and the
# swap that it makes of that. The program holds more than twice the first, see
# the check below. The data of its parser compress to about 35 % with zlib, and so
# fit on the media. The swap is twice what is needed: when more than half of it
# is in use, the kernel gives up the copy of each page that it reads, and has to
# write it again; with swap=288 page_writes in the report shows that. With sync=1 it
# always has to.
mem=128
media=128
swap=512
# Of Python source, in bytes. The compiler takes about 45 times as much memory.
size=5800000

"$top/qemu/setup.sh" build guest demo
MTDC_KERNEL=$("$top/qemu/kernel.sh") || exit 1
export MTDC_KERNEL

work=$build/demo
rm -rf "$work"
mkdir -p "$work"

say "building the module"
"$top/qemu/build.sh"

say "the program on this machine, for comparison"
python=/usr/bin/python3
$python "$top/qemu/demo-data.py" "$work/library.py" $size
PYTHONPYCACHEPREFIX=$work/host $python -m compileall -q \
	--invalidation-mode unchecked-hash "$work/library.py" ||
	die "Python cannot compile $work/library.py"
expected=$(find "$work/host" -name 'library.*.pyc' -exec sha256sum {} + |
	cut -d ' ' -f 1)
[ -n "$expected" ] || die "Python left no result in $work/host"

# boot MODE [OPTION...]
boot()
{
	local mode=$1
	shift

	# Two processors: one swaps while the other works.
	"$top/qemu/guest.sh" --mem $mem --smp 2 --timeout 900 \
		--log "$work/$mode.log" "$@" -- \
		"$top/qemu/demo-guest.sh" "$work/library.py" "$mode" >&2 ||
		die "the guest $mode failed, see $work/$mode.log"
}

# told MODE KEY: what the guest said.
told()
{
	sed -n "s/^demo: $2 //p" "$work/$1.log"
}

# stat KEY: of /proc/mtdcompr/mtdcompr0
stat()
{
	sed -n "s/^stat: $1: //p" "$work/swap.log"
}

say "a guest with $mem MiB, and $swap MiB of swap on $media MiB beside them"
boot swap --reserve $media --env demo_swap=$swap
say "the same through mtdblock"
boot mtdblock --reserve $media --env demo_swap=$swap
say "a guest with $mem MiB, without swap"
boot noswap

for mode in swap mtdblock; do
	[ "$(told $mode status)" = 0 ] ||
		die "with MTDCOMPR the program failed ($mode): $(told $mode status)"
	[ "$(told $mode sha256)" = "$expected" ] ||
		die "with MTDCOMPR the program's output is wrong ($mode): $(told $mode sha256)"
done
peak=$(told swap peak_kib)
[ "$peak" -ge $((2 * mem * 1024)) ] ||
	die "the program held only $((peak / 1024)) MiB: no proof"
case $(told noswap status):$(told noswap oom) in
137:*"(python3)"*)	;;
*)	die "without swap the program should have been killed, status" \
		"$(told noswap status), \"$(told noswap oom)\"" ;;
esac
[ "$(stat err_full)" = 0 ] || die "the media were full"
[ -z "$(told swap oom)" ] || die "OOM with MTDCOMPR: $(told swap oom)"

pages_kib=$(($(stat pages_stored) * $(stat page_bytes) / 1024))
used_kib=$(($(stat media_used_bytes) / 1024))
extra_kib=$((($(stat metadata_bytes) + $(stat buffer_bytes)) / 1024))

mib()
{
	echo $((($1 + 512) / 1024))
}

seconds()
{
	echo $((($1 + 500) / 1000))
}

report()
{
	cat <<END

The statistics when most was swapped, /proc/mtdcompr/mtdcompr0:
$(sed -n 's/^stat: /   /p' "$work/swap.log")

The work:          python3 -m compileall, $(wc -l < "$work/library.py") lines of Python's library
Memory it needs:   $(mib "$peak") MiB at its peak
The guest has:     $mem MiB of RAM, of which Linux leaves $(mib "$(told swap ram_kib)") MiB
Without swap:      killed by the kernel after $(seconds "$(told noswap time_ms)") s
                   ($(told noswap oom), which held $(mib "$(told noswap killed_kib)") MiB)
With MTDCOMPR:     finished in $(seconds "$(told swap time_ms)") s, the output is the same as on this machine
                   (sha256 $expected)
Through mtdblock:  finished in $(seconds "$(told mtdblock time_ms)") s; $(mib $(($(told mtdblock pswpout) * 4))) MiB out, $(mib $(($(told mtdblock pswpin) * 4))) MiB in
Swapped:           $(mib $(($(told swap pswpout) * 4))) MiB out, $(mib $(($(told swap pswpin) * 4))) MiB in
On the media:      $(mib $pages_kib) MiB of pages in $(mib $used_kib) of $media MiB, data compressed to $(stat ratio_percent) %
Memory gained:     $(mib $((pages_kib - used_kib - extra_kib))) MiB (tables and buffers of $(mib $extra_kib) MiB deducted)
A page takes:      $(($(stat write_avg_ns) / 1000)) us out, $(($(stat read_avg_ns) / 1000)) us in (emulated processor)

The logs are ${work#"$top"/}/swap.log, mtdblock.log and noswap.log.
END
}

report | tee "$work/report.txt"
