# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Sourced by run.sh and calibrate.sh: what is measured.

# How the benchmark reads, which the paper does not say. Found once, by
# tools/paper/calibrate.sh, so that the plain configuration on RAM is where the
# paper has it: 89 % with fixed reads, 10 % with random ones. The same for all.
# shellcheck disable=SC2034 # for those who source this
calibrated="--chunk=64K --repeat=34 --read=crc"
# How many chunks make a measurement, and how often there is one: more is
# smoother, and takes longer.
# shellcheck disable=SC2034
effort="--picks=128,8 --step=1M"

# The rows: name; what board.sh calls the store; its options; sysctls; more
# arguments of membench. A row that is compared with another one has its size.
rows()
{
	cat <<'END'
none       none
ram        ram   comp=zlib
zram       zram  comp_algorithm=deflate,disksize=48M
ram-best   ram   comp=lz4,ratio=320                  vm/page-cluster=0
zram-best  zram  comp_algorithm=lz4,disksize=51M     vm/page-cluster=0
pcm        pcm   comp=zlib
pcm-best   pcm   comp=zlib,ratio=900                 vm/page-cluster=0  --max=70M
pcm-most   pcm   comp=zstd,level=15,ratio=484       vm/page-cluster=0  --picks=16,2 --step=4M
nand       nand  comp=zlib,cache=1                   -                  --seconds=300
END
}
