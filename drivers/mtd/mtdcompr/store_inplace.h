/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pages on media that can be rewritten in place.
 */
#ifndef MTDC_STORE_INPLACE_H
#define MTDC_STORE_INPLACE_H

#include "freelist.h"

struct mtdc_store;

int mtdc_store_inplace(struct mtdc_store *store, enum mtdc_alloc_policy policy);

#endif /* MTDC_STORE_INPLACE_H */
