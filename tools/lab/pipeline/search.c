// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "search.h"

#define NOWHERE UINT32_MAX

/* Special places of cells: not yet in the heap, no longer in the heap. */
#define NEW	UINT32_MAX
#define DONE	(UINT32_MAX - 1)

/**
 * search_begin() - allocate memory for searches
 * @search: the memory
 * @room: cells of the largest grid
 *
 * Return: 0; -ENOMEM.
 */
int search_begin(struct search *search, uint32_t room)
{
	uint32_t **tables[] = {
		&search->costs, &search->orders, &search->from, &search->heap, &search->places,
		&search->path,
	};
	size_t i;

	memset(search, 0, sizeof(*search));
	search->room = room;
	for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		*tables[i] = malloc((size_t)room * sizeof(**tables[i]));
		if (!*tables[i])
			return -ENOMEM;
	}
	return 0;
}

/**
 * search_free() - free the memory
 * @search: the memory
 */
void search_free(struct search *search)
{
	free(search->costs);
	free(search->orders);
	free(search->from);
	free(search->heap);
	free(search->places);
	free(search->path);
}

/* Orders equal costs by cell, so that the order is unique. */
static bool before(const struct search *search, uint32_t a, uint32_t b)
{
	if (search->orders[a] != search->orders[b])
		return search->orders[a] < search->orders[b];
	return a < b;
}

static void put(struct search *search, uint32_t place, uint32_t cell)
{
	search->heap[place] = cell;
	search->places[cell] = place;
}

static void rise(struct search *search, uint32_t cell)
{
	uint32_t place = search->places[cell], parent;

	while (place && before(search, cell, search->heap[(place - 1) / 2])) {
		parent = (place - 1) / 2;
		put(search, place, search->heap[parent]);
		place = parent;
	}
	put(search, place, cell);
}

static uint32_t take_first(struct search *search)
{
	uint32_t first = search->heap[0], last = search->heap[--search->heaped];
	uint32_t place = 0, child;

	while ((child = 2 * place + 1) < search->heaped) {
		if (child + 1 < search->heaped &&
		    before(search, search->heap[child + 1], search->heap[child]))
			child++;
		if (!before(search, search->heap[child], last))
			break;
		put(search, place, search->heap[child]);
		place = child;
	}
	if (search->heaped)
		put(search, place, last);
	search->places[first] = DONE;
	return first;
}

/* A lower bound of the cost to the goal: diagonally as far as possible, then straight. */
static uint32_t at_least(const struct grid *grid, uint32_t cell, uint32_t goal)
{
	uint32_t x = cell % grid->width, y = cell / grid->width;
	uint32_t goal_x = goal % grid->width, goal_y = goal / grid->width;
	uint32_t dx = x < goal_x ? goal_x - x : x - goal_x;
	uint32_t dy = y < goal_y ? goal_y - y : y - goal_y;
	uint32_t across = dx < dy ? dx : dy, straight = (dx < dy ? dy : dx) - across;

	return grid->cheapest * (SEARCH_ACROSS * across + SEARCH_STRAIGHT * straight);
}

static void reach(struct search *search, const struct grid *grid, uint32_t cell, uint32_t from,
		  uint32_t cost, uint32_t goal)
{
	bool is_new = search->places[cell] == NEW;

	if (search->places[cell] == DONE || (!is_new && cost >= search->costs[cell]))
		return;
	search->costs[cell] = cost;
	search->orders[cell] = cost + at_least(grid, cell, goal);
	search->from[cell] = from;
	if (is_new)
		search->places[cell] = search->heaped++;
	rise(search, cell);
}

static void reach_neighbours(struct search *search, const struct grid *grid, uint32_t cell,
			     uint32_t goal)
{
	static const int steps[8][2] = {
		{ 0, 1 }, { 1, 0 }, { -1, 0 }, { 0, -1 },
		{ 1, 1 }, { -1, 1 }, { 1, -1 }, { -1, -1 },
	};
	unsigned int i, x, y, factor;
	uint32_t next;

	for (i = 0; i < 8; i++) {
		/* Unsigned, so a place before the edge is a very large number. */
		x = cell % grid->width + (unsigned int)steps[i][0];
		y = cell / grid->width + (unsigned int)steps[i][1];
		if (x >= grid->width || y >= grid->height)
			continue;
		next = y * grid->width + x;
		if (grid->costs[next] == SEARCH_BLOCKED)
			continue;
		factor = i < 4 ? SEARCH_STRAIGHT : SEARCH_ACROSS;
		reach(search, grid, next, cell, search->costs[cell] + factor * grid->costs[next],
		      goal);
	}
}

/* Collects the way backwards from the goal, then reverses it. */
static void keep_path(struct search *search, uint32_t goal)
{
	uint32_t cell, i, other;

	search->cost = search->costs[goal];
	search->length = 0;
	for (cell = goal; cell != NOWHERE; cell = search->from[cell])
		search->path[search->length++] = cell;
	for (i = 0; i < search->length / 2; i++) {
		other = search->length - 1 - i;
		cell = search->path[i];
		search->path[i] = search->path[other];
		search->path[other] = cell;
	}
}

/**
 * search_run() - find the cheapest way
 * @search: the memory; gets the way
 * @grid: the grid; has to fit in the memory
 * @start: first cell; may be blocked
 * @goal: last cell
 *
 * Return: 0; -ENOENT without a way.
 */
int search_run(struct search *search, const struct grid *grid, uint32_t start, uint32_t goal)
{
	uint32_t cell;

	memset(search->places, 0xff, (size_t)grid->width * grid->height * sizeof(uint32_t));
	search->heaped = 0;
	search->seen = 0;
	search->length = 0;
	reach(search, grid, start, NOWHERE, 0, goal);
	while (search->heaped) {
		cell = take_first(search);
		search->seen++;
		if (cell == goal) {
			keep_path(search, goal);
			return 0;
		}
		reach_neighbours(search, grid, cell, goal);
	}
	return -ENOENT;
}

/* The cost of a step; 0 if the cells are no neighbours. */
static uint32_t step_cost(const struct grid *grid, uint32_t from, uint32_t to)
{
	int dx = (int)(to % grid->width) - (int)(from % grid->width);
	int dy = (int)(to / grid->width) - (int)(from / grid->width);

	if (abs(dx) > 1 || abs(dy) > 1 || (!dx && !dy) || grid->costs[to] == SEARCH_BLOCKED)
		return 0;
	return grid->costs[to] * (dx && dy ? SEARCH_ACROSS : SEARCH_STRAIGHT);
}

/**
 * search_check() - check the way
 * @search: the way
 * @grid: the grid
 * @start: expected first cell
 * @goal: expected last cell
 *
 * Return: 0; -EBADMSG if it has gaps, leads through blocked cells or has another cost.
 */
int search_check(const struct search *search, const struct grid *grid, uint32_t start,
		 uint32_t goal)
{
	uint32_t i, each, cost = 0;

	if (!search->length || search->path[0] != start ||
	    search->path[search->length - 1] != goal)
		return -EBADMSG;
	for (i = 1; i < search->length; i++) {
		each = step_cost(grid, search->path[i - 1], search->path[i]);
		if (!each)
			return -EBADMSG;
		cost += each;
	}
	return cost == search->cost ? 0 : -EBADMSG;
}
