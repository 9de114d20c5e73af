#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# native.sh [--quick]: compare MTDCOMPR's block device with zram at the processor's own speed, and
# show where the time goes.
#
# Both are in User Mode Linux of Debian's newest source, a program of the host, on memory pages of
# real programs: written and read in turn in one boot, so each pair of passes meets the same
# weather. A second kernel with two processors shows what two writers do to each other. A sampling
# profiler counts the functions of the kernel, and leaves out the programs in it. Then crypt.sh
# measures the cost of encryption.
#
# It takes six minutes once both kernels are in the cache, on a host with nothing else to do, and
# root or sysctl kernel.perf_event_paranoid=1. --quick has lz4 and one processor only. Results go to
# build/native; a missed goal is printed as missed, and is no error.
set -eu
. "$(dirname "$0")/../../../qemu/lib.sh"
here=$top/tools/lab/bench
out=$build/native

case $#:${1-} in
0:)		rounds=24 seconds=6 comps='lz4 lzo zstd' two=1 crypt='' ;;
1:--quick)	rounds=12 seconds=4 comps=lz4 two='' crypt=--quick ;;
*)		die "usage: native.sh [--quick]" ;;
esac

"$top/qemu/setup.sh" build bench native
perf record -q -e cpu-clock -o /dev/null -- true 2>/dev/null ||
	die "perf may not count: as root, or after sysctl kernel.perf_event_paranoid=1"
kdir=$(field KDIR "$("$top/qemu/kernel.sh" stock)")
# pageset.py has gdb and the compiler work on the module.
"$top/qemu/build.sh"
one=$("$top/qemu/kernel.sh" native)
[ -z "$two" ] || two=$("$top/qemu/kernel.sh" native2)
mkdir -p "$out"
rm -f "$out"/*.csv "$out"/profile-* "$out/figures.md"
gcc -std=gnu11 -O2 -Wall -Wextra -o "$out/native" "$here/native.c"

# With the right to it, nothing else on this processor comes between; else the medians have to do.
first=()
! chrt -f 1 true 2>/dev/null || first=(chrt -f 1)

# inside OPTION... -- ARGUMENT...: native-guest.sh in MTDC_KERNEL; its output is in $run/out
inside()
{
	local options=()

	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	"${first[@]}" "$top/qemu/uml.sh" --mem 768 --timeout 600 "${options[@]}" \
		"$run" "$here/native-guest.sh" "$@" || {
		cat "$run/out" >&2
		die "the measurement failed"
	}
}

# sample RESULTS ARGUMENT...: the profiles of native-guest.sh profile: RESULTS.1 and so on
sample()
{
	local results=$1 n=0
	shift

	rm -f "$run"/begin.* "$run"/end.*
	inside --cpus "$cpus" -- profile "$@" &
	guest=$!
	while [ $n -lt 4 ]; do
		n=$((n + 1))
		until [ -e "$run/begin.$n" ]; do
			kill -0 $guest 2>/dev/null || die "the measurement failed"
			sleep 0.2
		done
		perf record -q -F 4000 -e cpu-clock ${graph:+-g} -p "$(cat "$run/pid")" \
			-o "$run/perf" -- sleep $seconds
		: > "$run/end.$n"
		{
			cat "$run/begin.$n"
			if [ -n "$graph" ]; then
				perf script -i "$run/perf" -F ip,sym
			else
				perf report -i "$run/perf" --stdio --sort symbol
			fi
		} > "$results.$n" 2> "$run/perf.log"
	done
	wait $guest
	guest=
}

run=$(mktemp -d "$out/run.XXXXXX")
guest=
# The kernel's own process: the others wait for it.
trap '[ -z "$guest" ] || kill "$(cat "$run/pid")" 2>/dev/null || :; wait; rm -rf "$run"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

export MTDC_KERNEL=$one
cpus=1 graph=''
say "taking pages of programs"
inside --env "MTDC_KDIR=$kdir" -- pages
mv "$run/set" "$out/set"
cp "$run/out" "$out/pages.csv"
"$here/native.py" make "$out"

: > "$out/rounds.csv"
for comp in $comps; do
	say "measuring $comp"
	kinds=("$out/set")
	[ "$comp" != lz4 ] || kinds+=("$out/random" "$out/filled")
	inside -- rounds 1 $rounds wr "$comp" "${kinds[@]}"
	cat "$run/out" >> "$out/rounds.csv"
	inside -- rounds 1 $rounds wrWR "$comp" "${kinds[0]}"
	cat "$run/out" >> "$out/rounds.csv"
done
for kind in set random filled; do
	say "sampling $kind"
	sample "$out/profile-$kind" lz4 "$out/$kind" 1
done

if [ -n "$two" ]; then
	export MTDC_KERNEL=$two
	cpus=2 graph=1
	say "measuring two writers"
	for jobs in 1 2; do
		inside --cpus 2 -- rounds $jobs $rounds wrWR lz4 "$out/set"
		cat "$run/out"
	done > "$out/rounds2.csv"
	say "sampling two writers"
	sample "$out/profile-two" lz4 "$out/set" 2
fi
"$here/native.py" report "$out" "$(field KDIR "$one")" > "$out/figures.md"
cat "$out/figures.md"
"$here/crypt.sh" ${crypt:+"$crypt"} native
