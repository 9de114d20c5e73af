// SPDX-License-Identifier: GPL-2.0
/*
 * Checks of a device with a log, beside the contents of its pages: the log's own invariants, the
 * statistics, no lost space, and erase counts that equal the chip's, also after the next
 * attachment.
 *
 * This file knows the log and the chip, but not the expected contents of the pages.
 */
#include "fuzz.h"
#include "kernel.h"
#include "device_log.h"

#define BLOCKS_MAX	64U

/* Counts that a power cut may lose: of two streams, a block erased ahead, and a torn block. */
#define TORN_COUNTS	4U

/* The erase counts of one attachment, kept for the next one. */
static struct {
	u32 base[BLOCKS_MAX];	/* the log's counts at the attach */
	u32 erased[BLOCKS_MAX];	/* the chip's counts at the attach */
	u32 known[BLOCKS_MAX];	/* the log's counts at the last detach */
	bool sure[BLOCKS_MAX];	/* the block's label holds its count */
	bool torn;		/* the power was cut, so a few counts may be lost */
	bool shaky[BLOCKS_MAX];	/* its count may be one of these, now and after later attaches */
	u32 scratched[BLOCKS_MAX]; /* 1 + the chip's count when the label was damaged */
	u32 hits, blame;	/* the chip's counters at the attach */
	u64 programmed_bytes;
	u32 good;
} was;

static u32 chip_erases(const struct mtdc_log_geo *geo, const struct chip *chip, u32 block)
{
	return chip->erases[block * (geo->block_bytes / chip->mtd.erasesize)];
}

/* The log of a store, or NULL. The map is its first member. */
struct mtdc_log *device_log(const struct mtdc_store *store)
{
	return store->log ? container_of(store->map, struct mtdc_log, map) : NULL;
}

/* Forget everything: there is a new chip. */
void device_log_new(void)
{
	memset(&was, 0, sizeof(was));
}

/* The counts must equal the counts in the last attachment's labels. */
static void check_counts(const struct mtdc_log *log)
{
	u32 block, wrong = 0;

	for (block = 0; block < log->geo.blocks; block++) {
		if (!was.sure[block] || !mtdc_log_is_good(log, block) ||
		    log->blocks.wear.erases[block] == was.known[block])
			continue;
		fuzz_say("block %u: erased %u times, known are %u", block, was.known[block],
			 log->blocks.wear.erases[block]);
		wrong++;
	}
	must_be(wrong <= (was.torn ? TORN_COUNTS : 0));
}

/* @chip->hits must not have changed during the attach; otherwise some labels may be unread. */
void device_log_attached(const struct mtdc_store *store, const struct chip *chip)
{
	const struct mtdc_log *log = device_log(store);
	u32 block;

	must_be(log->geo.blocks <= BLOCKS_MAX);
	if (was.hits == chip->hits)
		check_counts(log);
	for (block = 0; block < log->geo.blocks; block++) {
		if (was.shaky[block])
			was.sure[block] = false;
		was.shaky[block] = false;
		was.base[block] = log->blocks.wear.erases[block];
		was.erased[block] = chip_erases(&log->geo, chip, block);
	}
	was.hits = chip->hits;
	was.blame = chip->blame;
	was.programmed_bytes = chip->programmed_bytes;
	was.good = log->blocks.good;
}

/* After a detach all labels are on the media, unless the chip failed. */
void device_log_detached(const struct mtdc_log_geo *geo, const struct chip *chip)
{
	u32 block;

	was.torn = was.hits != chip->hits;
	for (block = 0; block < geo->blocks; block++) {
		u32 erased = chip_erases(geo, chip, block);
		bool anew = erased != was.erased[block];

		was.known[block] = was.base[block] + erased - was.erased[block];
		was.sure[block] = (was.sure[block] || anew) && was.blame == chip->blame &&
			was.scratched[block] != 1 + erased;
		was.shaky[block] = was.torn && anew;
	}
	was.hits = chip->hits;
}

/* Bytes of the media have changed: the labels there may be wrong. */
void device_log_damaged(const struct mtdc_log_geo *geo, const struct chip *chip, u32 at,
			u32 bytes)
{
	u32 block = at / geo->block_bytes, last = (at + bytes - 1) / geo->block_bytes;

	for (; block <= last && block < geo->blocks; block++)
		if (at < block * geo->block_bytes + MTDC_LABEL_BYTES)
			was.scratched[block] = 1 + chip_erases(geo, chip, block);
}

static void check_erases(const struct mtdc_log *log, const struct chip *chip)
{
	u32 block, erased;
	u64 sum = 0;

	for (block = 0; block < log->geo.blocks; block++) {
		erased = chip_erases(&log->geo, chip, block) - was.erased[block];
		must_be(log->blocks.wear.erases[block] == was.base[block] + erased);
		sum += erased;
	}
	must_be(log->stats.erases == sum);
	/* A failed program may have stored a part, which only the chip counts. */
	must_be(was.hits != chip->hits ||
		log->stats.programmed_bytes == chip->programmed_bytes - was.programmed_bytes);
}

static void check_survey(struct mtdc_store *store, const struct mtdc_log *log)
{
	u64 capacity = mtdc_log_capacity(log);
	struct mtdc_survey survey;

	mutex_lock(&store->lock);
	mtdc_store_survey(store, &survey);
	mutex_unlock(&store->lock);
	must_be(survey.blocks + survey.blocks_bad == log->geo.blocks);
	must_be(survey.least_erased <= survey.mean_erased);
	must_be(survey.mean_erased <= survey.most_erased);
	must_be(survey.free_bytes ==
		(capacity > log->blocks.live ? capacity - log->blocks.live : 0));
	must_be(survey.state && capacity <= store->geo.media_bytes);
	/* A block is given up only after a failure of its own. */
	must_be(survey.retired == was.good - log->blocks.good);
	must_be(survey.retired <= log->stats.failed_programs + log->stats.failed_erases);
}

/* Called after each operation. */
void device_log_check(struct mtdc_store *store, const struct chip *chip)
{
	struct mtdc_log *log = device_log(store);

	must_be(!mtdc_log_check(log));
	must_be(log->blocks.live == store->stats.kept.granules * MTDC_LOG_ALIGN);
	must_be(log->stats.moved_bytes + log->stats.host_bytes >= log->blocks.live);
	check_erases(log, chip);
	check_survey(store, log);
}

/* Called when nothing fails and all idle work is done. */
void device_log_check_idle(struct mtdc_store *store)
{
	const struct mtdc_log *log = device_log(store);

	must_be(mtdc_log_is_flushed(log));
	must_be(log->blocks.wear.nfree < MTDC_PACE_FREE_MIN || !log->blocks.scrubs);
}

/* Called when no page is stored: all blocks are free except the few in use. */
void device_log_check_empty(struct mtdc_store *store)
{
	const struct mtdc_log *log = device_log(store);
	u32 block, used = 0;

	must_be(!log->blocks.live);
	for (block = 0; block < log->geo.blocks; block++) {
		u8 state = log->blocks.at[block].state;

		must_be(state != MTDC_BLOCK_CLOSED);
		used += mtdc_log_is_good(log, block) && state != MTDC_BLOCK_FREE &&
			state < MTDC_BLOCK_FAILED;
	}
	must_be(log->blocks.good - log->blocks.wear.nfree - log->blocks.n[MTDC_BLOCK_FAILED] -
		log->blocks.n[MTDC_BLOCK_DOOMED] - log->blocks.n[MTDC_BLOCK_CONVICTED] == used);
	/* Two streams, a block erased ahead, a victim. */
	must_be(used <= 4);
}
