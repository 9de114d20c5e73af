// SPDX-License-Identifier: GPL-2.0

#include "monitor_record.h"

/**
 * monitor_record_age() - how long ago the last swap-out was
 * @record: with a count of 1 or more
 * @now_us: the time
 *
 * Return: ticks; 0, if another processor was a little ahead.
 */
uint32_t monitor_record_age(const struct monitor_record *record, uint64_t now_us)
{
	uint32_t age = (uint32_t)(now_us / MONITOR_TICK_US) - record->last;

	return age > UINT32_MAX - MONITOR_BACK_TICKS ? 0 : age;
}

/**
 * monitor_record_page() - a record in full
 * @record: with a count of 1 or more
 * @vpn: the page
 * @now_us: the time
 * @page: filled in
 */
void monitor_record_page(const struct monitor_record *record, uint64_t vpn, uint64_t now_us,
			 struct monitor_page *page)
{
	uint64_t ago = (uint64_t)monitor_record_age(record, now_us) * MONITOR_TICK_US;
	uint64_t span = record->last - record->first;

	page->vpn = vpn;
	page->count = record->count;
	page->gap_us = (uint64_t)record->gap * MONITOR_TICK_US;
	page->mean_us = record->count > 1 ? span * MONITOR_TICK_US / (record->count - 1) : 0;
	page->last_us = ago < now_us ? now_us - ago : 0;
}
