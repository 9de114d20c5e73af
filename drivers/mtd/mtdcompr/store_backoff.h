/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which writes to full media are worth a try.
 */
#ifndef MTDC_STORE_BACKOFF_H
#define MTDC_STORE_BACKOFF_H

#include <linux/types.h>

/* Failed tries in a row before the first write is refused without a try. A guess. */
#define MTDC_BACKOFF_FREE	32U

/* Writes that are refused without a try between two tries, at most. A guess. */
#define MTDC_BACKOFF_MAX	128U

/**
 * struct mtdc_backoff - the latest writes that found no space
 * @run: failed tries in a row
 * @skip: writes to refuse before the next try
 * @last: time of the last refusal, in ticks of the caller's clock
 *
 * Starts as zeros.
 */
struct mtdc_backoff {
	u32 run;
	u32 skip;
	unsigned long last;
};

bool mtdc_backoff_skip(struct mtdc_backoff *backoff, unsigned long now, unsigned long idle);
void mtdc_backoff_failed(struct mtdc_backoff *backoff, unsigned long now);

/**
 * mtdc_backoff_reset() - there may be space again
 * @backoff: the state
 */
static inline void mtdc_backoff_reset(struct mtdc_backoff *backoff)
{
	backoff->run = 0;
	backoff->skip = 0;
}

/**
 * mtdc_backoff_pending() - might mtdc_backoff_skip() refuse the next write?
 * @backoff: the state
 *
 * The caller need not serialise this call if a wrong answer does no harm.
 *
 * Return: true if it might.
 */
static inline bool mtdc_backoff_pending(const struct mtdc_backoff *backoff)
{
	return backoff->skip;
}

#endif /* MTDC_STORE_BACKOFF_H */
