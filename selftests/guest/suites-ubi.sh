#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# UBI beside the device, below it and above it; ubi.sh has more tests with UBI below. First UBI is
# on one partition of a chip and the device on another; io_paral of mtd-utils, which writes,
# updates, removes and makes volumes from four threads and compares the data, works on UBI while the
# device is in use. Then the device is on a volume of that UBI, and io_paral works on the others.
# Then UBI is on the device, with eraseblocks of a page. MTDC_OPS sets the amount;
# selftests/suites/build.sh builds io_paral. For a guest of 144 MiB and a reserve of 48 MiB.
#
# Swap on nandsim is not tested beside UBI: nandsim allocates in UBI's thread with the chip's lock
# held, and such drivers can't be shared with swap (Known limits in
# Documentation/reference/options.rst).
#
# job: suites ubi --mem 144 --reserve 48 --timeout 600
# shellcheck disable=SC2154 # s_KEY are set by load_stats, by name
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/swaplib.sh"
. "$(dirname "$0")/simlib.sh"

: "${MTDC_OPS:=2000}"
few_iterations=$((MTDC_OPS / 200 + 1))
IO_PARAL_ITERATIONS=$few_iterations
export IO_PARAL_ITERATIONS
if ! command -v io_paral > "$TMP/out"; then
	skip_rest "io_paral" "not built, see selftests/suites/build.sh"
fi
load
must modprobe ubi

# ubi_on MTD: UBI's information about it goes to $TMP/ubi
ubi_on()
{
	ubiattach -d 0 -m "$1" > "$TMP/ubi" 2>&1
}

ubi_off()
{
	must ubidetach -d 0
}

# paral FILE: repeat io_paral as long as FILE exists, at least once; prints the number of runs, and
# errors
paral()
{
	paral_times=0
	while :; do
		paral_times=$((paral_times + 1))
		io_paral /dev/ubi0 > "$TMP/paral" 2>&1 ||
			{ echo "failed: $(cat "$TMP/paral")"; return; }
		[ -e "$1" ] || break
	done
	echo "$paral_times times"
}

no_errors()
{
	is "$1: no error was counted" \
		"$(grep '^err_\|^pages_lost' "$PROC/$2" | grep -vc ': 0$')" 0
}

# ------------------------------------------------- beside the device, on nandsim

# 128 blocks of 16 KiB for UBI, 384 for the device.
must modprobe nandsim id_bytes=0x20,0x33 overridesize=9 parts=128 bitflips=1 badblocks=10,200
theirs=$(mtd_num "NAND simulator partition 0") || bail "no partition: $(cat /proc/mtd)"
check "nandsim: UBI takes one partition" ubi_on "$theirs"
attach "$((theirs + 1)),cache=1,comp=lz4,size=6M,name=beside"
: > "$TMP/more"
paral "$TMP/more" > "$TMP/beside" &
job=$!
check "nandsim: $((MTDC_OPS / 4)) random operations on us against a model, beside io_paral" \
	modelio -s "$MTDC_SEED" -n $((MTDC_OPS / 4)) -p 768 random "$CHAR" "$BLOCK"
rm "$TMP/more"
wait $job
is "nandsim: io_paral found no error" "$(sed 's/^[1-9][0-9]* times$/none/' "$TMP/beside")" none
diag "io_paral: $(cat "$TMP/beside"), $IO_PARAL_ITERATIONS iterations each"
no_errors nandsim beside
identities "nandsim: the figures are consistent" beside
detach beside
ubi_off
must rmmod nandsim

# ------------------------------------------------- beside the device, swapped on

sim_load "name=sim,type=nand,size=40M,erasesize=16K,base=$((MTDC_RESERVE_ADDR))"
# Removing the chip removes its partitions.
must mtdpart add "$CHAR" ubi-part 0 $((4 << 20))
must mtdpart add "$CHAR" our-part $((4 << 20)) $((36 << 20))
check "mtdsim: UBI takes one partition" ubi_on "$(mtd_num ubi-part)"
attach "our-part,cache=1,comp=lz4,size=64M,name=swapped"
: > "$TMP/more"
paral "$TMP/more" > "$TMP/beside" &
paral_job=$!
free=$(awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo)
pressure "swap beside io_paral" "$BLOCK" swapped -m $((free + 24)) -g 1 -k 16
rm "$TMP/more"
wait $paral_job
is "mtdsim: io_paral found no error" "$(sed 's/^[1-9][0-9]* times$/none/' "$TMP/beside")" none
diag "io_paral: $(cat "$TMP/beside"), $IO_PARAL_ITERATIONS iterations each"
is "mtdsim: it saw no violation of its rules" "$(counter violations)" 0
detach swapped
ubi_off
sim_unload

# ------------------------------------------------- below the device

sim_load "name=sim,type=nand,size=32M,erasesize=16K,base=$((MTDC_RESERVE_ADDR))"
check "below us: UBI takes a chip" ubi_on "$NUM"
# io_paral needs a UBI without volumes, and numbers its own from 0 to 4.
IO_PARAL_ITERATIONS=$((MTDC_OPS / 5 + 1))
paral /nowhere > "$TMP/beside" &
job=$!
n=0
while [ ! -e /sys/class/ubi/ubi0_4 ] && [ $n -lt 300 ]; do
	sleep 0.1
	n=$((n + 1))
done
must ubimkvol /dev/ubi0 -N swap -n 60 -s 12MiB
attach "ubi0:swap,comp=lz4,size=8M,name=volume"
check "below us: $((MTDC_OPS / 4)) random operations on a volume against a model, beside io_paral" \
	modelio -s "$MTDC_SEED" -n $((MTDC_OPS / 4)) -p 768 random "$CHAR" "$BLOCK"
# If io_paral still runs, it has run during the whole test.
holds "below us: io_paral was at work all of that time" -e /sys/class/ubi/ubi0_0
wait $job
is "below us: io_paral found no error" "$(cat "$TMP/beside")" "1 times"
diag "io_paral: $(cat "$TMP/beside"), $IO_PARAL_ITERATIONS iterations each"
IO_PARAL_ITERATIONS=$few_iterations
no_errors "below us" volume
identities "below us: the figures are consistent" volume
detach volume
ubi_off
is "below us: the chip saw no violation of its rules" "$(counter violations)" 0
sim_unload

# ------------------------------------------------- above the device

phram low 0 8192
attach "low,comp=lz4,size=16M,name=below"
check "UBI takes a device of ours" ubi_on "$NUM"
diag "$(sed -n 's/^UBI device number [0-9]*, //p' "$TMP/ubi")"
is "io_paral on it finds no error" "$(paral /nowhere)" "1 times"
must ubimkvol /dev/ubi0 -N kept -s 4MiB
must dd if=/usr/bin/qemu-system-x86_64 of="$TMP/kept" bs=64k count=48
must ubiupdatevol /dev/ubi0_0 "$TMP/kept"
ubi_off
check "it takes it again" ubi_on "$NUM"
check "the volume has what was put there" cmp -n 3145728 /dev/ubi0_0 "$TMP/kept"
no_errors "above us" below
identities "above us: the figures are consistent" below
ubi_off
detach below
rmmod ubi
