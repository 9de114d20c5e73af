/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What proswapd thinks of one process: whether it is periodic, and how long its memory is in use.
 * PURE.
 */
#ifndef PROSWAPD_RHYTHM_H
#define PROSWAPD_RHYTHM_H

#include <stdbool.h>
#include <stdint.h>
#include "layout.h"
#include "period.h"

enum rhythm_state {
	RHYTHM_LEARN,			/* nothing is done to it */
	RHYTHM_ACT,
};

/* Times are milliseconds after the start of the daemon. */
struct rhythm {
	enum rhythm_state state;
	uint32_t period_ms;		/* 0 while none is known */
	uint32_t base_ms;		/* the period before anything was done */
	uint32_t seen_ms;		/* since when the swap-outs show one; 0: they do not */
	uint32_t candidate_ms;		/* that one */
	uint32_t turn_ms;		/* since when uses are gathered */
	struct period uses;		/* times between the uses of chunks in this turn */
};

/* What a step changed, and why; for the log. */
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

#endif
