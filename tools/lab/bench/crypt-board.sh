#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# crypt-board.sh PROGRAM_MIB ROUNDS: on the paper's board, for crypt.sh: pages written to memory and
# read back, and a program in need of memory on swap on NAND, with crypt=off and crypt=on. Prints
# lines of "BENCH " and a JSON object, as crypt.py does.
set -eu

mib=$1 rounds=$2
sys=/sys/devices/mtdcompr
# As the paper's experiments have (tools/lab/paper/board.sh).
chip_mib=16

# mtd_number NAME
mtd_number()
{
	sed -n "s/^mtd\([0-9]*\): .*\"$1\"\$/\1/p" /proc/mtd
}

# attach MTD OPTIONS: sets disk
attach()
{
	echo "$(mtd_number "$1"),name=c,comp=lz4,$2" > $sys/attach
	disk=/dev/$(sed -n 's/^disk: //p' /proc/mtdcompr/c)
}

detach()
{
	echo c > $sys/detach
}

# ms: milliseconds since the boot, in all and idle, the latter by the jiffy
ms()
{
	sed 's/\([0-9]*\)\.\([0-9]*\)/\1\20/g' /proc/uptime
}

swapped()
{
	sed -n 's/^pswp\(out\|in\) //p' /proc/vmstat
}

# The columns of pageio are those that it names.
on_memory()
{
	attach memory "size=8M,crypt=$1"
	/mtdc/pageio "$disk" /mtdc/pages.bin wr | while IFS=, read -r pass pages mean stored filled \
		_; do
		[ "$pass" != pass ] || continue
		echo "BENCH {\"kind\": \"page\", \"machine\": \"board\", \"comp\": \"lz4\"," \
			"\"crypt\": \"$1\", \"pass\": \"$pass\", \"pages\": $pages," \
			"\"mean\": $mean, \"mean_stored\": $stored, \"mean_filled\": $filled}"
	done
	detach
}

swap()
{
	attach nand "size=48M,crypt=$1"
	mkswap "$disk" > /dev/null
	swapon "$disk"
	echo 3 > /proc/sys/vm/drop_caches
	# shellcheck disable=SC2046 # four numbers
	set -- "$1" $(swapped) $(ms)
	memsig -m "$mib" -g 1 > /dev/null
	# shellcheck disable=SC2046
	set -- "$@" $(swapped) $(ms)
	# pswpin comes first in the file.
	echo "BENCH {\"kind\": \"swap\", \"machine\": \"board\", \"crypt\": \"$1\"," \
		"\"ns\": $(($8 - $4))000000, \"idle\": $(($9 - $5))000000," \
		"\"out\": $(($7 - $3)), \"in\": $(($6 - $2))}"
	swapoff "$disk"
	detach
}

modprobe mtdcompr
modprobe phram "phram=memory,$MTDC_RESERVE_ADDR,$((chip_mib << 20)),4096"
on_memory off
on_memory on
rmmod phram

echo 0 > /proc/sys/vm/page-cluster
chip=type=nand,profile=mt29f4g,size=${chip_mib}M,base=$MTDC_RESERVE_ADDR
modprobe mtdsim "dev=name=nand,$chip,delay=sleep"
round=0
while [ $round -lt "$rounds" ]; do
	swap off
	swap on
	round=$((round + 1))
done
echo 'BENCH {"kind": "end"}'
