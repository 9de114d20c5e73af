#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# edit.sh FILE: vim with a long text and the changes that were made to it. For each line that this
# script reads, vim looks for words in another part of the text, and counts its lines.
{
	echo "source ${0%/*}/begin.vim"
	while read -r _; do
		echo "call Visit()"
	done
	echo "quit!"
} | exec vim -u NONE -i NONE -n -N -es "$1"
