/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMMON_LAYOUT_H
#define COMMON_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "parse.h"

/* 512 MiB with pages of 4 KiB; large programs have some ten ranges: guesses. */
#define LAYOUT_RANGES 48
#define LAYOUT_CHUNKS 4096
/* A word has a bit for each page of a chunk. */
#define CHUNK_PAGES 32

/* Memory that a program asked for at once is used alike. */
struct range {
	uint64_t start;			/* addresses */
	uint64_t end;
	uint32_t first;			/* number of the first chunk */
	uint32_t hold_ms;		/* so long after it is needed it is still in use */
	uint32_t pushed;		/* pages pushed out in this period */
	uint32_t again;			/* of these, those that were needed in it once more */
	bool doubled;			/* hold_ms was, in this turn */
};

struct layout {
	uint32_t n;
	uint32_t n_chunks;
	uint64_t lost;			/* bytes that have no place here */
	struct range ranges[LAYOUT_RANGES];
};

bool layout_is_private(const struct map_line *map);
void layout_clear(struct layout *layout);
void layout_add(struct layout *layout, const struct map_line *map, uint64_t page_bytes);
void layout_keep(struct layout *layout, const struct layout *before, void *chunks,
		 const void *chunks_before, size_t size);
const struct range *layout_range(const struct layout *layout, uint32_t nr);
uint64_t layout_address(const struct layout *layout, uint32_t nr, uint64_t page_bytes);
uint64_t layout_bytes(const struct layout *layout, uint32_t nr, uint64_t page_bytes);
bool layout_same(const struct layout *one, const struct layout *other);

#endif
