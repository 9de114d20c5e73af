// SPDX-License-Identifier: GPL-2.0
/*
 * Full media, and a kernel that goes on writing.
 *
 * This file decides which page writes are worth a try; store.c and front_blk.c ask it. It knows
 * no page, no media and no clock. It also runs in user space, so it must not take a lock,
 * sleep, allocate or print. The caller serialises all calls; they are safe in any context.
 *
 * When swap-out fails, the kernel keeps the page and soon tries it again. It calls the OOM
 * killer only after 16 rounds over all pages without success, and each round makes several
 * passes. So each page comes dozens of times, and the store would compress it each time only
 * to learn that there is still no space: minutes on a small machine. So the more tries have
 * failed in a row, the fewer are made (Documentation/explanation/full-media.rst).
 */
#include <linux/minmax.h>

#include "store_backoff.h"

/**
 * mtdc_backoff_skip() - should this write be refused without a try?
 * @backoff: the state
 * @now: the present time, in ticks that may wrap around
 * @idle: ticks without a refusal after which to start afresh: the next writer is not the
 *	one that was refused
 *
 * Return: true if so; the write has been counted.
 */
bool mtdc_backoff_skip(struct mtdc_backoff *backoff, unsigned long now, unsigned long idle)
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
 */
void mtdc_backoff_failed(struct mtdc_backoff *backoff, unsigned long now)
{
	backoff->last = now;
	backoff->run = min(backoff->run + 1, MTDC_BACKOFF_FREE + MTDC_BACKOFF_MAX);
	if (backoff->run > MTDC_BACKOFF_FREE)
		backoff->skip = backoff->run - MTDC_BACKOFF_FREE;
}
