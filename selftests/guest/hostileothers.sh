#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# proswapd, rectifyd and marvind beside hostile users without privileges: a program that the daemon
# manages holds its mmap_lock for ever; names with newlines and escape codes; descriptors whose
# close() never returns, and endless packets. Each daemon must still serve the others, and end in
# time. For a guest with a little memory.
#
# job: test hostile-others seconds=110 --mem 192 --reserve 96 --timeout 300 --smp 2
# job: programs hostile-others --mem 192 --reserve 96 --timeout 900 --smp 2
# shellcheck disable=SC2154,SC2034 # lib.sh's variables, and hostilelib.sh's
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/swaplib.sh"
. "$(dirname "$0")/marvinlib.sh"
. "$(dirname "$0")/hostilelib.sh"

programs selftests/hold selftests/memsig tools/proswapd tools/proswapctl tools/rectifyd tools/rectifyctl \
	tools/marvind tools/marvinctl marvin/marvin-load
must modprobe ext4
must modprobe mtdblock
phram low 0 32768
phram disk 32768 65536
machine low
file_system "/dev/mtdblock$(mtd_num disk)"
chmod 1777 $STORE
echo +memory > $GROUPS_AT/cgroup.subtree_control
[ -e /sys/kernel/debug/kprobes ] || mount -t debugfs none /sys/kernel/debug 2>/dev/null
echo never > /sys/kernel/mm/transparent_hugepage/enabled

# all_knobs: print everything that these daemons change
all_knobs()
{
	cat /proc/sys/vm/page-cluster /proc/sys/vm/swappiness /sys/block/*/queue/read_ahead_kb
	cat /sys/kernel/mm/damon/admin/kdamonds/nr_kdamonds 2>/dev/null
}
before=$(all_knobs)
hog_mib=$(($(left_mib) + 10))

# forged: a name that contains a line of a status
forged=$(printf 'x\npid: 1\n\033[31m')

#
# proswapd
#

# looks_at PID
looks_at() { control status > "$TMP/text" 2>&1 && grep -q "^process: pid=$1 " "$TMP/text"; }

proswapd_lock()
{
	what="proswapd, an mmap_lock is held"
	attack 1001 name "$forged" -m 8 || bail "$why"
	attack 1001 mmap -m 8 -n held || {
		skip "$what" "$why"
		attackers_end
		return
	}
	check "$what: a read of its maps does not return" holds_lock "$held"
	begin proswapd -m watch -o proswapd.monitor=pagemap
	# By then it has found the others.
	sleep 2
	attack 1002 name good -m 8 || bail "$why"
	good=$held
	soon "$what: another program is looked at" 60 looks_at "$good"
	check "proswapd, a forged name: the status has one pid" has_one_pid "$TMP/text"
	check "proswapd, a forged name: the status has no control characters" is_plain "$TMP/text"
	ends_soon "$what"
	attackers_end
	attack 1001 mmap -m 8 -n held || diag "$why"
	begin proswapd -m auto
	soon "$what: another proswapd starts, and answers" 5 answers
	sleep 2
	dies_soon "$what"
	attackers_end
}

#
# rectifyd
#

# app NAME PID: move it to a group of its own
app()
{
	mkdir -p "$GROUPS_AT/apps/$1"
	echo "$2" > "$GROUPS_AT/apps/$1/cgroup.procs"
}
# switch NAME: bring it to the front, and back
switch()
{
	control fg "$1" > "$TMP/fg" 2>&1
	control bg "$1" > "$TMP/bg" 2>&1
}
# are_switched: memory is short and pages were pushed out, after some switches
are_switched()
{
	switch held
	switch good
	sleep 0.3
	pushes good
}
pushed_kib() { control status | sed -n "s/^app:.* name=$1 .*pushed_kib=\([0-9]*\).*/\1/p"; }
pushes() { [ "$(pushed_kib "$1")" -gt 1024 ] 2>/dev/null; }

rectifyd_lock()
{
	what="rectifyd, an mmap_lock is held"
	# The program uses its memory, so that the kernel does not reclaim it before rectifyd does.
	# rectifyd measures the cost of some switches before it pushes anything out. No trial: here
	# it would find no gain.
	hold as 1002 memsig -s 5 -m 16 -g 100000 > "$TMP/good" 2>&1 &
	good=$!
	app good $good
	attack 1001 mmap -m 8 -n held || {
		skip "$what" "$why"
		kill -9 $good
		attackers_end
		return
	}
	app held "$held"
	check "$what: a read of its maps does not return" holds_lock "$held"
	begin rectifyd -p /apps -m unused -o auto.trial=no
	hog
	soon "$what: pages of another app go out" 60 are_switched
	ends_soon "$what"
	attackers_end
	attack 1001 mmap -m 8 -l -n held && app held "$held"
	begin rectifyd -p /apps -m unused -o auto.trial=no
	soon "$what: another rectifyd starts, and works" 60 are_switched
	dies_soon "$what"
	hog_end
	kill -9 $good
	attackers_end
}

#
# marvind
#

greedy="-o auto.pressure=0 -o auto.available=100 -o auto.take=16M -o auto.foreground=yes"
# marvin_begin: start a marvind that takes all that its limits allow
marvin_begin()
{
	# shellcheck disable=SC2086 # options
	begin marvind $greedy
}

is_known() { control list > "$TMP/list" 2>&1 && grep -q "^ *$1 " "$TMP/list"; }
taken_kib() { status taken_kib 2>/dev/null; }
takes_more() { [ "$(taken_kib)" -gt "$taken_before" ] 2>/dev/null; }
# serves DESCRIPTION: marvind takes memory of user 1002's program, again and again
serves()
{
	taken_before=$(taken_kib)
	: "${taken_before:=0}"
	soon "$1: another user's program is served" 20 takes_more
}
# never_waits DESCRIPTION: marvind answers, and is not in state D itself
never_waits()
{
	waits=0 control_s=3
	for _ in 1 2 3 4 5; do
		answers || waits=5
		[ "$(state_of $pid)" != D ] || waits=$((waits + 1))
		sleep 0.1
	done
	control_s=15
	holds "$1: marvind answers, and does not wait" $waits -lt 5
}

# real: start user 1002's program, which reads and writes its objects all the time
real()
{
	hold as 1002 marvin-load verify --name real --seed "$MTDC_SEED" --tick 50 --interval 100 \
		--store $STORE/ --mib 8 > "$TMP/real.counts" 2> "$TMP/real.err" &
	real=$!
}

# marvin_attack NAME MODE [ARGUMENT...]: four results
marvin_attack()
{
	what="marvind, $1"
	shift
	attack 1001 "$@" || {
		skip "$what" "$why"
		return
	}
	# Until marvind has checked it
	sleep 2
	serves "$what"
	never_waits "$what"
	ends_soon "$what"
	attackers_end
	marvin_begin
	attack 1001 "$@" || diag "$why"
	sleep 2
	# shellcheck disable=SC2086 # options
	is_replaced "$what" marvind $greedy
	attackers_end
}

marvin_socket()
{
	what="a descriptor is sent that no close() returns from"
	marvin_attack "$what" socket "$MARVIN_REGISTER"
}

marvind_all()
{
	marvin_begin
	real
	soon "marvind: it knows a program" 20 is_known $real
	serves "marvind, before the attacks"
	marvin_attack "an mmap_lock is held by a program that is stopped" mmap -m 4 -r "$MARVIN_REGISTER"
	marvin_socket
	marvin_attack "a program talks without end" talk "$MARVIN_REGISTER"
	kill $real
	wait $real
	is "the program's bytes are right" "$? $(counted real wrong)" "0 0"
	soon "marvind: it forgets the program" 10 is_forgotten $real
	ends_soon "marvind"
}
is_forgotten() { ! is_known "$1"; }

proswapd_lock
rectifyd_lock
marvind_all
umount $STORE
machine_end
