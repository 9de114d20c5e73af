// SPDX-License-Identifier: GPL-2.0
/*
 * The media of mtdsim, on which the guests' tests rely: each operation, with all kinds of faults,
 * compared with the model, for random media of all types. Cases without the model: the texts of the
 * knobs, the rate of faults, and the figures of the documentation.
 */
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "harness.h"
#include "horrible_chip.h"

#define BLOCK_BYTES_MAX	4096U
#define BLOCKS_MAX	5U
#define OOB_BYTES_MAX	64U

static struct sim_config config;
static struct sim_chip *chip;

/* All memory has its exact size, so that ASan sees an overflow. */
static void make_chip(void)
{
	chip = test_alloc(sizeof(*chip));
	chip->data = test_alloc(config.size);
	if (config.type == SIM_NAND)
		chip->oob = test_alloc(sim_chip_oob_bytes(&config));
	chip->blocks = test_alloc(sim_chip_blocks(&config) * sizeof(*chip->blocks));
	chip->pages = config.type == SIM_NAND ?
		test_alloc(sim_chip_pages(&config) * sizeof(*chip->pages)) : NULL;
	sim_chip_init(chip, &config);
}

static void free_chip(void)
{
	free(chip->data);
	free(chip->oob);
	free(chip->blocks);
	free(chip->pages);
	free(chip);
}

/* 4 blocks of 2 pages of 2048 + 64 bytes, with the times of the mt29f4g. */
static void nand_config(void)
{
	memset(&config, 0, sizeof(config));
	config.type = SIM_NAND;
	config.size = 16384;
	config.erasesize = 4096;
	config.writesize = 2048;
	config.subpage = 512;
	config.readsize = 512;
	config.oobsize = 64;
	config.ecc = 4;
	config.times = (struct sim_times){ 25000, 2048, 1, 25, 25, 220000, 2048, 1500000, 131072 };
}

static void test_sizes(void)
{
	nand_config();
	expect_eq(sim_chip_blocks(&config), 4);
	expect_eq(sim_chip_pages(&config), 8);
	expect_eq(sim_chip_oob_bytes(&config), 512);
	/* No machine can allocate this chip, but its size must not overflow to 0. */
	config.size = 1U << 30;
	config.writesize = 256;
	config.oobsize = 1024;
	expect_eq(sim_chip_oob_bytes(&config), 4LL << 30);
	config.type = SIM_NOR;
	expect_eq(sim_chip_pages(&config), 0);
	expect_eq(sim_chip_oob_bytes(&config), 0);
}

static const struct {
	const char *text;
	const char *shown;	/* NULL: refused */
} texts[] = {
	{ "off", "off hits 0\n" },
	{ "1", "once 1 hits 0\n" },
	{ "4294967295", "once 4294967295 hits 0\n" },
	{ "every 5", "every 5 next 5 hits 0\n" },
	{ "random 100", "random 100 hits 0\n" },
	{ "once 3", "once 3 hits 0\n" },
	{ "", NULL }, { "0", NULL }, { "-1", NULL }, { "x", NULL }, { "3x", NULL },
	{ "3 4", NULL }, { "4294967296", NULL }, { "0x10", NULL }, { "every", NULL },
	{ "every ", NULL }, { "every 0", NULL }, { "every  5", NULL }, { "every5", NULL },
	{ "off 1", NULL }, { "random x", NULL }, { "Random 3", NULL },
};

static void test_texts(void)
{
	char shown[64];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		struct sim_fault fault = { .mode = SIM_FAULT_EVERY, .n = 7, .left = 3, .hits = 2 };
		struct sim_fault before = fault;
		int err = sim_fault_set(&fault, texts[i].text);

		if (!expect_eq(err, texts[i].shown ? 0 : -EINVAL))
			tap_note("  of \"%s\"", texts[i].text);
		if (err) {
			expect(!memcmp(&fault, &before, sizeof(fault)));
			continue;
		}
		fault.hits = 0;
		sim_fault_print(&fault, shown, sizeof(shown));
		if (!expect(!strcmp(shown, texts[i].shown)))
			tap_note("  \"%s\" shows %s", texts[i].text, shown);
	}
}

/* Check the number of hits in @n operations; @last, if not 0: the number of the last hit. */
static void count_hits(const char *text, u32 n, u32 want, u32 last)
{
	struct sim_fault fault = { .mode = SIM_FAULT_OFF };
	struct sim_random random;
	u32 hits = 0, at = 0, i;

	sim_random_seed(&random, tap.seed);
	expect_eq(sim_fault_set(&fault, text), 0);
	for (i = 1; i <= n; i++) {
		if (sim_fault_due(&fault, &random)) {
			hits++;
			at = i;
		}
	}
	expect_eq(fault.hits, hits);
	if (last)
		expect(hits == want && at == last);
	else
		expect(hits >= want - want / 4 && hits <= want + want / 4);
}

static void test_hits(void)
{
	struct sim_random random;
	u32 seen[7] = { 0 }, i;

	count_hits("off", 1000, 0, 0);
	count_hits("1", 1000, 1, 1);
	count_hits("700", 1000, 1, 700);
	count_hits("every 1", 1000, 1000, 1000);
	count_hits("every 7", 1000, 142, 994);
	count_hits("random 1", 1000, 1000, 1000);
	count_hits("random 10", 100000, 10000, 0);
	/* Neighbouring seeds, 0 too, give all numbers equally often. */
	for (i = 0; i < 70000; i++) {
		sim_random_seed(&random, i);
		seen[sim_random_below(&random, ARRAY_SIZE(seen))]++;
	}
	for (i = 0; i < ARRAY_SIZE(seen); i++)
		expect(seen[i] > 9000 && seen[i] < 11000);
}

static void test_page_times(void)
{
	u8 data[4096] = { 0 }, oob[128];
	struct sim_page_io io = { .len = 2048, .data = data, .oob = oob };

	memset(oob, 0xff, sizeof(oob));
	nand_config();
	make_chip();
	expect_eq(sim_chip_program_page(chip, &io), 0);
	expect_eq(chip->counters.ns, 272800);
	expect_eq(sim_chip_read_page(chip, &io), 0);
	expect_eq(chip->counters.ns, 272800 + 77800);
	free_chip();
	/* A page twice as large still has a valid time. */
	config.writesize = 4096;
	config.oobsize = 128;
	io.len = 4096;
	make_chip();
	expect_eq(sim_chip_program_page(chip, &io), 0);
	expect_eq(chip->counters.ns, 220000 + 4224 * 25);
	expect_eq(sim_chip_read_page(chip, &io), 0);
	expect_eq(chip->counters.ns, 220000 + 25000 + 2 * 4224 * 25);
	free_chip();
}

static void test_bad_block(void)
{
	u8 data[2048] = { 0 }, oob[64];
	struct sim_page_io io = { .page = 2, .len = 2048, .data = data };

	memset(oob, 0xff, sizeof(oob));
	nand_config();
	make_chip();
	expect_eq(sim_chip_mark_bad(chip, 1), 0);
	expect_eq(sim_chip_program_page(chip, &io), -EIO);
	expect_eq(sim_chip_erase(chip, 1), -EIO);
	expect_eq(chip->counters.violations, 2);
	expect_eq(chip->counters.erase_errors + chip->counters.program_errors, 0);
	expect_eq(sim_chip_read_page(chip, &io), 0);
	expect_eq(data[0], 0xff);
	io.len = 0;
	io.oob = oob;
	oob[1] = 0;
	expect_eq(sim_chip_program_page(chip, &io), 0);
	oob[2] = 0;
	expect_eq(sim_chip_program_page(chip, &io), -EIO);
	expect_eq(sim_chip_mark_bad(chip, 1), 0);
	expect_eq(chip->counters.violations, 3);
	chip->off = true;
	expect_eq(sim_chip_mark_bad(chip, 2), -EIO);
	expect(!chip->blocks[2].bad && chip->oob[4 * 64] == 0xff);
	expect_eq(chip->counters.refused_off, 1);
	free_chip();
}

static u32 count_bytes(u8 byte, u32 len)
{
	u32 n = 0, i;

	for (i = 0; i < len; i++)
		n += chip->data[i] == byte;
	return n;
}

/* A torn operation does a part, possibly none; the model can't force that. */
static void test_torn(void)
{
	static const u8 data[4096];
	u32 part, done, torn = 0, i;

	for (i = 0; i < 16; i++) {
		nand_config();
		config.type = SIM_NOR;
		config.times.program_unit = 0;
		config.seed = i;
		make_chip();
		expect_eq(sim_fault_set(&chip->faults[SIM_TORN_PROGRAM], "1"), 0);
		expect_eq(sim_fault_set(&chip->faults[SIM_TORN_ERASE], "1"), 0);
		expect_eq(sim_chip_program(chip, 0, sizeof(data), data, &done), -EIO);
		expect_eq(done, 0);
		part = count_bytes(0, 4096);
		torn += part && part < 4096;
		chip->off = false;
		expect_eq(sim_chip_program(chip, 0, sizeof(data), data, &done), 0);
		expect_eq(sim_chip_erase(chip, 0), -EIO);
		part = count_bytes(0xff, 4096);
		torn += part && part < 4096;
		expect_eq(chip->counters.power_cuts, 2);
		free_chip();
	}
	expect(torn > 30);
}

/* After any operations, a renewed chip equals a new one. */
static void test_renew(void)
{
	static const enum sim_type types[] = { SIM_RAM, SIM_PCM, SIM_NOR, SIM_NAND };
	struct sim_chip before;
	u32 i, done;
	u8 data[512] = { 0 };
	struct sim_page_io io = { .len = 512, .data = data };

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		nand_config();
		config.type = types[i];
		config.bad[0] = 1;
		config.nbad = types[i] == SIM_NAND;
		make_chip();
		before = *chip;
		expect_eq(sim_fault_set(&chip->faults[SIM_POWER_CUT], "5"), 0);
		expect_eq(sim_fault_set(&chip->faults[SIM_FLIP], "random 3"), 0);
		if (types[i] == SIM_NAND)
			expect_eq(sim_chip_program_page(chip, &io), 0);
		else
			expect_eq(sim_chip_program(chip, 0, sizeof(data), data, &done), 0);
		expect_eq(sim_chip_erase(chip, 2), 0);
		if (types[i] == SIM_NAND)
			expect_eq(sim_chip_mark_bad(chip, 2), 0);
		expect_eq(sim_chip_flip(chip, 4096, 3), 0);
		chip->blocks[3].broken = true;
		chip->off = true;
		sim_chip_renew(chip);
		expect_eq(chip->nflips, 0);
		memcpy(chip->flips, before.flips, sizeof(before.flips));
		expect(!memcmp(chip, &before, sizeof(before)));
		expect_eq(count_bytes(0xff, config.size), config.size);
		expect_eq(chip->blocks[0].wear + chip->blocks[2].wear + chip->blocks[0].next, 0);
		expect(!chip->blocks[2].bad && !chip->blocks[3].broken);
		expect_eq(chip->blocks[1].bad, config.nbad);
		expect(!chip->pages || !chip->pages[0].subpages);
		free_chip();
	}
}

/* The number of flipped bits is limited; a request above the limit flips none. */
static void test_too_many_flips(void)
{
	u8 data[512];
	struct sim_page_io io = { .len = 512, .data = data, .raw = true };

	nand_config();
	make_chip();
	memset(data, 0x0f, sizeof(data));
	expect_eq(sim_chip_program_page(chip, &io), 0);
	expect_eq(sim_chip_flip(chip, 8192, 1), 0);
	memset(data, 0x0c, sizeof(data));
	expect_eq(sim_chip_program_page(chip, &io), -EIO);
	expect_eq(chip->nflips, 1);
	expect_eq(sim_chip_flip(chip, 8192, 1), 0);
	expect_eq(sim_chip_program_page(chip, &io), 0);
	expect_eq(chip->nflips, SIM_FLIPS_MAX);
	expect_eq(sim_chip_flip(chip, 8192, 1), -ENOSPC);
	free_chip();
}

static void random_times(void)
{
	struct sim_times *times = &config.times;

	if (!random_below(4))
		return;
	times->read_ns = random_below(1000);
	times->read_unit = 8 << random_below(9);
	times->bus_bytes = 1 << random_below(3);
	times->read_cycle_ns = random_below(100);
	times->write_cycle_ns = random_below(100);
	times->program_ns = random_below(100000);
	times->program_unit = random_below(3) ? 16 << random_below(10) : 0;
	times->erase_ns = random_below(2) ? random_u64() : 0;
	times->erase_unit = random_below(3) ? 512 << random_below(10) : 0;
}

static void random_config(enum sim_type type)
{
	memset(&config, 0, sizeof(config));
	config.type = type;
	config.erasesize = BLOCK_BYTES_MAX >> random_below(4);
	config.size = config.erasesize * (1 + random_below(BLOCKS_MAX));
	config.writesize = 1;
	config.endurance = random_below(3) ? 0 : random_length(300);
	config.seed = random_u64();
	random_times();
	if (type != SIM_NAND)
		return;
	config.writesize = max(256U, config.erasesize >> random_below(5));
	config.subpage = config.writesize >> random_below(4);
	config.readsize = random_below(2) ? 512 : config.writesize;
	config.oobsize = 3 + random_below(OOB_BYTES_MAX - 2);
	config.ecc = random_length(8);
	if (random_below(2))
		config.bad[config.nbad++] = random_below(sim_chip_blocks(&config));
}

/* At the end of their allocations, so that ASan sees one byte too many. */
static u8 *data_end, *oob_end;

static void random_fault(void)
{
	static const char * const modes[] = { "off", "", "every ", "random " };
	enum sim_fault_kind kind = random_below(SIM_FAULTS);
	struct model_fault *fault = &model.faults[kind];
	char text[32];

	fault->mode = random_below(4);
	/*
	 * A random lost or partial program does not end the request, so the model can't see which
	 * part it hit.
	 */
	if (fault->mode == SIM_FAULT_RANDOM &&
	    (kind == SIM_LOST_PROGRAM || kind == SIM_PARTIAL_PROGRAM))
		fault->mode = SIM_FAULT_EVERY;
	fault->n = fault->mode ? 1 + random_length(32) : 0;
	fault->count = 0;
	if (fault->mode)
		snprintf(text, sizeof(text), "%s%u", modes[fault->mode], fault->n);
	else
		strcpy(text, "off");
	expect_eq(sim_fault_set(&chip->faults[kind], text), 0);
}

/* Copy the chip's state that the model needs for the next step. */
static void look(const u32 *hits_before)
{
	unsigned int i;

	for (i = 0; i < SIM_FAULTS; i++)
		model.hit[i] = chip->faults[i].hits != hits_before[i];
	model.last = true;
	memset(model.chip_wrong, 0, config.size);
	for (i = 0; i < chip->nflips; i++) {
		const struct sim_flip *flip = &chip->flips[i];

		expect(flip->offset < config.size && hweight8(flip->mask) == 1);
		expect(!(model.chip_wrong[flip->offset] & flip->mask));
		model.chip_wrong[flip->offset] |= flip->mask;
	}
}

static void note_hits(u32 *hits)
{
	unsigned int i;

	for (i = 0; i < SIM_FAULTS; i++)
		hits[i] = chip->faults[i].hits;
}

static bool is_like_model(void)
{
	u32 i;

	for (i = 0; i < SIM_FAULTS; i++)
		expect_eq(chip->faults[i].hits, model.faults[i].hits);
	for (i = 0; i < sim_chip_blocks(&config); i++) {
		expect_eq(chip->blocks[i].wear, model.wear[i]);
		expect_eq(chip->blocks[i].broken, model.broken[i]);
		expect_eq(chip->blocks[i].bad, model.bad[i]);
	}
	expect(!memcmp(chip->data, model.data, config.size));
	expect(!memcmp(model.chip_wrong, model.wrong, config.size));
	expect(!chip->oob || !memcmp(chip->oob, model.oob, sim_chip_oob_bytes(&config)));
	expect(!memcmp(&chip->counters, &model.counters, sizeof(model.counters)));
	expect_eq(chip->off, model.off);
	return !tap.bad;
}

/* Mostly data that may be programmed over @offset: they only clear bits. */
static void random_data(u8 *data, u32 offset, u32 len)
{
	u32 kind = random_below(4), i;

	for (i = 0; i < len; i++) {
		data[i] = kind == 3 ? random_u64() : model_byte(offset + i);
		if (kind == 2 || (kind == 1 && !random_below(16)))
			data[i] &= random_u64();
	}
}

static void random_read(void)
{
	u32 offset = random_below(config.size), len = random_length(config.size - offset);
	u8 *data = data_end - len;
	u32 hits[SIM_FAULTS];
	int err;

	memset(data, POISON, len);
	note_hits(hits);
	err = sim_chip_read(chip, offset, len, data);
	look(hits);
	expect_eq(err, model_read(offset, len, data));
	if (err == -EIO)
		expect(!memchr_inv(data, POISON, len));
}

static void random_program(void)
{
	u32 offset = random_below(config.size), len = random_length(config.size - offset);
	u8 *data = data_end - len;
	u32 hits[SIM_FAULTS], done;
	int err;

	random_data(data, offset, len);
	note_hits(hits);
	err = sim_chip_program(chip, offset, len, data, &done);
	look(hits);
	expect_eq(err, model_program(offset, len, data, done));
}

/* The next page of its block, or a random page. */
static u32 random_page(void)
{
	u32 page = random_below(sim_chip_pages(&config)), end;

	if (!random_below(4))
		return page;
	end = page - page % model_block_pages() + model_block_pages();
	page = end - model_block_pages();
	while (page < end - 1 &&
	       memchr(model.stored + page * config.writesize, 1, config.writesize))
		page++;
	return page;
}

static void random_page_io(struct sim_page_io *io, u32 unit)
{
	u32 units = config.writesize / unit;

	memset(io, 0, sizeof(*io));
	io->page = random_page();
	if (random_below(4)) {
		io->column = random_below(2) ? 0 : random_below(units) * unit;
		io->len = config.writesize - io->column;
		if (random_below(2))
			io->len = (1 + random_below(io->len / unit)) * unit;
	}
	if (!io->len || !random_below(3))
		io->oob = oob_end - config.oobsize;
	io->data = data_end - io->len;
	io->raw = !random_below(3);
}

static void random_read_page(void)
{
	struct sim_page_io io;
	u32 hits[SIM_FAULTS];
	int err;

	random_page_io(&io, 1);
	memset(io.data, POISON, io.len);
	note_hits(hits);
	err = sim_chip_read_page(chip, &io);
	look(hits);
	expect_eq(err, model_read_page(&io));
	if (err == -EIO)
		expect(!memchr_inv(io.data, POISON, io.len));
}

/* Mostly out-of-band bytes that can be programmed, and sometimes the marker alone. */
static void random_oob(u8 *oob, const u8 *old)
{
	bool good = random_below(16), marker = !random_below(4);
	u32 i;

	for (i = 0; i < config.oobsize; i++) {
		oob[i] = 0xff;
		if (!random_below(8) && (i < 2 || !marker))
			oob[i] = random_u64() & (good ? old[i] : 0xff);
	}
}

static void random_program_page(void)
{
	struct sim_page_io io;
	u32 hits[SIM_FAULTS];
	int err;

	random_page_io(&io, config.subpage);
	random_data(io.data, io.page * config.writesize + io.column, io.len);
	if (io.oob)
		random_oob(io.oob, model.oob + io.page * config.oobsize);
	note_hits(hits);
	err = sim_chip_program_page(chip, &io);
	look(hits);
	expect_eq(err, model_program_page(&io));
}

static void random_erase(void)
{
	u32 block = random_below(sim_chip_blocks(&config));
	u32 hits[SIM_FAULTS];
	int err;

	note_hits(hits);
	err = sim_chip_erase(chip, block);
	look(hits);
	expect_eq(err, model_erase(block));
}

static void random_mark_bad(void)
{
	u32 block = random_below(sim_chip_blocks(&config));

	if (model.off)
		model.counters.refused_off++;
	else
		model_mark_bad(block);
	expect_eq(sim_chip_mark_bad(chip, block), model.off ? -EIO : 0);
}

static void random_flip(void)
{
	u32 offset = random_below(config.size + 2), bits = random_length(16);
	u32 hits[SIM_FAULTS];
	int err;

	if (!random_below(16))
		bits = random_u64();
	note_hits(hits);
	err = sim_chip_flip(chip, offset, bits);
	look(hits);
	expect_eq(err, model_flip(offset, bits));
}

/* Break a block as the knob does. */
static void break_block(u32 block)
{
	chip->blocks[block].broken = true;
	model.broken[block] = true;
}

static void random_operation(void)
{
	bool nand = config.type == SIM_NAND;
	u32 what = random_below(64);

	if (model.off && random_below(2)) {
		model.off = false;
		chip->off = false;
	}
	if (what < 24)
		nand ? random_read_page() : random_read();
	else if (what < 50)
		nand ? random_program_page() : random_program();
	else if (what < 56)
		random_erase();
	else if (what < 60)
		random_flip();
	else if (what < 62)
		random_fault();
	else if (nand && !random_below(8))
		random_mark_bad();
	else if (!random_below(64))
		break_block(random_below(sim_chip_blocks(&config)));
}

/* The whole life of one medium; returns the number of operations. */
static u32 random_life(enum sim_type type)
{
	u32 ops = random_length(1000), i;

	random_config(type);
	make_chip();
	model_create(&config, chip->data);
	for (i = 0; i < ops && is_like_model(); i++)
		random_operation();
	if (tap.bad)
		tap_note("  operation %u of %u; size %u erasesize %u writesize %u subpage %u",
			 i, ops, config.size, config.erasesize, config.writesize, config.subpage);
	model_destroy();
	free_chip();
	return ops;
}

static void test_random(enum sim_type type)
{
	u8 *data = test_alloc(BLOCK_BYTES_MAX * BLOCKS_MAX), *oob = test_alloc(OOB_BYTES_MAX);
	u64 done = 0;

	data_end = data + BLOCK_BYTES_MAX * BLOCKS_MAX;
	oob_end = oob + OOB_BYTES_MAX;
	while (done < tap.ops / 12 && !tap.bad)
		done += random_life(type);
	free(data);
	free(oob);
}

static void test_ram(void)
{
	test_random(SIM_RAM);
}

static void test_pcm(void)
{
	test_random(SIM_PCM);
}

static void test_nor(void)
{
	test_random(SIM_NOR);
}

static void test_nand(void)
{
	test_random(SIM_NAND);
}

static const struct tap_case cases[] = {
	{ "numbers of blocks, pages and bytes", test_sizes },
	{ "texts of the knobs", test_texts },
	{ "how often faults come", test_hits },
	{ "the time of a page, with and without out-of-band bytes", test_page_times },
	{ "a block marked bad takes the marker only", test_bad_block },
	{ "a torn operation does a part of it", test_torn },
	{ "renewed it is as it was made", test_renew },
	{ "more wrong bits than there may be change nothing", test_too_many_flips },
	{ "RAM against the model", test_ram },
	{ "PCM against the model", test_pcm },
	{ "NOR against the model", test_nor },
	{ "NAND against the model", test_nand },
};

int main(int argc, char **argv)
{
	return tap_main("mtdsim", cases, ARRAY_SIZE(cases), argc, argv);
}
