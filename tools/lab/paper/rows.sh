# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Sourced by run.sh and calibrate.sh: the rows to measure.

# How the benchmark reads; the paper does not say. Found once with
# tools/lab/paper/calibrate.sh, so that the plain configuration on RAM has the paper's
# figures: 89 % with fixed reads, 10 % with random ones. The same for all rows.
# shellcheck disable=SC2034 # for those who source this
calibrated="--chunk=64K --repeat=38 --read=crc"
# Chunks per measurement, and the step between measurements: more are smoother but
# take longer.
# shellcheck disable=SC2034
effort="--picks=128,8 --step=1M"

# The rows: name; store of board.sh; its options; sysctls; further arguments of
# membench. A row of zram has the size and the limits of the row that it is compared
# with. zram's deflate always has level 6 of zlib.
rows()
{
	cat <<'END'
none       none
ram        ram   comp=zlib
zram       zram  comp_algorithm=deflate,disksize=48M
pcm        pcm   comp=zlib
nand       nand  comp=zlib
nand-cache nand  comp=zlib,cache=1
nand-2008  nand  comp=zlib,cache=1,alloc=largest     -                  --picks=16,2 --step=4M --seconds=600
ram-best   ram   comp=zlib,ratio=1000                vm/page-cluster=0  --max=60M
zram-best  zram  comp_algorithm=deflate,disksize=96M vm/page-cluster=0  --max=60M
pcm-best   pcm   comp=zlib,ratio=1000                vm/page-cluster=0  --max=72M
pcm-most   pcm   comp=zstd,level=12,ratio=480       vm/page-cluster=0  --picks=16,2 --step=4M
ram-zlib6  ram   comp=zlib,level=6,ratio=1000        vm/page-cluster=0  --max=60M
ram-lz4    ram   comp=lz4,ratio=1000                 vm/page-cluster=0  --max=48M
zram-lz4   zram  comp_algorithm=lz4,disksize=96M     vm/page-cluster=0  --max=48M
END
}
