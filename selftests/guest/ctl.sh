#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# mtdcomprctl on a real kernel: it finds the media, attaches, swaps on, shows the use, suggests, and
# undoes all of it; also without mkswap, and with a module that lacks a compressor and the
# cipher. A refused command changes nothing.
#
# job: test,programs ctl --mem 112 --reserve 64 --timeout 300
# shellcheck disable=SC2154 # lib.sh's variables
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/swaplib.sh"
. "$(dirname "$0")/daemonlib.sh"

PATH=$MTDC_BUILD/tools:$PATH
CTL=mtdcomprctl

# all_knobs: print everything that mtdcomprctl may change
all_knobs()
{
	cat /proc/mtd /proc/swaps /proc/sys/vm/page-cluster
	ls "$PROC" /run/mtdcompr.knobs /sys/module/mtdram 2>/dev/null
}

# value COLUMN [DEVICE]: a cell of the list
value() { $CTL list --raw -n -b -o "$1" "${2:-/dev/mtdcompr0}"; }

is "without the module there is no device" "$($CTL list 2>&1; echo $?)" 0
says "a device that is not there" 1 "the module mtdcompr is not loaded" $CTL list /dev/mtdcompr0
phram low 0 $((MTDC_RESERVE_SIZE / 1024 - 8192))
phram other $((MTDC_RESERVE_SIZE / 1024 - 8192)) 8192
must modprobe mtdcompr
low=$(mtd_num low)
echo 3 > /proc/sys/vm/page-cluster
before=$(all_knobs)

# Refused commands
says "an MTD that is not there" 1 "no such MTD.*/proc/mtd has the names" $CTL attach nothing
says "a ratio that the module would refuse" 2 "whole number from 1 to 1000" \
	$CTL attach --ratio 5000 low
same_soon "nothing has changed"
says "an option of the module, with its reason" 1 "spread=" $CTL attach -O spread=64 low
says "size and ratio" 2 "exclude each other" $CTL attach -s 8M --ratio 200 low
says "an algorithm that there is not" 2 "give lz4, lzo, zlib, zstd or none" \
	$CTL attach -a lz77 low
says "detach what is not there" 1 "no such device" $CTL detach mtdcompr7
says "swap off what is not there" 1 "no such device" $CTL swap off mtdcompr7
same_soon "still nothing has changed"

diag "$(cut -d " " -f 1 /proc/uptime) s"
# Swap, from attach to detach
is "--find names the larger media" "$($CTL --find)" "mtd$low low"
is "swap on" "$($CTL swap on -a lz4 --ratio 200 low 2>&1)" /dev/mtdcompr0
is "it is swap, with its priority" \
	"$(awk '$1 == "/dev/mtdcompr0" { print $NF }' /proc/swaps)" 100
is "page-cluster is 0" "$(cat /proc/sys/vm/page-cluster)" 0
is "the list" "$($CTL list --raw -n -o NAME,MEDIA,STATE,ALGORITHM,PRIO,MOUNTPOINT)" \
	"/dev/mtdcompr0 low ok lz4 100 [SWAP]"
is "--find names the other media now" "$($CTL --find)" "mtd$(mtd_num other) other"
says "swap on once more" 1 "in use already: \[SWAP\]" $CTL swap on /dev/mtdcompr0
says "attach once more" 1 "a device is on this MTD.* already" $CTL attach low
says "detach while it is swap" 1 "open or swapped on" $CTL detach mtdcompr0
limited 200 memsig -s 7 -m $(($(left_mib) + 8)) -g 0 -w "$TMP/kept" -k 4 \
	> "$TMP/memsig" 2>&1 &
job=$!
wait_for "$TMP/kept"
holds "pages are there" "$(value DATA)" -gt 1000000
is "as many as the module says" "$(value DATA)" $(($(stat pages_stored mtdcompr0) * PAGE))
holds "slots are in use" "$(value SLOTS)" -gt 1000000
check "list" $CTL
sed 's/^/# /' "$TMP/check.out"
check "stats" $CTL stats mtdcompr0
sed 's/^/# /' "$TMP/check.out"
check "top, twice" $CTL top --count 2 -d 0.5
sed 's/^/# /' "$TMP/check.out"
check "wear" $CTL wear
sed 's/^/# /' "$TMP/check.out"
check "stats as OpenMetrics" $CTL stats --openmetrics
is "it has an end" "$(tail -n 1 "$TMP/check.out")" "# EOF"
is "and the device's pages" "$(grep -c '^mtdcompr_pages{device="mtdcompr0"' "$TMP/check.out")" 4
: > "$TMP/kept.go"
wait $job
is "the pages had the right contents" $? 0
is "swap off" "$(limited 100 $CTL swap off /dev/mtdcompr0 2>&1; echo $?)" 0
same_soon "all is as before"

diag "$(cut -d " " -f 1 /proc/uptime) s"
# With a device that must stay; and without mkswap
mv "$(command -v mkswap)" "$TMP/mkswap"
is "attach" "$($CTL attach --name board -a zlib -l 3 -s 16M "$low" 2>&1)" /dev/mtdcompr0
is "by the name of its MTD" "$($CTL list -n --raw -o MTD-NAME,LEVEL,DISKSIZE board)" "board 3 16M"
is "swap on it, without mkswap" \
	"$($CTL swap on -p 7 --discard=once --page-cluster 1 board 2>&1)" /dev/mtdcompr0
is "with that priority" "$(value PRIO board)" 7
is "and page-cluster" "$(cat /proc/sys/vm/page-cluster)" 1
holds "all of it is swap but a page" \
	"$(awk '$1 == "/dev/mtdcompr0" { print $3 }' /proc/swaps)" = $((16384 - PAGE / 1024))
is "swap off, which keeps it" "$($CTL swap off --keep board 2>&1; echo $?)" 0
is "page-cluster is as before" "$(cat /proc/sys/vm/page-cluster)" 3
is "it is there" "$(value MOUNTPOINT board)" -
is "detach, as zramctl has it" "$($CTL -r board 2>&1; echo $?)" 0

diag "$(cut -d " " -f 1 /proc/uptime) s"
# A leftover file in /dev from another disk is not written to
must modprobe brd rd_nr=1 rd_size=16384
rm -f /dev/mtdcompr0
must mknod /dev/mtdcompr0 b 1 0
is "swap on, where the file in /dev is another disk's" "$($CTL swap on low 2>&1)" /dev/mtdcompr0
is "the other disk is as it was" "$(tr -d '\0' < /dev/ram0 | wc -c)" 0
is "swap off" "$($CTL swap off mtdcompr0 2>&1; echo $?)" 0
must rmmod brd

# A command that fails half-way undoes its changes
printf '#!/bin/sh\nexit 1\n' > /sbin/mkswap
chmod 755 /sbin/mkswap
says "no swap signature can be written" 1 "signature cannot be written" $CTL swap on low
same_soon "and nothing is attached"
mv "$TMP/mkswap" /sbin/mkswap

diag "$(cut -d " " -f 1 /proc/uptime) s"
# The suggested command works
check "suggest" $CTL suggest --pages 64
sed 's/^/# /' "$TMP/check.out"
for comp in lz4 lzo zlib zstd; do
	grep -q "^$comp " "$TMP/check.out" || echo $comp
done > "$TMP/missing"
is "it has measured each compressor" "$(cat "$TMP/missing")" ""
is "--find, with a size, attaches" "$($CTL -f -s 8M 2>&1)" /dev/mtdcompr0
is "to what it has found" "$(value MEDIA)" low
must $CTL detach mtdcompr0
command=$(sed -n 's/^mtdcomprctl \(swap on .* low\)$/\1/p' "$TMP/check.out")
# shellcheck disable=SC2086 # a list of words
is "the command that it names works" "$($CTL $command 2>&1)" /dev/mtdcompr0
is "and back" "$($CTL swap off mtdcompr0 2>&1; echo $?)" 0
same_soon "after a measurement all is as before, too"

# suggested WHAT SENTENCE: the measurement on the NAND tells what it saw of encryption, and only that
suggested()
{
	check "$1" $CTL suggest --pages 64 -m "$nand"
	is "$1: encryption" "$(grep encrypted "$TMP/check.out")" "Pages on these media are $2"
}

diag "$(cut -d " " -f 1 /proc/uptime) s"
# NAND keeps its contents
must modprobe nandsim id_bytes=0xec,0xa1,0x00,0x15 overridesize=5
nand=$(mtd_num "NAND simulator partition 0")
is "swap on NAND, with the cipher" "$($CTL swap on "$nand" 2>&1)" /dev/mtdcompr0
is "it is encrypted" "$(value CRYPT)" chacha20poly1305
is "swap off" "$($CTL swap off mtdcompr0 2>&1; echo $?)" 0
suggested "suggest -m" "encrypted."

diag "$(cut -d " " -f 1 /proc/uptime) s"
# Without zstd and the cipher in the module
must rmmod mtdcompr
without=$MTDC_BUILD/module-nozstd-$KREL/drivers/mtd/mtdcompr/mtdcompr.ko
if [ -e "$without" ]; then
	must insmod "$without"
	is "another compressor is taken" "$($CTL attach -a zstd -l 3 low 2> "$TMP/err")" /dev/mtdcompr0
	check "and a warning says so" grep -q 'warning: .* without zstd: zlib is used' "$TMP/err"
	is "it is in use" "$(value ALGORITHM)" zlib
	is "detach" "$($CTL detach mtdcompr0 2>&1; echo $?)" 0
	is "swap on NAND, without the cipher" "$($CTL swap on "$nand" 2> "$TMP/err")" /dev/mtdcompr0
	is "is plain" "$(value CRYPT)" none
	is "one warning says so" "$(sed 's/^[^ ]*mtdcomprctl: //' "$TMP/err")" \
		"warning: $nand: pages are not encrypted: the module lacks the cipher"
	is "swap off" "$($CTL swap off mtdcompr0 2>&1; echo $?)" 0
	is "with crypt=off there is no warning" \
		"$($CTL swap on -O crypt=off "$nand" 2>&1)" /dev/mtdcompr0
	is "swap off" "$($CTL swap off mtdcompr0 2>&1; echo $?)" 0
	says "crypt=on, without the cipher" 1 "built without CONFIG_CRYPTO_LIB" \
		$CTL swap on -O crypt=on "$nand"
	is "on RAM there is no warning" "$($CTL attach low 2>&1)" /dev/mtdcompr0
	is "detach" "$($CTL detach mtdcompr0 2>&1; echo $?)" 0
	suggested "suggest -m, without the cipher" "not encrypted: the module lacks the cipher."
else
	bail "no module without zstd: $without"
fi
