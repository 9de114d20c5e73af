#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# clang for a kernel configured for gcc, as Debian's are: drop the flags that clang lacks. These
# modules are only checked, not run. suite.sh installs this script into a system of its own.
n=$#
arm=
while [ $n -gt 0 ]; do
	n=$((n - 1))
	case $1 in
	-mfunction-return=*|-mindirect-branch*|-mrecord-mcount|-mskip-rax-setup|\
	-mpreferred-stack-boundary=*|-mno-fp-ret-in-387|-mharden-sls=*|\
	-mstack-protector-guard-symbol=*|-fconserve-stack|-fno-allow-store-data-races|\
	-fmin-function-alignment=*|-fzero-call-used-regs=*|-fplugin*|\
	-fsanitize=bounds-strict|-fno-var-tracking*|-fno-reorder-blocks|\
	-fno-ipa-cp-clone|-fno-partial-inlining|-falign-jumps=*|-falign-loops=*|\
	-fno-inline-functions-called-once|-flive-patching=*|-ftrivial-auto-var-init=zero) ;;
	# The kernel passes this itself, if it is configured for clang.
	--target=arm-*)	arm="-meabi gnu"; set -- "$@" "$1" ;;
	*)		set -- "$@" "$1" ;;
	esac
	shift
done
# shellcheck disable=SC2086 # two words, or none
exec clang "$@" $arm -Wno-unknown-warning-option
