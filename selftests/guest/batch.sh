#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Runs guest scripts one after the other in one boot: batch.sh NAME... . The
# host's run.sh reads the results between the two marks; a script whose end mark
# is missing has taken the guest down with it.
set -u
here=$(dirname "$0")

# A message of the kernel in the middle of a result line would hide the result.
# Oopses and panics raise the level again by themselves.
dmesg -n 1

for name; do
	echo "# BEGIN $name"
	read -r begin _ < /proc/uptime
	sh "$here/$name.sh"
	status=$?
	read -r end _ < /proc/uptime
	echo "# END $name status $status after $((${end%.*} - ${begin%.*})) s"
done
exit 0
