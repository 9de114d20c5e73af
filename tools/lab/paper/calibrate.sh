#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# calibrate.sh: find the constants in rows.sh. It measures the plain configuration on
# RAM with several sizes of chunks and ways of reading, and computes for each how often
# a fixed chunk must be read for the paper's 89 % of fixed reads. Take the line whose
# random reads are nearest to the paper's 10 %. Each line needs a boot. Run it again only
# if the board or the driver has become much faster.
set -eu
. "$(dirname "$0")/../../../qemu/lib.sh"
. "$top/tools/lab/hostlib.sh"
here=$top/tools/lab/paper
# shellcheck source=tools/lab/paper/rows.sh
. "$here/rows.sh"
out=$build/paper/calibration
REPEAT=32	# any number: results for other numbers are computed

[ $# = 0 ] || die "takes no arguments"
"$top/qemu/setup.sh" build guest board bench paper
mkdir -p "$out"
rm -f "$out"/*.out
pages=$("$here/pages.sh")
MTDC_MACHINE_board=$("$top/qemu/machine/build.sh" board) || exit 1
export MTDC_MACHINE_board

# shellcheck disable=SC2046 # to be split
set -- $(rows | sed -n 's/^ram  *//p')
store=$1 options=$2

# try READ CHUNK-KIB: measure a case; all cases read the same number of bytes.
try()
{
	local name=$1-$2K
	"$top/qemu/guest.sh" --machine board --quiet --timeout 1500 --log "$out/$name.log" \
		--out "$out/$name.tmp" --add "$pages:/mtdc/pages.bin" \
		"$here/board.sh" "$store" "$options" -- --max=all \
		--chunk="$2K" --repeat=$REPEAT --read="$1" \
		--picks=$((8192 / $2)),$((512 / $2)) --step=1M < /dev/null ||
		die "$name failed, log in $out/$name.log"
	mv "$out/$name.tmp" "$out/$name.out"
	say "$name measured"
}

trap 'exit 130' INT
trap 'exit 143' TERM
for what in "crc 32" "crc 64" "crc 128" "bytes 64"; do
	# shellcheck disable=SC2086 # to be split
	start try $what
done
await_all
[ "$failed" = 0 ] || exit 1
/usr/bin/python3 "$here/calibrate.py" "$out"
