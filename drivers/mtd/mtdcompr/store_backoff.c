// SPDX-License-Identifier: GPL-2.0
/*
 * Full media, and a kernel that goes on writing.
 *
 * When swap-out fails the kernel keeps the page and soon tries it again. It calls
 * the OOM killer after 16 vain rounds over all pages, each of them some passes,
 * so that each page comes dozens of times, and each time it would be compressed
 * to learn that it still finds no space. That is minutes on a small machine. So
 * the more tries have failed one after the other, the fewer are made.
 *
 * This unit knows when to try. It does not know pages, media or clocks.
 */
#include <linux/minmax.h>

#include "store_backoff.h"

/**
 * mtdc_backoff_skip() - is this write to be refused untried?
 * @backoff: the state
 * @now: the present time, in ticks that may wrap around
 * @idle: after so many ticks without a refusal it begins anew: whoever comes
 *	then is not the one who was refused
 *
 * Context: any; the caller serialises.
 * Return: true if it is; that has been counted.
 */
bool mtdc_backoff_skip(struct mtdc_backoff *backoff, unsigned long now,
		       unsigned long idle)
{
	if (backoff->skip && now - backoff->last > idle)
		mtdc_backoff_reset(backoff);
	if (!backoff->skip)
		return false;
	backoff->skip--;
	backoff->last = now;
	return true;
}

/**
 * mtdc_backoff_failed() - a write was tried and found no space
 * @backoff: the state
 * @now: the present time, as above
 *
 * Context: any; the caller serialises.
 */
void mtdc_backoff_failed(struct mtdc_backoff *backoff, unsigned long now)
{
	backoff->last = now;
	backoff->run = min(backoff->run + 1,
			   MTDC_BACKOFF_FREE + MTDC_BACKOFF_MAX);
	if (backoff->run > MTDC_BACKOFF_FREE)
		backoff->skip = backoff->run - MTDC_BACKOFF_FREE;
}
