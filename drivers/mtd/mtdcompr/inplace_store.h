/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pages on media that can be rewritten in place.
 */
#ifndef MTDC_INPLACE_STORE_H
#define MTDC_INPLACE_STORE_H

struct mtdc_store;

int mtdc_store_inplace(struct mtdc_store *store);

#endif /* MTDC_INPLACE_STORE_H */
