#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Swap on a device that the kernel's command line (cmdline-builtin.txt) or modprobe.d has attached.
# Where it goes: into a script that runs at boot. Each boot writes a new swap header, because the
# device does not keep its contents.
mtdcomprctl swap on swap0 > /dev/null ||
	echo "<4>mtdcompr: no swap on swap0" > /dev/kmsg
