#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Random system calls on devices, from several processes (selftests/lib/sysfuzz.c), and attach and
# detach with random strings: the kernel logs no error, every call returns, and another device of
# the same module keeps every byte meanwhile.
#
# MTDC_SECONDS in pieces of at most 10 s, each with a seed of its own, which is printed. To repeat a
# finding, run sysfuzz with that seed and -l.
#
# job: test blk --mem 192 --reserve 64 --timeout 600 --smp 2
# job: long,debug syscalls --mem 256 --reserve 16 --timeout 300 --smp 2
# job: fuzzguest syscalls --mem 256 --reserve 16 --timeout 9000 --smp 2
. "$(dirname "$0")/lib.sh"

: "${MTDC_SECONDS:=$(amount 6 10)}" "${MTDC_SWAP_LIMIT:=400}"
no_autoload

phram low0 0 2048
phram low1 2048 1024
phram spare0 3072 512
phram spare1 3584 512
phram safelow 4096 4096
must modprobe mtdsim dev=name=flash,type=nand,size=1M \
	dev=name=logflash,type=nand,size=1M,erasesize=32K
load
attach "safelow,comp=zstd,name=safe"
safe_char=$CHAR safe_block=$BLOCK
# Keep this device open, because sysfuzz detaches all devices that it can.
exec 3< "$safe_char"
attach "low0,comp=lz4,name=fuzz0"
# Soon full.
attach "low1,comp=zlib,alloc=largest,ratio=1000,name=fuzz1"
attach "flash,comp=lzo,cache=1,name=fuzz2"
attach "logflash,comp=lz4,spread=8,name=fuzz3"

# The model, again and again, each time on an erased device.
(
	n=0
	while [ ! -e "$TMP/stop" ]; do
		n=$((n + 1))
		[ "$(mtdop erase "$safe_char" 0 $((512 * 4096)))" = ok ] || echo "erase failed"
		modelio -s $((MTDC_SEED + n)) -n 100 -p 512 random "$safe_char" "$safe_block" ||
			break
	done > "$TMP/model" 2>&1
	echo $n > "$TMP/models"
	[ -e "$TMP/stop" ]
) &
model=$!

splat='WARNING|\<BUG\>|\<Oops\>|Call Trace|blocked for more than|allocation failure'
splat="$splat|general protection|KASAN|UBSAN|KCSAN|[Cc]ircular locking|suspicious RCU"
dmesg -c > "$TMP/log"
piece=10
[ "$MTDC_SECONDS" -ge $piece ] || piece=$MTDC_SECONDS
begun=$(date +%s)
round=0 came_back=0 clean=0 calls=0 good=0
while [ $round = 0 ] || [ $(($(date +%s) - begun)) -lt "$MTDC_SECONDS" ]; do
	seed=$((MTDC_SEED * 1000 + round))
	sysfuzz -s $seed -t "$piece" -j 4 -w $((MTDC_SWAP_LIMIT * MTDC_TIMES / 4)) -m fuzz \
		-a spare0 -a mtd=spare1,comp=lz4,size=1M,name=fuzzy -a spare0,ratio=100,alloc=best \
		-a spare1,comp=zstd,level=3 -a low0,name=fuzz0,comp=zlib \
		-a flash,cache=1,name=fuzz2 -a fuzz0 -a safelow,comp=lzo -a fuzz1 -a fuzz2 \
		-a logflash,store=log,spread=2,name=fuzz3 -a fuzz3 \
		-a mtdcompr0 -a 0,name=mtdcompr9 -a low1,comp=none,ratio=1000,name=fuzz1 \
		> "$TMP/round" 2>&1 || {
			came_back=1
			diag "$(cat "$TMP/round")"
		}
	# Clear the log: it is a ring, and gets many messages.
	dmesg -c > "$TMP/log"
	if grep -Eq "$splat" "$TMP/log"; then
		clean=1
		diag "seed $seed:"
		grep -E -A 40 "$splat" "$TMP/log" | head -n 80 | sed 's/^/# /'
	fi
	calls=$((calls + $(sed -n 's/^sysfuzz: \([0-9]*\) calls,.*/\1/p' "$TMP/round")))
	good=$((good + $(sed -n 's/.* \([0-9]*\) of them good/\1/p' "$TMP/round")))
	round=$((round + 1))
	[ $came_back$clean = 00 ] || break
done
diag "$round pieces, seeds from $((MTDC_SEED * 1000)), $calls calls, $good of them good"
result $came_back "every call came back"
result $clean "the kernel had no complaint"
holds "an eighth of the calls did something" $((good * 8)) -ge "$calls"

touch "$TMP/stop"
wait $model
status=$?
result $status "another device, meanwhile: all contents as expected"
[ $status = 0 ] || tail -n 30 "$TMP/model" | sed 's/^/# /'
diag "$(cat "$TMP/models") times the model"
identities "the figures of that device add up" safe

wrong=0
for file in "$PROC"/*; do
	name=${file##*/}
	[ "$name" != safe ] || continue
	identities "the figures of $name" "$name" > "$TMP/figures"
	seen=$((seen - 1))
	grep -q '^not ok' "$TMP/figures" || continue
	wrong=1
	sed 's/^/# /' "$TMP/figures"
done
result $wrong "the figures of those that are left add up, too"

# After the fuzzing the devices can be detached, and attached again.
exec 3<&-
left=
for file in "$PROC"/*; do
	got=$(put detach "${file##*/}")
	[ "$got" = ok ] || left="$left ${file##*/}: $got"
done
is "all devices can be detached" "$left" ""
attach "low0,comp=lz4,name=again"
check "what was fuzzed works as new" \
	modelio -s "$MTDC_SEED" -n 100 -p 512 random "$CHAR" "$BLOCK"
must mtdop put "$SYS/detach" again
is "the module can be unloaded" "$(rmmod mtdcompr 2>&1)" ""
