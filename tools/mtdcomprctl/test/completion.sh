#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The completion calls these functions, and a name looks like a command:
# shellcheck disable=SC2317,SC2016
#
# completion.sh FILE PROGRAM: test the bash completion in FILE. PROGRAM runs on the recorded tree
# "ram" in its directory. Status 0 if all words are completed right; else it prints the failures.
set -eu
program=$2
tree=${program%/*}/ram
bad=0

# The completion calls mtdcomprctl by name.
mtdcomprctl() { "$program" --sysroot "$tree" "$@"; }
# compopt fails outside of a completion.
compopt() { :; }
# shellcheck source=/dev/null
. "$1"
# Replaced, because the real one lists the MTDs of this machine.
_mtdcomprctl_media() { printf '%s\n' low 'odd name' '$(touch /tmp/x)'; }

# completes WANTED WORD...: complete the last word
completes()
{
	local want=$1 got

	shift
	COMP_WORDS=(mtdcomprctl "$@")
	COMP_CWORD=$#
	_mtdcomprctl
	got=${COMPREPLY[*]}
	if [ "$got" != "$want" ]; then
		echo "$*: \"$got\" instead of \"$want\""
		bad=1
	fi
}

completes "list attach detach swap stats top wear suggest /dev/mtdcompr0 /dev/mtdcompr1" ""
completes "swap stats suggest" s
completes "on off" swap ""
completes "off" swap of
completes "low /dev/mtdcompr0 /dev/mtdcompr1" swap on ""
completes "/dev/mtdcompr0 /dev/mtdcompr1" swap off /dev
completes "--keep" swap off --k
completes "low" attach ""
completes "lz4 lzo" attach -a lz
completes "zlib zstd" attach --algorithm z
completes "zstd" attach --algorithm = zs
completes "--ratio" attach low --ra
completes "" attach low -s ""
completes "--openmetrics" stats --o
completes "/dev/mtdcompr1" stats /dev/mtdcompr1
completes "STATE STORE" -o ST
completes "NAME,STATE NAME,STORE" list -o NAME,ST
completes "+WEAR" -o +WE
completes "balance" suggest --prefer b
completes "" suggest ""
completes "crypt=" attach -O cr
completes "store=log,wearlevel= store=log,wipe=" swap on -O store=log,w
completes "on off" swap on -O crypt = o
completes "0 1" swap on -O crypt=on,wipe = ""
completes "auto on off" attach --options crypt =
completes "" attach crypt o
completes "low" suggest -m ""
completes "/dev/mtdcompr0 /dev/mtdcompr1" -r ""
exit $bad
