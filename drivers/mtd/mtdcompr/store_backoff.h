/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which of many writes to full media are worth a try.
 */
#ifndef MTDC_STORE_BACKOFF_H
#define MTDC_STORE_BACKOFF_H

#include <linux/types.h>

/* So many in a row find no space before any is refused untried. */
#define MTDC_BACKOFF_FREE	32U

/* At most so many are refused untried before the next one is tried. */
#define MTDC_BACKOFF_MAX	128U

/**
 * struct mtdc_backoff - what is remembered of writes that found no space
 * @run: tries that found none, one after the other
 * @skip: writes that are still to be refused before the next try
 * @last: when one was refused last, in ticks of the caller's clock
 *
 * All zero is a good beginning. The caller serialises all access.
 */
struct mtdc_backoff {
	u32 run;
	u32 skip;
	unsigned long last;
};

bool mtdc_backoff_skip(struct mtdc_backoff *backoff, unsigned long now,
		       unsigned long idle);
void mtdc_backoff_failed(struct mtdc_backoff *backoff, unsigned long now);

/**
 * mtdc_backoff_reset() - there may be space again
 * @backoff: the state
 *
 * Context: any; the caller serialises.
 */
static inline void mtdc_backoff_reset(struct mtdc_backoff *backoff)
{
	backoff->run = 0;
	backoff->skip = 0;
}

/**
 * mtdc_backoff_pending() - may the next write be refused untried?
 * @backoff: the state
 *
 * To be asked before anything is done for the sake of mtdc_backoff_skip().
 *
 * Context: any; the caller serialises, unless a wrong answer does no harm.
 * Return: true if it may.
 */
static inline bool mtdc_backoff_pending(const struct mtdc_backoff *backoff)
{
	return backoff->skip;
}

#endif /* MTDC_STORE_BACKOFF_H */
