# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Sourced by the guest scripts that test mtdsim, after lib.sh: its devices, knobs and counters.

SIM=/sys/kernel/debug/mtdsim
grep -q ' /sys/kernel/debug ' /proc/mounts || mount -t debugfs none /sys/kernel/debug
no_autoload
# mtdsim is loaded and unloaded often, and that is not the test; the usual modprobe takes three
# times as long as busybox's.
sim_busybox=
[ ! -x "${MTDC_BUSYBOX:-}" ] || sim_busybox=$MTDC_BUSYBOX

# sim_load DEVICE...: load the module with these devices; sets DEV, CHAR and NUM for the first one.
sim_load()
{
	sim_args=
	for sim_dev; do
		sim_args="$sim_args dev=$sim_dev"
	done
	# shellcheck disable=SC2086 # lists of words
	must $sim_busybox modprobe mtdsim $sim_args
	DEV=${1##*name=}
	DEV=${DEV%%,*}
	NUM=$(mtd_num "$DEV") || bail "no MTD of the name $DEV: $(cat /proc/mtd)"
	# Used by the scripts.
	# shellcheck disable=SC2034
	CHAR=/dev/mtd$NUM
}

sim_unload()
{
	# shellcheck disable=SC2086 # or nothing
	must $sim_busybox rmmod mtdsim
}

# knob NAME [TEXT]: read or set; setting prints `ok` or the errno
knob()
{
	if [ $# = 1 ]; then
		cat "$SIM/$DEV/$1"
	else
		mtdop put "$SIM/$DEV/$1" "$2"
	fi
}

# set_knob NAME TEXT: must work
set_knob()
{
	knob_got=$(knob "$1" "$2")
	[ "$knob_got" = ok ] || bail "knob $1, '$2': $knob_got"
}

# counter NAME [FILE]
counter()
{
	while read -r counter_key counter_value; do
		if [ "$counter_key" = "$1:" ]; then
			echo "$counter_value"
			return 0
		fi
	done < "$SIM/$DEV/${2:-counters}"
	echo "no-such-key"
	return 1
}
