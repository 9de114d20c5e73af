#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The paper's board (qemu/machine/board.sh), a 32-bit ARM with 32 MiB: the usual modprobe line, on
# memory outside the kernel's and on memory of the kernel; more memory in use than the board has,
# with every byte verified; each compressor; and the board's own flash. The figures of the report
# come from this script.
#
# job: test,stock board seconds=75 --machine board --timeout 600
# job: machine pxa270 --machine board --timeout 600
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/swaplib.sh"


# The board.
is "it is an XScale" "$(uname -m)" armv5tel
# shellcheck disable=SC2154 # swaplib.sh's
holds "the kernel has no more than 32 MiB" "$total_mib" -le 32
holds "and leaves 28 of them" "$total_mib" -ge 28
is "the root is on JFFS2 in the NOR flash" \
	"$(awk '$2 == "/" && $3 == "jffs2" { print $1 }' /proc/mounts)" mtd:Filesystem
is "the second flash is NOR of 256 KiB blocks" \
	"$(cat "/sys/class/mtd/mtd$(mtd_num mainboard-flash)/type" \
	"/sys/class/mtd/mtd$(mtd_num mainboard-flash)/erasesize" | tr '\n' ' ')" "nor 262144 "
is "and empty" "$(head -c 1048576 "/dev/mtd$(mtd_num mainboard-flash)" |
	tr -d '\377' | wc -c)" 0
must modprobe zram
echo deflate > /sys/block/zram0/comp_algorithm
case $(cat /sys/block/zram0/comp_algorithm) in
*'[deflate]'*)	result 0 "zram, to compare with, can do what zlib does" ;;
*)		result 1 "zram, to compare with, can do what zlib does" ;;
esac
must rmmod zram

# The kernel itself causes some when it loads these (skcipher 24, crypto_hash 12): their tables of
# addresses to patch are not aligned.
must modprobe libchacha20poly1305
mended=$(mended)

# Memory outside the kernel's, instead of the paper's PCM.
phram low 0 $((MTDC_RESERVE_SIZE / 1024))
# Less than twice the memory: lz4 compresses the patterns to 51 %, which is worse than programs, and
# a page that does not fit would be an error.
swap_on low,comp=lz4 $((total_mib * 17 / 10)) "lz4, 1.7 times the memory"
swap_on low,comp=zlib $((total_mib + 4)) "zlib"
# The short form tests lzo on the other media.
if [ -n "${MTDC_LONG:-}" ]; then
	swap_on low,comp=lzo $((total_mib + 4)) "lzo"
	swap_on low,comp=zstd $((total_mib + 4)) "zstd"
fi
check "phram can be unloaded" rmmod phram

# The kernel's own memory, as the paper's RAM disk. Limited by the patterns: the kernel uses all of
# the swap area, and mtdblock does not report free slots.
if [ -n "${MTDC_LONG:-}" ]; then
	must modprobe mtdram total_size=6144 erase_size=4
	swap_on "mtdram test device,comp=lzo,size=12M" $((total_mib - 9)) "in the kernel's memory"
	must rmmod mtdram
fi

# The paper's PCM, simulated: slow to write, and needs no erase.
must modprobe mtdsim "dev=name=pcm0,type=pcm,profile=p8p,size=16M,base=$MTDC_RESERVE_ADDR,delay=busy"
swap_on pcm0,comp=lzo $((total_mib - 3)) "PCM"
check "PCM: no rule of the medium was broken" \
	grep -qx 'violations:* *0' /sys/kernel/debug/mtdsim/pcm0/counters
must rmmod mtdsim

# The board's own flash, which needs erases.
swap_on mainboard-flash,comp=lzo,cache=1 $((total_mib - 3)) "NOR"

# Encryption, on 32 bits and without SIMD. From here on the kernel loads no module by itself.
. "$(dirname "$0")/simlib.sh"
. "$(dirname "$0")/cryptlib.sh"
load

# hides KIND OPTIONS: the secret is on the media without encryption only
hides()
{
	media_begin "$1"
	device "crypt=off,$2"
	must secretio write "$DISK" 0 "$pages"
	search -o "$COMPRESSED"
	finds "$1, $2, crypt=off"
	detach sec
	media_end
	media_begin "$1"
	device "crypt=on,$2"
	must secretio write "$DISK" 0 "$pages"
	finds_none "$1, $2, crypt=on"
	must secretio read "$DISK" 0 "$pages"
	is "$1, $2: all pages can be read" "$(cat "$TMP/secretio")" "ok $pages error 0"
	must secretio free "$DISK" 0 "$pages"
	finds_none "$1, $2, crypt=on, all freed"
	detach sec
	media_end
}
hides phram comp=lz4
hides phram comp=none
hides nand comp=lz4
hides nand comp=zlib
must rmmod phram
must rmmod mtdcompr

is "nothing is left" "$(cat /proc/mtd /proc/swaps | grep -c 'mtdcompr\|mtdblock')" 0
is "no access had to be mended by the alignment trap" "$(mended)" "$mended"
