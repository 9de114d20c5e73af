#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# First process in User Mode Linux (uml.sh). Its root is the host's, read-only: mounts an
# overlay in RAM above it, as init.c does on the PC, and runs init.sh there. The output goes to a
# file of the host, and "success" to another if init.sh succeeds.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
# mtdc_top and mtdc_run come from the command line.
# shellcheck disable=SC2154
export mtdc_top mtdc_run
mount -t tmpfs -o mode=0755 tmpfs /mnt
mkdir /mnt/upper /mnt/work /mnt/root
mount -t overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work overlay /mnt/root
for dir in proc sys dev run; do
	mkdir -p "/mnt/root/$dir"
done
mount -t proc proc /mnt/root/proc
mount -t sysfs sysfs /mnt/root/sys
mount -t devtmpfs devtmpfs /mnt/root/dev
mount -t tmpfs -o mode=0755 tmpfs /mnt/root/run
mount -t debugfs debugfs /mnt/root/sys/kernel/debug
# The only host directory that the guest may write to.
mkdir /mnt/root/run/out
mount -t hostfs -o "$mtdc_run" none /mnt/root/run/out
if chroot /mnt/root /bin/bash "$mtdc_top/qemu/init.sh" > /mnt/root/run/out/out 2>&1; then
	echo success > /mnt/root/run/out/result
fi
sync
# Leave: reboot(2), RB_POWER_OFF; perl is on each Debian.
perl -e 'syscall(169, 0xfee1dead, 672274793, 0x4321fedc, 0)'
