#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What proswapd --check says on a machine of another kind with a kernel of Debian's: each way to see
# swap-outs that it names works, which is tried; what is missing, is missing.
#
# job: machine arm64
# shellcheck disable=SC2154 # lib.sh's variables
. "$(dirname "$0")/lib.sh"

grep -q ' /sys/fs/cgroup ' /proc/mounts || must mount -t cgroup2 none /sys/fs/cgroup
must modprobe mtdsim "dev=name=low,type=ram,size=32M,base=$MTDC_RESERVE_ADDR"
must modprobe mtdcompr mtd=low,comp=lz4,name=swp
must mkswap "$(own_disk swp)"
must swapon "$(own_disk swp)"

proswapd --check > "$TMP/check"
is "--check: it works here" $? 0
sed 's/^/# /' "$TMP/check"
# The machine's proswapd is built without libbpf.
check "--check: no swap-outs by BPF" grep -q '^swap-outs by bpf  *no' "$TMP/check"
check "--check: by page tables" grep -q '^swap-outs by pagemap  *yes' "$TMP/check"
check "--check: there are control groups" grep -q '^cgroup v2  *yes' "$TMP/check"

# begins MONITOR: with it, or not
begins()
{
	proswapd -f -m watch -o proswapd.monitor="$1" -S "$TMP/proswapd.state" \
		-s "$TMP/proswapd.sock" 2> "$TMP/proswapd.log" &
	sleep 2
	kill $!
	wait $!
	grep -q "swap-outs are seen by $1" "$TMP/proswapd.log" || {
		sed 's/^/# /' "$TMP/proswapd.log"
		return 1
	}
}
check "it begins with page tables" begins pagemap
must swapoff "$(own_disk swp)"
must rmmod mtdcompr
check "all is gone" rmmod mtdsim
