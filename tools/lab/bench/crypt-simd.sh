#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# crypt-simd.sh SOURCE: how long the kernel's ChaCha20-Poly1305 takes on this processor, by the
# kernel's own code in user space: the C code, and the assembler that a kernel takes here. User Mode
# Linux has only the former. SOURCE is the kernel's, 7.3 or later. Prints the CSV of crypt-simd.c.
set -eu
. "$(dirname "$0")/../../../qemu/lib.sh"
bench=$top/tools/lab/bench out=$build/crypt-simd

[ $# = 1 ] || die "usage: crypt-simd.sh SOURCE"
[ "$(uname -m)" = x86_64 ] || die "needs an x86-64 machine"
src=$1/lib/crypto
mkdir -p "$out"

# crypt-kernel.h has what the files take from these.
for header in linux/{bitops,bug,compiler_attributes,export,init,jump_label,kernel,linkage,mm}.h \
	linux/{module,scatterlist,sizes,string,types,unaligned}.h \
	asm/{cpu_device_id,frame,simd}.h asm/fpu/api.h; do
	mkdir -p "$out/include/${header%/*}"
	: > "$out/include/$header"
done
# The driver does not use the functions for scatterlists, which are behind all others.
mkdir -p "$out/src"
sed -z 's/\nstatic\nbool chacha20poly1305_crypt_sg_inplace.*/\n/' "$src/chacha20poly1305.c" \
	> "$out/src/chacha20poly1305.c"
perl "$src/x86/poly1305-x86_64-cryptogams.pl" > "$out/src/poly1305-x86_64.S"

# library NAME FLAG...: the library as one object, whose functions are NAME_encrypt and NAME_decrypt
library()
{
	local name=$1 cc source objects=()
	shift

	cc=(gcc -std=gnu11 -O2 -fno-strict-aliasing -fno-stack-protector -fno-pie -mno-sse
		-mgeneral-regs-only -include "$bench/crypt-kernel.h" -nostdinc "$@"
		-I "$out/include" -I "${src%/lib/crypto}/include" -I "$src/x86")
	for source in "$src"/{chacha,chacha-block-generic,memneq,poly1305,poly1305-donna64,utils}.c \
		"$out/src/chacha20poly1305.c" "${assembler[@]}"; do
		objects+=("$out/$name-$(basename "$source").o")
		"${cc[@]}" -Wa,--noexecstack -c -o "${objects[-1]}" "$source"
	done
	ld -r -o "$out/$name.o" "${objects[@]}"
	objcopy --redefine-sym "chacha20poly1305_encrypt=${name}_encrypt" \
		--redefine-sym "chacha20poly1305_decrypt=${name}_decrypt" \
		--keep-global-symbol="${name}_encrypt" --keep-global-symbol="${name}_decrypt" \
		"$out/$name.o"
}

assembler=()
library c -DCONFIG_CRYPTO_LIB_POLY1305_RSIZE=1
assembler=("$src"/x86/chacha-{ssse3,avx2,avx512vl}-x86_64.S "$out/src/poly1305-x86_64.S")
library simd -DCONFIG_CRYPTO_LIB_POLY1305_RSIZE=11 -DCONFIG_CRYPTO_LIB_CHACHA_ARCH \
	-DCONFIG_CRYPTO_LIB_POLY1305_ARCH
gcc -std=gnu11 -O2 -Wall -Wextra -static -no-pie -o "$out/crypt-simd" "$bench/crypt-simd.c" \
	"$out/c.o" "$out/simd.o"
"$out/crypt-simd"
