#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Swap on the block device, with more memory in use than the guest has, every byte verified; freed
# slots free their media; swapped on and off again and again under load. For a guest as for swap.sh.
# MTDC_ROUNDS: number of repetitions, MTDC_GENS: number of visits of all pages.
#
# job: test,long swapblk seconds=50 --mem 112 --reserve 112 --timeout 600 --smp 2
# job: kcsan swapblk --mem 112 --reserve 112 --timeout 900 --smp 4 --env MTDC_ROUNDS=5
# job: faults swapblk --mem 112 --reserve 112 --timeout 1800 --smp 4 --env MTDC_ROUNDS=100
# job: kernel kernelswap
# job: mthp mthpswap
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/swaplib.sh"

: "${MTDC_GENS:=1}" "${MTDC_ROUNDS:=$(amount 3 20)}"
phram low 0 $((MTDC_RESERVE_SIZE / 1024))
load
much=$(amount $(($(left_mib) + beyond)) $((total_mib * 21 / 10)))
keep=$(amount 8 16)
more=$(amount "$much" $((total_mib * 13 / 10)))

# disk: the block device of swp
disk() { echo "/dev/$(stat disk swp)"; }
# settles KEY LIMIT: the figure soon falls below LIMIT
settles()
{
	settles_tries=150
	while [ $settles_tries -gt 0 ] && [ "$(stat "$1" swp)" -ge "$2" ]; do
		settles_tries=$((settles_tries - 1))
		sleep 0.1
	done
	stat "$1" swp
}

# in_order: pages read ahead for a program that reads its memory in order, twice
in_order()
{
	in_order_before=$(sed -n 's/^swap_ra //p' /proc/vmstat)
	must mkswap "$(disk)"
	must swapon "$(disk)"
	must dd if=/dev/zero of=/dev/null bs=$((total_mib * 13 / 10))M count=2
	must swapoff "$(disk)"
	echo $(($(sed -n 's/^swap_ra //p' /proc/vmstat) - in_order_before))
}

echo 3 > /proc/sys/vm/page-cluster
attach "low,comp=lz4,name=swp"
pressure "lz4, $much MiB in $total_mib MiB" "$(disk)" swp -m "$much" -g "$MTDC_GENS" -k "$keep"
at_once=$(in_order)
detach swp

attach "low,comp=lz4,sync=0,name=swp"
pressure "sync=0" "$(disk)" swp -m "$(amount "$much" $((total_mib * 14 / 10)))" \
	-g "$(amount 0 1)" -k "$keep"
ahead=$(in_order)
diag "read ahead: $at_once pages, with sync=0 $ahead"
# Before 6.1 the kernel has a race in reads without readahead, so the driver does not use them.
case $(uname -r) in
5.*)	skip "pages are read alone, unless sync=0" "not with this kernel" ;;
*)	holds "pages are read alone, unless sync=0" $((at_once * 10)) -lt "$ahead" ;;
esac
detach swp

attach "low,comp=lzo,alloc=largest,name=swp"
# In the short form swap.sh has these.
[ -z "${MTDC_LONG:-}" ] || pressure "lzo, parent and children" "$(disk)" swp \
	-m $((total_mib * 11 / 10)) -g 1 -c 3 -k 16

must mkswap "$(disk)"
must swapon "$(disk)"

# A huge page is one write. With less than 512 MiB the kernel disables them.
huge=/sys/kernel/mm/transparent_hugepage/enabled
if [ -w $huge ]; then
	must eval "echo madvise > $huge"
	echo 1 2> "$TMP/err" > /proc/sys/vm/compact_memory
	swapped=$(sed -n 's/^thp_swpout //p' /proc/vmstat)
	: > "$TMP/huge.go"
	memsig -s 8 -m 8 -g 0 -k 8 -p -w "$TMP/huge" > "$TMP/memsig" 2>&1
	huge_status=$?
	swapped=$(($(sed -n 's/^thp_swpout //p' /proc/vmstat) - swapped))
	diag "$swapped huge pages swapped as such"
	if [ $huge_status = 0 ] && [ $swapped = 0 ]; then
		skip "huge pages" "there were none to be had"
	else
		result $huge_status "huge pages"
	fi
else
	skip "huge pages" "this kernel has none"
fi

# Slots of a process that has ended; the header of the swap area is a page, too.
before=$(stat slots_freed swp)
memsig -s 5 -m "$more" -g "$(amount 0 1)" > "$TMP/memsig" 2>&1
result $? "a process that is larger than the memory"
holds "its pages have left the media after its end" "$(settles pages_stored 2000)" -lt 2000
holds "because their slots were free" "$(($(stat slots_freed swp) - before))" -gt 1000
identities "the figures are consistent then" swp
must swapoff "$(disk)"
holds "nothing but what mkswap and others left is stored after swapoff" \
	"$(settles pages_stored 16)" -lt 16

# For comparison: mtdblock does not report free slots.
must mkswap "$BLOCK"
must swapon "$BLOCK"
memsig -s 6 -m "$more" -g "$(amount 0 1)" > "$TMP/memsig" 2>&1
result $? "the same through mtdblock"
holds "its pages stay" "$(stat pages_stored swp)" -gt 2000
is "while it is swapped on, the block device can't be written to" \
	"$(mtdop fill "$(disk)" 0 "$PAGE" 1)" EBUSY
must swapoff "$BLOCK"
must mkswap "$(disk)"
check "swapon -d discards what is there" swapon -d "$(disk)"
holds "all but the header" "$(settles pages_stored 64)" -lt 64
must swapoff "$(disk)"

# Swap on and off, while memory is short.
left=$(left_mib)
memsig -s 7 -m $((left / 2)) -g 1 -e "$TMP/end" > "$TMP/memsig" 2>&1 &
job=$!
round=0 failed=0
while [ $round -lt "$MTDC_ROUNDS" ]; do
	limited 300 swapon "$(disk)" || failed=$((failed + 1))
	dd if=/dev/zero of="$TMP/fill" bs=1M count=$((left * 6 / 10)) status=none
	rm "$TMP/fill"
	limited 300 swapoff "$(disk)" || failed=$((failed + 1))
	round=$((round + 1))
done
is "swapped on and off $MTDC_ROUNDS times under load" "$failed" 0
: > "$TMP/end"
wait $job
result $? "and the program has found all of its pages"
is "the device is unused now" "$(put detach swp)" ok
