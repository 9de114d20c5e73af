#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# history.sh REPOSITORY: for each line that it reads, the last commits of a repository, as a checksum.
while read -r _; do
	git -C "$1" --no-pager log --no-color --stat -n 60 | cksum
done
