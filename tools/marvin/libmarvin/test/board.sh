#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# board.sh: libmarvin, its suites, the module of Lua, the loads and marvind for 32-bit ARM, armel and
# armhf, without a warning; and the programs for armel on the paper's board, a guest, as one TAP
# stream. It takes some minutes.
#
# MTDC_JOBS    compilers at a time (2)
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
# shellcheck source-path=SCRIPTDIR source=../../../../qemu/lib.sh
. "$here/../../../../qemu/lib.sh"
# shellcheck source-path=SCRIPTDIR source=../../../../selftests/tap.sh
. "$top/selftests/tap.sh"
marvin=$top/tools/marvin
out=$build/marvin-board
: "${MTDC_JOBS:=2}"
suites="places page store heap trouble register shortage calls closed soak"

# build_for ARCH TRIPLET: into $out/ARCH
build_for()
{
	local dir=$out/$1 cross=$2- lua=$out/$1/lua-dev options suite targets=()

	"$top/qemu/debs.sh" bookworm "$1" unpack "$lua" liblua5.4-dev
	for suite in $suites; do
		targets+=("$dir/test/none/test_$suite")
	done
	options=(-s -j "$MTDC_JOBS" CROSS_COMPILE="$cross" STATIC=1 WERROR=1 O="$dir")
	make "${options[@]}" -C "$marvin/libmarvin" all "${targets[@]}" &&
		make "${options[@]}" -C "$marvin/lua" \
			LUA_CFLAGS="-I$lua/usr/include/lua5.4 -I$lua/usr/include/$2" &&
		make "${options[@]}" -C "$top/tools/lab/marvin-load" &&
		make "${options[@]}" -C "$marvin/marvind"
}

# build_more ARCH TRIPLET: the programs of the guest
build_more()
{
	local dir=$out/$1 cc=$2-gcc lua=$out/$1/lua-dev flags="-O2 -D_GNU_SOURCE -Wall -Wextra -Werror"
	local atomic

	atomic=$(sed -n 's/^Libs.private: //p' "$dir/marvin.pc")
	# shellcheck disable=SC2086 # lists of words
	"$cc" -std=c11 $flags -pthread -static -o "$dir/marvin-program" \
		"$marvin/marvind/test/load.c" "$dir/libmarvin.a" $atomic &&
	"$cc" -std=c11 $flags -I"$lua/usr/include/lua5.4" -I"$lua/usr/include/$2" -pthread -static \
		-o "$dir/lua-marvin" "$here/lua.c" "$dir"/lua/obj/*.o "$dir/libmarvin.a" \
		"$lua/usr/lib/$2/liblua5.4.a" -lm $atomic
}

# built WHAT COMMAND...: a result. A warning of the compiler's is an error; the linker has some
# about what static programs may not use.
built()
{
	local what=$1 status=0

	shift
	"$@" > "$out/build.log" 2>&1 || status=1
	result $status "$what"
	[ $status = 0 ] || sed 's/^/# /' "$out/build.log"
	return $status
}

# on_board: status of the guest
on_board()
{
	local dir=$out/armel adds=() file

	for file in marvind/marvind marvin-program lua-marvin; do
		[ -e "$dir/$file" ] || file=${file##*/}
		arm-linux-gnueabi-strip -o "$dir/stripped-${file##*/}" "$dir/$file"
		adds+=(--add "$dir/stripped-${file##*/}:/usr/bin/${file##*/}")
	done
	for file in $suites; do
		arm-linux-gnueabi-strip -o "$dir/stripped-$file" "$dir/test/none/test_$file"
		adds+=(--add "$dir/stripped-$file:/mtdc/test_$file")
	done
	for file in tap types gc; do
		adds+=(--add "$marvin/lua/test/$file.lua")
	done
	"$top/qemu/guest.sh" --machine board --mem 48 --timeout 900 --quiet --log "$out/guest.log" \
		--add "$top/selftests/guest/lib.sh" --add "$top/selftests/guest/swaplib.sh" \
		--add "$here/lua.c:/var/tmp/" "${adds[@]}" -- "$here/board_guest.sh"
}

"$top/qemu/setup.sh" board armhf marvin
mkdir -p "$out"
good=true
built "armel: it compiles without a warning" build_for armel arm-linux-gnueabi || good=false
built "armhf: it compiles without a warning" build_for armhf arm-linux-gnueabihf || :
! $good || built "armel: programs for the board" build_more armel arm-linux-gnueabi || good=false
if $good; then
	status=0
	: > "$out/guest.log"
	on_board > "$out/guest.said" 2>&1 || status=$?
	# The reason why no guest has run.
	[ -s "$out/guest.log" ] || sed 's/^/# /' "$out/guest.said"
	grep -E '^(1\.\.|ok |not ok |# )' "$out/guest.log" > "$out/guest.tap" || :
	pass_on $status "$out/guest.tap" "board: "
fi
end_results
