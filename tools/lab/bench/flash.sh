#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# flash.sh: compare MTDCOMPR's log on NAND with its goals and with mtdswap: the work of
# the flash (flash.py, in a guest), the time to read a page back (swapin.py, in a guest
# whose time is a count of instructions), the wear in the long run (tools/lab/sim), and
# the paper's benchmark (tools/lab/paper, its row nand, on its board).
#
# As in run.sh, a missed goal is printed as missed and is no error. Results are in
# build/bench.
set -eu
. "$(dirname "$0")/../../../qemu/lib.sh"
# shellcheck source=tools/lab/bench/lib.sh
. "$top/tools/lab/bench/lib.sh"

[ $# = 0 ] || die "takes no arguments"
prepare
"$top/qemu/build.sh" --src "$top/selftests/mtdsim"
compile overwrite
pages=$("$top/tools/lab/paper/pages.sh")

# simulate NAME [OPTION]: run a simulation; a missed target is printed and no error
simulate()
{
	local name=$1
	shift

	"$top/tools/lab/sim/$name.sh" "$@" > "$out/$name.md" ||
		grep -q '^\* MISSED' "$out/$name.md" || die "the simulation \"$name\" failed"
}

# measure_more: measurements that run beside the guests if there is a second processor
measure_more()
{
	simulate log --quick
	simulate drift
	"$top/tools/lab/paper/run.sh" nand > "$out/paper.md"
}

# in_guest WHAT NAME ARGUMENT...: run NAME.py in a guest that has memory for chips
in_guest()
{
	local what=$1 name=$2
	shift 2

	"$what" "$name" --reserve 144 --timeout 1800 -- "$top/tools/lab/bench/$name.py" "$@"
}

more=
if [ "$(nproc)" -gt 1 ]; then
	measure_more &
	more=$!
else
	measure_more
fi
in_guest count flash
in_guest measure swapin "$pages"
[ -z "$more" ] || wait "$more" || die "the simulations or the paper's benchmark failed"
"$top/tools/lab/bench/flashreport.py" "$out" "$build/paper/results.json" > "$out/flash.md"
cat "$out/flash.md"
