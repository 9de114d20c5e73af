/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A page's swap-outs, counted: the same code in the daemon and in the kernel's BPF program. PURE.
 *
 * No header of the C library may be included: there is none for BPF. unsigned int has 32 bits on
 * all that Linux runs on.
 */
#ifndef PROSWAPD_MONITOR_ARITH_H
#define PROSWAPD_MONITOR_ARITH_H

/* A tick is so many microseconds. Ticks wrap round after 5 days. */
#define MONITOR_TICK_US 100u
/* A page that goes out again within a millisecond was not taken out the first time. */
#define MONITOR_SAME_TICKS 10u
/* Two processors do not write down in the order in which they saw. */
#define MONITOR_BACK_TICKS 10000u

/* 16 bytes, as there are many. The mean time between two is known from the first and the last. */
struct monitor_record {
	unsigned int first;		/* ticks */
	unsigned int last;		/* ticks */
	unsigned int gap;		/* ticks between the last two */
	unsigned int count;
};

/* Records without a swap-out for so long are dropped, when there is no room for others. */
#define MONITOR_OLD_TICKS (600u * 1000000 / MONITOR_TICK_US)

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
	/* Half of the past is forgotten before the time since the first one wraps round. */
	span = now - record->first;
	if (span >> 31) {
		record->first += span / 2;
		record->count -= (record->count - 1) / 2;
	}
}

#endif
