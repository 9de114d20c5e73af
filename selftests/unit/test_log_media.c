// SPDX-License-Identifier: GPL-2.0
/*
 * The log on media that fail for a while, or in part, as its users see it:
 *
 * - Every page reads as its last accepted version. A refused write changes nothing.
 * - The log gives up no page that can still be read.
 * - Each request ends after a bounded number of programs, erases and reads.
 * - When the media work again, so do writes, and all that was promised has room.
 * - The log marks no good block bad.
 *
 * The suite calls only the log's public functions, and reads no field of the log but the
 * map, the statistics and the number of good blocks. So it fits any design inside.
 *
 * Each trial has a seed of its own, and a note says which trial failed: SEED=N TRIALS=1 runs
 * that trial of each scenario again, alone. VERBOSE=1 prints the largest counts.
 */
#include <errno.h>

#include <linux/minmax.h>

#include "harness.h"
#include "horrible_log.h"

/*
 * Most programs and erases of one request. Emptying one block and testing another come on
 * top. Three blocks may fail in a row before the log stops trying, for each of the two
 * streams; each costs an erase, a label, the program that fails and the padded rest of the
 * buffer: 24. The other 40 are for failures with successes in between. A swap-out waits for
 * all of them: 0.6 s, at 10 ms for a slow erase. A guess; the log that this suite was
 * written for took 63 at the most.
 */
#define MOST_WORK	64U

/*
 * Most blocks that are tested or emptied in one request: the host waits for up to five blocks in
 * reserve, and one more, and a free block shows that the media work.
 */
#define MOST_TESTS	8U

/*
 * Most blocks that are emptied for a block if the best victims can't be read (log-proof.rst,
 * "Progress").
 */
#define MOST_VICTIMS	26U

/*
 * Most writes that may be refused after the media work again. A single request that finds this out
 * should suffice, for each stream; four times as many are a guess.
 */
#define MOST_REFUSED	8U

/* The smallest record: a header and one byte, aligned. */
#define LEAST_RECORD	12U

/* A fiftieth of the blocks is bad. */
#define BAD_ONE_IN	50U

static const struct log_kind kinds[] = {
	{ "NAND", { "", 24, 2048, 256, true }, 256, 256, false },
	{ "NAND, sub-pages", { "", 40, 4096, 128, true }, 512, 256, false },
	{ "NAND, fine", { "", 20, 16384, 256, true }, 256, 256, false },
	{ "NOR, words", { "", 20, 4096, 4, false }, 512, 256, false },
	{ "NOR, 64", { "", 18, 3072, 64, false }, 512, 512, false },
	{ "UBI, NAND", { "", 24, 2048 - 256, 256, true }, 256, 256, true },
};

/* These have enough spare blocks for one bad block in 50. */
static const struct log_kind many_kinds[] = {
	{ "NAND, many", { "", 104, 2048, 256, true }, 256, 256, false },
	{ "NAND, sub-pages, many", { "", 160, 2048, 128, true }, 512, 256, false },
	{ "NOR, many", { "", 104, 4096, 64, false }, 512, 512, false },
};

/* Which operations fail during an outage. */
enum rhythm {
	ALL,
	AT_RANDOM,		/* each with a probability of one half */
	ALTERNATING,		/* every second one */
	TWO_OF_FOUR,		/* two work, the next two fail */
};

struct outage {
	enum flash_op ops;	/* the operations that may fail */
	enum rhythm rhythm;
	int err;
	u32 rounds;		/* number of outages */
	u32 least, requests;	/* shortest and longest outage, in requests */
	u32 gap;		/* requests between two outages: so many to twice as many */
};

/* The state of one trial. */
static struct {
	const struct outage *outage;
	bool failing;		/* the outage lasts */
	u32 n;			/* operations of @outage->ops so far */
	u32 pages;		/* the load uses the first pages only */
	u64 promised;		/* capacity of the new log, bytes of records */
	u64 most;		/* the load stores at most so many bytes of records */
	u32 work, reads;	/* programs and erases, and reads, of this request */
	u32 refused;		/* writes refused since the media work again */
	bool unreadable;	/* some blocks can't be read */
	u8 *bad;		/* for each block: it is really bad */
	u64 seed;
} trial;

/* The largest counts and the sums of all trials of a scenario. */
static struct {
	u32 work, reads, refused;
	u64 accepted, denied;
} most;

static const enum flash_op op_of[] = {
	[MTDC_LOG_ERASE] = FLASH_ERASE,
	[MTDC_LOG_PROGRAM] = FLASH_PROGRAM,
	[MTDC_LOG_READ] = FLASH_READ,
	[MTDC_LOG_READ_BACK] = FLASH_READ,
};

static bool fails_now(enum rhythm rhythm, u32 n)
{
	switch (rhythm) {
	case AT_RANDOM:
		return random_below(2);
	case ALTERNATING:
		return n % 2;
	case TWO_OF_FOUR:
		return n % 4 >= 2;
	default:
		return true;
	}
}

static void before_job(const struct mtdc_log_job *job)
{
	const struct outage *outage = trial.outage;

	if (job->kind == MTDC_LOG_MARK) {
		if (!expect(trial.bad[job->block]))
			tap_note("block %u is good, and marked bad", job->block);
		return;
	}
	if (job->kind == MTDC_LOG_READ || job->kind == MTDC_LOG_READ_BACK)
		trial.reads++;
	else
		trial.work++;
	if (trial.failing && outage->rhythm && outage->ops & op_of[job->kind] &&
	    fails_now(outage->rhythm, trial.n++))
		flash_fail(outage->ops, 0, 1, outage->err);
}

static void fail(const struct outage *outage)
{
	trial.outage = outage;
	trial.failing = true;
	if (!outage->rhythm)
		flash_fail(outage->ops, 0, U64_MAX / 2, outage->err);
}

static void work_again(void)
{
	trial.failing = false;
	trial.refused = 0;
	flash_heal();
}

/* A size for a page, so that the sum of all stays just below trial.most; 0 if no size fits. */
static u32 bytes_for(u32 page)
{
	const struct model_page *model = &dev.pages[page];
	u32 all = dev.geo.page_bytes, half = all / 2, bytes;
	u32 before = is_stored(model->kind) ? record_bytes(model->bytes) : 0;

	if (dev.live + 2 * all < trial.most)
		bytes = half + 1 + random_below(half);
	else if (random_below(8))
		bytes = 1 + random_below(all);
	else
		bytes = random_length(all);
	if (dev.live - before + record_bytes(bytes) <= trial.most)
		return bytes;
	return before ? model->bytes : 0;
}

/* Check that the request was short; before_job() has counted. */
static void expect_end(const char *what)
{
	u32 units = dev.geo.block_bytes / dev.geo.unit_bytes *
		(trial.unreadable ? MOST_VICTIMS : MOST_TESTS);
	u32 records = dev.geo.block_bytes / LEAST_RECORD;

	most.work = max(most.work, trial.work);
	most.reads = max(most.reads, trial.reads);
	if (!expect(trial.work <= MOST_WORK + units) ||
	    !expect(trial.reads <= MOST_WORK + units + 2 * records))
		tap_note("a %s takes %u programs and erases, %u reads", what, trial.work,
			 trial.reads);
}

static int write_request(u32 page)
{
	u32 bytes = bytes_for(page);
	int err;

	if (!bytes)
		return 0;
	trial.work = 0;
	trial.reads = 0;
	err = write_page(page, bytes);
	expect_end("write");
	most.accepted += !err;
	most.denied += !!err;
	trial.refused += !!err;
	expect(!err || err == -EIO || err == -ENOSPC);
	return err;
}

static void other_request(u32 page)
{
	trial.work = 0;
	trial.reads = 0;
	switch (random_below(8)) {
	case 0:
		put_page(page, random_below(2) ? MTDC_NONE : MTDC_FILL, random_below(2));
		break;
	case 1:
		flush_log();
		break;
	case 2:
		if (mtdc_log_idle(&dev.log))
			do_all_jobs();
		break;
	default:
		check_page(page, false);
		break;
	}
	expect_end("request that is no write");
}

/* A random request; returns the error of a refused write. */
static int request(void)
{
	u32 page = random_below(random_below(4) ? trial.pages : trial.pages / 10 + 1);

	if (!random_below(4)) {
		other_request(page);
		return 0;
	}
	return write_request(page);
}

/* Random requests. While the media work, at most @most_refused writes may be refused. */
static void load(u32 requests, u32 most_refused)
{
	u32 i;

	for (i = 0; i < requests && !tap.bad; i++) {
		int err = request();

		if (trial.failing || !err)
			continue;
		most.refused = max(most.refused, trial.refused);
		if (!expect(trial.refused <= most_refused))
			tap_note("%u writes refused, the last: %d, state %d, %llu of %llu stored",
				 trial.refused, err, mtdc_log_state(&dev.log), dev.live,
				 mtdc_log_capacity(&dev.log));
	}
}

/* Create a log and fill it to between 60 and 95 % of its promise. */
static void begin(const struct log_kind *kind)
{
	memset(&trial, 0, sizeof(trial));
	create_log(kind);
	trial.bad = test_alloc(dev.geo.blocks);
	job_hook = before_job;
	trial.promised = mtdc_log_capacity(&dev.log);
	trial.most = trial.promised * (60 + random_below(36)) / 100;
	while (trial.pages < dev.geo.pages && dev.live + 2 * dev.geo.page_bytes < trial.most &&
	       !tap.bad)
		expect_eq(write_request(trial.pages++), 0);
	load(random_length(2 * trial.pages), 0);
}

static void end(const char *scenario)
{
	if (tap.bad)
		tap_note("%s on %s: SEED=%llu TRIALS=1 does it again", scenario, dev.kind->name,
			 trial.seed);
	job_hook = NULL;
	free(trial.bad);
	destroy_log();
}

/* Let the log do its idle work to the end. */
static void idle(void)
{
	u32 rounds;

	for (rounds = 0; rounds < 20 * dev.geo.blocks && !tap.bad; rounds++) {
		trial.work = 0;
		trial.reads = 0;
		if (!mtdc_log_idle(&dev.log))
			return;
		do_all_jobs();
		expect_end("round at rest");
	}
	expect(rounds < 20 * dev.geo.blocks);
}

/*
 * An outage may leave half-full blocks behind. Garbage collection empties them while the load
 * goes on. Then fill the log to its promise: no write may be refused any more.
 */
static void expect_promise(u32 bad)
{
	u32 page;

	if (random_below(2))
		idle();
	load(2 * trial.pages, MOST_REFUSED);
	flush_log();
	expect(mtdc_log_is_flushed(&dev.log));
	expect_eq(mtdc_log_state(&dev.log), MTDC_LOG_OK);
	expect_eq(dev.log.blocks.good, dev.geo.blocks - bad);
	expect_eq(mtdc_log_capacity(&dev.log), trial.promised);
	trial.most = mtdc_log_capacity(&dev.log);
	trial.refused = 0;
	for (page = 0; page < dev.geo.pages && !tap.bad; page++)
		if (!is_stored(dev.pages[page].kind) &&
		    dev.live + dev.geo.page_bytes + 12 <= trial.most)
			expect_eq(write_page(page, dev.geo.page_bytes), 0);
	load(2 * trial.pages, 0);
	check_all();
}

static void nothing_lost(void)
{
	u32 page;

	expect_eq(dev.log.stats.lost, 0);
	for (page = 0; page < dev.geo.pages && !tap.bad; page++)
		if (mtdc_map_kind(&dev.log.map, page) == MTDC_LOST &&
		    !expect(dev.pages[page].excused))
			tap_note("page %u is lost", page);
	check_all();
}

static void outage_trial(const struct log_kind *kind, const void *how)
{
	const struct outage *outage = how;
	u32 round;

	begin(kind);
	for (round = 0; round < outage->rounds && !tap.bad; round++) {
		fail(outage);
		load(outage->least + random_below(outage->requests - outage->least + 1), 0);
		work_again();
		if (!round || round + 1 == outage->rounds)
			nothing_lost();
		load(outage->gap + random_below(outage->gap), MOST_REFUSED);
	}
	nothing_lost();
	expect_promise(0);
	expect_eq(flash.marks, 0);
}

/* The block of a stored page, or U32_MAX. */
static u32 block_of(u32 page)
{
	struct mtdc_place place;
	u64 offset;

	mtdc_map_get(&dev.log.map, page, &place);
	if (!is_stored(place.kind))
		return U32_MAX;
	mtdc_log_find(&dev.log, &place, &offset);
	return offset / dev.geo.block_bytes;
}

/* Number of blocks that have failed. @pending: how many of them are not marked yet. */
static u32 found_bad(u32 *pending)
{
	u32 block, found = 0;

	*pending = 0;
	for (block = 0; block < dev.geo.blocks; block++) {
		found += flash.failed[block];
		*pending += flash.failed[block] && mtdc_log_is_good(&dev.log, block);
	}
	if (flash.marks < found && !*pending)
		*pending = found - flash.marks;
	return found;
}

/* A block in 50 goes bad, at random times. The log notices when it uses the block. */
static void bad_block_trial(const struct log_kind *kind, const void *how)
{
	const enum flash_op *ops = how;
	u32 n, bad, found, pending, i;

	begin(kind);
	bad = dev.geo.blocks / BAD_ONE_IN;
	expect(bad <= mtdc_log_spares(&dev.log));
	for (n = 0; n < bad && !tap.bad; ) {
		u32 block = random_below(4) ? block_of(random_below(trial.pages)) :
			random_below(dev.geo.blocks);

		if (block == U32_MAX || trial.bad[block])
			continue;
		trial.bad[block] = 1;
		flash.worn[block] = *ops == FLASH_ANY ? random_below(2) ? FLASH_PROGRAM :
			FLASH_ERASE : *ops;
		n++;
		/* Some go bad together. */
		if (random_below(3))
			load(random_length(4 * trial.pages), 0);
	}
	/* Long enough to use each block again, except blocks full of cold pages. */
	load(12 * trial.pages, 0);
	/* The last bad block may have failed only now. */
	for (i = 0, found = found_bad(&pending); i < 8 && pending && !tap.bad; i++) {
		load(trial.pages, 0);
		found = found_bad(&pending);
	}
	expect(found);
	expect_eq(pending, 0);
	nothing_lost();
	if (found == bad)
		expect_promise(bad);
	expect_eq(dev.geo.blocks - dev.log.blocks.good, found_bad(&pending));
}

/* Reads of a few blocks fail with EIO, which is no ECC error. All else works. */
static void unreadable_trial(const struct log_kind *kind, const void *how)
{
	bool for_ever = *(const bool *)how;
	u32 rounds = for_ever ? 1 : 6, round, block, n;

	begin(kind);
	trial.unreadable = true;
	for (round = 0; round < rounds && !tap.bad; round++) {
		for (n = 1 + random_below(mtdc_log_spares(&dev.log)); n; n--) {
			block = block_of(random_below(trial.pages));
			if (block != U32_MAX)
				flash.worn[block] = FLASH_READ;
		}
		load((for_ever ? 8 : 1) * trial.pages + random_length(2000), 0);
		if (for_ever)
			break;
		memset(flash.worn, 0, dev.geo.blocks);
		nothing_lost();
		load(random_length(500), 0);
	}
	nothing_lost();
	expect_eq(dev.log.blocks.good, dev.geo.blocks);
	if (!for_ever)
		expect_promise(0);
	expect_eq(flash.marks, 0);
}

/* Run the trials of a scenario; the seed picks the kind of flash. */
static void run_trials(const char *scenario, const struct log_kind *kind, u32 nkinds, u32 part,
		       void (*one)(const struct log_kind *, const void *), const void *how)
{
	u64 n = tap_env("TRIALS", tap.ops / part + 2 * nkinds), i;
	u32 bad = 0;

	memset(&most, 0, sizeof(most));
	for (i = 0; i < n; i++) {
		u64 seed = tap.seed + i;

		random_seed(seed);
		tap.bad = 0;
		one(&kind[seed % nkinds], how);
		trial.seed = seed;
		end(scenario);
		bad += !!tap.bad;
	}
	tap.bad = bad;
	if (!bad && !tap_env("VERBOSE", 0))
		return;
	tap.notes = 0;
	tap_note("%u of %llu trials failed; most programs and erases: %u, reads: %u", bad, n,
		 most.work, most.reads);
	tap_note("%u refused when well; %llu writes accepted, %llu refused", most.refused,
		 most.accepted, most.denied);
}

/* 500 to 3,000 requests are some 20 s of swapping, 6,000 a minute. */
#define WHILE	.rounds = 2, .least = 500, .requests = 3000, .gap = 200
#define LONG	.rounds = 1, .least = 3000, .requests = 6000, .gap = 200
#define AGAIN	.rounds = 20, .least = 1, .requests = 300, .gap = 64

#define OUTAGE(name, ...) \
static void name(void) \
{ \
	static const struct outage outage = { __VA_ARGS__ }; \
\
	run_trials(#name, kinds, ARRAY_SIZE(kinds), 10000, outage_trial, &outage); \
}

OUTAGE(half_at_random, FLASH_PROGRAM, AT_RANDOM, -EIO, WHILE)
OUTAGE(half_of_all, FLASH_PROGRAM | FLASH_ERASE, AT_RANDOM, -EIO, WHILE)
OUTAGE(every_second, FLASH_PROGRAM, ALTERNATING, -EIO, WHILE)
OUTAGE(two_of_four, FLASH_PROGRAM, TWO_OF_FOUR, -EIO, WHILE)
OUTAGE(no_program, FLASH_PROGRAM | FLASH_ERASE, ALL, -EIO, LONG)
OUTAGE(no_program_again, FLASH_PROGRAM | FLASH_ERASE, ALL, -EIO, AGAIN)
OUTAGE(nothing, FLASH_ANY, ALL, -EIO, LONG)
OUTAGE(nothing_again, FLASH_ANY, ALL, -EIO, AGAIN)
OUTAGE(no_read, FLASH_READ, ALL, -EIO, WHILE)
OUTAGE(memory_half_at_random, FLASH_PROGRAM, AT_RANDOM, -ENOMEM, WHILE)
OUTAGE(memory_every_second, FLASH_PROGRAM, ALTERNATING, -ENOMEM, WHILE)
OUTAGE(memory_two_of_four, FLASH_PROGRAM, TWO_OF_FOUR, -ENOMEM, WHILE)
OUTAGE(memory_no_program, FLASH_PROGRAM | FLASH_ERASE, ALL, -ENOMEM, LONG)
OUTAGE(memory_no_program_again, FLASH_PROGRAM | FLASH_ERASE, ALL, -ENOMEM, AGAIN)
OUTAGE(memory_nothing, FLASH_ANY, ALL, -ENOMEM, LONG)
OUTAGE(memory_nothing_again, FLASH_ANY, ALL, -ENOMEM, AGAIN)
OUTAGE(memory_no_read, FLASH_READ, ALL, -ENOMEM, WHILE)

#define BAD(name, failing) \
static void name(void) \
{ \
	static const enum flash_op ops = failing; \
\
	run_trials(#name, many_kinds, ARRAY_SIZE(many_kinds), 20000, bad_block_trial, &ops); \
}

BAD(bad_programs, FLASH_PROGRAM)
BAD(bad_erases, FLASH_ERASE)
BAD(bad_mixed, FLASH_ANY)

/* Not on UBI, which has spare blocks of its own. */
#define UNREADABLE(name, ever) \
static void name(void) \
{ \
	static const bool for_ever = ever; \
\
	run_trials(#name, kinds, ARRAY_SIZE(kinds) - 1, 10000, unreadable_trial, &for_ever); \
}

UNREADABLE(unreadable, false)
UNREADABLE(unreadable_for_ever, true)

static const struct tap_case cases[] = {
	{ "one of two programs fails, at random", half_at_random },
	{ "one of two programs and erases fails, at random", half_of_all },
	{ "every second program fails", every_second },
	{ "two of four programs fail", two_of_four },
	{ "no program and no erase works for a minute", no_program },
	{ "no program and no erase works, 20 times", no_program_again },
	{ "nothing works for a minute", nothing },
	{ "nothing works, 20 times", nothing_again },
	{ "no read works for a while", no_read },
	{ "no memory for one of two programs, at random", memory_half_at_random },
	{ "no memory for every second program", memory_every_second },
	{ "no memory for two of four programs", memory_two_of_four },
	{ "no memory for programs and erases for a minute", memory_no_program },
	{ "no memory for programs and erases, 20 times", memory_no_program_again },
	{ "no memory for anything for a minute", memory_nothing },
	{ "no memory for anything, 20 times", memory_nothing_again },
	{ "no memory for reads for a while", memory_no_read },
	{ "one block in 50 takes no program any more", bad_programs },
	{ "one block in 50 takes no erase any more", bad_erases },
	{ "one block in 50 fails, in one way or the other", bad_mixed },
	{ "blocks can't be read for a while", unreadable },
	{ "blocks can't be read for ever", unreadable_for_ever },
};

int main(int argc, char **argv)
{
	return tap_main("log_media", cases, ARRAY_SIZE(cases), argc, argv);
}
