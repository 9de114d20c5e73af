#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# rectifyd on a board whose kernel lacks sockets and control groups, so no program can report a
# switch: --check says so, and it does not start; the rest of it runs there.
#
# job: test,stock board
# job: machine pxa270
# shellcheck disable=SC2154 # lib.sh's variables
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/swaplib.sh"

phram low 0 $((MTDC_RESERVE_SIZE / 1024))
must modprobe mtdcompr mtd=low,comp=lz4,name=swp
must mkswap "$(own_disk swp)"
must swapon "$(own_disk swp)"

rectifyd --check > "$TMP/check"
is "--check: it does not work here" "$? $(tail -n 1 "$TMP/check")" "1 It does not work here."
diag "$(cat "$TMP/check")"
check "--check: there are no sockets" grep -q '^sockets  *no' "$TMP/check"
check "--check: there are no control groups" grep -q '^cgroup v2  *no' "$TMP/check"
check "--check: pages could be moved" grep -q '^process_madvise  *yes' "$TMP/check"
check "--check: there is swap, and what it costs" grep -q '^  a read .* us a page' "$TMP/check"
rectifyd -f -S "$TMP/state" 2> "$TMP/err"
is "it does not start, and says why" "$? $(cat "$TMP/err")" \
	"1 rectifyd: no sockets (CONFIG_UNIX) for rectifyctl: use cgroup v2 and apps.watch = yes"
rectifyd -f -S "$TMP/state" -p /apps -o apps.watch=yes 2> "$TMP/err"
is "nor with groups that are not there" $? 1
check "--once" rectifyd --once
must swapoff "$(own_disk swp)"
must rmmod mtdcompr
check "all is gone" rmmod phram
