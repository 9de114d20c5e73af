#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# proswapd on a board whose kernel lacks BTF and control groups: --check reports that, proswapd
# finds the period of a program larger than the memory, the bytes are right, and nothing stays
# changed after it is killed.
#
# job: test,stock board
# job: machine pxa270
# shellcheck disable=SC2154 # lib.sh's variables
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/swaplib.sh"

LOG=$TMP/proswapd.log
phram low 0 $((MTDC_RESERVE_SIZE / 1024))
must modprobe mtdcompr mtd=low,comp=lz4,name=swp
must mkswap "$(own_disk swp)"
must swapon "$(own_disk swp)"
cluster=$(cat /proc/sys/vm/page-cluster)

proswapd --check > "$TMP/check"
is "--check: it works here" $? 0
sed 's/^/# /' "$TMP/check"
check "--check: no swap-outs by BPF" grep -q '^swap-outs by bpf  *no' "$TMP/check"
check "--check: by page tables" grep -q '^swap-outs by pagemap  *yes' "$TMP/check"
check "--check: there are no control groups" grep -q '^cgroup v2  *no' "$TMP/check"

{
	printf '#regions\na, %s\n\n#phases\n' $((total_mib * 11 / 10 << 20))
	pass=0
	while [ $pass -lt "$(amount 12 40)" ]; do
		pass=$((pass + 1))
		printf 'pass %s\n1000\na, 0, 4096, 1\n\n' $pass
	done
} > "$TMP/circle.cfg"
memload pattern --passes 1 --work 500 "$TMP/circle.cfg" > "$TMP/circle" 2>&1 &
circle=$!
proswapd -f -p memload -S "$TMP/proswapd.state" 2> "$LOG" &
proswapd=$!
tries=600
until grep -q 'periodic, ' "$LOG" || [ $tries = 0 ] || ! kill -0 $circle 2>/dev/null; do
	tries=$((tries - 1))
	sleep 0.5
done
check "the program is found to be periodic" grep -q 'periodic, ' "$LOG"
wait $circle
is "it got to its end, and its bytes are right" $? 0
rss=$(sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$proswapd/status")
diag "$rss KiB resident"
holds "at most 3 MiB are resident" "$rss" -le 3072
kill -9 $proswapd
sleep 1
is "killed: readahead of the swap is as before" "$(cat /proc/sys/vm/page-cluster)" "$cluster"
sed 's/^/# /' "$LOG" | tail -n 8
must swapoff "$(own_disk swp)"
must rmmod mtdcompr
check "all is gone" rmmod phram
