/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The map of the planner: a band of tiles that grows row by row as the vehicle moves. At its full
 * size the oldest row becomes the new one. All contents follow from the seed.
 */
#ifndef PIPELINE_MAP_H
#define PIPELINE_MAP_H

#include <stddef.h>
#include <stdint.h>

#define MAP_SIDE	64U		/* cells of a tile */
#define MAP_CELLS	(MAP_SIDE * MAP_SIDE)
#define MAP_COLUMNS	8U		/* tiles of a row */
#define MAP_WIDTH	(MAP_COLUMNS * MAP_SIDE)

/* Enough for the planner's window. */
#define MAP_ROWS_MIN	16U

/* Minimum cost of a cell. */
#define MAP_CHEAPEST	16U

/* An obstacle of at least this value blocks a cell. */
#define MAP_BLOCKS	16384U

/* A rock stays; other obstacles fade. */
#define MAP_ROCK	UINT16_MAX

/* Four layers, with a value for each cell. */
struct tile {
	int16_t heights[MAP_CELLS];
	uint16_t obstacles[MAP_CELLS];
	uint16_t seen[MAP_CELLS];	/* how recently; fades */
	uint16_t costs[MAP_CELLS];	/* follows from the others */
};

struct map {
	struct tile *tiles;		/* a ring of rows */
	uint64_t first;			/* the oldest row */
	uint64_t end;			/* newest row plus 1 */
	uint64_t room;			/* rows */
	uint64_t seed;
};

int map_begin(struct map *map, size_t size, uint64_t seed);
void map_grow(struct map *map, uint64_t end);
void map_obstruct(struct map *map, uint64_t x, uint64_t y, unsigned int radius);
void map_see(struct map *map, uint64_t y, unsigned int rows);
void map_refresh(struct map *map, uint64_t first, uint64_t end);
uint64_t map_sweep(struct map *map);
void map_costs(const struct map *map, uint64_t x, uint64_t y, unsigned int width,
	       unsigned int height, uint16_t *costs);

#endif
