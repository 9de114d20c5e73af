#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# crypt.sh [--quick] [PART...]: what encryption costs. The same work is done with crypt=off and with
# crypt=on, in turn and in one boot. The parts are
#
#   guest   pages on memory, room on the media, and swap under pressure on NAND, in a guest whose
#           time is a count of instructions (crypt.py)
#   board   pages on memory and swap on NAND on the paper's board, a 32-bit ARM without SIMD, by
#           the same clock (crypt-board.sh)
#   native  the same at the processor's own speed, in User Mode Linux (native-guest.sh). Its kernel
#           has the C code of the cipher, no SIMD. So the kernel's SIMD code is measured, too, in
#           user space (crypt-simd.sh).
#
# Without a name it measures all. --quick has fewer rounds. A missed goal is printed as missed and
# is no error. Results are in build/bench.
set -eu
. "$(dirname "$0")/../../../qemu/lib.sh"
# shellcheck source=tools/lab/bench/lib.sh
. "$top/tools/lab/bench/lib.sh"
here=$top/tools/lab/bench

rounds=5 board_rounds=3 native_rounds=48 native_swap_rounds=10
if [ "${1-}" = --quick ]; then
	rounds=2 board_rounds=1 native_rounds=16 native_swap_rounds=3
	shift
fi
[ $# -gt 0 ] || set -- guest board native
for part; do
	case $part in
	guest | board | native) ;;
	*)	die "usage: crypt.sh [--quick] [guest] [board] [native]" ;;
	esac
done

# MiB: the memory of the guest, of User Mode Linux, which also keeps the chip there, and of the
# program in them. The board has 32.
mem=128 native_mem=160
program=110 board_program=36

# make_program: for the guest and User Mode Linux; the board has one of its own
make_program()
{
	mkdir -p "$build/selftests"
	gcc -O2 -Wall -Wextra -static -o "$build/selftests/memsig" "$top/selftests/lib/memsig.c"
}

measure_guest()
{
	local pages

	prepare
	"$top/qemu/build.sh" --src "$top/selftests/mtdsim"
	pages=$("$top/tools/lab/paper/pages.sh")
	make_program
	measure crypt-guest --mem $mem --reserve 80 --timeout 3600 -- \
		"$here/crypt.py" "$pages" $program $rounds lz4 zstd
}

measure_board()
{
	local pages log=$out/crypt-board.log start=$SECONDS

	"$top/qemu/setup.sh" build board
	mkdir -p "$out"
	pages=$("$top/tools/lab/paper/pages.sh")
	MTDC_MACHINE_board=$("$top/qemu/machine/build.sh" board) || exit 1
	export MTDC_MACHINE_board
	arm-linux-gnueabi-gcc -std=gnu11 -O2 -Wall -Wextra -static -s -o "$out/pageio-board" \
		"$here/pageio.c"
	say "measuring on the board, log in ${log#"$top"/}"
	"$top/qemu/guest.sh" --machine board --timeout 1200 --quiet --log "$log" \
		--add "$pages:/mtdc/pages.bin" --add "$out/pageio-board:/mtdc/pageio" \
		"$here/crypt-board.sh" $board_program $board_rounds || {
		tail -n 20 "$log" | cut -c 1-300 >&2
		die "the measurement failed"
	}
	sed -n 's/^BENCH //p' "$log" > "${log%.log}.jsonl"
	say "measured in $((SECONDS - start)) s"
}

measure_native()
{
	local kdir run first=() native=$build/native start=$SECONDS

	# native.sh has set it.
	unset MTDC_KERNEL
	"$top/qemu/setup.sh" build bench native
	kdir=$(field KDIR "$("$top/qemu/kernel.sh" stock)")
	# pageset.py has gdb and the compiler work on the module.
	"$top/qemu/build.sh"
	MTDC_KERNEL=$("$top/qemu/kernel.sh" native) || exit 1
	export MTDC_KERNEL
	"$top/qemu/build.sh" --src "$top/selftests/mtdsim"
	make_program
	mkdir -p "$native" "$out"
	gcc -std=gnu11 -O2 -Wall -Wextra -o "$native/native" "$here/native.c"
	# As in native.sh: with the right to it, nothing else on this processor comes between.
	! chrt -f 1 true 2>/dev/null || first=(chrt -f 1)
	run=$(mktemp -d "$native/run.XXXXXX")
	if [ ! -e "$native/set" ]; then
		say "taking pages of programs"
		native_guest 768 pages
		mv "$run/set" "$native/set"
	fi
	say "measuring in User Mode Linux"
	native_guest 768 crypt $native_rounds "$native/set" lz4 zstd
	cp "$run/out" "$out/crypt-native.csv"
	native_guest $native_mem swap $native_swap_rounds $program
	cat "$run/out" >> "$out/crypt-native.csv"
	rm -rf "$run"
	"$here/crypt-simd.sh" "$(kernel KSRC)" > "$out/crypt-simd.csv"
	say "measured in $((SECONDS - start)) s"
}

# native_guest MIB ARGUMENT...: native-guest.sh with so much memory; its output is in $run/out
native_guest()
{
	local mib=$1
	shift

	"${first[@]}" "$top/qemu/uml.sh" --mem "$mib" --timeout 1200 --env "MTDC_KDIR=$kdir" "$run" \
		"$here/native-guest.sh" "$@" || {
		cat "$run/out" >&2
		die "the measurement failed, see $run"
	}
}

results=()
for part; do
	( "measure_$part" )
	case $part in
	native)	results+=("$out/crypt-native.csv" "$out/crypt-simd.csv") ;;
	*)	results+=("$out/crypt-$part.jsonl") ;;
	esac
done
"$here/cryptreport.py" "${results[@]}" > "$out/crypt.md"
cat "$out/crypt.md"
