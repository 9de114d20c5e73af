#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# swappage.sh [COMP...]: the cost of swapping a page out and in again, on zram and on
# MTDCOMPR's block device, in one boot of a guest whose time is a count of instructions
# (swappage.py). The compressors are lz4 and zstd unless named. MTDC_KERNEL selects
# another kernel than Debian's: the output of qemu/kernel.sh for it.
set -eu
. "$(dirname "$0")/../../../qemu/lib.sh"
# shellcheck source=tools/lab/bench/lib.sh
. "$top/tools/lab/bench/lib.sh"

[ $# -gt 0 ] || set -- lz4 zstd
prepare
measure swappage --mem 256 -- "$top/tools/lab/bench/swappage.py" 4000 "$@"
grep '"swappage"' "$out/swappage.jsonl"
