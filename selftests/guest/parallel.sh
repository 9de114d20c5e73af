#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Many users at once. mtdchar does not take mtdblock's lock, and two devices share nothing: every
# page must be right.
#
# job: test,long parallel seconds=55 --mem 192 --reserve 64 --timeout 600 --smp 2
# job: debug parallel --mem 192 --reserve 64 --timeout 400 --smp 2
# job: kcsan parallel --mem 192 --reserve 64 --timeout 300 --smp 4
. "$(dirname "$0")/lib.sh"

: "${MTDC_OPS:=$(amount 250 600)}"
phram low 0 16384
phram low2 16384 8192
load
attach "low,comp=lz4,size=20M,name=par"
char1=$CHAR block1=$BLOCK
attach "low2,comp=zlib,size=10M,name=par2"
char2=$CHAR block2=$BLOCK
# Readahead of one process would cache pages of another.
must blockdev --setra 0 "$block1" "$block2"

# Each process has pages of its own, with a gap between.
jobs=
for n in 0 1 2; do
	modelio -s $((MTDC_SEED + n)) -n "$MTDC_OPS" -f $((n * 600)) -p 512 random \
		"$char1" "$block1" > "$TMP/job$n" 2>&1 &
	jobs="$jobs $!"
done
modelio -s $((MTDC_SEED + 3)) -n "$MTDC_OPS" -p 512 random "$char2" "$block2" > "$TMP/job3" 2>&1 &
jobs="$jobs $!"
patio -d write "$block2" 1000 1000 1 > "$TMP/job4" 2>&1 &
jobs="$jobs $!"

# Readers of the statistics, which must always be complete.
(
	n=0
	while [ ! -e "$TMP/stop" ]; do
		for file in "$PROC/par" "$PROC/par2"; do
			grep -q '^log_failed_erases: ' $file || echo "incomplete: $file"
		done
		n=$((n + 1))
	done
	[ $n -ge 1 ] || echo "only $n readings"
) > "$TMP/reader" 2>&1 &
reader=$!
# A process that tries to detach all the time.
(
	while [ ! -e "$TMP/stop" ]; do
		for name in par par2; do
			got=$(mtdop put "$SYS/detach" $name)
			[ "$got" = EBUSY ] || echo "$name: $got"
		done
		sleep 0.2
	done
) > "$TMP/detacher" 2>&1 &
detacher=$!
# Keep it open, or the last close of the others would let a detach succeed.
exec 3< "$char1"
exec 4< "$char2"

n=0
for job in $jobs; do
	wait "$job"
	status=$?
	case $n in
	[012])	what="process $n of three on one device: all contents as expected" ;;
	3)	what="one on another device: all contents as expected" ;;
	*)	what="a writer through mtdblock on that device" ;;
	esac
	result $status "$what"
	[ $status = 0 ] || tail -n 30 "$TMP/job$n" | sed 's/^/# /'
	n=$((n + 1))
done
: > "$TMP/stop"
wait $reader
wait $detacher
is "the statistics were complete at all times" "$(cat "$TMP/reader")" ""
is "detach was refused at all times" "$(cat "$TMP/detacher")" ""
is "what the writer wrote is there" "$(patio verify "$char2" 1000 1000 1)" \
	"ok 1000 error 0 wrong 0 first none"
exec 3>&-
exec 4>&-
identities "the figures of the first device are consistent" par
identities "and of the second" par2
# A whole page in one write(2) to /dev/mtdN is one operation.
patio -s 7 write "$char1" 0 512 9 > "$TMP/a" 2>&1 &
a=$!
patio -s 7 write "$char1" 0 512 10 > "$TMP/b" 2>&1 &
b=$!
wait $a $b
is "two writers of the same pages: each page is one of the two" \
	"$(patio -s 7 either "$char1" 0 512 10 | cut -d' ' -f5-8)" "error 0 wrong 0"
detach par
detach par2

# A write(2) to /dev/mtdN has up to 4 MiB, which takes seconds on slow media.
. "$(dirname "$0")/simlib.sh"
now() { awk '{ print int($1 * 100) }' /proc/uptime; }
sim_load name=slow,type=pcm,size=8M,delay=sleep
attach "slow,comp=none,name=up"
must patio -k random write "$CHAR" 1500 1 1
much=$(amount 2 4)M
dd if=/dev/urandom of="$TMP/much" bs="$much" count=1 2> "$TMP/dd"
start=$(now)
{
	dd if="$TMP/much" of="$CHAR" bs="$much" 2> "$TMP/dd"
	: > "$TMP/written"
} &
writer=$!
sleep 0.5
# Several reads, because on a busy host the program alone can take seconds.
wrong=0
: > "$TMP/reads"
until [ -e "$TMP/written" ]; do
	asked=$(now)
	patio -k random verify "$CHAR" 1500 1 1 > "$TMP/out"
	[ "$(cat "$TMP/out")" = "ok 1 error 0 wrong 0 first none" ] || wrong=$((wrong + 1))
	echo "$asked $(now)" >> "$TMP/reads"
	sleep 0.1
done
wait $writer
write_time=$(($(now) - start))
# The fastest read that ended before the last tenth of the write: a read that has to wait for the
# write ends with it.
quickest=$(awk -v limit=$((start + write_time * 9 / 10)) \
	'$2 <= limit && (!n++ || $2 - $1 < least) { least = $2 - $1 }
	END { print n ? least : "none" }' "$TMP/reads")
[ "$quickest" != none ] || quickest=$write_time
diag "written in $write_time, read in $quickest hundredths of a second"
is "a page is read within a large write" $wrong 0
holds "a large write does not keep others waiting" $((quickest * 4)) -lt $write_time
detach up
sim_unload

# Long requests must not keep the processor, on a kernel without preemption (preempt=none): 8 MiB,
# or 16, by one write(2) and one read(2), at the slowest speed.
# longest: until killed, measure the longest time without running, in hundredths of a second. Not in
# a subshell, which would be killed instead.
longest()
{
	# shellcheck disable=SC2016 # its own variables
	exec taskset -c 0 sh -c '
		trap "echo \$longest; exit" TERM
		longest=0 last=
		while :; do
			read -r now _ < /proc/uptime
			now=${now%.*}${now#*.}
			gap=$((now - ${last:-$now}))
			[ $gap -le $longest ] || longest=$gap
			last=$now
		done' > "$TMP/longest"
}

# meanwhile WHAT COMMAND...: for how long did another process not run? Try again, because a busy
# host also stops both; a driver that keeps the processor does so each time.
meanwhile()
{
	what=$1
	shift
	for try in 1 2 3; do
		longest &
		watcher=$!
		sleep 0.2
		start=$(now)
		must taskset -c 0 "$@" 2> "$TMP/dd"
		took=$(($(now) - start))
		kill $watcher
		wait $watcher
		gap=$(cat "$TMP/longest")
		diag "$what, try $try: $took hundredths of a second, another one did not run for $gap"
		[ $((${gap:-$took} * 4)) -ge $took ] || break
	done
	holds "one $what does not keep the processor" $((${gap:-$took} * 4)) -lt "$took"
}

preempt=/sys/kernel/debug/sched/preempt
if [ -e $preempt ]; then
	# The active one is in parentheses.
	was=$(sed 's/.*(\(.*\)).*/\1/' $preempt)
	must eval "echo none > $preempt"
	attach "low,comp=zlib,level=9,ratio=200,name=par"
	much=$(amount 8 16)
	cat /usr/bin/* 2> /dev/null | head -c $((much << 20)) > "$TMP/much"
	meanwhile "write(2)" dd if="$TMP/much" of="$CHAR" bs="${much}M"
	meanwhile "read(2)" dd if="$CHAR" of=/dev/null bs="${much}M" count=1
	detach par
	must eval "echo $was > $preempt"
else
	skip "one write(2) does not keep the processor" "this kernel's preemption is fixed"
	skip "one read(2) does not keep the processor" "this kernel's preemption is fixed"
fi
