#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Each allocation fails in turn: of attach, of detach, of loading and unloading the module with
# devices, of reading the statistics, and of opening and using the device (see lib/failnth.c). With
# each compressor, each policy, the eraseblock cache and the log on flash, and on a UBI volume.
# init.sh checks for leaks.
#
# mtdblock makes half of the allocations of an attach when it is loaded; once is enough for these.
# MTDC_FAULTS limits the faults of an operation. The short form has one kind of attach, and only
# each seventh allocation fails.
#
# job: checks failnth --mem 256 --reserve 64 --timeout 900 --smp 2
. "$(dirname "$0")/lib.sh"

: "${MTDC_FAULTS:=100000}"
until='' every=1
fail=/sys/kernel/debug
mountpoint -q $fail || mount -t debugfs none $fail

if [ ! -e $fail/failslab ] || [ ! -e $fail/fail_page_alloc ]; then
	skip_rest "allocations that fail" "this kernel has no failslab"
fi
# The stack of each fault is in the log.
: > /run/mtdc-allow-faults


# All allocations that may fail at all: also those that may sleep, and of single pages.
for knob in failslab/ignore-gfp-wait fail_page_alloc/ignore-gfp-wait \
	fail_page_alloc/ignore-gfp-highmem; do
	must eval "echo N > $fail/$knob"
done
must eval "echo 0 > $fail/fail_page_alloc/min-order"
for knob in failslab fail_page_alloc; do
	must eval "echo 2 > $fail/$knob/verbose"
done
some_disk
no_autoload

# Attaches and loads have hundreds of allocations, most of them the same in each. In the short form
# each seventh fails, from another first one each time.
coarse=$(amount 7 1)
first=0

# faults WHAT LOWER OPERATION NAME ARGUMENT...: two results; with $until, repeat until a fault was
# below that function
faults()
{
	what=$1
	shift
	from_nth=1 every=1
	case $2 in
	attach | insmod)
		first=$((first % coarse + 1))
		from_nth=$first every=$coarse ;;
	esac
	read -r from _ < /proc/uptime
	# shellcheck disable=SC2086 # no function, no option
	limited 900 failnth -l "$1" -n "$MTDC_FAULTS" -f "$from_nth" -e "$every" -o "$TMP/log" \
		${until:+-u $until} "$2" "$3" "$4" ${5+"$5"} > "$TMP/out" 2> "$TMP/err"
	result $? "$what: a clean error or success, and nothing left"
	read -r to _ < /proc/uptime
	head -n 40 "$TMP/err" | sed 's/^/# /'
	injected=$(sed -n 's/^faults \([0-9]*\).*/\1/p' "$TMP/out")
	: "${injected:=0}"
	holds "$what: there were faults" "$injected" -gt 1
	diag "$what, $((${to%.*} - ${from%.*})) s: $(tr '\n' ' ' < "$TMP/out")"
	cat "$TMP/log" >> "$TMP/all"
}

# sites: number of faults below each function of the driver, the one that allocates first
sites()
{
	awk '
		{
			total++
			for (i = 4; i <= NF; i++) {
				if ($i ~ /\[mtdcompr\]/) {
					sub(/\[mtdcompr\]/, "", $i)
					ours[$i]++
					sum++
					next
				}
			}
		}
		END {
			printf "%d faults, %d of them below functions of ours:\n", total, sum
			for (name in ours)
				print ours[name], name
		}' "$TMP/all"
}

# below FUNCTION...: did each of these see a fault?
below()
{
	below_missing=
	for function; do
		grep -q "\<$function\[mtdcompr\]" "$TMP/all" || below_missing="$below_missing $function"
	done
	[ -z "$below_missing" ] || {
		echo "no fault in$below_missing; refusals whose stack was not in the log:"
		grep -n ' [A-Z]* [0-9]* *$' "$TMP/all" | grep -v ' ok ' | head -n 20
	}
	[ -z "$below_missing" ]
}

must modprobe mtdram total_size=1024 erase_size=64
ram=$(mtd_num "mtdram test device") || bail "no mtdram"
ko=$TMP/mtdcompr.ko
cp "$(modinfo -n mtdcompr)" "$ko"
for module in $(modinfo -F depends mtdcompr | tr , ' '); do
	must modprobe "$module"
done

# Through sysfs.
load
faults "attach, mtdblock loaded" mtdram attach fn "$ram,comp=lz4,name=fn"
faults "detach, mtdblock loaded" mtdram detach fn "$ram,comp=lz4,name=fn"
until=proc_show
faults "statistics" mtdram show fn "$ram,comp=lz4,name=fn"
until=
faults "mtdblock" mtdram block fn "$ram,comp=lz4,name=fn"
faults "block device" mtdram disk fn "$ram,comp=lz4,name=fn"
must rmmod mtdblock
faults "character device" mtdram char fn "$ram,comp=lz4,name=fn"
faults "attach by name" mtdram attach mtdcompr0 "mtdram test device"
for options in comp=lzo comp=zlib,level=9 comp=zstd comp=none,alloc=best size=2M,alloc=largest \
	comp=lz4,ratio=900,alloc=rotate; do
	faults "attach, $options" mtdram attach fn "$ram,$options,name=fn"
done
faults "detach" mtdram detach fn "$ram,comp=zstd,name=fn"

must modprobe nandsim id_bytes=0xec,0xa1,0x00,0x15 overridesize=4
nand=$(sed -n 's/^mtd\([0-9]*\):.*"NAND simulator.*/\1/p' /proc/mtd)
faults "attach, cache=1 on nandsim" nandsim attach fn "$nand,cache=1,comp=lz4,name=fn"
faults "detach, cache=1 on nandsim" nandsim detach fn "$nand,cache=1,comp=lz4,name=fn"
faults "character device, cache=1 on nandsim" nandsim char fn "$nand,cache=1,comp=lz4,name=fn"
must modprobe mtdsim dev=name=nor,type=nor,size=1M dev=name=nand,type=nand,size=1M,erasesize=32K \
	dev=name=ubichip,type=nand,size=1M,erasesize=16K
faults "attach, cache=1 on NOR" mtdsim attach fn "nor,cache=1,comp=zlib,name=fn"
log=nand,store=log,spread=8,comp=lz4,name=fn
faults "block device, store=log on NAND" mtdsim disk fn $log
faults "attach, store=log on NAND" mtdsim attach fn $log
faults "detach, store=log on NAND" mtdsim detach fn $log
faults "character device, store=log on NAND" mtdsim char fn $log

must modprobe ubi
must ubiattach -d 0 -m "$(mtd_num ubichip)"
must ubimkvol /dev/ubi0 -N swap -S 54
faults "attach, a UBI volume" ubi attach fn "ubi0:swap,comp=lz4,name=fn"
faults "detach, a UBI volume" ubi detach fn "ubi0:swap,comp=lz4,name=fn"
must ubidetach -d 0
must rmmod ubi

# At the load of the module.
must rmmod mtdcompr
faults "insmod" mtdram insmod - "$ko" ""
faults "insmod, mtd=" mtdram insmod fn "$ko" "mtd=$ram,comp=lz4,name=fn"
faults "insmod, two times mtd=" mtdram insmod fn "$ko" \
	"mtd=$nand,cache=1,comp=zlib,name=other mtd=$ram,comp=zstd,name=fn"
faults "rmmod" mtdram rmmod fn "$ko" "mtd=$ram,comp=lz4,name=fn"
faults "rmmod, two devices" mtdram rmmod fn "$ko" \
	"mtd=$nand,cache=1,comp=zlib,name=other mtd=$ram,comp=zstd,name=fn"

sites > "$TMP/sites"
diag "$(sort -rn "$TMP/sites")"
check "the lower MTDs are not held" rmmod mtdram nandsim mtdsim
refused "nothing is left in procfs" [ -e $PROC ]

long_from_here
# Except for allocations with __GFP_NOWARN, which have no stack in the log: first tries of
# kvmalloc(), as in ebcache, lz4 and lzo.
check "the allocations of ours were made to fail" below parse_and_create mtdc_store_create \
	mtdc_pagebuf_create zlib_create zstd_create mtdc_proc_init mtdc_proc_add log_create \
	mtdc_mtd_register mtdc_sysfs_init proc_show
