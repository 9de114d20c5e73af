# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Sourced by the guest scripts that test us on flash, after lib.sh: nandsim below us,
# pages on us.

# nandsim BLOCKS_LOG2 PARAMETERS...: LOWER and LOWER_NUM are set
nandsim()
{
	nandsim_log2=$1
	shift
	must modprobe nandsim id_bytes=0xec,0xa1,0x00,0x15 overridesize="$nandsim_log2" "$@"
	LOWER_NUM=$(sed -n 's/^mtd\([0-9]*\):.*"NAND simulator.*/\1/p' /proc/mtd)
	[ -n "$LOWER_NUM" ] || bail "no nandsim MTD: $(cat /proc/mtd)"
	# Used by the scripts.
	# shellcheck disable=SC2034
	LOWER=/dev/mtd$LOWER_NUM
}

write() { patio -s "$MTDC_SEED" -k "$1" write "$CHAR" "$2" "$3" "$4"; }
verify() { patio -s "$MTDC_SEED" -k "$1" verify "$CHAR" "$2" "$3" "$4"; }
either() { patio -s "$MTDC_SEED" -k "$1" either "$CHAR" "$2" "$3" "$4"; }
good() { echo "ok $1 error 0 wrong 0 first none"; }
written() { echo "ok $1 error 0 first none last-ok $2"; }
