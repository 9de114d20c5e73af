# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Sourced by the guest scripts that look for a secret on media, after lib.sh and simlib.sh: media, a
# device on them, and searches. secretio writes pages with a secret that follows from MTDC_SEED,
# secretfind looks for the secret and for compressed pages.
# shellcheck disable=SC2154 # lib.sh's variables

# Pages of the device; without compression they fill half of the media.
pages=240
# shellcheck disable=SC2034 # the scripts' writer
writer=
# A dump of media with the same pages, not encrypted
COMPRESSED=$TMP/compressed

# media_begin KIND: media of 2 MiB that hold nothing; sets LOWER and LOWER_NUM. The flash of mtdsim
# is outside the memory of the guest's kernel, where keyfind looks for keys.
media_begin()
{
	media_kind=$1
	case $media_kind in
	phram)
		[ -d /sys/module/phram ] || phram low 0 2048
		LOWER_NUM=$(mtd_num low)
		must dd if=/dev/zero of="/dev/mtd$LOWER_NUM" bs=64k count=32 ;;
	mtdram)
		must modprobe mtdram total_size=2048 erase_size=64
		LOWER_NUM=$(mtd_num "mtdram test device")
		must dd if=/dev/zero of="/dev/mtd$LOWER_NUM" bs=64k count=32 ;;
	nandsim)
		must modprobe nandsim id_bytes=0xec,0xa1,0x00,0x15 overridesize=4
		LOWER_NUM=$(sed -n 's/^mtd\([0-9]*\):.*"NAND simulator.*/\1/p' /proc/mtd) ;;
	*)
		sim_load "name=sim,type=$media_kind,size=2M,erasesize=32K,base=$((MTDC_RESERVE_ADDR + (2 << 20)))"
		LOWER_NUM=$NUM ;;
	esac
	LOWER=/dev/mtd$LOWER_NUM
}

media_end()
{
	case $media_kind in
	phram)	;;
	mtdram|nandsim)
		must rmmod "$media_kind" ;;
	*)	sim_unload ;;
	esac
}

# device OPTIONS [SIZE]: on the present media; sets DISK
device()
{
	attach "$LOWER_NUM,size=${2:-1M},$1,name=sec"
	DISK=$(own_disk sec)
}

secretio() { command secretio -s "$MTDC_SEED" "$@" > "$TMP/secretio" 2>&1; }

# churn [OPTION...]: write and free pages in the background; sets writer
churn()
{
	command secretio -s "$MTDC_SEED" "$@" churn "$DISK" 0 "$pages" > "$TMP/churn" 2>&1 &
	writer=$!
}

end_churn()
{
	kill -9 "$writer"
	wait "$writer" 2> "$TMP/out"
}

# search [OPTION...]: of secretfind; sets found_secret, found_compressed and found_unread
search()
{
	search_out=$(secretfind -s "$MTDC_SEED" "$@" "$LOWER") || bail "secretfind: $search_out"
	# words: dumps N bytes N unread N secret N compressed N
	# shellcheck disable=SC2086
	set -- $search_out
	found_unread=$6 found_secret=$8 found_compressed=${10}
}

# finds WHAT: the search finds both; or else it would find them nowhere
finds()
{
	search -c "$COMPRESSED"
	holds "$1: the search finds the secret $found_secret times, and $found_compressed windows of it compressed" \
		"$found_secret" -gt 0 -a "$found_compressed" -gt 100
}

# finds_none WHAT [OPTION...]: it finds nothing, and has read all
finds_none()
{
	none_what=$1
	shift
	search -c "$COMPRESSED" "$@"
	is "$none_what: nothing is found" "$found_secret $found_compressed $found_unread" "0 0 0"
}

# in_the_middle COMMAND...: repeat it, between two writes, until it works
in_the_middle()
{
	middle_tries=500
	until "$@" > "$TMP/middle" 2>&1 && ! grep -q EBUSY "$TMP/middle"; do
		middle_tries=$((middle_tries - 1))
		[ $middle_tries -gt 0 ] || bail "failed: $*: $(cat "$TMP/middle")"
	done
}
