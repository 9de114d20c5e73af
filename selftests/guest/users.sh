#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Users that the module's reference count does not include: a user between module_put() and
# _put_device(), and the users of a device whose load fails. The device and the code must stay until
# they have left, and no other user may come in meanwhile. A user in the kernel (mtdc_holdmtd) keeps
# the moment open, so that the test needs no race.
#
# job: test basic
# job: long,debug attach
. "$(dirname "$0")/lib.sh"

no_autoload
phram low 0 2048
load
HOLD=/sys/module/mtdc_holdmtd/parameters

# hold OPTIONS...: hold the MTD "held" as soon as it is visible
hold() { must modprobe mtdc_holdmtd name=held "$@"; }
leave() { must rmmod mtdc_holdmtd; }
# left: number of MTDs, statistics and modules
left()
{
	echo "$(grep -c '"held"' /proc/mtd) $(ls "$PROC" 2> "$TMP/out") \
$(grep -c '^mtdcompr ' /proc/modules)"
}
# try_open DEVICE: the errno, or the result of a read
try_open() { mtdop is "$1" 0 512 0xff; }

# waits COMMAND...: the command must not end before the user has left. Sets $pid and $N, the number
# of the MTD.
waits()
{
	mark
	"$@" > "$TMP/command" 2>&1 &
	pid=$!
	waits_tries=300
	while [ $waits_tries -gt 0 ] && kill -0 $pid 2> "$TMP/out" &&
		! messages | grep -q 'held: waiting for its users'; do
		waits_tries=$((waits_tries - 1))
		sleep 0.1
	done
	# A command that does not wait has ended by then.
	sleep 1
	N=$(mtd_num held) || N=none
	is "$what: the device waits for its user" "$(kill -0 $pid 2> "$TMP/out" && echo waits)" waits
	is "$what: and says so, once" "$(messages | grep -c 'held: waiting for its users')" 1
	is "$what: it has not gone" "$(cat $HOLD/gone)" 0
}

# ends STATUS: the command ends with STATUS soon after the user has left
ends()
{
	leave
	ends_tries=300
	while [ $ends_tries -gt 0 ] && kill -0 $pid 2> "$TMP/out"; do
		ends_tries=$((ends_tries - 1))
		sleep 0.1
	done
	[ $ends_tries -gt 0 ] || bail "$what: it still waits, for nobody"
	wait $pid
	is "$what: it ends when the user has left" "$? $(cat "$TMP/command")" "$1"
	is "$what: and nothing is left" "$(left)" "0  0"
}

# ------------------------------------------------- detach

what=detach
attach low,comp=lz4,name=held
is "$what: a page is written" "$(patio write "$CHAR" 0 8 1)" "ok 8 error 0 first none last-ok 7"
hold half=1
is "$what: there is a user of whom the module knows nothing" \
	"$(cat $HOLD/read) $(cat /sys/module/mtdcompr/refcnt)" "0 0"
is "$what: it is refused" "$(put detach held)" EBUSY
is "$what: the device is as it was" "$(patio verify "$CHAR" 0 8 1)" \
	"ok 8 error 0 wrong 0 first none"
leave
is "$what: it works when the user has left" "$(put detach held)" ok

# ------------------------------------------------- unload

what=unload
attach low,comp=lz4,name=held
hold half=1
waits rmmod mtdcompr
is "$what: nobody else gets in" "$(try_open "/dev/mtd$N") $(try_open "/dev/mtdblock$N")" \
	"ENODEV ENODEV"
ends "0 "

# ------------------------------------------------- a load that fails

# The device is visible already: its references must be valid, although no code checks them.
what="failed load"
module=$(modinfo -n mtdcompr)
if modprobe mtdc_failsysfs fail=1; then
	hold
	waits mtdop insmod "$module" mtd=low,comp=lz4,name=held
	is "$what: the user can go on to use it" "$(cat $HOLD/read)" 0
	is "$what: nobody else gets in" \
		"$(try_open "/dev/mtd$N") $(try_open "/dev/mtdblock$N")" "ENODEV ENODEV"
	ends "0 ENOMEM"
	must rmmod mtdc_failsysfs
else
	skip "$what" "no probes in this kernel"
fi

# ------------------------------------------------- the block layer refuses the disk

what="no disk"
if modprobe mtdc_failsysfs disk=1; then
	must modprobe mtdcompr
	is "$what: nobody has its MTD: it is refused" "$(put attach low,name=held)" ENOMEM
	is "$what: and nothing is left" "$(left)" "0  1"
	hold
	mark
	# A signal does not end the wait.
	put attach low,comp=lz4,name=held > "$TMP/attached" &
	for _ in $(seq 100); do
		[ ! -s "$TMP/attached" ] || break
		sleep 0.2
	done
	is "$what: who has its MTD open is not waited for" "$(cat "$TMP/attached")" ok
	[ -s "$TMP/attached" ] || bail "the attach hangs, and all others would"
	is "$what: that is said, once" "$(messages | grep -c 'in use and stays, without one')" 1
	is "$what: others can be attached" "$(put attach nothing)" ENODEV
	CHAR=/dev/mtd$(mtd_num held)
	is "$what: its MTD is as good as any" "$(patio write "$CHAR" 0 8 1 > "$TMP/out"
		patio verify "$CHAR" 0 8 1) $(stat disk held)" \
		"ok 8 error 0 wrong 0 first none none"
	is "$what: while it is in use it stays" "$(put detach held) $(cat $HOLD/gone)" "EBUSY 0"
	leave
	is "$what: then it goes" "$(put detach held)" ok
	is "$what: and nothing is left then" "$(left)" "0  1"
	must rmmod mtdc_failsysfs
	is "$what: the next one has one" "$(put attach low,name=held) $(stat disk held) $(put detach held)" \
		"ok mtdcompr0 ok"
	must rmmod mtdcompr
else
	skip "$what" "no probes in this kernel"
fi

check "the module can be loaded and used" modprobe mtdcompr mtd=low,comp=lz4,name=after
CHAR=/dev/mtd$(mtd_num after)
is "and its device is as good as any" "$(patio write "$CHAR" 0 64 1 > "$TMP/out"
	patio verify "$CHAR" 0 64 1)" "ok 64 error 0 wrong 0 first none"
