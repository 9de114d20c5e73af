#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Attach and detach, again and again: no byte may leak, and a detach is refused while the device is
# in use; the same for the module. MTDC_CYCLES: number of cycles, 100, or 1000 in the long form.
#
# job: test basic
# job: long,debug attach
# job: kernel kernel
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/memlib.sh"

: "${MTDC_CYCLES:=$(amount 100 1000)}"
no_autoload
i=0
while [ $i -lt 32 ]; do
	phram "low$i" $((i * 512)) 512
	i=$((i + 1))
done
load

# vmalloc_areas: areas of the module; after its unload its code must have none
vmalloc_areas()
{
	grep -c 'mtdc_\|\[mtdcompr\]' /proc/vmallocinfo
}

cycle()
{
	n=0
	while [ $n -lt "$1" ]; do
		echo "low$((n % 32)),comp=$2,name=cyc" > "$SYS/attach" || return 1
		echo cyc > "$SYS/detach" || return 1
		n=$((n + 1))
	done
}

# The first cycles fill caches; later ones must cost no memory. Each compressor has buffers of its
# own.
areas=$(vmalloc_areas)
for comp in lz4 zlib lzo zstd none; do
	must cycle "$(amount 8 20)" $comp
done
before=$(memory)
read -r from _ < /proc/uptime
check "attach and detach $MTDC_CYCLES times" cycle "$MTDC_CYCLES" lz4
read -r to _ < /proc/uptime
diag "$((${to%.*} - ${from%.*})) s"
others=$(((MTDC_CYCLES + 19) / 20))
for comp in zlib lzo zstd none; do
	check "$others times with $comp" cycle $others $comp
done
after=$(memory)
# With 1000 cycles this finds a leak of 600 bytes each, with 100 a page each.
limit=600
[ "$MTDC_CYCLES" -ge 1000 ] || limit=200
holds "memory did not grow: $before KiB before, $after after" \
	$((after - before)) -lt $limit
is "no vmalloc area is left" "$(vmalloc_areas)" "$areas"
is "no MTD is left" "$(grep -c cyc /proc/mtd)" 0
is "no statistics file is left" "$(ls "$PROC")" ""

# Detach devices that hold data.
n=0
attach "low0,comp=lz4,name=dirty"
dirty=$(amount 5 20)
while [ $n -lt "$dirty" ]; do
	patio write "$CHAR" 0 64 $n > "$TMP/out"
	mtdop fill "$CHAR" 1000000 512 1 > "$TMP/out"
	detach dirty
	attach "low0,comp=lz4,name=dirty"
	n=$((n + 1))
done
is "detached $dirty times with data and a partial page" "$n" "$dirty"

# A detach is refused while the device is in use.
exec 3< "$CHAR"
is "detach is refused while /dev/mtdN is open for reading" "$(put detach dirty)" EBUSY
refused "rmmod is refused, too" rmmod mtdcompr
exec 3>&-
exec 3<> "$CHAR"
is "detach is refused while /dev/mtdN is open for writing" "$(put detach "$NUM")" EBUSY
exec 3>&-
exec 3<> "$BLOCK"
is "detach is refused while mtdblock is open" "$(put detach dirty)" EBUSY
refused "rmmod is refused, too" rmmod mtdcompr
exec 3>&-
must mkswap "$BLOCK"
must swapon "$BLOCK"
is "detach is refused while swapped on" "$(put detach dirty)" EBUSY
refused "rmmod is refused, too" rmmod mtdcompr
is "nothing of this has harmed the device" "$(stat state dirty)" ok
must swapoff "$BLOCK"
mark
exec 3< "$CHAR"
put detach dirty > "$TMP/out"
holds "the refusal says why" "$(messages | grep -c dirty)" -ge 1
exec 3>&-

# The statistics may be open while the device goes.
exec 3< "$PROC/dirty"
read -r line <&3
is "the statistics start with a version" "${line%% *}" "version:"
is "detach works while they are open" "$(put detach dirty)" ok
cat <&3 > "$TMP/out" 2>&1
exec 3>&-
is "and the file is gone" "$(ls "$PROC")" ""
refused "detaching again is refused" [ "$(put detach dirty)" = ok ]
check "rmmod works when nothing is attached" rmmod mtdcompr
is "no vmalloc area of the module is left" "$(vmalloc_areas)" 0

# 32 devices with one modprobe.
many=
i=0
while [ $i -lt 32 ]; do
	many="$many mtd=low$i,comp=lz4"
	i=$((i + 1))
done
# shellcheck disable=SC2086 # to be split
check "modprobe attaches 32 devices" modprobe mtdcompr $many
is "all of them are there" "$(find "$PROC" -type f | wc -l)" 32
is "the default names count from 0" "$(grep '^lower_name: ' "$PROC/mtdcompr31")" \
	"lower_name: low31"
i=0
bad=0
while [ $i -lt 32 ]; do
	patio -s $i write "/dev/mtd$(mtd_num mtdcompr$i)" 0 32 1 > "$TMP/out"
	i=$((i + 1))
done
while [ $i -gt 0 ]; do
	i=$((i - 1))
	[ "$(patio -s $i verify "/dev/mtd$(mtd_num mtdcompr$i)" 0 32 1)" = \
		"ok 32 error 0 wrong 0 first none" ] || bad=$((bad + 1))
done
is "each keeps its own data" $bad 0
check "rmmod removes all 32" rmmod mtdcompr
is "no MTD of ours is left" "$(grep -c mtdcompr /proc/mtd)" 0
check "the lower driver is free again" rmmod phram

# The MTD core still lists an open partition after its deletion. But it would not notify the driver
# when the partition's master goes.
phram low1 512 512
load
must mtdpart add "/dev/mtd$(mtd_num low1)" part 0 262144
part=$(mtd_num part)
exec 3< "/dev/mtd$part"
if mtdpart del "/dev/mtd$(mtd_num low1)" "$part" > "$TMP/out" 2>&1; then
	is "a deleted partition that is still open can't be attached to" \
		"$(put attach "$part,name=dead")" ENODEV
	is "nor by its name" "$(put attach part,name=dead)" ENODEV
	exec 3<&-
else
	skip "a deleted partition that is still open (1)" "this kernel does not delete it"
	skip "a deleted partition that is still open (2)" "this kernel does not delete it"
	exec 3<&-
	must mtdpart del "/dev/mtd$(mtd_num low1)" "$part"
fi
is "nothing of it is left" "$(grep -c '"part"\|"dead"' /proc/mtd)" 0
must mtdpart add "/dev/mtd$(mtd_num low1)" part 0 262144
is "another one in its place can be" "$(put attach part,name=alive)" ok
detach alive
must mtdpart del "/dev/mtd$(mtd_num low1)" "$(mtd_num part)"
must rmmod mtdcompr phram

# Load and unload the module itself.
phram low0 0 512
before=$(memory)
whose_memory "$TMP/from"
loads=$(amount 8 30)
n=0
while [ $n -lt "$loads" ]; do
	if ! modprobe mtdcompr mtd=low0 || ! rmmod mtdcompr; then break; fi
	n=$((n + 1))
done
is "modprobe and rmmod $loads times" $n "$loads"
after=$(memory)
whose_memory "$TMP/to"
diag "$(what_grew "$TMP/from" "$TMP/to")"
# On the debug kernel memory varies by up to 350 KiB; see loads.sh.
if [ "${MTDC_MEM_KERNEL:-0}" -gt 0 ]; then
	diag "$before KiB before, $after after"
	skip "memory did not grow" "the debug kernel's own goes up and down; loads.sh, kmemleak"
else
	holds "memory did not grow: $before KiB before, $after after" $((after - before)) -lt 200
fi
