/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pages on media that can be rewritten in place.
 */
#ifndef MTDC_INPLACE_STORE_H
#define MTDC_INPLACE_STORE_H

#include "inplace_drift.h"
#include "inplace_freelist.h"
#include "map.h"

struct mtdc_store_ops;

/**
 * struct mtdc_inplace - what a store needs to keep its pages in place
 * @map: where each page is
 * @freelist: where there is space
 * @drift: which page to move next for even wear
 * @failed: the place that the media have just failed to write
 * @zeros: overwrite freed pages, as long as the longest fragment; NULL if freed pages stay
 *
 * The store's lock protects all of it.
 */
struct mtdc_inplace {
	struct mtdc_map map;
	struct mtdc_freelist freelist;
	struct mtdc_drift drift;
	struct mtdc_place failed;
	const u8 *zeros;
};

extern const struct mtdc_store_ops mtdc_inplace_store_ops;

#endif /* MTDC_INPLACE_STORE_H */
