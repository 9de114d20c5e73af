// SPDX-License-Identifier: GPL-2.0
/*
 * Where the records of the log are.
 *
 * The map says where a page's record is, and the blocks say which pages they hold: this unit
 * changes both together, for log.c and log_jobs.c. It moves no bytes. It takes no lock, sleeps,
 * allocates and prints nothing.
 */
#include "log.h"
#include "log_pages.h"

static u32 granules_a_block(const struct mtdc_log *log)
{
	return log->geo.block_bytes / MTDC_LOG_ALIGN;
}

/**
 * mtdc_log_block_of() - which block a stored page is in
 * @log: the log
 * @place: the page's place
 * @offset: where in the block, in bytes
 *
 * Context: any; the caller serialises.
 * Return: the block.
 */
u32 mtdc_log_block_of(const struct mtdc_log *log, const struct mtdc_place *place, u32 *offset)
{
	u32 start = place->chain[0].start;

	*offset = start % granules_a_block(log) * MTDC_LOG_ALIGN;
	return start / granules_a_block(log);
}

/**
 * mtdc_log_leave() - the record of a page is dead
 * @log: the log
 * @page: the logical page
 * @place: where it was; nothing happens if it had no record
 *
 * Context: any; the caller serialises.
 */
void mtdc_log_leave(struct mtdc_log *log, u32 page, const struct mtdc_place *place)
{
	u32 offset;

	if (mtdc_is_stored(place->kind))
		mtdc_log_blocks_remove(&log->blocks, mtdc_log_block_of(log, place, &offset), page,
				   mtdc_log_stored_bytes(place));
}

/**
 * mtdc_log_settle_in() - the record of a page is here from now on
 * @log: the log
 * @page: the logical page, whose record is in no block
 * @place: what the record is; where it is, is filled in
 * @block: the block
 * @offset: where in the block, in bytes
 *
 * Context: any; the caller serialises.
 */
void mtdc_log_settle_in(struct mtdc_log *log, u32 page, struct mtdc_place *place, u32 block,
			u32 offset)
{
	u32 bytes = mtdc_log_stored_bytes(place);

	place->n = 1;
	place->chain[0].start = block * granules_a_block(log) + offset / MTDC_LOG_ALIGN;
	place->chain[0].len = bytes / MTDC_LOG_ALIGN;
	/* One extent takes no link, so there is room for it. */
	mtdc_map_set(&log->map, page, place);
	mtdc_log_blocks_add(&log->blocks, block, page, bytes);
}

/* How many pages of a block begin at @cut or behind; @page is the first of them. */
static u32 count_behind(struct mtdc_log *log, u32 block, u32 cut, u32 *page)
{
	const struct mtdc_residents *residents = &log->blocks.residents;
	u32 first = mtdc_residents_first(residents, block);
	u32 at = mtdc_residents_last(residents, block);
	u32 n = 0, offset;

	while (at != MTDC_RESIDENTS_NONE) {
		mtdc_map_get(&log->map, at, &log->place);
		mtdc_log_block_of(log, &log->place, &offset);
		if (offset < cut)
			break;
		*page = at;
		n++;
		if (at == first)
			break;
		at = residents->rings[at].prev;
	}
	return n;
}

/**
 * mtdc_log_rehouse() - the last records of a block are in another one from now on
 * @log: the log
 * @from: the block
 * @cut: where the first of them begins
 * @to: the other block
 * @base: where that one begins there
 *
 * Context: any; the caller serialises.
 */
void mtdc_log_rehouse(struct mtdc_log *log, u32 from, u32 cut, u32 to, u32 base)
{
	u32 page = MTDC_RESIDENTS_NONE, n, next, offset;

	for (n = count_behind(log, from, cut, &page); n; n--, page = next) {
		next = log->blocks.residents.rings[page].next;
		mtdc_map_get(&log->map, page, &log->place);
		mtdc_log_block_of(log, &log->place, &offset);
		mtdc_log_leave(log, page, &log->place);
		mtdc_log_settle_in(log, page, &log->place, to, offset - cut + base);
	}
}
