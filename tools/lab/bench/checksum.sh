#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# checksum.sh: what the checksums cost that could protect a fragment, by the kernel's own code in
# user space: nanoseconds on this machine (x86-64), and instructions of it and of ARM processors,
# which QEMU's user mode counts. An instruction is no time: the multiplications of xxHash take
# longer than others on small processors. The tables are Markdown, without the cost of the calls.
#
# The code is 6.1's xxhash.c and crc32.c (tables of 8 slices, 4 on 32-bit machines), and lib/crc of
# the newest kernel that Debian has (a table of bytes, and the assembler).
set -eu
. "$(dirname "$0")/../../../qemu/lib.sh"

[ $# = 0 ] || die "usage: checksum.sh"
[ "$(uname -m)" = x86_64 ] || die "needs an x86-64 machine"
bench=$top/tools/lab/bench out=$build/checksum
"$top/qemu/setup.sh" build board arm64
old=$(field KSRC "$("$top/qemu/kernel.sh" stock --source)")
new=$(
	# shellcheck source=qemu/kernels/lib/debian.sh
	. "$top/qemu/kernels/lib/debian.sh"
	suite_source experimental
	echo "$ksrc"
)
user=$cache/qemu-user
"$top/qemu/debs.sh" bookworm amd64 unpack "$user" qemu-user >&2

# empty_headers: checksum.h has what the files take from these.
empty_headers()
{
	local header

	mkdir -p "$out/include/a/b"
	for header in linux/{compiler,crc32,crc32poly,cpufeature,errno,export,kernel,linkage}.h \
		linux/{module,objtool,sched,static_call,string,types,unaligned}.h \
		asm/{alternative,assembler,cpufeature,cpufeatures,simd,unaligned}.h \
		generated/autoconf.h include/generated/autoconf.h; do
		mkdir -p "$out/include/${header%/*}"
		: > "$out/include/$header"
	done
}

# tables MACHINE WORD: the tables of crc32.c, for a machine of so many bits
tables()
{
	local dir=$out/$1

	mkdir -p "$dir/old" "$dir/new"
	gcc ${2:+"-DCONFIG_64BIT=$2"} -I "$out/include/a" -o "$dir/gen" "$old/lib/gen_crc32table.c"
	"$dir/gen" > "$dir/old/crc32table.h"
	gcc -I "$out/include/a/b" -o "$dir/gen" "$new/lib/crc/gen_crc32table.c"
	"$dir/gen" > "$dir/new/crc32table.h"
}

# crc NAME FUNCTION SOURCE FLAG...: a file of the kernel, with this function of it as NAME
crc()
{
	local name=$1 function=$2 source=$3
	shift 3

	"${cc[@]}" "$@" -c -o "$dir/$name.o" "$source"
	"${tool}objcopy" --redefine-sym "$function=$name" --keep-global-symbol="$name" \
		"$dir/$name.o"
}

# program MACHINE TOOL 64BIT FLAG...: $out/MACHINE/checksum; sets dir, tool and cc
program()
{
	dir=$out/$1 tool=$2
	tables "$1" "$3"
	cc=("${tool}gcc" -std=gnu11 -O2 -fno-strict-aliasing -fno-common -fno-pie
		-fno-asynchronous-unwind-tables -fno-stack-protector "${@:4}" -nostdinc
		${3:+"-DCONFIG_64BIT=$3"} -include "$bench/checksum-kernel.h" -I "$out/include")
	"${cc[@]}" -I "$old/include" -c -o "$dir/xxhash.o" "$old/lib/xxhash.c"
	crc crc32c_slices __crc32c_le "$old/lib/crc32.c" -I "$dir/old"
	crc crc32c_bytes crc32c "$new/lib/crc/crc32-main.c" -I "$dir/new"
}

# link FLAG...
link()
{
	"${tool}gcc" -std=gnu11 -O2 -Wall -Wextra -static -no-pie "$@" -o "$dir/checksum" \
		"$bench/checksum.c" "$dir"/*.o
}

x86()
{
	local arch=$new/lib/crc/x86 source=$new/lib/crc/crc32-main.c feature
	local -a flags none=()

	for feature in AVX2 AVX512BW AVX512VL PCLMULQDQ PREFER_YMM VPCLMULQDQ XMM4_2; do
		none+=("-DX86_FEATURE_$feature=0")
	done
	program x86-64 "" 1 -m64 -march=x86-64 -mtune=generic -mgeneral-regs-only -mno-red-zone \
		-DCONFIG_X86 -DCONFIG_X86_64
	flags=(-I "$dir/new" -I "$arch" -DCONFIG_CRC32_ARCH '-DIS_ENABLED(option)=1')
	"${cc[@]}" -I "$arch" -Wa,--noexecstack -c -o "$dir/pclmul.o" "$arch/crc32-pclmul.S"
	"${cc[@]}" -Wa,--noexecstack -c -o "$dir/3way.o" "$arch/crc32c-3way.S"
	crc crc32c_one crc32c "$source" "${flags[@]}" "${none[@]}" -UX86_FEATURE_XMM4_2 \
		-DX86_FEATURE_XMM4_2=1
	crc crc32c_streams crc32c "$source" "${flags[@]}" "${none[@]}" -UX86_FEATURE_XMM4_2 \
		-DX86_FEATURE_XMM4_2=1 -UX86_FEATURE_PCLMULQDQ -DX86_FEATURE_PCLMULQDQ=1
	crc crc32c_avx512 crc32c "$source" "${flags[@]}" "${none[@]//=0/=1}" \
		-UX86_FEATURE_PREFER_YMM -DX86_FEATURE_PREFER_YMM=0
	link -mno-avx
}

arm64()
{
	local arch=$new/lib/crc/arm64 source=$new/lib/crc/crc32-main.c
	local -a flags

	program arm64 aarch64-linux-gnu- 1 -mgeneral-regs-only -mabi=lp64
	flags=(-I "$dir/new" -I "$arch" -DCONFIG_CRC32_ARCH)
	"${cc[@]}" -Wa,--noexecstack -c -o "$dir/core.o" "$arch/crc32-core.S"
	crc crc32c_one crc32c "$source" "${flags[@]}" -DPMULL=0
	crc crc32c_streams crc32c "$source" "${flags[@]}" -DPMULL=1
	link
}

# arm NAME FLAG...: a 32-bit ARM, whose compiler decides about unaligned loads
arm()
{
	program "$1" arm-linux-gnueabi- "" -marm -mfloat-abi=soft "${@:2}"
	link "${@:2}"
}

# instructions MACHINE QEMU CPU
instructions()
{
	timeout 120 "$user/usr/bin/qemu-$2" -cpu "$3" -plugin "$out/count.so" \
		"$out/$1/checksum" count > "$out/$1/count.csv"
}

# table FILE COLUMN TITLE: a column of the CSV by length, without the cost of the call
table()
{
	awk -F, -v column="$2" -v title="$3" '
		{
			name = $1
			# Names may have a comma.
			for (i = 2; i <= NF && name !~ /"$/; i++)
				name = name "," $i
			bytes = $i
			value[name, bytes] = $(i + column)
			if (!(name in seen))
				names[seen[name] = ++n] = name
			if (bytes && !(bytes in known))
				lengths[known[bytes] = ++m] = bytes
		}
		END {
			printf "\n| %s |", title
			for (j = 1; j <= m; j++)
				printf " %d |", lengths[j]
			printf "\n|---|"
			for (j = 1; j <= m; j++)
				printf "---|"
			print ""
			for (i = 1; i <= n; i++) {
				name = names[i]
				if (name == "\"none\"" || !((name, lengths[1]) in value))
					continue
				printf "| %s |", substr(name, 2, length(name) - 2)
				for (j = 1; j <= m; j++)
					printf " %.0f |", value[name, lengths[j]] - \
						value["\"none\"", lengths[j]]
				print ""
			}
		}' "$1"
}

say "compiling"
empty_headers
gcc -std=gnu11 -O2 -Wall -Wextra -fPIC -shared -o "$out/count.so" "$bench/checksum-count.c"
x86
arm64
arm armv5te -march=armv5te -mtune=xscale -mno-unaligned-access
arm armv7 -march=armv7-a

say "counting instructions"
instructions x86-64 x86_64 max
instructions arm64 aarch64 max
instructions armv5te arm pxa270
instructions armv7 arm cortex-a7

say "measuring times"
timeout 300 "$out/x86-64/checksum" time > "$out/time.csv"

echo "# Checksums of a fragment, by its bytes"
echo
sed -n 's/^model name[^:]*: */On /p' /proc/cpuinfo | uniq
table "$out/time.csv" 1 "ns, in the cache"
table "$out/time.csv" 2 "ns, in no cache"
echo
sed -n 's/^"\(.*\)",0,\([^,]*\),$/\1: \2 ns/p' "$out/time.csv"
for machine in x86-64 arm64 armv5te armv7; do
	table "$out/$machine/count.csv" 1 "instructions, $machine"
done
