// SPDX-License-Identifier: GPL-2.0

#include "window.h"

/* The paper gives no bounds. A window shorter than a look is none, one of minutes is never over. */
#define SHORTEST_US 50000
#define LONGEST_US 120000000

/**
 * window_top_add() - line 2: the one with the most swap-outs
 * @top: made new, if @count is more
 * @count: swap-outs of a page
 * @mean_us: the mean time between them
 */
void window_top_add(struct window_top *top, uint32_t count, uint64_t mean_us)
{
	if (count > top->count)
		*top = (struct window_top){ count, mean_us };
}

/**
 * window_next() - the next window, if the last one is over
 * @window: the state
 * @now_us: the time
 * @top: the page that was swapped out most often
 * @alpha: permille; a window is used for so long, of its length
 * @gamma_us: the length while nothing is periodic
 *
 * Return: true, if a new one has begun.
 */
bool window_next(struct window *window, uint64_t now_us, const struct window_top *top,
		 unsigned int alpha, uint64_t gamma_us)
{
	if (window->end_us && now_us < window->end_us)
		return false;
	window->periodic = top->count >= 2;
	window->length_us = window->periodic ? top->mean_us : gamma_us;
	if (window->length_us < SHORTEST_US)
		window->length_us = SHORTEST_US;
	if (window->length_us > LONGEST_US)
		window->length_us = LONGEST_US;
	window->end_us = now_us + window->length_us * alpha / 1000;
	return true;
}
