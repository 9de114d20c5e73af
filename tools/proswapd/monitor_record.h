/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A page's swap-outs, counted: the same code in the daemon and in the kernel's BPF program. PURE.
 *
 * Do not include headers of the C library: BPF has none. unsigned int has 32 bits on all
 * that Linux runs on.
 */
#ifndef PROSWAPD_MONITOR_RECORD_H
#define PROSWAPD_MONITOR_RECORD_H

/* Microseconds of a tick. Ticks wrap round after 5 days. */
#define MONITOR_TICK_US 100u
/* try_to_unmap_one() can fail and be repeated: a page that goes again within 1 ms did not go. */
#define MONITOR_SAME_TICKS 10u
/* Records of two processors may come out of order: by 1 s at most, a guess. */
#define MONITOR_BACK_TICKS 10000u
/* If the table is full, drop records without a swap-out for five times the longest period. */
#define MONITOR_OLD_TICKS (600u * 1000000 / MONITOR_TICK_US)

/* 16 bytes, as there are many. The mean time between two is known from the first and the last. */
struct monitor_record {
	unsigned int first;		/* ticks */
	unsigned int last;		/* ticks */
	unsigned int gap;		/* ticks between the last two */
	unsigned int count;
};

/* A key of the BPF map: the process' slot above the page's number. */
#define MONITOR_KEY_SHIFT 48

/**
 * monitor_record_add() - a page was swapped out
 * @record: its record; all zero: it has none
 * @now_us: when
 */
static inline void monitor_record_add(struct monitor_record *record, unsigned long long now_us)
{
	unsigned int now = (unsigned int)(now_us / MONITOR_TICK_US);
	unsigned int gap = now - record->last, span;

	if (!record->count) {
		record->first = now;
		record->last = now;
		record->count = 1;
		return;
	}
	if (gap + MONITOR_BACK_TICKS < MONITOR_BACK_TICKS + MONITOR_SAME_TICKS)
		return;
	record->last = now;
	record->gap = gap;
	record->count++;
	/* Forget half of the past before the time since the first swap-out wraps round. */
	span = now - record->first;
	if (span >> 31) {
		record->first += span / 2;
		record->count -= (record->count - 1) / 2;
	}
}

/**
 * monitor_record_age() - how long ago was the last swap-out?
 * @record: with a count of 1 or more
 * @now_us: the time
 *
 * Return: ticks; 0, if another processor was a little ahead.
 */
static inline unsigned int monitor_record_age(const struct monitor_record *record,
					      unsigned long long now_us)
{
	unsigned int age = (unsigned int)(now_us / MONITOR_TICK_US) - record->last;

	return age > ~0u - MONITOR_BACK_TICKS ? 0 : age;
}

#endif
