#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# units.sh: how much space cold pages take alone, in units of 16 to 64 KiB that are compressed
# together, and with a dictionary; and the time to write and to read a page so. The driver's
# compressors run in user space, on the libraries of the kernel that it is built for.
#
# The programs of pageset.py run in User Mode Linux. One set has all their pages by address. Two
# more sets have the swap area by slot, of programs that need twice the memory there is (units.py).
# build/units keeps the sets; remove it for new ones. The program zstd trains the dictionaries. The
# tables are Markdown: bytes and write ns count for one page, ns are medians. It takes 4 minutes.
set -eu
. "$(dirname "$0")/../../../qemu/lib.sh"
bench=$top/tools/lab/bench out=$build/units
pages=$out/by-address programs=$out/by-address.csv

[ $# = 0 ] || die "usage: units.sh"
"$top/qemu/setup.sh" build bench native
source=$(field KSRC "$("$top/qemu/kernel.sh" stock --source)")
mkdir -p "$out/include/linux" "$out/lib" "$out/dictionaries" "$out/samples"

# take_pages: $out/by-address and $out/turns, $out/together, each with its .csv
take_pages()
{
	local kdir

	kdir=$(field KDIR "$("$top/qemu/kernel.sh" stock)")
	# pageset.py has gdb and the compiler work on the module.
	"$top/qemu/build.sh"
	MTDC_KERNEL=$("$top/qemu/kernel.sh" native)
	export MTDC_KERNEL
	"$top/qemu/build.sh"
	say "taking pages of programs"
	# More than any program has.
	inside by-address 768 pageset.py 1000000
	# Half of what the programs need.
	inside turns 256 units.py turns
	inside together 256 units.py together
}

# inside NAME MIB PROGRAM ARGUMENT: the program takes pages in User Mode Linux
inside()
{
	local run

	[ ! -s "$out/$1" ] || return 0
	run=$(mktemp -d "$out/run.XXXXXX")
	"$top/qemu/uml.sh" --mem "$2" --timeout 300 --env "MTDC_KDIR=$kdir" "$run" \
		-c "exec tools/lab/bench/$3 /run/out/set $4" || die "no pages, see $run"
	mv "$run/out" "$out/$1.csv"
	mv "$run/set" "$out/$1"
	rm -rf "$run"
}

# library: the kernel's compressors, with its optimisation and without floating-point registers
library()
{
	local file object objects=()

	for file in lz4 lzo zlib zconf zutil zstd zstd_lib zstd_errors xxhash; do
		cp "$source/include/linux/$file.h" "$out/include/linux/"
	done
	for file in "$source"/lib/lz4/lz4_{,de}compress.c \
			"$source"/lib/lzo/lzo1x_{compress,decompress_safe}.c "$source/lib/xxhash.c" \
			"$source"/lib/zlib_{de,in}flate/*.c \
			"$source"/lib/zstd/{,common/,compress/,decompress/}*.c; do
		object=${file#"$source/lib/"}
		object=$out/lib/${object//\//-}.o
		objects+=("$object")
		[ "$object" -nt "$file" ] || "${cc[@]}" -w -mgeneral-regs-only -DCONFIG_64BIT \
			-DCONFIG_HAVE_EFFICIENT_UNALIGNED_ACCESS=1 -c -o "$object" "$file"
	done
	rm -f "$out/lib.a"
	ar rcs "$out/lib.a" "${objects[@]}"
}

program()
{
	local driver=$top/drivers/mtd/mtdcompr

	"${cc[@]}" -Wall -Wextra -Wno-sign-compare -Wno-unused-parameter -I "$driver" \
		-I "$top/include" -I "$top/selftests/fuzz" -DCONFIG_MTD_UBI=0 -o "$out/units" \
		"$bench/units.c" "$driver"/comp{,_lz4,_lzo,_zlib,_zstd}.c \
		"$top/selftests/fuzz/kernel.c" "$out/lib.a"
}

# dictionaries: trained of pages that are not measured, of all programs and of each one
dictionaries()
{
	local kib nr

	rm -f "$out"/dictionaries/* "$out"/samples/*
	"$out/units" "$pages" "$programs" --samples "$out/samples"
	for kib in 16 64; do
		train "$out/samples/all" $kib "$out/dictionaries/dict$kib-all" ||
			die "zstd does not train"
		for nr in $(seq 0 $(($(wc -l < "$programs") - 2))); do
			# A program whose pages are all measured takes the common one.
			train "$out/samples/$nr" $kib "$out/dictionaries/own$kib-$nr" ||
				cp "$out/dictionaries/dict$kib-all" "$out/dictionaries/own$kib-$nr"
		done
	done
}

# train SAMPLES KIB DICTIONARY
train()
{
	zstd -q --train -B4096 "$1" --maxdict=$(($2 << 10)) -o "$3" 2> "$out/train.log"
}

# table TITLE PATTERN COLUMN...: lines of the CSV as Markdown
table()
{
	local title=$1 pattern=$2
	shift 2

	awk -F, -v title="$title" -v columns="$*" -v pattern="$pattern" '
		BEGIN {
			n = split(columns, column, " ")
			rule = title
			gsub(/[^|]+/, "---", rule)
			print "\n" title "\n" rule
		}
		$0 ~ pattern {
			line = "|"
			for (i = 1; i <= n; i++)
				line = line " " $column[i] " |"
			print line
		}' "$out/units.csv"
}

cc=(gcc -std=gnu11 -O2 -fno-strict-aliasing -fwrapv -I "$out/include" -I "$top/selftests/shim"
	-include linux/compiler.h)
take_pages
say "compiling"
library
program
dictionaries
say "measuring"
{
	timeout 1200 "$out/units" "$pages" "$programs" "$out"/dictionaries/*
	for order in turns together; do
		timeout 300 "$out/units" "$out/$order" "$out/$order.csv" --swap $order
	done
} > "$out/units.csv"

echo "# Cold pages alone, in units, with a dictionary"
echo
sed -n 's/^model name[^:]*: */On /p' /proc/cpuinfo | uniq
table "| comp | level | payload | log | sealed | in place | write ns | read ns |" ',single,' \
	3 4 7 8 9 10 12 13
table "| level | gain at least % | % of pages | % of the saving |" '^saving,' 4 5 6 7
table "| order | way | level | pages | log | sealed | in place | gain % | write ns | read ns |" \
	',(alone|whole|blocks|dict..|own..),' 1 2 4 5 8 9 10 11 12 13
