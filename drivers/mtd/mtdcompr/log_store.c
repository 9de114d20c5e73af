// SPDX-License-Identifier: GPL-2.0
/*
 * Pages on flash that has to be erased: packed into a log.
 *
 * This file does the jobs of the log: it erases, programs, reads and marks blocks by the lower
 * MTD, and tells the log the outcome. log.c and log_jobs.c choose the block, the time and the
 * reason. store.c calls it through mtdc_log_store_ops, a worker calls it while no page is wanted,
 * and dev.c asks it for the geometry. It must never give the log an outcome that the lower MTD did
 * not report, and it does not look into pages.
 *
 * A page is accepted when it stands in the log's write buffer. The log reads it from there until it
 * is on the media. After that only media that can't be read any more take it away.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/math.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mtd/mtd.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include "log_store.h"
#include "lower.h"
#include "media.h"
#include "store.h"
#include "trace.h"

/* Smaller blocks are taken several at a time. */
#define MTDC_LOG_BLOCK_BYTES	SZ_64K

/* Size of a program on media whose write unit is a byte or a word, as on NOR. */
#define MTDC_LOG_UNIT_BYTES	512U

/* The map has a link, for a page of one word, for each 32 logical pages. A guess. */
#define MTDC_LOG_PAGES_A_LINK	32U

/* The worker looks after the log so long after a write, and again each time. */
#define LOOK_AFTER		HZ

/* After so many looks without a read or a write, the write buffer is flushed. */
#define FLUSH_LOOKS		5U

/* Rounds of idle work for one look. */
#define IDLE_ROUNDS		8U

/**
 * struct mtdc_store_log - the log of one store
 * @log: (L) the log
 * @look: looks after the log when no page is wanted
 * @store: (I) the store
 * @seen: (L) pages written and read at the last look
 * @quiet: (L) looks since then
 * @was: (L) place of a page that is being moved
 * @said: (L) the state that the kernel's log was told last
 * @said_few: (L) it was told that too few blocks are left, which remains so
 * @closed: (L) it is closed
 *
 * I: constant. L: protected by the store's lock.
 */
struct mtdc_store_log {
	struct mtdc_log log;
	struct delayed_work look;
	struct mtdc_store *store;
	u64 seen;
	u32 quiet;
	struct mtdc_place was;
	enum mtdc_log_state said;
	bool said_few;
	bool closed;
};

static const char * const state_names[] = {
	[MTDC_LOG_OK] = "ok",
	[MTDC_LOG_FULL] = "full",
	[MTDC_LOG_FEW] = "few",
	[MTDC_LOG_WORN] = "worn",
	[MTDC_LOG_FAILING] = "failing",
};

static const struct mtdc_place lost_place = { .kind = MTDC_LOST };

static struct mtdc_log *log_of(const struct mtdc_store *store)
{
	return &store->log->log;
}

/* Called on the swap path: it allocates nothing, and only tests a bit if work is pending. */
static void look_later(struct mtdc_store_log *log)
{
	queue_delayed_work(system_freezable_wq, &log->look, LOOK_AFTER);
}

static void scrub(struct mtdc_store *store, u64 offset)
{
	mtdc_log_scrub(log_of(store), offset);
	look_later(store->log);
}

/* Read, and have a block scrubbed whose bits begin to flip. */
static int read_media(struct mtdc_store *store, u64 offset, void *to, u32 bytes)
{
	bool flips = false;
	int err;

	/* Notice a driver that reads nothing and returns 0. */
	memset(to, 0xff, min(bytes, MTDC_FRAGMENT_BYTES));
	err = mtdc_lower_read(&store->lower, offset, to, bytes, &flips);
	store->stats.media_read_bytes += bytes;
	if (flips)
		scrub(store, offset);
	return err;
}

/* Check a record, and decrypt it: 0 or -EBADMSG. */
static int open_record(const struct mtdc_store *store, u32 page, const struct mtdc_place *place,
		       u8 *record)
{
	struct mtdc_crypt_id id;

	if (!mtdc_seals_encrypt(&store->seals))
		return mtdc_seals_open(&store->seals, record, page, place);
	id = mtdc_log_crypt_id(log_of(store), page, place);
	return mtdc_crypt_open(record, place->bytes - mtdc_store_tail(store), &id);
}

/*
 * Has @record, which was read at @offset with the result @err, the right bytes? Many NAND drivers
 * read whole pages, and report an ECC error though only other bytes of the page are wrong. The
 * checksum or the tag decides.
 */
static bool is_right(struct mtdc_store *store, u64 offset, u8 *record, u32 page,
		     const struct mtdc_place *place, int err)
{
	if ((err && !mtd_is_eccerr(err)) || open_record(store, page, place, record))
		return false;
	if (err)
		scrub(store, offset);
	return true;
}

/* Wrong bytes may come from the bus. Read twice before the page counts as lost. */
static int read_record(struct mtdc_store *store, const struct mtdc_log_job *job)
{
	struct mtdc_place *was = &store->log->was;
	unsigned int tries;
	int err;

	mtdc_map_get(store->map, job->page, was);
	for (tries = 0; tries < 2; tries++) {
		err = read_media(store, job->offset, job->data, job->bytes);
		if (is_right(store, job->offset, job->data, job->page, was, err))
			return 0;
		if (err)
			return err;
	}
	store->stats.err_checksum++;
	return -EBADMSG;
}

static int program(struct mtdc_store *store, const struct mtdc_log_job *job)
{
	mtdc_stats_wear(&store->stats, job->offset, job->bytes,
			mtdc_wear_region_bytes(&store->geo));
	return mtdc_lower_write(&store->lower, job->offset, job->data,
				job->bytes);
}

/* The log may have lost the page if its record could not be read. */
static void read_done(struct mtdc_store *store, const struct mtdc_log_job *job,
		      int err)
{
	const struct mtdc_place *was = &store->log->was;

	mtdc_log_done(log_of(store), job, err);
	if (!err || mtdc_map_kind(store->map, job->page) != MTDC_LOST)
		return;
	store->stats.err_media_read++;
	mtdc_stats_place(&store->stats, was, false);
	mtdc_stats_place(&store->stats, &lost_place, true);
	mtdc_store_has_space(store);
	pr_err_ratelimited("%s: page %u can't be read any more: %d\n",
			   store->name, job->page, err);
}

static int do_job(struct mtdc_store *store, const struct mtdc_log_job *job)
{
	int err = 0;

	switch (job->kind) {
	case MTDC_LOG_ERASE:
		err = mtdc_lower_erase(&store->lower, job->offset, job->bytes);
		break;
	case MTDC_LOG_PROGRAM:
		err = program(store, job);
		break;
	case MTDC_LOG_READ:
		err = read_record(store, job);
		read_done(store, job, err);
		return err;
	case MTDC_LOG_READ_BACK:
		err = mtdc_lower_read(&store->lower, job->offset, job->data, job->bytes, NULL);
		break;
	case MTDC_LOG_MARK:
		pr_warn_ratelimited("%s: the eraseblock at %#llx has failed its tests and is not used any more\n",
				    store->name, job->offset);
		mtdc_lower_mark_bad(&store->lower, job->offset);
		break;
	}
	if (err && job->kind != MTDC_LOG_READ_BACK)
		pr_warn_ratelimited("%s: the eraseblock at %#llx can't be %s: %d\n",
				    store->name,
				    (u64)job->block * log_of(store)->geo.block_bytes,
				    job->kind == MTDC_LOG_ERASE ? "erased" :
				    "programmed", err);
	mtdc_log_done(log_of(store), job, err);
	return err;
}

static void do_jobs(struct mtdc_store *store)
{
	struct mtdc_log_job job;

	while (mtdc_log_next(log_of(store), &job))
		do_job(store, &job);
}

/* Tell the user once. store.c tells that a page is refused. */
static void tell_state(struct mtdc_store *store)
{
	enum mtdc_log_state state = mtdc_log_state(log_of(store));

	if (state == MTDC_LOG_FULL)
		state = MTDC_LOG_OK;
	if (likely(state == store->log->said))
		return;
	store->log->said = state;
	if (state == MTDC_LOG_FEW && !store->log->said_few) {
		store->log->said_few = true;
		pr_warn("%s: more eraseblocks are bad than were spare, less has room than was promised\n",
			store->name);
	} else if (state == MTDC_LOG_WORN) {
		pr_err("%s: too few good eraseblocks are left, nothing can be written any more; what is stored can be read\n",
		       store->name);
	} else if (state == MTDC_LOG_FAILING) {
		pr_err_ratelimited("%s: the media fail, and no eraseblock is to blame; what is stored can be read\n",
				   store->name);
	}
}

static int make_room(struct mtdc_store *store, u32 payload_bytes)
{
	struct mtdc_log_job job;
	int err, why = 0;

	for (;;) {
		err = mtdc_log_room(log_of(store), payload_bytes, &job);
		if (err != -EAGAIN)
			break;
		why = do_job(store, &job);
	}
	/* Want of memory passes: the caller may try again. */
	return err == -EIO && why == -ENOMEM ? -ENOMEM : err;
}

/* Put the record in the write buffer, which has room. The caller does the jobs. */
static void append(struct mtdc_store *store, u32 page)
{
	struct mtdc_place *new = &store->page.new;

	if (mtdc_seals_encrypt(&store->seals))
		new->generation = mtdc_seals_generation(&store->seals);
	else
		mtdc_seals_close(&store->seals, store->page.buffer, page, new);
	/* Making room may have moved, or lost, the old copy. */
	mtdc_map_get(store->map, page, &store->page.old);
	mtdc_log_append(log_of(store), page, new, store->page.buffer);
	trace_mtdc_alloc(store->nr, page, new->bytes, new->n);
	if (store->page.old.n)
		trace_mtdc_free(store->nr, page, store->page.old.bytes,
				store->page.old.n);
}

static int log_write(struct mtdc_store *store, u32 page, bool *changed)
{
	int err = mtdc_log_admit(log_of(store), page, store->page.new.bytes);

	store->page.new.n = 0;
	if (!err)
		err = make_room(store, store->page.new.bytes);
	*changed = !err;
	if (!err) {
		append(store, page);
		/* The page is accepted, whatever their outcome. */
		do_jobs(store);
	} else if (err != -ENOSPC) {
		store->stats.err_media_write++;
	}
	tell_state(store);
	look_later(store->log);
	return err;
}

/* Its jobs are done by now. */
static void log_written(struct mtdc_store *store)
{
}

static int log_read(struct mtdc_store *store, u32 page, const u8 **payload)
{
	const struct mtdc_place *old = &store->page.old;
	u32 bytes = old->bytes + MTDC_FRAGMENT_BYTES;
	unsigned int tries;
	const u8 *buffered;
	u64 offset;
	int err = 0;

	*payload = store->page.buffer + MTDC_FRAGMENT_BYTES;
	buffered = mtdc_log_find(log_of(store), old, &offset);
	if (buffered)
		memcpy(store->page.buffer, buffered, bytes);
	/* As read_record(). */
	for (tries = 0; tries < 2 && !err; tries++) {
		if (!buffered)
			err = read_media(store, offset, store->page.buffer, bytes);
		if (is_right(store, offset, store->page.buffer, page, old, err))
			return 0;
	}
	if (err && mtd_is_eccerr(err))
		scrub(store, offset);
	if (err)
		store->stats.err_media_read++;
	else
		store->stats.err_checksum++;
	/* Users of an MTD take -EBADMSG for data that are there. */
	return !err || mtd_is_eccerr(err) ? -EIO : err;
}

static void log_drop(struct mtdc_store *store, u32 page)
{
	/* store.c has asked whether the map has room for a word. */
	if (WARN_ON_ONCE(mtdc_log_put(log_of(store), page, &store->page.new))) {
		store->page.new.kind = MTDC_LOST;
		mtdc_log_put(log_of(store), page, &store->page.new);
	}
}

static int log_admit(struct mtdc_store *store, u32 page)
{
	return mtdc_log_admit(log_of(store), page, store->geo.log.page_bytes);
}

static int flush(struct mtdc_store *store)
{
	mtdc_log_flush(log_of(store));
	do_jobs(store);
	if (mtdc_log_is_flushed(log_of(store)))
		return 0;
	store->stats.err_media_write++;
	return -EIO;
}

static int log_sync(struct mtdc_store *store)
{
	int err = flush(store);

	mtdc_lower_sync(&store->lower);
	return err;
}

/*
 * Do idle work; true if the log may have more. A failed job waits for the next look, and looks end,
 * or dead media would be tried for ever. A record with wrong bits does not count: it is lost, so it
 * is not tried again.
 */
static bool use_time(struct mtdc_store *store)
{
	bool some = false, failed = false;
	struct mtdc_log_job job;
	int err;

	if (!mtdc_log_idle(log_of(store)))
		return false;
	while (mtdc_log_next(log_of(store), &job)) {
		err = do_job(store, &job);
		failed |= err && err != -EBADMSG;
		some = true;
	}
	return some && !failed;
}

/* Was a page written or read since the last look? */
static bool is_busy(struct mtdc_store *store)
{
	u64 now = store->stats.writes.n + store->stats.reads.n;
	bool busy = store->log->seen != now;

	store->log->seen = now;
	return busy;
}

/* Look after the log; true to look again, at once if @more says so. */
static bool look_after(struct mtdc_store *store, bool *more)
{
	struct mtdc_store_log *log = store->log;

	*more = false;
	if (log->closed || !store->lower.mtd)
		return false;
	if (is_busy(store)) {
		log->quiet = 0;
		return true;
	}
	*more = use_time(store);
	/* The flush may have given a stream another block, and left one to be emptied. */
	if (!*more && ++log->quiet == FLUSH_LOOKS && !flush(store))
		*more = use_time(store);
	tell_state(store);
	return *more || log->quiet < FLUSH_LOOKS;
}

static void look(struct work_struct *work)
{
	struct mtdc_store_log *log = container_of(to_delayed_work(work),
						  struct mtdc_store_log, look);
	unsigned int rounds = IDLE_ROUNDS;
	bool again, more;

	/* A reader or writer waits for one round at most. */
	do {
		mutex_lock(&log->store->lock);
		again = look_after(log->store, &more);
		mutex_unlock(&log->store->lock);
	} while (more && --rounds);
	if (again)
		look_later(log);
}

static void log_survey(struct mtdc_store *store, struct mtdc_survey *survey)
{
	const struct mtdc_log *log = log_of(store);
	u64 capacity = mtdc_log_capacity(log);

	survey->state = state_names[mtdc_log_state(log)];
	survey->free_bytes = capacity > log->blocks.live ? capacity - log->blocks.live : 0;
	survey->largest_bytes = survey->free_bytes;
	/* Wherever it is, a page finds it in one piece. */
	survey->free_fragments = survey->free_bytes != 0;
	survey->block_bytes = log->geo.block_bytes;
	survey->blocks = log->blocks.good;
	survey->blocks_bad = log->geo.blocks - log->blocks.good;
	survey->blocks_spare = mtdc_log_spares(log);
	survey->retired = log->stats.retired;
	survey->erases = log->stats.erases;
	survey->read_bytes = store->stats.media_read_bytes;
	survey->written_bytes = log->stats.programmed_bytes;
	survey->log = log->stats;
	mtdc_log_wear(log, &survey->least_erased, &survey->mean_erased,
		      &survey->most_erased);
}

static int log_close(struct mtdc_store *store)
{
	mtdc_log_close(log_of(store));
	store->log->closed = true;
	do_jobs(store);
	mtdc_lower_sync(&store->lower);
	return mtdc_log_is_flushed(log_of(store)) ? 0 : -EIO;
}

static int log_create(struct mtdc_store *store)
{
	struct mtdc_log_geo *geo = &store->geo.log;
	struct mtdc_store_log *log = kzalloc(sizeof(*log), GFP_KERNEL);

	if (!log)
		return -ENOMEM;
	geo->pages = div_u64(store->geo.size_bytes, store->geo.page_bytes);
	geo->links = geo->pages / MTDC_LOG_PAGES_A_LINK + 4 * MTDC_CHAIN_MAX;
	geo->nonce = store->seals.nonce;
	store->metadata_bytes = mtdc_log_memory(geo);
	/* Better no device than an OOM kill. */
	store->memory = __vmalloc(store->metadata_bytes, GFP_KERNEL |
				  __GFP_ZERO | __GFP_RETRY_MAYFAIL |
				  __GFP_NOWARN);
	if (!store->memory) {
		kfree(log);
		return -ENOMEM;
	}
	store->metadata_bytes += sizeof(*log);
	mtdc_log_init(&log->log, store->memory, geo);
	INIT_DELAYED_WORK(&log->look, look);
	log->store = store;
	store->log = log;
	store->map = &log->log.map;
	return 0;
}

static void log_destroy(struct mtdc_store *store)
{
	cancel_delayed_work_sync(&store->log->look);
	/* The keys, and records that were decrypted to be moved. */
	kvfree_sensitive(store->memory, store->metadata_bytes - sizeof(*store->log));
	kfree(store->log);
}

static void log_wipe_keys(struct mtdc_store *store)
{
	mtdc_log_keys_replace(&log_of(store)->blocks.keys, log_of(store)->geo.blocks);
}

const struct mtdc_store_ops mtdc_log_store_ops = {
	.create = log_create,
	.destroy = log_destroy,
	.write = log_write,
	.written = log_written,
	.read = log_read,
	.drop = log_drop,
	.admit = log_admit,
	.sync = log_sync,
	.survey = log_survey,
	.close = log_close,
	.wipe_keys = log_wipe_keys,
};

/**
 * mtdc_store_log_geo() - the geometry of a log on this flash
 * @flash: the flash
 * @page_bytes: size of a page
 * @encrypt: encrypt records
 * @geo: the geometry, without the number of pages, of links, spread and nonce
 *
 * Documentation/explanation/log-store.rst, "Geometry".
 *
 * Context: any.
 * Return: 0, or -ERANGE if it can have none.
 */
int mtdc_store_log_geo(const struct mtdc_flash *flash, u32 page_bytes, bool encrypt,
		       struct mtdc_log_geo *geo)
{
	u32 unit = roundup(flash->write_bytes, MTDC_LOG_ALIGN), least, group = 1;
	u64 blocks;

	memset(geo, 0, sizeof(*geo));
	geo->page_bytes = page_bytes + (encrypt ? MTDC_CRYPT_BYTES : 0);
	geo->write_bytes = roundup(flash->subpage_bytes, MTDC_LOG_ALIGN);
	geo->unit_bytes = roundup(max(flash->buffer_bytes,
				      MTDC_LOG_UNIT_BYTES), unit);
	least = max_t(u32, MTDC_LOG_BLOCK_BYTES,
		      4 * page_bytes + geo->unit_bytes);
	/* A group would be as bad as the worst of its blocks. */
	if (!flash->bad_blocks)
		group = DIV_ROUND_UP(least, flash->block_bytes);
	geo->block_bytes = group * flash->block_bytes;
	/* UBI's headers leave a part of a block that may be no multiple of the unit. */
	while (geo->block_bytes % geo->unit_bytes &&
	       !(geo->unit_bytes % (2 * unit)))
		geo->unit_bytes /= 2;
	blocks = div_u64(flash->bytes, geo->block_bytes);
	geo->blocks = min_t(u64, blocks, U32_MAX);
	geo->pages = 1;
	geo->managed = flash->managed;
	geo->encrypt = encrypt;
	return mtdc_log_suits(geo) ? 0 : -ERANGE;
}

/**
 * mtdc_store_log_count() - count the good blocks
 * @store: the store, not yet created
 * @geo: the geometry of its log
 * @good: their number
 *
 * Context: process, may sleep, @store->lock held, the MTD is there.
 * Return: 0, or an error of the lower MTD.
 */
int mtdc_store_log_count(struct mtdc_store *store,
			 const struct mtdc_log_geo *geo, u32 *good)
{
	u32 block;

	lockdep_assert_held(&store->lock);
	*good = 0;
	for (block = 0; block < geo->blocks; block++) {
		int bad = mtdc_lower_is_bad(&store->lower, (u64)block *
					    geo->block_bytes);

		if (bad < 0)
			return bad;
		*good += !bad;
	}
	return 0;
}

static int find_block(struct mtdc_store *store, u32 block)
{
	const struct mtdc_log_geo *geo = &log_of(store)->geo;
	u64 offset = (u64)block * geo->block_bytes;
	int bad = mtdc_lower_is_bad(&store->lower, offset);

	if (bad < 0)
		return bad;
	if (bad)
		return 0;
	if (mtdc_lower_is_locked(&store->lower, offset, geo->block_bytes))
		return -EROFS;
	/* A label that can't be read has no count: it is taken to be the mean. */
	memset(store->page.buffer, 0xff, MTDC_LABEL_BYTES);
	bad = mtdc_lower_read(&store->lower, offset, store->page.buffer,
			      MTDC_LABEL_BYTES, NULL);
	mtdc_log_found(log_of(store), block,
		       bad && !mtd_is_eccerr(bad) ? NULL : store->page.buffer);
	return 0;
}

/**
 * mtdc_store_log_scan() - find the good blocks and their erase counts
 * @store: the store, just created
 *
 * Context: process, may sleep, @store->lock held, the MTD is there.
 * Return: 0; -ENOSPC if there are too few good blocks, -EROFS if one of them is
 * locked, or an error of the lower MTD.
 */
int mtdc_store_log_scan(struct mtdc_store *store)
{
	u32 block;
	int err = 0;

	lockdep_assert_held(&store->lock);
	for (block = 0; !err && block < log_of(store)->geo.blocks; block++)
		err = find_block(store, block);
	return err ? err : mtdc_log_settle(log_of(store));
}
