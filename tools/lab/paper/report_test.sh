#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# report_test.sh: does the report print the right figures? It uses made-up rows with known
# figures. TAP, with the plan at its end; exit status 0 only if all tests
# passed. The board is not needed.
#
# job: test,long report
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
. "$here/../../../selftests/tap.sh"
top=${here%/*/*/*}
out=$top/build/paper-test
python=/usr/bin/python3

if ! $python -c 'import matplotlib' 2> /dev/null; then
	result 0 "the report # SKIP no python3-matplotlib"
	end_results
	exit
fi

details=$out/err

# row NAME LARGEST FIXED RANDOM: write a row like board.sh. 8 MiB are resident; beyond
# that the speeds are these percentages of 40 MiB/s. Each random read swaps a page in
# and another one out.
row()
{
	awk -v name="$1" -v largest="$2" -v fixed="$3" -v random="$4" 'BEGIN {
		printf "[setup]\nstore: ram\noptions: comp=zlib\n"
		printf "membench: --chunk=64K --repeat=34 --read=crc\n"
		printf "sysctl_vm/page-cluster: 3\n"
		printf "swaps: /dev/x partition 49152 0 -2\n"
		printf "[before]\nvmstat_pswpin: 0\n[csv]\n"
		printf "event,allocated_bytes,seconds,fill_mib_s"
		n = split("random fixed last", p, " ")
		for (i = 1; i <= n; i++)
			printf ",%s_mib_s,%s_pages,%s_in,%s_out", p[i], p[i], p[i], p[i]
		printf ",swap_used_bytes,swapped_in,swapped_out\n"
		for (mib = 1; mib <= largest; mib++) {
			swap = name == "none" || mib <= 8 ? 0 : mib - 8
			k = swap ? 1000 : 0
			printf "measure,%d,%d,10,%g,1000,%d,%d,%g,500,9,9,40,50,0,0,%d,%d,%d\n", \
				mib * 1048576, mib, swap ? random * 0.4 : 40, k, \
				mib % 2 * k, swap ? fixed * 0.4 : 40, swap * 1048576, k, k
		}
		printf "oom,%d,%d%s\n", largest * 1048576, largest, ",,,,,,,,,,,,,,,,"
		printf "[after]\nmtdcompr_orig_bytes: 1000000\n"
		printf "mtdcompr_compressed_bytes: 240000\nexit_status: 0\n"
	}' > "$out/rows/$1.out"
}

# report: run it; its exit status goes to $status, its output to files
report()
{
	status=0
	"$here/report.py" "$out/rows" "$out/pages" > "$out/table" 2> "$out/err" ||
		status=$?
}

# line PATTERN: has the table a matching line?
line()
{
	local bad=0
	grep -q -- "$1" "$out/table" || {
		cp "$out/table" "$out/err"
		bad=1
	}
	result $bad "the table has: $1"
}

rm -rf "$out"
mkdir -p "$out/rows"
head -c 8192 /dev/zero > "$out/pages"
printf 'program,anonymous_pages,taken,filled\nsh,10,2,2\nsample,2,2,\n' > "$out/pages.txt"
row none 24 100 100
row ram 48 89 10
row zram 48 80 12
row ram-best 60 94 14
row ram-zlib6 60 94 12
row zram-best 60 94 10
row pcm 70 80 9

report
result $status "a report of what there is"
line '^| fixed reads, RAM | about 89 % | 89.0 % | 1.00 | 94.0 % | at least 93 % | met |$'
line '^| random reads at the largest allocation, RAM |.*| 14.0 % | at least 15 % | missed |$'
line '^| fixed reads, NAND | about 52 % |  |  |  | at least 80 % | not measured |$'
line '^| the same, through the eraseblock cache | about 52 % |  |  |  | measured here | measured |$'
line '^| fixed reads, mtdcompr on RAM / zram, deflate, .* |  | 1.11 |  | 1.00 | at least 1 | met |$'
line '^| memory allocated, 16 of the 32 .*| 2.00 | 1.00 | 2.50 | at least 2.2 | met |$'
line '^| memory allocated, 16 MiB of PCM .*| 70.0 MiB | 1.00 |  | at least 96 MiB | missed |$'
line '^| compressed size, zlib level 1 | under 25 % | 24.0 % |'

status=0
for name in theory-ram theory-flash experiment-ram experiment-pcm media memory; do
	[ "$(stat -c %s "$out/rows/$name.png")" -gt 10000 ] &&
		grep -q '</svg>' "$out/rows/$name.svg" || status=1
done
result $status "the pictures are there"
[ "$(grep -c '<img' "$out/rows/index.html")" -ge 6 ] &&
	! grep -oE '(src|href)="[^"]{5}' "$out/rows/index.html" |
		grep -qv '"data:$\|"#conf$' && status=0 || status=1
result $status "the page needs no other file"
$python -m json.tool "$out/rows/results.json" > /dev/null 2> "$out/err" && status=0 || status=1
result $status "results.json is JSON"
cp "$out/rows/ram.csv" "$out/ram.csv"
sed -n '/^event/,/^oom/p' "$out/rows/ram.out" | cmp -s - "$out/ram.csv" && status=0 || status=1
result $status "ram.csv is what was measured"

sed -i '/^exit_status/d' "$out/rows/ram.out"
report
[ $status = 1 ] && [ "$(wc -l < "$out/err")" = 1 ] && grep -q 'ram.out' "$out/err" &&
	status=0 || status=1
result $status "a row that is not complete is refused"

row ram 48 89 10
sed -i 's/--repeat=34/--repeat=33/' "$out/rows/ram.out"
report
[ $status = 1 ] && [ "$(wc -l < "$out/err")" = 1 ] &&
	grep -q 'different constants' "$out/err" && status=0 || status=1
result $status "rows that were measured with other constants are refused"

end_results
