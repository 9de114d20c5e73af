#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# load_stats sets the figures s_KEY by name.
# shellcheck disable=SC2154
#
# The statistics: every key in its order, figures that match known writes, readable by every user at
# any time.
#
# job: test,long,debug basic
# job: kernel kernel
. "$(dirname "$0")/lib.sh"

keys="version name device disk mtd lower_mtd lower_name state store comp level alloc cache crypt
wipe wearlevel page_bytes granule_bytes size_bytes media_bytes pages_total pages_stored
pages_compressed pages_raw pages_filled pages_lost orig_bytes compressed_bytes ratio_percent
media_used_bytes media_free_bytes header_bytes padding_bytes fragments free_fragments
free_largest_bytes chain_1 chain_2 chain_3_4 chain_5_8 chain_9_up chain_max page_writes
page_reads page_erases slots_freed partial_merges media_written_bytes media_read_bytes
write_avg_ns write_p50_ns write_p90_ns write_p99_ns write_p999_ns read_avg_ns read_p50_ns
read_p90_ns read_p99_ns read_p999_ns write_kib_per_s read_kib_per_s compress_kib_per_s
decompress_kib_per_s wear_regions wear_region_bytes wear_min_bytes wear_mean_bytes
wear_max_bytes pages_levelled err_full full_untried err_checksum err_decompress err_media_read
err_media_write err_gone metadata_bytes buffer_bytes block_bytes blocks blocks_bad blocks_spare
blocks_retired block_loads block_erases block_read_bytes block_written_bytes block_bad_units
erases_least erases_mean erases_most log_host_bytes log_moved_bytes log_padding_bytes
log_collected log_levelled log_scrubbed log_lost log_failed_programs log_failed_erases"

phram low 0 8192
load
attach "low,comp=lz4,size=16M,name=st"
# From 1.0 on keys may be added at the end only; these stay, in this order.
# shellcheck disable=SC2086 # to be split
is "every key is there, in the documented order" \
	"$(sed 's/: .*//' "$PROC/st" | head -n "$(echo $keys | wc -w)" | tr '\n' ' ')" \
	"$(printf '%s ' $keys)"
is "every line is \"key: value\"" "$(grep -vc '^[a-z0-9_]*: [^ ].*$' "$PROC/st")" 0
is "anybody may read them" "$(command stat -c %a "$PROC/st")" 444
check "also without any capability" setpriv --reuid 65534 --regid 65534 \
	--clear-groups --inh-caps=-all cat "$PROC/st"
refused "and nobody can write them" sh -c "echo 1 > $PROC/st"

load_stats st
is "name" "$s_name" st
is "number" "$s_mtd" "$NUM"
is "number of the lower MTD" "$s_lower_mtd" "$(mtd_num low)"
is "name of the lower MTD" "$s_lower_name" low
is "state" "$s_state" ok
is "compressor" "$s_comp" lz4
is "policy" "$s_alloc" rotate
is "page size" "$s_page_bytes" 4096
is "size as asked for" "$s_size_bytes" 16777216
is "pages" "$s_pages_total" 4096
holds "the media is the lower MTD" "$s_media_bytes" -le 8388608
holds "nearly all of it" "$s_media_bytes" -ge 8380000
identities "a fresh device is consistent" st
is "a fresh device has stored and done nothing" \
	"$s_pages_stored $s_page_writes $s_media_used_bytes $s_media_written_bytes" "0 0 0 0"
holds "metadata memory is counted" "$s_metadata_bytes" -gt 0
holds "buffers are counted" "$s_buffer_bytes" -ge 4096

# Known writes: 100 random, 200 text, 300 same-filled, 50 zero pages.
must patio -k random write "$CHAR" 0 100 1
must patio -k text write "$CHAR" 100 200 1
must patio -k fill write "$CHAR" 300 300 1
must patio -k zero write "$CHAR" 600 50 1
mtdop is "$CHAR" 8388608 4096 0xff > "$TMP/out"
load_stats st
is "page_writes counts them" "$s_page_writes" 650
is "pages_stored" "$s_pages_stored" 650
is "pages_raw are the random ones" "$s_pages_raw" 100
is "pages_compressed are the text ones" "$s_pages_compressed" 200
is "pages_filled are the same-filled and zero ones" "$s_pages_filled" 350
is "orig_bytes are those that take media" "$s_orig_bytes" $((300 * 4096))
holds "raw pages count in full in compressed_bytes" "$s_compressed_bytes" -gt 409600
holds "text pages do not" "$s_compressed_bytes" -lt $((409600 + 200 * 3000))
holds "ratio_percent is between" "$s_ratio_percent" -gt 33
holds "media written is at least what is used" \
	"$s_media_written_bytes" -ge $((s_compressed_bytes))
holds "and not twice as much" "$s_media_written_bytes" -lt $((s_media_used_bytes * 2))
is "nothing was lost" "$s_pages_lost" 0
holds "of the mean of the times there are some that are not much longer" \
	"$s_write_p50_ns" -le $((s_write_avg_ns * 4))
is "percentiles of writes are in order, powers of two" "$(
	printf '%s\n' "$s_write_p50_ns" "$s_write_p90_ns" "$s_write_p99_ns" "$s_write_p999_ns" |
		awk '{ n = $1; while (n > 1 && n % 2 == 0) n /= 2
			if (n != 1 || $1 < last) bad = 1; last = $1 } END { print bad + 0 }')" 0
is "and so are those of reads" "$(
	printf '%s\n' "$s_read_p50_ns" "$s_read_p90_ns" "$s_read_p99_ns" "$s_read_p999_ns" |
		awk '{ n = $1; while (n > 1 && n % 2 == 0) n /= 2
			if (n != 1 || $1 < last) bad = 1; last = $1 } END { print bad + 0 }')" 0
holds "an average write took some time" "$s_write_avg_ns" -gt 0
holds "writes have a throughput" "$s_write_kib_per_s" -gt 0
holds "compression has a throughput" "$s_compress_kib_per_s" -gt 0
holds "the mean wear is the media written by region" \
	$((s_wear_mean_bytes * s_wear_regions)) -le "$s_media_written_bytes"
holds "and rounds by less than a byte a region" \
	$((s_wear_mean_bytes * s_wear_regions + s_wear_regions)) -gt "$s_media_written_bytes"
identities "consistent" st

reads=$s_page_reads
media_reads=$s_media_read_bytes
must patio -k random verify "$CHAR" 0 100 1
must patio -k text verify "$CHAR" 100 200 1
load_stats st
holds "page_reads counts 300 reads" $((s_page_reads - reads)) -ge 298
holds "once each" $((s_page_reads - reads)) -le 300
holds "media read is at least the data" $((s_media_read_bytes - media_reads)) -ge \
	$((s_compressed_bytes - 2 * 4096))
holds "an average read took some time" "$s_read_avg_ns" -gt 0
holds "reads have a throughput" "$s_read_kib_per_s" -gt 0
holds "decompression has a throughput" "$s_decompress_kib_per_s" -gt 0

# Through mtdblock a page comes as eight sectors, and must count as one.
reads=$s_page_reads
writes=$s_page_writes
must patio -d -k text -b 4096 verify "$BLOCK" 100 200 1
must patio -d -k text -b 4096 write "$BLOCK" 1000 200 1
must mtdop is "$CHAR" 8388608 4096 0xff
load_stats st
holds "200 pages read through mtdblock are decompressed 200 times, not 1600" \
	$((s_page_reads - reads)) -le 201
is "200 pages written through mtdblock are written once each" \
	$((s_page_writes - writes)) 200

# A part of a stored page: merged with the rest.
merges=$s_partial_merges
must mtdop fill "$CHAR" $((100 * 4096 + 100)) 50 7
must mtdop is "$CHAR" 8388608 4096 0xff
load_stats st
holds "a partial write is counted as a merge" "$s_partial_merges" -gt "$merges"

must mtdop erase "$CHAR" 0 $((100 * 4096))
load_stats st
is "erased pages are counted" "$s_page_erases" 100
is "and are no longer stored" "$s_pages_raw" 0
identities "consistent after overwriting and erasing" st

# Two devices have figures of their own.
phram low2 8192 2048
must mtdop put "$SYS/attach" "low2,comp=zlib,level=1,alloc=best,name=st2"
is "a second device starts with its own figures" \
	"$(stat page_writes st2) $(stat comp st2) $(stat level st2) $(stat alloc st2)" \
	"0 zlib 1 best"

# Only the name of the MTD below comes from outside: it can't add lines.
n=0
while [ -e /sys/class/mtd/mtd$n ]; do
	n=$((n + 1))
done
phram "$(printf 'two\nstate: gone')" 10240 1024
must mtdop put "$SYS/attach" "$n,comp=lz4,name=st3"
is "a name of two lines is shown in one" "$(sed -n 's/^lower_name: //p' "$PROC/st3")" \
	'two\nstate: gone'
is "and forges no other" "$(grep '^state: ' "$PROC/st3")" "state: ok"

# Read during I/O, until both have made progress: with one processor the scheduler decides when.
while [ ! -e "$TMP/enough" ]; do
	patio write "$CHAR" 0 2000 2 || break
done > "$TMP/writer" &
writer=$!
readings=0
torn=0
# shellcheck disable=SC2086 # to be split
lines=$(echo $keys | wc -w)
before=$(stat page_writes st)
written=0
while kill -0 $writer 2>/dev/null && [ $readings -lt 1000 ] &&
      { [ $readings -le 3 ] || [ "$written" -lt 2000 ]; }; do
	n=0
	while read -r key value; do
		n=$((n + 1))
		[ "$key" != page_writes: ] || written=$((value - before))
	done < "$PROC/st"
	[ $n -ge "$lines" ] || torn=$((torn + 1))
	readings=$((readings + 1))
done
: > "$TMP/enough"
wait $writer
holds "$readings readings during $written writes" $((readings > 3 ? written : 0)) -ge 2000
is "were all complete" $torn 0
is "and the I/O was not harmed" "$(patio verify "$CHAR" 0 2000 2)" \
	"ok 2000 error 0 wrong 0 first none"
