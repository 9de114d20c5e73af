#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# load-guest.sh MODULE: in a guest of qemu/guest.sh, load a package's module, swap to a device of
# it, and unload it.
set -eu
module=$1

[ "$(modinfo -F vermagic "$module" | cut -d ' ' -f 1)" = "$(uname -r)" ]
# shellcheck disable=SC2046 # a list of words
modprobe -a mtd phram $(modinfo -F depends "$module" | tr , ' ')
insmod "$module"
echo "ext,$MTDC_RESERVE_ADDR,$MTDC_RESERVE_SIZE" > /sys/module/phram/parameters/phram
echo ext,comp=lz4 > /sys/devices/mtdcompr/attach
mkswap /dev/mtdcompr0
swapon /dev/mtdcompr0
grep -q '^/dev/mtdcompr0 ' /proc/swaps
swapoff /dev/mtdcompr0
echo mtdcompr0 > /sys/devices/mtdcompr/detach
rmmod mtdcompr
echo "loaded, swapped to, unloaded: $module"
