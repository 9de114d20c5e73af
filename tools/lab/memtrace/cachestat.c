// SPDX-License-Identifier: GPL-2.0

#include <string.h>
#include "cachestat.h"
#include "parse.h"

static uint64_t less(uint64_t from, uint64_t what)
{
	return from > what ? from - what : 0;
}

/**
 * cachestat_profile() - how often an event was hit, of kprobe_profile
 * @text: lines of "EVENT HITS MISSES", with spaces before them
 * @event: the event
 * @hits: how often
 *
 * Return: is the event there?
 */
bool cachestat_profile(const char *text, const char *event, uint64_t *hits)
{
	for (; text; text = parse_next_line(text)) {
		const char *at = text + strspn(text, " ");
		size_t len = strcspn(at, "\n ");

		if (len == strlen(event) && strncmp(at, event, len) == 0) {
			at += len;
			return parse_decimal(at + strspn(at, " "), 0, hits) == 0;
		}
	}
	return false;
}

/**
 * cachestat_calls() - hits and misses of an interval, of calls
 * @from: calls up to its beginning
 * @to: calls up to its end
 * @figures: the figures
 *
 * A page that is written to is marked as accessed, and so is its buffer: that is no read. A page
 * that is put into the cache to be written to misses nothing.
 */
void cachestat_calls(const struct cache_calls *from, const struct cache_calls *to,
		     struct cache_figures *figures)
{
	uint64_t buffers = to->buffers - from->buffers;
	uint64_t total = less(to->accessed - from->accessed, buffers);
	uint64_t misses = less(to->added - from->added, to->dirtied - from->dirtied);

	/* Readahead adds pages that nobody has asked for yet. */
	figures->misses = misses < total ? misses : total;
	figures->hits = total - figures->misses;
	figures->dirtied = buffers;
}

/**
 * cachestat_vmstat() - what /proc/vmstat has
 * @text: its contents
 * @vmstat: the figures
 *
 * Return: does it have the least that is needed?
 */
bool cachestat_vmstat(const char *text, struct cache_vmstat *vmstat)
{
	memset(vmstat, 0, sizeof(*vmstat));
	parse_key(text, "pswpin", &vmstat->swapped_in);
	vmstat->has_dirtied = parse_key(text, "nr_dirtied", &vmstat->dirtied);
	/* One number for both kinds of pages up to Linux 5.8. */
	vmstat->has_refaults = parse_key(text, "workingset_refault_file", &vmstat->refaults) ||
			       parse_key(text, "workingset_refault", &vmstat->refaults);
	return parse_key(text, "pgpgin", &vmstat->read_kib) &&
	       parse_key(text, "pgmajfault", &vmstat->major_faults);
}

/**
 * cachestat_misses() - misses of an interval, of /proc/vmstat
 * @from: its beginning
 * @to: its end
 * @page_kib: the size of a page
 *
 * Return: pages that were read from block devices and are not of swap.
 */
uint64_t cachestat_misses(const struct cache_vmstat *from, const struct cache_vmstat *to,
			  unsigned int page_kib)
{
	uint64_t read = to->read_kib - from->read_kib;

	return less(read / page_kib, to->swapped_in - from->swapped_in);
}
