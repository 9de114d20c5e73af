/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The log on horrible_flash.h, beside a simple model of the stored pages.
 *
 * The model knows the version and the payload's length of each page; these determine the bytes. A
 * page must never read as anything else, and may give an error only if its bits have rotted. Half
 * of the logs encrypt their records; then no key sees a nonce twice with different texts.
 */
#ifndef HORRIBLE_LOG_H
#define HORRIBLE_LOG_H

#include "harness.h"
#include "horrible_flash.h"
#include "log.h"

#include <crypto/chacha20poly1305.h>

/* The last texts that were encrypted, for check_nonce(). */
#define SEALS		262144U

struct log_kind {
	const char *name;
	struct flash_kind flash;
	u32 unit_bytes;
	u32 page_bytes;
	bool managed;
};

/* The expected contents of a page. */
struct model_page {
	enum mtdc_kind kind;
	u32 version;
	u32 bytes;
	bool excused;		/* its bits have rotted, so a read may fail */
};

static struct {
	const struct log_kind *kind;
	struct mtdc_log_geo geo;
	struct mtdc_log log;
	void *memory;
	struct model_page *pages;
	u8 *record;
	u8 *payload;		/* expected payload of a page */
	u32 versions;
	u64 live;		/* bytes of records, by the model */
	u64 jobs, reads;
	u32 most_jobs;		/* most jobs of one request so far */
	u32 asks;		/* extra calls of make_room() before a write, as in the store */
	u32 flips;		/* one read in @flips reports corrected bit flips; 0: none */
	u32 scrubs;
	u32 nonce;
	u32 *erases;		/* for each block: the real erase count */
	u8 *touched;		/* for each block: @erases is exact (last erase succeeded) */
} dev;

/* The encrypted texts: sums of key and nonce, and of the text. */
static struct {
	u64 how;
	u64 what;
} seals[SEALS];

/* Counts the logs, as random numbers and so keys are the same again if a suite seeds anew. */
static u64 logs;

static void check_nonce(const u8 *key, u64 nonce, const u8 *sealed, size_t bytes)
{
	u64 how = shim_crypt_sum(nonce ^ logs << 32, key, MTDC_KEY_BYTES);
	/* With the tag behind it: other associated data are another text, too. */
	u64 what = shim_crypt_sum(0, sealed, bytes + MTDC_TAG_BYTES);
	u32 at = how % SEALS;

	expect(seals[at].how != how || seals[at].what == what);
	seals[at].how = how;
	seals[at].what = what;
}

/* Bytes of a record's length that are no payload. */
static inline u32 tail_bytes(void)
{
	return dev.geo.encrypt ? MTDC_CRYPT_BYTES : 0;
}

static inline struct mtdc_media_id record_id(u32 page, u32 version)
{
	return (struct mtdc_media_id) {
		.nonce = dev.geo.nonce,
		.page = page,
		.generation = version % MTDC_GENERATIONS,
	};
}

/* The payload of this version. It has a period of 256 bytes. */
static inline void make_payload(u8 *payload, u32 bytes, u32 page, u32 version)
{
	u32 mix = (page * 0x9e3779b1U + version) * 0x85ebca77U;
	u8 byte = mix >> 24, step = 1 + (mix >> 16 & 0xff);
	u32 i, n = bytes < 256 ? bytes : 256;

	for (i = 0; i < n; i++, byte += step)
		payload[i] = byte;
	for (; i < bytes; i += n) {
		if (n > bytes - i)
			n = bytes - i;
		memcpy(payload + i, payload, n);
	}
}

static inline u32 record_bytes(u32 bytes)
{
	return (bytes + 8 + 3) / 4 * 4;
}

/* Length of the shortest record. */
static inline u32 least_bytes(void)
{
	return record_bytes(tail_bytes() + 1);
}

/* As log_store.c does it. */
static inline int open_record(u8 *record, u32 page, const struct mtdc_place *place)
{
	struct mtdc_media_id id = record_id(page, place->generation);
	struct mtdc_crypt_id crypt;

	if (!dev.geo.encrypt)
		return mtdc_media_verify(record, place->bytes, &id);
	crypt = mtdc_log_crypt_id(&dev.log, page, place);
	return mtdc_crypt_open(record, place->bytes - tail_bytes(), &crypt);
}

static inline bool is_stored(enum mtdc_kind kind)
{
	return kind == MTDC_RAW || kind == MTDC_COMPRESSED;
}

/* Reads a page as the store does. */
static inline int do_read(const struct mtdc_log_job *job)
{
	struct mtdc_place place;
	int err;

	expect_eq(job->payload_bytes, dev.pages[job->page].bytes);
	memset(job->data, 0x5a, job->bytes);
	err = mtdc_lower_read(&flash.lower, job->offset, job->data, job->bytes, NULL);
	/* The log may give up a page only after an ECC error. */
	if (err == -EBADMSG)
		dev.pages[job->page].excused = true;
	if (err)
		return err;
	if (dev.flips && !random_below(dev.flips)) {
		mtdc_log_scrub(&dev.log, job->offset);
		dev.scrubs++;
	}
	mtdc_map_get(&dev.log.map, job->page, &place);
	expect_eq(place.generation, dev.pages[job->page].version % MTDC_GENERATIONS);
	return open_record(job->data, job->page, &place);
}

/* Called before each job, if set. */
static void (*job_hook)(const struct mtdc_log_job *job);

/* The payload of make_payload() goes up by the same step; what is encrypted hardly ever does. */
static inline bool looks_plain(const u8 *data, u32 bytes)
{
	u32 i, run = 0;

	for (i = 2; i < bytes; i++) {
		u8 step = data[i] - data[i - 1];

		run = step && step == (u8)(data[i - 1] - data[i - 2]) ? run + 1 : 0;
		if (run == 16)
			return true;
	}
	return false;
}

/* The buffered bytes and their padding fit the buffer. If they are encrypted, all are. */
static inline void check_buffers(const struct mtdc_log_job *job)
{
	unsigned int s;

	for (s = 0; s < MTDC_LOG_STREAMS; s++) {
		expect_eq(mtdc_stream_check(&dev.log.streams[s]), 0);
		if (job->kind == MTDC_LOG_PROGRAM &&
		    job->data == mtdc_stream_next(&dev.log.streams[s]))
			expect(job->data + job->bytes <= dev.log.streams[s].data +
			       mtdc_stream_memory(&dev.log.stream_geo));
	}
	if (dev.geo.encrypt && job->kind == MTDC_LOG_PROGRAM)
		expect(!looks_plain(job->data, job->bytes));
}

static inline void do_job(struct mtdc_log_job *job)
{
	int err = 0;

	dev.jobs++;
	check_buffers(job);
	if (job_hook)
		job_hook(job);
	switch (job->kind) {
	case MTDC_LOG_ERASE:
		err = mtdc_lower_erase(&flash.lower, job->offset, job->bytes);
		dev.erases[job->block] += !err;
		dev.touched[job->block] = !err;
		break;
	case MTDC_LOG_PROGRAM:
		err = mtdc_lower_write(&flash.lower, job->offset, job->data, job->bytes);
		break;
	case MTDC_LOG_READ:
		err = do_read(job);
		break;
	case MTDC_LOG_READ_BACK:
		err = mtdc_lower_read(&flash.lower, job->offset, job->data, job->bytes, NULL);
		flash.failed[job->block] |= !!err;
		break;
	case MTDC_LOG_MARK:
		mtdc_lower_mark_bad(&flash.lower, job->offset);
		break;
	}
	mtdc_log_done(&dev.log, job, err);
}

static inline void do_all_jobs(void)
{
	struct mtdc_log_job job;
	u32 jobs = 0;

	while (mtdc_log_next(&dev.log, &job)) {
		do_job(&job);
		if (++jobs > 100 * dev.geo.blocks * (dev.geo.block_bytes / 16)) {
			expect(!"an end of the jobs");
			break;
		}
	}
	if (jobs > dev.most_jobs)
		dev.most_jobs = jobs;
}

/* Note the state of the log, to explain a refused write. */
static inline void log_note(void)
{
	const struct mtdc_log *log = &dev.log;
	const u32 *n = log->blocks.n;
	unsigned int i;

	tap_note("%s, operation %llu: state %d, streak %d", dev.kind->name, flash.op,
		 mtdc_log_state(log), log->blocks.streak);
	tap_note("%u free, %u in reserve, %u good, %u closed, %u pinned, %u failed, %u doomed",
		 log->blocks.wear.nfree, log->pace.reserve, log->blocks.good,
		 n[MTDC_BLOCK_CLOSED], n[MTDC_BLOCK_PINNED], n[MTDC_BLOCK_FAILED],
		 n[MTDC_BLOCK_DOOMED]);
	tap_note("victim %d, ready %d, live %llu of %llu, wanted %u", log->pace.victim,
		 log->ready, log->blocks.live, log->promised, log->wanted);
	for (i = 0; i < MTDC_LOG_STREAMS; i++)
		tap_note("stream %u: block %d, at %u, programmed %u, failed %d", i,
			 log->streams[i].block, log->streams[i].cursor,
			 log->streams[i].programmed, log->streams[i].failed);
}

static inline int make_room(u32 bytes)
{
	struct mtdc_log_job job;
	u32 jobs = 0;
	int err;

	while ((err = mtdc_log_room(&dev.log, bytes, &job)) == -EAGAIN) {
		do_job(&job);
		if (++jobs > 100 * dev.geo.blocks * (dev.geo.block_bytes / 16)) {
			expect(!"an end of the jobs");
			return -EIO;
		}
	}
	if (jobs > dev.most_jobs)
		dev.most_jobs = jobs;
	return err;
}

static inline void model_set(u32 page, enum mtdc_kind kind, u32 version, u32 bytes)
{
	struct model_page *model = &dev.pages[page];

	if (is_stored(model->kind))
		dev.live -= record_bytes(model->bytes);
	model->kind = kind;
	model->version = version;
	model->bytes = bytes;
	model->excused = false;
	if (is_stored(kind))
		dev.live += record_bytes(bytes);
}

static inline int write_page(u32 page, u32 bytes)
{
	u32 version = ++dev.versions;
	struct mtdc_media_id id = record_id(page, version);
	struct mtdc_place place = {
		.kind = bytes == dev.geo.page_bytes ? MTDC_RAW : MTDC_COMPRESSED,
		.bytes = bytes,
		.generation = version % MTDC_GENERATIONS,
	};
	u32 i;
	int err;

	if (bytes <= tail_bytes())
		bytes = tail_bytes() + 1;
	place.bytes = bytes;
	for (i = 0; i < dev.asks; i++)
		mtdc_log_admit(&dev.log, page, bytes);
	err = mtdc_log_admit(&dev.log, page, bytes);

	if (!err)
		err = make_room(bytes);
	if (err)
		return err;
	make_payload(dev.record + MTDC_FRAGMENT_BYTES, bytes - tail_bytes(), page, version);
	if (!dev.geo.encrypt)
		mtdc_media_seal(dev.record, bytes, &id);
	mtdc_log_append(&dev.log, page, &place, dev.record);
	model_set(page, place.kind, version, bytes);
	do_all_jobs();
	return 0;
}

static inline void put_page(u32 page, enum mtdc_kind kind, u64 word)
{
	struct mtdc_place place = { .kind = kind, .word = word };
	int err = mtdc_log_put(&dev.log, page, &place);

	expect(!err || (kind == MTDC_FILL && err == -ENOSPC));
	if (!err)
		model_set(page, kind, word, 0);
	do_all_jobs();
}

static inline void flush_log(void)
{
	mtdc_log_flush(&dev.log);
	do_all_jobs();
}

/* The log has given up the page, or can't read it: is that allowed? */
static inline bool is_excused(u32 page, int err)
{
	if (dev.pages[page].excused)
		return true;
	tap_note("page %u is an error, %d, and has not rotted; operation %llu", page, err,
		 flash.op);
	return expect(!"right data");
}

static inline bool is_right(u32 page, const struct mtdc_place *place)
{
	const struct model_page *model = &dev.pages[page];
	u32 bytes = model->bytes - tail_bytes();

	if (!expect_eq(place->bytes, model->bytes) ||
	    !expect_eq(place->generation, model->version % MTDC_GENERATIONS))
		return false;
	if (open_record(dev.record, page, place))
		return is_excused(page, -EBADMSG);
	make_payload(dev.payload, bytes, page, model->version);
	if (!memcmp(dev.record + MTDC_FRAGMENT_BYTES, dev.payload, bytes))
		return true;
	tap_note("page %u has other bytes, operation %llu", page, flash.op);
	return expect(!"right data");
}

/* Read a page as the store does; @calm: inject no faults. */
static inline bool check_page(u32 page, bool calm)
{
	struct model_page *model = &dev.pages[page];
	struct mtdc_place place;
	const u8 *buffered;
	u64 offset;
	u32 all;
	int err = 0;

	dev.reads++;
	mtdc_map_get(&dev.log.map, page, &place);
	if (place.kind == MTDC_LOST && model->kind != MTDC_LOST)
		return is_excused(page, -EIO);
	if (!expect_eq(place.kind, model->kind))
		return false;
	if (place.kind == MTDC_FILL)
		return expect_eq(place.word, model->version);
	if (!is_stored(place.kind))
		return true;
	all = place.bytes + MTDC_FRAGMENT_BYTES;
	buffered = mtdc_log_find(&dev.log, &place, &offset);
	if (buffered) {
		memcpy(dev.record, buffered, all);
		return is_right(page, &place);
	}
	flash.calm = calm;
	err = mtdc_lower_read(&flash.lower, offset, dev.record, all, NULL);
	flash.calm = false;
	if (!calm && dev.flips && !random_below(dev.flips)) {
		mtdc_log_scrub(&dev.log, offset);
		dev.scrubs++;
	}
	/* An injected fault, unless the page has rotted. */
	if (err && !calm && !flash_rotten(offset, all))
		return true;
	if (err)
		return is_excused(page, err);
	return is_right(page, &place);
}

static inline bool check_all(void)
{
	u32 page;

	for (page = 0; page < dev.geo.pages && !tap.bad; page++)
		check_page(page, true);
	expect_eq(mtdc_log_check(&dev.log), 0);
	expect_eq(flash.violations, 0);
	return !tap.bad;
}

/* Attach to the present contents of the flash. */
static inline int start_log(void)
{
	u8 label[MTDC_LABEL_BYTES];
	u32 block, i;
	int err;

	memset(&dev.log, 0, sizeof(dev.log));
	dev.geo.nonce = ++dev.nonce;
	logs++;
	dev.memory = test_alloc(mtdc_log_memory(&dev.geo));
	dev.pages = test_alloc(dev.geo.pages * sizeof(*dev.pages));
	dev.record = test_alloc(record_bytes(dev.geo.page_bytes) + MTDC_FRAGMENT_BYTES);
	shim_crypt_sealed = check_nonce;
	dev.payload = test_alloc(dev.geo.page_bytes);
	dev.live = 0;
	mtdc_log_init(&dev.log, dev.memory, &dev.geo);
	for (block = 0; block < dev.geo.blocks; block++) {
		if (flash.bad[block])
			continue;
		err = mtdc_lower_read(&flash.lower, (u64)block * dev.geo.block_bytes, label,
				      sizeof(label), NULL);
		mtdc_log_found(&dev.log, block, err ? NULL : label);
	}
	err = mtdc_log_settle(&dev.log);
	/* If the count of a block is not known for sure, trust the log. */
	for (block = 0; block < dev.geo.blocks; block++)
		if (!dev.touched[block])
			dev.erases[block] = dev.log.blocks.wear.erases[block];
	for (i = 0; i < dev.geo.pages; i++)
		dev.pages[i].kind = MTDC_NONE;
	return err;
}

static inline void stop_log(void)
{
	free(dev.memory);
	free(dev.pages);
	free(dev.record);
	free(dev.payload);
}

/* Detach: program the missing labels. */
static inline void close_log(void)
{
	mtdc_log_close(&dev.log);
	do_all_jobs();
}

static inline void set_geo(const struct log_kind *kind)
{
	memset(&dev, 0, sizeof(dev));
	dev.kind = kind;
	dev.geo.blocks = kind->flash.blocks;
	dev.geo.block_bytes = kind->flash.block_bytes;
	dev.geo.unit_bytes = kind->unit_bytes;
	dev.geo.write_bytes = kind->flash.write_bytes;
	dev.geo.page_bytes = kind->page_bytes;
	/* Enough pages for half a page of payload each, and some more than fit. */
	dev.geo.pages = (u64)kind->flash.blocks * kind->flash.block_bytes /
		kind->page_bytes * 2 + 8;
	dev.geo.links = 4;
	dev.geo.spread = 8;
	dev.geo.managed = kind->managed;
	dev.geo.encrypt = random_below(2);
	dev.erases = test_alloc(kind->flash.blocks * sizeof(*dev.erases));
	dev.touched = test_alloc(kind->flash.blocks);
}

static inline void create_log(const struct log_kind *kind)
{
	flash_create(&kind->flash);
	flash.blame_any = true;
	set_geo(kind);
	expect(mtdc_log_suits(&dev.geo));
	expect_eq(start_log(), 0);
}

static inline void destroy_log(void)
{
	stop_log();
	free(dev.erases);
	free(dev.touched);
	flash_destroy();
}

#endif /* HORRIBLE_LOG_H */
