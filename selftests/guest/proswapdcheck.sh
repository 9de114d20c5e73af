#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The output of proswapd --check on another kind of machine with one of Debian's kernels: each
# source of swap-outs that it lists really works, and the others do not.
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

# begins MONITOR: does proswapd start with it?
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
