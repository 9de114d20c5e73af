#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# board.sh [OPTION...] NAME...: run scripts of selftests/guest on the paper's
# board, as qemu/guest.sh with batch.sh does on a PC. The options are those of
# qemu/board/run.sh. Its result is TAP, which run.sh counts; the exit status says
# whether the board ended well, with a clean log of its kernel.
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
top=${here%/*}

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
[ $# -gt 0 ] || set -- board
for name; do
	[ -f "$here/guest/$name.sh" ] || {
		echo "board.sh: no selftests/guest/$name.sh" >&2
		exit 2
	}
done

# Beside batch.sh, where the scripts look for each other. Only what is asked for:
# the flash is small, and all of the directory would be read at the mount.
for file in lib.sh swaplib.sh "${@/%/.sh}"; do
	options+=(--add "$here/guest/$file")
done
exec "$top/qemu/board/run.sh" ${options[@]+"${options[@]}"} -- "$here/guest/batch.sh" "$@"
