// SPDX-License-Identifier: GPL-2.0
/*
 * Where the records of the log are.
 *
 * The map has the place of each page's record, and each block has its pages: this unit changes
 * both together, for log.c and log_jobs.c. Where a record is decides how it is encrypted, so this
 * unit does that, too. It moves no bytes. It takes no lock, sleeps, allocates and prints nothing.
 */
#include <linux/string.h>

#include "log.h"
#include "log_pages.h"

static u32 granules_a_block(const struct mtdc_log *log)
{
	return log->geo.block_bytes / MTDC_LOG_ALIGN;
}

/* The block of a stored page, and the byte of the block where the page begins. */
u32 mtdc_log_block_of(const struct mtdc_log *log, const struct mtdc_place *place, u32 *offset)
{
	u32 start = place->chain[0].start;

	*offset = start % granules_a_block(log) * MTDC_LOG_ALIGN;
	return start / granules_a_block(log);
}

/* The record of a page is dead; @place is where it was. Nothing happens if the page had none. */
void mtdc_log_leave(struct mtdc_log *log, u32 page, const struct mtdc_place *place)
{
	u32 offset;

	if (mtdc_is_stored(place->kind))
		mtdc_log_blocks_remove(&log->blocks, mtdc_log_block_of(log, place, &offset), page,
				       mtdc_log_stored_bytes(place));
}

/*
 * The record of a page, which was in no block, is here from now on. Fills in @place where it is.
 */
void mtdc_log_settle_in(struct mtdc_log *log, u32 page, struct mtdc_place *place, u32 block,
			u32 offset)
{
	u32 bytes = mtdc_log_stored_bytes(place);

	place->n = 1;
	place->chain[0].start = block * granules_a_block(log) + offset / MTDC_LOG_ALIGN;
	place->chain[0].len = bytes / MTDC_LOG_ALIGN;
	/* A single extent takes no link, so the map has room for it. */
	mtdc_map_set(&log->map, page, place);
	mtdc_log_blocks_add(&log->blocks, block, page, bytes);
}

/* The identity of an encrypted record, with the key of its block, and its offset there. */
struct mtdc_crypt_id mtdc_log_crypt_id(const struct mtdc_log *log, u32 page,
				       const struct mtdc_place *place)
{
	u32 offset, block = mtdc_log_block_of(log, place, &offset);

	return (struct mtdc_crypt_id) {
		.key = log->blocks.keys.at[block],
		.nonce = offset,
		.page = page,
		.generation = place->generation,
		.kind = place->kind,
	};
}

/* Encrypt the record of a page, which has just got its place, if records are encrypted. */
void mtdc_log_seal(const struct mtdc_log *log, u32 page, const struct mtdc_place *place,
		   u8 *record)
{
	struct mtdc_crypt_id id;

	if (!log->blocks.keys.at)
		return;
	id = mtdc_log_crypt_id(log, page, place);
	mtdc_crypt_seal(record, place->bytes - MTDC_CRYPT_BYTES, &id);
}

/*
 * Move a page with its record, which stays where it is in memory. If the memory has changed the
 * record, it goes as it is, and a read finds that.
 */
static void rehouse(struct mtdc_log *log, u32 page, u32 to, u32 offset, u8 *record)
{
	struct mtdc_crypt_id id;
	int err = -EBADMSG;

	if (log->blocks.keys.at) {
		id = mtdc_log_crypt_id(log, page, &log->place);
		err = mtdc_crypt_open(record, log->place.bytes - MTDC_CRYPT_BYTES, &id);
	}
	mtdc_log_leave(log, page, &log->place);
	mtdc_log_settle_in(log, page, &log->place, to, offset);
	if (!err)
		mtdc_log_seal(log, page, &log->place, record);
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

/*
 * The records of a block from @cut on are in block @to from now on, the first of them at @base.
 * They stand in memory at @records.
 */
void mtdc_log_rehouse(struct mtdc_log *log, u32 from, u32 cut, u32 to, u32 base, u8 *records)
{
	u32 page = MTDC_RESIDENTS_NONE, n, next, offset;

	for (n = count_behind(log, from, cut, &page); n; n--, page = next) {
		next = log->blocks.residents.rings[page].next;
		mtdc_map_get(&log->map, page, &log->place);
		mtdc_log_block_of(log, &log->place, &offset);
		rehouse(log, page, to, offset - cut + base, records + (offset - cut));
	}
}
