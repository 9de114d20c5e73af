#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# packed.sh MACHINE [OPTION...] [--] SCRIPT [ARGUMENT...]: for guest.sh, run SCRIPT on a
# machine that has its root in flash or in an initramfs: the paper's board, or one of
# qemu/machine. What a test needs is packed beside it, where scripts look for each other:
# the libraries of selftests/guest, and the tests that batch.sh is to run. No more than
# that: the board's flash is small, and all of the directory would be read at the mount.
set -eu
. "$(dirname "$0")/lib.sh"
tests=$top/selftests/guest

machine=$1
shift
options=()
while [ $# -gt 0 ]; do
	case $1 in
	--)		shift; break ;;
	--quiet|--help)	options+=("$1") ;;
	--*)
		[ $# -gt 1 ] || break
		options+=("$1" "$2")
		shift ;;
	*)	break ;;
	esac
	shift
done
[ $# -gt 0 ] || die "usage: guest.sh --machine $machine [OPTION...] [--] SCRIPT [ARGUMENT...]"
script=$1
shift
if [ "$(realpath "$script")" = "$tests/batch.sh" ]; then
	for name; do
		[ -f "$tests/$name.sh" ] || die "no selftests/guest/$name.sh"
		options+=(--add "$tests/$name.sh")
	done
	for name in lib swaplib simlib; do
		options+=(--add "$tests/$name.sh")
	done
fi
case $machine in
board)	set -- "$top/qemu/board/run.sh" "${options[@]}" -- "$script" "$@" ;;
*)	set -- "$top/qemu/machine/run.sh" "$machine" "${options[@]}" -- "$script" "$@" ;;
esac
exec "$@"
