#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The tracepoints exist, and fire at the events that they are named after.
#
# job: test,long,debug basic
# job: kernel kernel
. "$(dirname "$0")/lib.sh"

trace=/sys/kernel/tracing
phram low 0 4096
load
attach "low,comp=lz4,name=tr"

is "the system mtdcompr has its events" \
	"$(cd $trace/events/mtdcompr && echo mtdc_[afp]* | tr '\n' ' ')" \
	"mtdc_alloc mtdc_free mtdc_page_read mtdc_page_write "
echo > $trace/trace
must patio -k text write "$CHAR" 0 4 1
is "they are silent while they are off" "$(grep -c mtdc_ $trace/trace)" 0
echo 1 > $trace/events/mtdcompr/enable

# count EVENT
count()
{
	grep -c " $1: " $trace/trace
}

must patio -k text write "$CHAR" 100 10 1
must mtdop is "$CHAR" 2097152 4096 0xff
holds "10 page writes fire mtdc_page_write" "$(count mtdc_page_write)" -ge 10
holds "and mtdc_alloc" "$(count mtdc_alloc)" -ge 10
is "but not mtdc_free, as no page was there before" "$(count mtdc_free)" 0
echo > $trace/trace
must patio -k text verify "$CHAR" 100 10 1
holds "10 page reads fire mtdc_page_read" "$(count mtdc_page_read)" -ge 9
is "and no write" "$(count mtdc_page_write)" 0
echo > $trace/trace
must mtdop erase "$CHAR" $((100 * 4096)) $((10 * 4096))
holds "erasing 10 pages fires mtdc_free" "$(count mtdc_free)" -ge 10
is "the erased pages read 0xFF while traced" \
	"$(mtdop is "$CHAR" $((100 * 4096)) $((10 * 4096)) 0xff)" ok
echo 0 > $trace/events/mtdcompr/enable
out=$(patio -k random -s "$MTDC_SEED" write "$CHAR" 200 1200 1)
is "random pages fill the media" "$(echo "$out" | grep -c ENOSPC)" 1
# Wait until the last refusals are forgotten, or these pages would be refused without a try.
sleep 2
echo > $trace/trace
echo 1 > $trace/events/mtdcompr/enable
must patio -k random -s $((MTDC_SEED + 1)) write "$CHAR" 200 5 1
is "each of 5 pages that take the space of their old copies gives it back" \
	"$(count mtdc_alloc) $(count mtdc_free)" "5 5"
diag "$(grep mtdc_ $trace/trace | head -n 3)"
echo 0 > $trace/events/mtdcompr/enable
is "the pages written before are intact" "$(patio -k text verify "$CHAR" 0 4 1)" \
	"ok 4 error 0 wrong 0 first none"
detach tr
check "the module can be unloaded after tracing" rmmod mtdcompr
