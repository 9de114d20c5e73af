// SPDX-License-Identifier: GPL-2.0

#include "window.h"

static uint32_t stream_of(const struct window *window, uint32_t page)
{
	uint32_t i;

	for (i = 0; i < WINDOW_STREAMS; i++)
		if (window->streams[i].pages && window->streams[i].next == page)
			break;
	return i;
}

/**
 * window_pages() - how many pages from this one on
 * @window: the streams
 * @page: that was used
 *
 * Return: twice as many as the last time if this page follows them, else the least.
 */
uint32_t window_pages(struct window *window, uint32_t page)
{
	uint32_t i = stream_of(window, page), pages;

	if (i == WINDOW_STREAMS)
		return window->least;
	pages = window->streams[i].pages * 2;
	return pages < window->most ? pages : window->most;
}

/**
 * window_took() - the caller has taken pages
 * @window: the streams
 * @page: the first page
 * @pages: their number; fewer than window_pages() said if the run ended
 */
void window_took(struct window *window, uint32_t page, uint32_t pages)
{
	uint32_t i = stream_of(window, page);

	if (i == WINDOW_STREAMS)
		i = window->turn++ % WINDOW_STREAMS;
	window->streams[i].next = page + pages;
	window->streams[i].pages = pages > window->least ? pages : window->least;
}

/**
 * window_slow() - the last window took too long
 * @window: the streams
 * @next: the page behind it
 */
void window_slow(struct window *window, uint32_t next)
{
	uint32_t i = stream_of(window, next);

	/* The next one is twice this, so half as large as the last one. */
	if (i < WINDOW_STREAMS)
		window->streams[i].pages = (window->streams[i].pages + 3) / 4;
}
