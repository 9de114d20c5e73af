/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The cheapest way on a grid: A*. PURE.
 *
 * A step goes to one of eight neighbours. It costs the entered cell's cost times 10, or times
 * 14 for a diagonal step.
 */
#ifndef PIPELINE_SEARCH_H
#define PIPELINE_SEARCH_H

#include <stdint.h>

#define SEARCH_BLOCKED	UINT16_MAX
#define SEARCH_STRAIGHT	10U
#define SEARCH_ACROSS	14U

struct grid {
	unsigned int width;
	unsigned int height;
	uint16_t cheapest;		/* no cell costs less; at least 1 */
	const uint16_t *costs;		/* row after row */
};

struct search {
	uint32_t *costs;		/* cost of the way to each cell */
	uint32_t *orders;		/* the same plus the lower bound of the rest */
	uint32_t *from;			/* the cell before each cell */
	uint32_t *heap;			/* cells */
	uint32_t *places;		/* of cells in the heap */
	uint32_t *path;			/* the found way, from its start */
	uint32_t heaped;
	uint32_t room;			/* cells */
	uint32_t length;		/* cells of @path */
	uint32_t cost;			/* cost of @path */
	uint32_t seen;			/* cells taken from the heap */
};

int search_begin(struct search *search, uint32_t room);
void search_free(struct search *search);
int search_run(struct search *search, const struct grid *grid, uint32_t start, uint32_t goal);
int search_check(const struct search *search, const struct grid *grid, uint32_t start,
		 uint32_t goal);

#endif
