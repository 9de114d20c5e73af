// SPDX-License-Identifier: GPL-2.0
/*
 * Static wear levelling of media that are rewritten in place.
 *
 * This file decides when inplace_store.c moves a page for even wear, and which one. It knows
 * page numbers and counts only. It also runs in user space, so it must not take a lock, sleep,
 * allocate or print. The caller serialises all calls; they are safe in any context.
 *
 * The rotating policy of inplace_freelist.c spreads writes over all free space. A page that is
 * never written again would withhold its space from the rotation for ever. So now and then a
 * page moves to the cursor of the rotation and leaves its old space to others.
 *
 * Pages take turns by their number. To find the coldest page or the least worn space, a time
 * for each page or a count for each granule would be needed. Moving a page that is
 * rewritten often is in vain, but the price is known: one write in @every.
 */
#include <linux/minmax.h>

#include "inplace_drift.h"

/* Pages that mtdc_drift_next() looks at: it runs in a page write. A guess. */
#define TRIES	32U

/**
 * mtdc_drift_init() - begin with the first page
 * @drift: whose turn it is
 * @pages: number of logical pages, at least 1
 * @every: page writes for each page that is moved, or 0 to move none
 */
void mtdc_drift_init(struct mtdc_drift *drift, u32 pages, u32 every)
{
	*drift = (struct mtdc_drift) { .pages = pages, .every = every };
}

/**
 * mtdc_drift_due() - count a page write: is another page to move now?
 * @drift: whose turn it is
 *
 * Return: true if so.
 */
bool mtdc_drift_due(struct mtdc_drift *drift)
{
	if (!drift->every || ++drift->writes < drift->every)
		return false;
	drift->writes = 0;
	return true;
}

/**
 * mtdc_drift_next() - choose the page to move
 * @drift: whose turn it is
 * @is_stored: is this page on the media?
 * @arg: first argument of @is_stored
 *
 * Return: the page, or MTDC_DRIFT_NONE if none of the next few pages is on the media.
 */
u32 mtdc_drift_next(struct mtdc_drift *drift, bool (*is_stored)(const void *arg, u32 page),
		    const void *arg)
{
	u32 tries = min(drift->pages, TRIES);

	while (tries--) {
		u32 page = drift->page;

		drift->page = page + 1 < drift->pages ? page + 1 : 0;
		if (is_stored(arg, page))
			return page;
	}
	return MTDC_DRIFT_NONE;
}
