#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Swap on a device that was attached by the kernel's command line (cmdline-builtin.txt), or by
# modprobe.d. Where it goes: into a script that is run at boot. The signature is new at each boot:
# what is on the device was lost.
mtdcomprctl swap on swap0 > /dev/null ||
	echo "<4>mtdcompr: no swap on swap0" > /dev/kmsg
