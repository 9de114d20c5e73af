/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Static wear levelling of media that are rewritten in place.
 */
#ifndef MTDC_INPLACE_DRIFT_H
#define MTDC_INPLACE_DRIFT_H

#include <linux/limits.h>
#include <linux/types.h>

/* Page writes for each page that is moved, unless wearlevel= gives another number. */
#define MTDC_DRIFT_EVERY	16U

/* No page. */
#define MTDC_DRIFT_NONE		U32_MAX

/**
 * struct mtdc_drift - which page to move next
 * @pages: number of logical pages
 * @every: page writes for each page that is moved, or 0 to move none
 * @writes: page writes since the last move
 * @page: the page to look at next
 */
struct mtdc_drift {
	u32 pages;
	u32 every;
	u32 writes;
	u32 page;
};

void mtdc_drift_init(struct mtdc_drift *drift, u32 pages, u32 every);
bool mtdc_drift_due(struct mtdc_drift *drift);
u32 mtdc_drift_next(struct mtdc_drift *drift, bool (*is_stored)(const void *arg, u32 page),
		    const void *arg);

#endif /* MTDC_INPLACE_DRIFT_H */
