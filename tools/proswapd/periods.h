/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Is a process periodic? period_*() find the period in many times between two events, rhythm_*()
 * keep what mode auto thinks of a process, window_*() are lines 2 to 12 of the paper's algorithm 2.
 * PURE.
 */
#ifndef PROSWAPD_PERIODS_H
#define PROSWAPD_PERIODS_H

#include <stdbool.h>
#include <stdint.h>
#include "layout.h"

/* Shorter frames need no help that comes ten times a second. */
#define RHYTHM_SHORTEST_MS 50
/* Of a longer period, three would take six minutes to see: a guess. */
#define RHYTHM_LONGEST_MS 120000

/* Eight bins an octave from 8 ms on, to 9 minutes. */
#define PERIOD_BINS 128

/* Times between two swap-outs of a page, or two uses of a chunk. */
struct period {
	uint32_t count[PERIOD_BINS];
	uint64_t sum_us[PERIOD_BINS];
	uint32_t total;
};

struct period_found {
	uint64_t us;			/* 0: nothing */
	unsigned int share;		/* permille of the events that agree, */
	unsigned int rough;		/* and that agree within an octave */
	uint64_t mean_us;		/* of all events */
	uint32_t events;
};

void period_clear(struct period *period);
void period_add(struct period *period, uint64_t gap_us);
void period_find(const struct period *period, struct period_found *found);

enum rhythm_state {
	RHYTHM_LEARN,			/* no help yet */
	RHYTHM_ACT,
};

/* Times are milliseconds after the start of the daemon. */
struct rhythm {
	enum rhythm_state state;
	uint32_t period_ms;		/* 0 while none is known */
	uint32_t base_ms;		/* the period before the first help */
	uint32_t seen_ms;		/* since when the swap-outs show one; 0: they do not */
	uint32_t candidate_ms;		/* that one */
	uint32_t turn_ms;		/* since when uses are gathered */
	struct period uses;		/* times between the uses of chunks in this turn */
};

/* A change and its reason, for the log. */
enum rhythm_change {
	RHYTHM_SAME,
	RHYTHM_PERIODIC,
	RHYTHM_NEW_PERIOD,
	RHYTHM_LOST,
};

void rhythm_init(struct rhythm *rhythm);
enum rhythm_change rhythm_learn(struct rhythm *rhythm, uint32_t now_ms,
				const struct period_found *found);
enum rhythm_change rhythm_turn(struct rhythm *rhythm, uint32_t now_ms, bool trim);
void rhythm_hold(struct rhythm *rhythm, struct layout *layout, uint32_t tick_ms, bool turn);
bool rhythm_watched(const struct rhythm *rhythm);
uint32_t rhythm_tick_ms(const struct rhythm *rhythm);

/* Mode paper reclaims pages once a window. */
struct window {
	bool periodic;
	uint64_t length_us;		/* T */
	uint64_t end_us;		/* then the next one is chosen; 0: at once */
};

/* The page with the most swap-outs. */
struct window_top {
	uint32_t count;
	uint64_t mean_us;
};

void window_top_add(struct window_top *top, uint32_t count, uint64_t mean_us);
bool window_next(struct window *window, uint64_t now_us, const struct window_top *top,
		 unsigned int alpha, uint64_t gamma_us);

#endif
