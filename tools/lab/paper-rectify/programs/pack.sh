#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# pack.sh DIRECTORY: for each line that it reads, it packs some of a directory's texts.
while read -r _; do
	cat "$1"/0[0-3]?.txt | gzip -n | cksum
done
