#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# A service in the guest of systemd-test.sh runs it at shutdown, after the services of the swap have
# stopped: write the remaining swaps and devices to /run/stopped.
exec > /run/stopped 2>&1
echo "swaps $(awk '/mtdcompr/' /proc/swaps | wc -l)"
echo "devices $(find /proc/mtdcompr -type f | wc -l)"
for unit in 0 1 6; do
	systemctl show -P Result "mtdcompr-setup@mtdcompr$unit.service"
	systemctl show -P Result "dev-mtdcompr$unit.swap"
done | sort | uniq -c | sed 's/^ */results /'
