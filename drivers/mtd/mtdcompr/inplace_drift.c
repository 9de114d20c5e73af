// SPDX-License-Identifier: GPL-2.0
/*
 * Static wear levelling of media that are rewritten in place.
 *
 * The rotating policy of inplace_freelist.c spreads writes over all space that is free.
 * Pages that are not written again keep theirs from its share, for ever. So now
 * and then a page is moved to where the rotation is, and leaves its place to
 * others.
 *
 * Which page that is, is not chosen: all take turns by their number. To find the
 * coldest one, or the least worn place, would take a time for each page or a
 * count for each granule. Those that are written all the time are moved in vain,
 * which is a known price: one write in so many, whatever there is to level.
 *
 * This unit knows the numbers of pages, and counts. It does not know where they
 * are, nor moves them, takes no lock, sleeps, allocates and prints nothing.
 */
#include <linux/minmax.h>

#include "inplace_drift.h"

/* Pages that are passed over at a time because they are not on the media. */
#define TRIES	32U

/**
 * mtdc_drift_init() - begin with the first page
 * @drift: whose turn it is
 * @pages: number of logical pages, at least 1
 * @every: page writes for each page that is moved, or 0 if none is to be
 *
 * Context: any.
 */
void mtdc_drift_init(struct mtdc_drift *drift, u32 pages, u32 every)
{
	drift->pages = pages;
	drift->every = every;
	drift->writes = 0;
	drift->page = 0;
}

/**
 * mtdc_drift_due() - a page has been written: is another one to be moved?
 * @drift: whose turn it is
 *
 * Context: any; the caller serialises.
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
 * mtdc_drift_next() - the page to be moved
 * @drift: whose turn it is
 * @is_stored: is this page on the media?
 * @arg: what it is told
 *
 * Context: any; the caller serialises. Asks for a bounded number of pages.
 * Return: the page, or MTDC_DRIFT_NONE if those were not on the media.
 */
u32 mtdc_drift_next(struct mtdc_drift *drift,
		    bool (*is_stored)(const void *arg, u32 page),
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
