/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Algorithm 2 of the paper, lines 2 to 12: the window in which pages are reclaimed. PURE.
 */
#ifndef PROSWAPD_WINDOW_H
#define PROSWAPD_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

struct window {
	bool periodic;
	uint64_t length_us;		/* T */
	uint64_t end_us;		/* when the next one is chosen; 0: at once */
};

/* The page that was swapped out most often. */
struct window_top {
	uint32_t count;
	uint64_t mean_us;
};

void window_top_add(struct window_top *top, uint32_t count, uint64_t mean_us);
bool window_next(struct window *window, uint64_t now_us, const struct window_top *top,
		 unsigned int alpha, uint64_t gamma_us);

#endif
