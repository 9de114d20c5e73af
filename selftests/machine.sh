#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# machine.sh MACHINE [OPTION...] NAME...: run scripts of selftests/guest on a foreign
# machine, as qemu/guest.sh with batch.sh does on a PC. The options are those of
# qemu/machine/run.sh. Its result is TAP, which run.sh counts; the exit status says
# whether the machine ended well, with a clean log of its kernel.
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
top=${here%/*}

[ $# -gt 0 ] || { echo "usage: machine.sh MACHINE [OPTION...] NAME..." >&2; exit 2; }
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
[ $# -gt 0 ] || set -- machine
for name; do
	[ -f "$here/guest/$name.sh" ] || {
		echo "machine.sh: no selftests/guest/$name.sh" >&2
		exit 2
	}
done

# Beside batch.sh, where the scripts look for each other.
for file in lib.sh swaplib.sh simlib.sh "${@/%/.sh}"; do
	options+=(--add "$here/guest/$file")
done
exec "$top/qemu/machine/run.sh" "$machine" ${options[@]+"${options[@]}"} -- \
	"$here/guest/batch.sh" "$@"
