/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Traces of swap-outs as programs leave them, made by generators, and what the daemon makes of
 * them: its own records, looked through from time to time.
 */
#ifndef TRACE_H
#define TRACE_H

#include "harness.h"
#include "monitor.h"
#include "monitor_record.h"
#include "periods.h"

#define TRACE_PAGES 256
#define TRACE_FOREVER UINT64_MAX

/* trace_next() - when a page goes out for the @k-th time, after it did at @last_us */
typedef u64 (*trace_next)(unsigned int page, unsigned int k, u64 last_us);

struct trace {
	trace_next next;
	u64 now_us;
	struct {
		u64 next_us;
		u64 last_us;
		unsigned int k;
		struct monitor_record record;
	} pages[TRACE_PAGES];
};

/* From -@n to @n. */
static inline s64 random_around(u32 n)
{
	return (s64)random_below(2 * n + 1) - n;
}

/* random_exponential() - a time of this mean, as between calls that know nothing of each other */
static inline u64 random_exponential(u64 mean)
{
	double m = ((double)(random_u64() >> 12) + 1) / (1ull << 52), y, log = 0;

	while (m < 0.5) {
		m *= 2;
		log += 0.69314718055994531;
	}
	y = (1 - m) / (1 + m);
	log += 2 * y * (1 + y * y * (1.0 / 3 + y * y * (1.0 / 5 + y * y * (1.0 / 7 + y * y / 9))));
	return (u64)(log * (double)mean);
}

static inline void trace_begin(struct trace *trace, trace_next next)
{
	unsigned int i;

	memset(trace, 0, sizeof(*trace));
	trace->next = next;
	for (i = 0; i < TRACE_PAGES; i++)
		trace->pages[i].next_us = next(i, 0, 0);
}

/* trace_until() - what happens up to a time is recorded */
static inline void trace_until(struct trace *trace, u64 now_us)
{
	unsigned int i;

	trace->now_us = now_us;
	for (i = 0; i < TRACE_PAGES; i++) {
		while (trace->pages[i].next_us <= now_us) {
			u64 at = trace->pages[i].next_us;

			monitor_record_add(&trace->pages[i].record, at);
			trace->pages[i].last_us = at;
			trace->pages[i].next_us = trace->next(i, ++trace->pages[i].k, at);
		}
	}
}

/* trace_find() - as the daemon does */
static inline void trace_find(const struct trace *trace, struct period_found *found)
{
	struct period period;
	struct monitor_page page;
	unsigned int i;

	period_clear(&period);
	for (i = 0; i < TRACE_PAGES; i++) {
		if (!trace->pages[i].record.count)
			continue;
		monitor_record_page(&trace->pages[i].record, i, trace->now_us, &page);
		if (page.count >= 2)
			period_add(&period, page.gap_us);
	}
	period_find(&period, found);
}

/* Within 10 percent. */
static inline bool trace_near(u64 got, u64 want)
{
	bool near = got >= want - want / 10 && got <= want + want / 10;

	if (!near) {
		tap.bad++;
		tap_note("%llu is not near %llu", (unsigned long long)got,
			 (unsigned long long)want);
	}
	return near;
}

/* How programs behave: variables of the generators. */
static u64 trace_period_us, trace_noise_us, trace_change_us;

static inline u64 trace_add_noise(u64 at_us)
{
	return at_us + trace_noise_us + random_around((u32)trace_noise_us);
}

/* It goes through its memory in a circle. */
static inline u64 trace_circle(unsigned int page, unsigned int k, u64 last_us)
{
	return trace_add_noise(k * trace_period_us + page * trace_period_us / TRACE_PAGES);
}

/* trace_drift_pass() - when a circle begins; each is longer by a fiftieth than the last */
static inline u64 trace_drift_pass(unsigned int k)
{
	u64 at = 0, us = trace_period_us;

	while (k--) {
		at += us;
		us += us / 50;
	}
	return at;
}

static inline u64 trace_drift(unsigned int page, unsigned int k, u64 last_us)
{
	u64 begin = trace_drift_pass(k);

	return trace_add_noise(begin + page * (trace_drift_pass(k + 1) - begin) / TRACE_PAGES);
}

/* Seven of ten pages have one period, the others that by e. */
static inline u64 trace_two(unsigned int page, unsigned int k, u64 last_us)
{
	if (page % 10 < 7)
		return trace_circle(page, k, last_us);
	return trace_add_noise((k * trace_period_us + page * trace_period_us / TRACE_PAGES) *
			       2718 / 1000);
}

/* Four of ten pages happen to stay in memory each second time. */
static inline u64 trace_half_stays(unsigned int page, unsigned int k, u64 last_us)
{
	return trace_circle(page, page % 10 < 6 ? k : 2 * k, last_us);
}

/* Two ranges: one is used while the other one rests, and goes out. */
static inline u64 trace_zigzag(unsigned int page, unsigned int k, u64 last_us)
{
	u64 begin = page < TRACE_PAGES / 2 ? 0 : trace_period_us / 2;

	/* It is gone early in the rest of it. */
	return trace_add_noise(k * trace_period_us + begin +
			       page % (TRACE_PAGES / 2) * trace_period_us / TRACE_PAGES / 4);
}

static inline u64 trace_exponential(unsigned int page, unsigned int k, u64 last_us)
{
	return last_us + 1 + random_exponential(trace_period_us);
}

/* A circle up to a time, and then no order any more. */
static inline u64 trace_lost(unsigned int page, unsigned int k, u64 last_us)
{
	if (last_us < trace_change_us)
		return trace_circle(page, k, last_us);
	return trace_exponential(page, k, last_us);
}

#endif /* TRACE_H */
