# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# qemu/lib.sh sets top and build.
# shellcheck disable=SC2154
#
# Sourced by the scripts of this directory, after qemu/lib.sh.

out=$build/bench

# Build all programs and modules for the guest.
prepare()
{
	"$top/qemu/setup.sh" build guest bench
	MTDC_KERNEL=${MTDC_KERNEL:-$("$top/qemu/kernel.sh")} || exit 1
	export MTDC_KERNEL
	mkdir -p "$out"
	"$top/qemu/build.sh"
	compile pageio
}

# compile NAME [OPTION...]: compile a program of this directory for the guest
compile()
{
	local name=$1
	shift

	gcc -std=gnu11 -O2 -Wall -Wextra -o "$out/$name" "$@" "$top/tools/lab/bench/${name%.so}.c"
}

# count NAME OPTION...: run a program in the guest; NAME.jsonl gets its results
count()
{
	local log=$out/$1.log start=$SECONDS
	shift

	say "measuring in the guest, log in ${log#"$top"/}"
	# slab_nomerge, so that zram's caches are separate;
	# norandmaps, so that the programs' pages differ less from run to run.
	"$top/qemu/guest.sh" --mem 512 --reserve 64 --timeout 900 \
		--quiet --log "$log" --append "slab_nomerge norandmaps" \
		--env "MTDC_KDIR=$(kernel KDIR)" "$@" || {
		tail -n 20 "$log" | cut -c 1-300 >&2
		die "the measurement failed"
	}
	sed -n 's/^BENCH //p' "$log" > "${log%.log}.jsonl"
	say "measured in $((SECONDS - start)) s"
}

# measure NAME OPTION...: the same, with a clock that counts instructions: use it for times
measure()
{
	local name=$1
	shift

	count "$name" --clock icount "$@"
}
