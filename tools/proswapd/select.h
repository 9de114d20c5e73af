/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Mode auto: which chunks go out, and which come back. What is needed again last goes first, which
 * for a program that goes through its memory in a circle is what it has just used. PURE.
 */
#ifndef PROSWAPD_SELECT_H
#define PROSWAPD_SELECT_H

#include "chunk.h"
#include "layout.h"

/* One process, as the rules see it. */
struct view {
	struct chunk *chunks;
	const struct layout *layout;
	uint32_t period_ms;		/* not 0 */
};

/* What is to be chosen, and was. */
struct choice {
	uint32_t now_ms;
	uint32_t want;			/* pages */
	uint32_t lead_ms;		/* to bring back: so long before it is needed */
	uint32_t horizon_ms;		/* three times the longest period of all */
	bool trim;			/* the programs are to be as small as they can */
	uint32_t sum[64];		/* pages by the time to their next use */
	uint32_t from_ms;		/* to push out: what is needed no sooner, */
	uint32_t above_ms;		/* all that is needed no sooner than that, */
	uint32_t rest;			/* and so many pages of what lies between */
};

void select_begin(struct choice *choice, uint32_t now_ms, uint32_t want, uint32_t horizon_ms);
void select_count(struct choice *choice, const struct view *view);
void select_decide(struct choice *choice);
bool select_push(struct choice *choice, const struct view *view, uint32_t nr);
bool select_fetch(struct choice *choice, const struct view *view, uint32_t nr);

#endif
