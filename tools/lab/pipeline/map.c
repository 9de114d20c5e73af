// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "map.h"
#include "sequence.h"

/* Cells between two points of random height. */
#define LATTICE 16U

/* Rocks of a tile, and their width. */
#define ROCKS 10U
#define ROCK_MAX 7U

/* First value of a detected obstacle. */
#define OBSTACLE 40000U

static struct tile *tile_at(const struct map *map, uint64_t row, unsigned int column)
{
	return &map->tiles[row % map->room * MAP_COLUMNS + column];
}

/**
 * map_begin() - make an empty map
 * @map: the map
 * @size: size of all tiles of the grown map in bytes; at least MAP_ROWS_MIN rows are made
 * @seed: seed of the landscape
 *
 * Return: 0; -ENOMEM.
 */
int map_begin(struct map *map, size_t size, uint64_t seed)
{
	size_t row = MAP_COLUMNS * sizeof(struct tile);

	memset(map, 0, sizeof(*map));
	map->seed = seed;
	map->room = size / row > MAP_ROWS_MIN ? size / row : MAP_ROWS_MIN;
	map->tiles = malloc((size_t)map->room * row);
	return map->tiles ? 0 : -ENOMEM;
}

static int lattice_height(const struct map *map, uint64_t x, uint64_t y)
{
	struct sequence sequence;

	sequence_begin(&sequence, map->seed, y << 16 | x, 1);
	return (int)(sequence_next(&sequence) >> 32 & 511);
}

/* Makes a square of the lattice: interpolate between its corners and add its roughness. */
static void make_square(const struct map *map, struct tile *tile, uint64_t x, uint64_t y,
			struct sequence *rough)
{
	unsigned int column = (unsigned int)(x % MAP_SIDE), row = (unsigned int)(y % MAP_SIDE);
	uint64_t sx = x / LATTICE, sy = y / LATTICE;
	int a = lattice_height(map, sx, sy), b = lattice_height(map, sx + 1, sy);
	int c = lattice_height(map, sx, sy + 1), d = lattice_height(map, sx + 1, sy + 1);
	unsigned int i, j;

	for (j = 0; j < LATTICE; j++) {
		int16_t *heights = &tile->heights[(row + j) * MAP_SIDE + column];
		uint64_t chance = sequence_next(rough);
		int left = a * (int)(LATTICE - j) + c * (int)j;
		int right = b * (int)(LATTICE - j) + d * (int)j;

		for (i = 0; i < LATTICE; i++, chance >>= 4)
			heights[i] = (int16_t)((left * (int)(LATTICE - i) + right * (int)i) / 256 +
					       (int)(chance & 7));
	}
}

static void make_rocks(struct tile *tile, struct sequence *sequence)
{
	unsigned int rock, i, j;

	for (rock = 0; rock < ROCKS; rock++) {
		uint64_t chance = sequence_next(sequence) >> 20;
		unsigned int side = 1 + (unsigned int)(chance & 0xff) % ROCK_MAX;
		unsigned int x = (unsigned int)(chance >> 8 & 0xff) % (MAP_SIDE - side);
		unsigned int y = (unsigned int)(chance >> 16 & 0xff) % (MAP_SIDE - side);

		for (j = 0; j < side; j++)
			for (i = 0; i < side; i++)
				tile->obstacles[(y + j) * MAP_SIDE + x + i] = MAP_ROCK;
	}
}

static void make_tile(struct map *map, uint64_t row, unsigned int column)
{
	struct tile *tile = tile_at(map, row, column);
	struct sequence sequence;
	unsigned int x, y;

	memset(tile, 0, sizeof(*tile));
	sequence_begin(&sequence, map->seed, row << 8 | column, 2);
	for (y = 0; y < MAP_SIDE; y += LATTICE)
		for (x = 0; x < MAP_SIDE; x += LATTICE)
			make_square(map, tile, column * MAP_SIDE + x, row * MAP_SIDE + y,
				    &sequence);
	make_rocks(tile, &sequence);
}

/**
 * map_grow() - add rows of tiles
 * @map: the map
 * @end: number of the last needed row, plus 1
 */
void map_grow(struct map *map, uint64_t end)
{
	uint64_t first = map->end;
	unsigned int column;

	for (; map->end < end; map->end++) {
		if (map->end - map->first == map->room)
			map->first++;
		for (column = 0; column < MAP_COLUMNS; column++)
			make_tile(map, map->end, column);
	}
	map_refresh(map, first, map->end);
}

static void obstruct_cell(struct map *map, uint64_t x, uint64_t y)
{
	struct tile *tile = tile_at(map, y / MAP_SIDE, (unsigned int)(x / MAP_SIDE));
	uint16_t *obstacle = &tile->obstacles[y % MAP_SIDE * MAP_SIDE + x % MAP_SIDE];

	if (*obstacle < OBSTACLE)
		*obstacle = OBSTACLE;
}

/**
 * map_obstruct() - add an obstacle
 * @map: the map
 * @x: its middle, cells from the left edge
 * @y: its middle, cells from the start of the way
 * @radius: its radius in cells; parts outside of the map are ignored
 */
void map_obstruct(struct map *map, uint64_t x, uint64_t y, unsigned int radius)
{
	unsigned int i, j;

	for (j = 0; j <= 2 * radius; j++) {
		/* Unsigned, so a place before the edge is a very large number. */
		uint64_t row = y - radius + j;

		if (row / MAP_SIDE < map->first || row / MAP_SIDE >= map->end)
			continue;
		for (i = 0; i <= 2 * radius; i++)
			if (x - radius + i < MAP_WIDTH)
				obstruct_cell(map, x - radius + i, row);
	}
}

/**
 * map_see() - mark a part of the map as seen
 * @map: the map
 * @y: its first row of cells
 * @rows: number of rows, all in the map
 */
void map_see(struct map *map, uint64_t y, unsigned int rows)
{
	unsigned int column;
	uint64_t at;

	for (at = y; at < y + rows; at++)
		for (column = 0; column < MAP_COLUMNS; column++)
			memset(&tile_at(map, at / MAP_SIDE, column)->seen[at % MAP_SIDE * MAP_SIDE],
			       0xff, MAP_SIDE * sizeof(uint16_t));
}

/* Costs of a row of a tile. The first row of a tile has no slope to the tile above. */
static void refresh_row(const int16_t *heights, const int16_t *above, const uint16_t *obstacles,
			const uint16_t *seen, uint16_t *restrict costs)
{
	unsigned int i;

	for (i = 0; i < MAP_SIDE; i++) {
		int16_t slope = (int16_t)(heights[i] - above[i]);
		uint16_t steep = (uint16_t)(slope < 0 ? -slope : slope);
		uint16_t unknown = (uint16_t)(UINT16_MAX - seen[i]) >> 12;
		uint16_t cost = (uint16_t)(MAP_CHEAPEST + 2 * steep + unknown +
					   (obstacles[i] >> 6));

		costs[i] = obstacles[i] >= MAP_BLOCKS ? UINT16_MAX : cost;
	}
}

/* Adds the cost of the slope to the side. */
static void add_side_slope(const int16_t *heights, uint16_t *restrict costs)
{
	unsigned int i;

	for (i = 1; i < MAP_SIDE; i++) {
		int16_t slope = (int16_t)(heights[i] - heights[i - 1]);
		uint16_t steep = (uint16_t)(slope < 0 ? -slope : slope);

		costs[i] = costs[i] == UINT16_MAX ? costs[i] : (uint16_t)(costs[i] + steep);
	}
}

static void refresh_tile(struct tile *tile)
{
	unsigned int row, at;

	for (row = 0; row < MAP_SIDE; row++) {
		at = row * MAP_SIDE;
		refresh_row(&tile->heights[at], &tile->heights[row ? at - MAP_SIDE : at],
			    &tile->obstacles[at], &tile->seen[at], &tile->costs[at]);
		add_side_slope(&tile->heights[at], &tile->costs[at]);
	}
}

/**
 * map_refresh() - recompute the costs of some rows of tiles
 * @map: the map
 * @first: first row
 * @end: last row plus 1
 */
void map_refresh(struct map *map, uint64_t first, uint64_t end)
{
	unsigned int column;

	for (; first < end; first++)
		for (column = 0; column < MAP_COLUMNS; column++)
			refresh_tile(tile_at(map, first, column));
}

/* Lets old observations fade. Rocks stay. */
static uint32_t fade_tile(struct tile *tile)
{
	uint32_t sum = 0;
	unsigned int i;

	for (i = 0; i < MAP_CELLS; i++) {
		uint16_t obstacle = tile->obstacles[i];

		tile->seen[i] = (uint16_t)(tile->seen[i] - (tile->seen[i] >> 4));
		tile->obstacles[i] = obstacle == MAP_ROCK ? obstacle :
				     (uint16_t)(obstacle - (obstacle >> 2));
		sum += tile->costs[i];
	}
	return sum;
}

/**
 * map_sweep() - age the whole map and recompute all costs
 * @map: the map
 *
 * Return: the sum of all earlier costs.
 */
uint64_t map_sweep(struct map *map)
{
	uint64_t row, sum = 0;
	unsigned int column;

	for (row = map->first; row < map->end; row++) {
		for (column = 0; column < MAP_COLUMNS; column++) {
			struct tile *tile = tile_at(map, row, column);

			sum = sum * 31 + fade_tile(tile);
			refresh_tile(tile);
		}
	}
	return sum;
}

/**
 * map_costs() - copy the costs of a part of the map
 * @map: the map
 * @x: its left edge in cells
 * @y: its first row of cells
 * @width: its width; the part is inside the map
 * @height: its height
 * @costs: filled in, row by row
 */
void map_costs(const struct map *map, uint64_t x, uint64_t y, unsigned int width,
	       unsigned int height, uint16_t *costs)
{
	unsigned int i, j;

	for (j = 0; j < height; j++, y++) {
		for (i = 0; i < width; i++) {
			const struct tile *tile = tile_at(map, y / MAP_SIDE,
							  (unsigned int)((x + i) / MAP_SIDE));

			*costs++ = tile->costs[y % MAP_SIDE * MAP_SIDE + (x + i) % MAP_SIDE];
		}
	}
}
