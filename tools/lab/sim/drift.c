// SPDX-License-Identifier: GPL-2.0
/*
 * Wear of media that are rewritten in place, with and without moving cold data, if half of
 * the data are never written again. Runs the module's inplace_freelist.c and inplace_drift.c
 * in user space; it allocates space but stores no data. Prints Markdown, or TAP with --tap;
 * exit status 1 if the target is missed.
 */
#include "inplace_drift.h"
#include "inplace_freelist.h"
#include "sim.h"

#define PAGES			8000U
#define HEADER_BYTES		8U
#define GRANULE_BYTES		20U
#define FILL			80U
#define TURNOVERS		500U

#define TARGET_WEAR		1.5

static const unsigned int regions[] = { 16, 128, 1024, 4096 };

struct page {
	struct mtdc_extent chain[MTDC_CHAIN_MAX];
	int n;
	u32 bytes;
};

struct sim {
	struct mtdc_freelist fl;
	struct mtdc_drift drift;
	void *memory;
	struct page *pages;
	u32 *wear;		/* writes of each granule */
	u64 writes;		/* granules written by the host, */
	u64 moves;		/* and granules written to move cold data */
	unsigned int refused;
	unsigned int split;	/* moves skipped because they would split the page */
};

static void sim_init(struct sim *sim, u32 every)
{
	u64 granules;

	random_seed();
	granules = random_granules(PAGES, HEADER_BYTES, GRANULE_BYTES) * 100 / FILL;

	memset(sim, 0, sizeof(*sim));
	sim->memory = get_memory(mtdc_freelist_memory(granules));
	sim->pages = get_memory(PAGES * sizeof(*sim->pages));
	sim->wear = get_memory(granules * sizeof(*sim->wear));
	mtdc_freelist_init(&sim->fl, sim->memory, granules, GRANULE_BYTES, HEADER_BYTES,
			   PAGE_BYTES);
	mtdc_drift_init(&sim->drift, PAGES, every);
}

static void sim_exit(struct sim *sim)
{
	free(sim->memory);
	free(sim->pages);
	free(sim->wear);
}

/* Allocates the new place before it frees the old one. Returns granules written, or 0. */
static u32 place_page(struct sim *sim, struct page *page, u32 bytes, unsigned int most)
{
	u32 written = 0, granule;
	struct page new;
	int i;

	new.n = mtdc_freelist_alloc(&sim->fl, MTDC_ALLOC_ROTATE, bytes, new.chain, most);
	if (new.n < 0)
		return 0;
	new.bytes = bytes;
	mtdc_freelist_free(&sim->fl, page->chain, page->n);
	for (i = 0; i < new.n; i++) {
		for (granule = 0; granule < new.chain[i].len; granule++)
			sim->wear[new.chain[i].start + granule]++;
		written += new.chain[i].len;
	}
	*page = new;
	return written;
}

static bool is_stored(const void *arg, u32 page)
{
	const struct sim *sim = arg;

	return sim->pages[page].n > 0;
}

static void write_page(struct sim *sim, u32 page)
{
	u32 written = place_page(sim, &sim->pages[page], random_size(), MTDC_CHAIN_MAX);
	u32 moved;

	sim->writes += written;
	sim->refused += !written;
	if (!mtdc_drift_due(&sim->drift))
		return;
	page = mtdc_drift_next(&sim->drift, is_stored, sim);
	if (page == MTDC_DRIFT_NONE)
		return;
	/* Do not split a page to move it. */
	moved = place_page(sim, &sim->pages[page], sim->pages[page].bytes, 1);
	sim->moves += moved;
	sim->split += !moved;
}

/* 90 % of the writes go to 10 % of the half that is written again. */
static u32 skewed_page(void)
{
	return PAGES / 2 + random_skewed(PAGES - PAGES / 2);
}

/* Prints a row of the table; returns its worst ratio. */
static double run(u32 every, bool *sound)
{
	double result = 0, mean;
	unsigned int r;
	struct sim sim;
	u32 i;

	sim_init(&sim, every);
	for (i = 0; i < PAGES; i++)
		write_page(&sim, i);
	memset(sim.wear, 0, sim.fl.granules * sizeof(*sim.wear));
	sim.writes = 0;
	sim.moves = 0;
	for (i = 0; i < TURNOVERS * PAGES; i++)
		write_page(&sim, skewed_page());
	mean = total_wear(sim.wear, sim.fl.granules) / sim.fl.granules;
	if (every)
		say("| %u |", every);
	else
		say("| never |");
	for (r = 0; r < ARRAY_SIZE(regions); r++) {
		double ratio = worst_region(sim.wear, sim.fl.granules, regions[r], mean);

		say(" %.2f |", ratio);
		result = fmax(result, ratio);
	}
	say(" %.2f | %.1f | %u | %u |\n",
	    worst_region(sim.wear, sim.fl.granules, sim.fl.granules, mean),
	    100.0 * sim.moves / sim.writes, sim.split, sim.refused);
	*sound = *sound && !mtdc_freelist_check(&sim.fl);
	sim_exit(&sim);
	return result;
}

int main(int argc, char **argv)
{
	static const u32 steps[] = { 0, 64, 32, MTDC_DRIFT_EVERY, 8 };
	double worst = 0, ratio;
	bool quick = has_option(argc, argv, "--quick"), sound = true;
	unsigned int i;

	/* No prefix: the texts of the checks name their subject. */
	begin(argc, argv, "", 2);
	say("Media %u %% full; %u pages, half of them never written again, and %u turnovers\n",
	    FILL, PAGES, TURNOVERS);
	say("of writes to the others, 90 %% of them to a tenth. Writes to the most worn region,\n");
	say("divided by the mean, by the page writes for each page that is moved:\n\n");
	say("| writes |");
	for (i = 0; i < ARRAY_SIZE(regions); i++)
		say(" %u regions |", regions[i]);
	say(" granule | moved, %% of written | not moved | refused |\n");
	say("|---|--:|--:|--:|--:|--:|--:|--:|--:|\n");
	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		if (quick && steps[i] != MTDC_DRIFT_EVERY)
			continue;
		ratio = run(steps[i], &sound);
		if (steps[i] == MTDC_DRIFT_EVERY)
			worst = ratio;
	}
	say("\n");
	check(worst <= TARGET_WEAR,
	      "drift: most worn region, a page moved for %u writes: %.2f, at most %.1f",
	      MTDC_DRIFT_EVERY, worst, TARGET_WEAR);
	check(sound, "drift: all free lists are whole in the end");
	return missed ? 1 : 0;
}
