/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How many pages to take at a time: more and more for who goes from page to page, one for others.
 * PURE.
 */
#ifndef MARVIN_WINDOW_H
#define MARVIN_WINDOW_H

#include <stdint.h>

/* So many runs of pages are followed at once: programs with more threads read in smaller parts. */
#define WINDOW_STREAMS 8U

struct window {
	uint32_t least, most;		/* pages */
	uint32_t turn;			/* the stream that is forgotten next */
	struct { uint32_t next, pages; } streams[WINDOW_STREAMS];
};

uint32_t window_pages(struct window *window, uint32_t page);
void window_took(struct window *window, uint32_t page, uint32_t pages);
void window_slow(struct window *window, uint32_t next);

#endif
