#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# hardening-test.sh [VARIANT...]: build the programs and libraries, and check with readelf that they
# have the features of hardening.mk; as one TAP stream with the plan at its end; exit status 0 only
# if nothing failed.
#
# A variant: all (what "make tools" builds, libmarvin and the module of Lua), static, debian (flags
# by dpkg-buildflags), debug (-O0, a sanitizer), off (HARDENING=no), musl, armel, armhf, arm64. A
# variant without its compiler here is skipped.
#
# MTDC_JOBS          parallel compiler runs (2)
#
# job: test hardening all
# job: long hardening all static debian debug off
# job: build hardening musl armel armhf arm64
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
top=${here%/*}
# shellcheck source-path=SCRIPTDIR source=../selftests/tap.sh
. "$top/selftests/tap.sh"
out=${O:-$top/build/hardening-test}
unset O
variants="all static debian debug off musl armel armhf arm64"
: "${MTDC_JOBS:=2}"
wanted=${*:-$variants}
known "$wanted" "$variants"
export LC_ALL=C

# build VARIANT DIR MAKE-ARGUMENT...: build a directory of tools
build()
{
	local to=$out/$1 dir=$2

	shift 2
	make -s -C "$here/$dir" -j "$MTDC_JOBS" O="$to" WERROR=1 "$@" \
		>> "$to/make.log" 2>&1
}

# begin VARIANT
begin()
{
	variant=$1
	rm -rf "${out:?}/$variant"
	mkdir -p "$out/$variant"
}

# built DIR... [-- MAKE-ARGUMENT...]: result: all directories compile without a warning
built()
{
	local dirs=() dir status=0

	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		dirs+=("$1")
		shift
	done
	[ $# = 0 ] || shift
	for dir in "${dirs[@]}"; do
		build "$variant" "$dir" "$@" || status=1
	done
	[ $status = 0 ] || tail -n 12 "$out/$variant/make.log" | sed 's/^/# /'
	result $status "$variant: it compiles without a warning"
	return $status
}

# programs: list the linked files
programs()
{
	find "$out/$variant" -type f ! -path '*/obj*/*' ! -path '*/load/*' ! -name '*.a' ! -name '*.log' \
		! -name '*.pc' -exec sh -c 'head -c 4 "$1" | grep -q ELF' sh {} \; -print | LC_ALL=C sort
}

# has KIND FILE
has()
{
	case $1 in
	relro)	readelf -lW "$2" | grep -q GNU_RELRO ;;
	now)	readelf -dW "$2" | grep -q 'FLAGS.*BIND_NOW\|FLAGS_1.* NOW' ;;
	pie)	readelf -hW "$2" | grep -q 'Type: *DYN' ;;
	noexec)	readelf -lW "$2" | grep 'GNU_STACK' | grep -qv 'RWE' ;;
	stack)	readelf -sW "$2" | grep -q '__stack_chk_fail' ;;
	fortify) readelf -sW "$2" | grep -q '__[a-z]*_chk\b' ;;
	esac
}

# lacks KIND [NAME...]: result: no program lacks it, except the named ones
lacks()
{
	local kind=$1 file name missing='' n=0

	shift
	for file in $(programs); do
		name=${file##*/}
		case " $* " in
		*" $name "*) continue ;;
		esac
		n=$((n + 1))
		has "$kind" "$file" || missing="$missing $name"
	done
	[ -z "$missing" ] || echo "# without $kind:$missing"
	[ -z "$missing" ] && [ $n -gt 0 ]
	result $? "$variant: $n files have $kind"
}

# nowhere KIND: result: no program has it
nowhere()
{
	local file found=''

	for file in $(programs); do
		! has "$1" "$file" || found="$found ${file##*/}"
	done
	[ -z "$found" ] || echo "# with $1:$found"
	[ -z "$found" ]
	result $? "$variant: none has $1"
}

run_all()
{
	local kind

	begin all
	built latd proswapd rectifyd rectifyd/desktop lab/memload \
		lab/pipeline marvin/marvind marvin/libmarvin lab/marvin-load marvin/lua \
		mtdcomprctl boot || return 0
	for kind in relro now pie noexec stack; do
		lacks $kind
	done
	# libmarvin and the Lua module have no copy whose size the compiler knows.
	lacks fortify libmarvin.so.0 marvin.so
}

# objects KIND: result: some objects have it. Checks objects, because a static program also
# contains the C library's.
objects()
{
	local file n=0

	while read -r file; do
		! has "$1" "$file" || n=$((n + 1))
	done < <(find "$out/$variant" -path '*/obj*/*' -name '*.o')
	[ $n -gt 0 ]
	result $? "$variant: $n objects have $1"
}

run_static()
{
	local kind

	begin static
	built latd rectifyd marvin/marvind mtdcomprctl boot -- STATIC=1 || return 0
	lacks relro
	lacks noexec
	objects stack
	objects fortify
	nowhere pie
	"$out/static/latd" -V > /dev/null
	result $? "static: it runs"
}

run_debian()
{
	local flags kind

	if ! command -v dpkg-buildflags > /dev/null; then
		result 0 "debian: # SKIP no dpkg-buildflags"
		return
	fi
	begin debian
	flags=$(DEB_BUILD_MAINT_OPTIONS=hardening=+all DEB_CFLAGS_MAINT_APPEND=-Wdate-time \
		dpkg-buildflags --export=sh) || return
	(
		eval "$flags"
		built latd marvin/libmarvin mtdcomprctl > "$out/debian.tap"
	)
	pass_on 0 <(sed 's/ - debian: / - /; $a 1..1' "$out/debian.tap") "debian: "
	for kind in relro now pie noexec stack; do
		lacks $kind
	done
	lacks fortify libmarvin.so.0
}

run_debug()
{
	begin debug
	# The C library warns about FORTIFY without optimisation.
	! built latd marvin/marvind -- CFLAGS=-O0 || nowhere fortify
	begin debug
	! built latd -- CFLAGS="-O1 -fsanitize=address" LDFLAGS=-fsanitize=address ||
		lacks pie
}

run_off()
{
	begin off
	built latd mtdcomprctl -- HARDENING=no CFLAGS="-O2 -fno-stack-protector" || return 0
	nowhere fortify
}

run_musl()
{
	local kind cc

	if ! command -v musl-gcc > /dev/null; then
		result 0 "musl: # SKIP no musl-gcc"
		return
	fi
	# musl lacks the kernel's headers, so use the copy of the machine's C library.
	cc="musl-gcc -idirafter /usr/include -idirafter /usr/include/$(gcc -print-multiarch)"
	begin musl
	built latd marvin/marvind mtdcomprctl -- CC="$cc" PKG_CONFIG=false || return 0
	for kind in relro now noexec stack; do
		lacks $kind
	done
	begin musl
	built latd -- CC="$cc" PKG_CONFIG=false STATIC=1 || return 0
	objects stack
	"$out/musl/latd" -V > /dev/null
	result $? "musl: it runs"
}

# cross NAME PREFIX
cross()
{
	local kind

	if ! command -v "$2gcc" > /dev/null; then
		result 0 "$1: # SKIP no $2gcc"
		return
	fi
	begin "$1"
	built latd proswapd marvin/marvind mtdcomprctl -- CROSS_COMPILE="$2" \
		PKG_CONFIG=false || return 0
	for kind in relro now pie noexec stack fortify; do
		lacks $kind
	done
	begin "$1"
	! built latd -- CROSS_COMPILE="$2" PKG_CONFIG=false STATIC=1 || objects stack
}

run_armel() { cross armel arm-linux-gnueabi-; }
run_armhf() { cross armhf arm-linux-gnueabihf-; }
run_arm64() { cross arm64 aarch64-linux-gnu-; }

set +e
for variant in $wanted; do
	"run_$variant"
done
end_results
