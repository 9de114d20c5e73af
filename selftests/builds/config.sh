#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# config.sh [gcc|clang] ARCH [+OPTION|-OPTION]...: build the module against Debian's source of 6.1,
# with a small configuration (config.base). The arguments switch options on and off. All of them
# must take effect. ARCH is kbuild's: x86_64, i386.
#
# Without a vmlinux, modpost can't find undefined symbols. This script looks for symbols that no
# kernel has, such as libgcc's divisions; builtin.sh links a vmlinux.
#
# job: build config-base x86_64
# job: build config-no-smp x86_64 -SMP
# job: build config-preempt x86_64 +PREEMPT
# job: build config-no-proc x86_64 +EXPERT -PROC_FS
# job: build config-no-debugfs x86_64 -DEBUG_FS
# job: build config-no-lz4 x86_64 -CRYPTO_LZ4
# job: build config-no-lzo x86_64 -CRYPTO_LZO
# job: build config-no-zlib x86_64 -CRYPTO_DEFLATE
# job: build config-no-zstd x86_64 -CRYPTO_ZSTD
# job: build config-no-xxhash x86_64 -CRYPTO_XXHASH -CRYPTO_ZSTD
# job: build config-no-chacha x86_64 -CRYPTO_LIB_CHACHA20POLY1305
# job: build config-no-comp x86_64 -CRYPTO_LZ4 -CRYPTO_LZO -CRYPTO_DEFLATE -CRYPTO_ZSTD -CRYPTO_XXHASH
# job: build config-highmem i386 +HIGHMEM4G
# job: build config-trace x86_64 +FTRACE +FUNCTION_TRACER
# job: build config-small i386 -SMP -PROC_FS -DEBUG_FS +EXPERT +CC_OPTIMIZE_FOR_SIZE
# job: build config-ubi x86_64 +MTD_UBI
# job: build config-debug x86_64 +DEBUG_KERNEL +PROVE_LOCKING +DEBUG_ATOMIC_SLEEP
# job: build config-clang clang x86_64
set -eu
. "$(dirname "$0")/../../qemu/lib.sh"
. "$(dirname "$0")/lib.sh"
cc=gcc-12
case $1 in
gcc)	shift ;;
clang)	cc=clang; shift ;;
esac
arch=$1
shift
"$top/qemu/setup.sh" build debug check
[ "$cc" = gcc-12 ] || "$top/qemu/setup.sh" clang
kernel=$("$top/qemu/kernel.sh" --source) || cannot "no source of the kernel"
ksrc=$(field KSRC "$kernel")
what="$(field KVER "$kernel"), $($cc --version | compiler)"

vars=(ARCH="$arch" CC="$cc")
[ "$cc" != clang ] || vars=(ARCH="$arch" LLVM=1)
# All configurations share one object tree, so its tools are compiled once.
obj=$cache/matrix-$(field KVER "$kernel")-$arch-$cc
mkdir -p "$obj"
exec 9>"$obj/.lock"
flock 9
kbuild()
{
	make -j "$(nproc)" -C "$ksrc" O="$obj" "${vars[@]}" "$@"
}

# The last line about an option counts.
{
	grep '^CONFIG' "$top/selftests/builds/config.base"
	for option; do
		case $option in
		+*)	echo "CONFIG_${option#+}=y" ;;
		-*)	echo "# CONFIG_${option#-} is not set" ;;
		*)	die "what is $option?" ;;
		esac
	done
} | awk '{ name = $1 == "#" ? $2 : $1; sub(/=.*/, "", name); line[name] = $0 }
	END { for (name in line) print line[name] }' > "$obj/mini.config"
rm -f "$obj/.config"
kbuild -s KCONFIG_ALLCONFIG="$obj/mini.config" allnoconfig >&2 ||
	fail "cannot configure"
lost=$(while read -r line; do
	name=${line#\# }
	name=${name%%[ =]*}
	case $line in
	CONFIG_*)	grep -q "^$name=[ym]" "$obj/.config" ;;
	*)		! grep -q "^$name=" "$obj/.config" ;;
	esac || echo "$name"
done < "$obj/mini.config")
[ -z "$lost" ] || fail "did not take: $lost"
kbuild -s modules_prepare >&2 || fail "modules_prepare"

work=$build/builds.work/$MTDC_JOB
sources "$work"
sparse_log "$work/sparse" "$work"
status=0
make -j "$(nproc)" -C "$obj" M="$work" "${vars[@]}" KBUILD_MODPOST_WARN=1 \
	W=1 C=2 CHECK="$work/sparse" CF=-D__CHECK_ENDIAN__ modules \
	> "$work/make.all" 2>&1 || status=$?
grep -v 'modpost: .*Module.symvers\|WARNING: modpost: .* undefined!\|suppressed [0-9]* unresolved' \
	"$work/make.all" > "$work/make.log" || :
# No function of the driver may be missing, whatever was switched off.
nm -u "$work/drivers/mtd/mtdcompr/mtdcompr.ko" 2>/dev/null |
	sed -n -e 's/^ *U \(__[a-z]*[dst]i[0-9]\)$/error: no kernel has \1/p' \
		-e 's/^ *U \(_*mtdc_.*\)$/error: \1 is called and was left out/p' \
	>> "$work/make.log"

# An object must be built if its option is on, and only then. judge() reports a failed build.
while [ "$status" = 0 ] && read -r option object; do
	built=off
	[ ! -e "$work/drivers/mtd/mtdcompr/$object.o" ] || built=on
	wanted=on
	case " $* " in
	*" -$option "*)	wanted=off ;;
	esac
	[ $built = $wanted ] || fail "$object.o is $built, with $option $wanted"
done <<-END
	CRYPTO_LZ4 comp_lz4
	CRYPTO_LZO comp_lzo
	CRYPTO_DEFLATE comp_zlib
	CRYPTO_ZSTD comp_zstd
	CRYPTO_LIB_CHACHA20POLY1305 crypt
	PROC_FS proc
END
judge "$work" "$status" "$what"
