// SPDX-License-Identifier: GPL-2.0
/*
 * Compares the allocation policies: how often a page is split and how evenly the
 * media wear. Runs the module's own inplace_freelist.c in user space; it allocates space but
 * stores no data. Prints Markdown, or TAP with --tap; exit status 1 if the default policy
 * misses a target.
 */
#include "inplace_freelist.h"
#include "sim.h"

#define PAGES			20000U
#define HEADER_BYTES		8U
#define TURNOVERS		10U
#define HOT_WRITES		100000U
#define HOT_BYTES		800U

/* Targets of the default policy. */
#define TARGET_FRAGMENTS	1.05
#define TARGET_WEAR		2.0

static const char * const policies[] = { "rotate", "best", "largest" };
static const unsigned int fills[] = { 50, 75, 85, 90, 95 };
static const unsigned int regions[] = { 16, 64, 128, 256, 1024, 4096 };

struct page {
	struct mtdc_extent chain[MTDC_CHAIN_MAX];
	int n;
};

struct sim {
	enum mtdc_alloc_policy policy;
	struct mtdc_freelist fl;
	void *memory;
	struct page *pages;
	u32 *wear;		/* writes of each granule */
	unsigned int refused;
};

static u32 granule_bytes = 12;

/* A device that PAGES pages will fill to @fill percent. */
static void sim_init(struct sim *sim, enum mtdc_alloc_policy policy, unsigned int fill)
{
	u64 granules;

	random_seed();
	granules = random_granules(PAGES, HEADER_BYTES, granule_bytes) * 100 / fill;

	memset(sim, 0, sizeof(*sim));
	sim->memory = get_memory(mtdc_freelist_memory(granules));
	sim->pages = get_memory(PAGES * sizeof(*sim->pages));
	sim->wear = get_memory(granules * sizeof(*sim->wear));
	mtdc_freelist_init(&sim->fl, sim->memory, granules, granule_bytes, HEADER_BYTES,
			   PAGE_BYTES);
	sim->policy = policy;
}

static void sim_exit(struct sim *sim)
{
	free(sim->memory);
	free(sim->pages);
	free(sim->wear);
}

/* Like the store, allocate the new place before freeing the old one. */
static void write_page(struct sim *sim, struct page *page, u32 bytes)
{
	struct page new;
	u32 granule;
	int i;

	new.n = mtdc_freelist_alloc(&sim->fl, sim->policy, bytes, new.chain, MTDC_CHAIN_MAX);
	if (new.n < 0 && page->n) {
		mtdc_freelist_free(&sim->fl, page->chain, page->n);
		new.n = mtdc_freelist_alloc(&sim->fl, sim->policy, bytes, new.chain,
					    MTDC_CHAIN_MAX);
		if (new.n < 0)
			mtdc_freelist_claim(&sim->fl, page->chain, page->n);
	} else if (new.n > 0) {
		mtdc_freelist_free(&sim->fl, page->chain, page->n);
	}
	if (new.n < 0) {
		sim->refused++;
		return;
	}
	memcpy(page->chain, new.chain, new.n * sizeof(*new.chain));
	page->n = new.n;
	for (i = 0; i < new.n; i++)
		for (granule = 0; granule < new.chain[i].len; granule++)
			sim->wear[new.chain[i].start + granule]++;
}

static void fill_up(struct sim *sim)
{
	u32 i;

	for (i = 0; i < PAGES; i++)
		write_page(sim, &sim->pages[i], random_size());
}

static void churn(struct sim *sim)
{
	u32 i;

	for (i = 0; i < TURNOVERS * PAGES; i++)
		write_page(sim, &sim->pages[random_u64() % PAGES], random_size());
}

/* Every policy at every fill; returns the default one's fragments at 90 %. */
static double split_pages(bool *sound)
{
	double result = 0;
	unsigned int p, f;

	say("| alloc | fill, %% | fragments a page | longest chain | ");
	say("free fragments a page | largest free, bytes | refused | metadata, bytes a page |\n");
	say("|---|--:|--:|--:|--:|--:|--:|--:|\n");
	for (p = 0; p < ARRAY_SIZE(policies); p++) {
		for (f = 0; f < ARRAY_SIZE(fills); f++) {
			struct sim sim;
			u32 sum = 0, i;
			int longest = 0;

			sim_init(&sim, p, fills[f]);
			fill_up(&sim);
			churn(&sim);
			for (i = 0; i < PAGES; i++) {
				sum += sim.pages[i].n;
				if (sim.pages[i].n > longest)
					longest = sim.pages[i].n;
			}
			say("| %s | %.1f | %.3f | %d | %.3f | %u | %u | %.1f |\n", policies[p],
			    100.0 * (sim.fl.granules - sim.fl.free) / sim.fl.granules,
			    (double)sum / PAGES, longest, (double)sim.fl.fragments / PAGES,
			    mtdc_freelist_largest(&sim.fl) * granule_bytes, sim.refused,
			    (double)mtdc_freelist_memory(sim.fl.granules) / PAGES);
			if (p == MTDC_ALLOC_ROTATE && fills[f] == 90)
				result = (double)sum / PAGES;
			*sound = *sound && !mtdc_freelist_check(&sim.fl);
			sim_exit(&sim);
		}
	}
	return result;
}

static void wear_header(void)
{
	unsigned int r;

	for (r = 0; r < ARRAY_SIZE(regions); r++)
		say(" %u regions |", regions[r]);
	say("\n|---|---|");
	for (r = 0; r < ARRAY_SIZE(regions); r++)
		say("--:|");
	say("\n");
}

/* Prints a row of the table; returns its worst ratio. */
static double wear_row(const struct sim *sim, double mean)
{
	double worst = 0;
	unsigned int r;

	for (r = 0; r < ARRAY_SIZE(regions); r++) {
		double ratio = worst_region(sim->wear, sim->fl.granules, regions[r], mean);

		say(" %.2f |", ratio);
		worst = fmax(worst, ratio);
	}
	say("\n");
	return worst;
}

/* A single hot page on a half-full device; returns the default policy's worst ratio. */
static double hot_page(bool *sound)
{
	double result = 0;
	unsigned int p, churned;
	struct sim sim;
	u32 i, room;

	say("| alloc | media |");
	wear_header();
	for (p = 0; p < ARRAY_SIZE(policies); p++) {
		for (churned = 0; churned < 2; churned++) {
			double worst;

			sim_init(&sim, p, 50);
			fill_up(&sim);
			if (churned)
				churn(&sim);
			room = sim.fl.free;
			memset(sim.wear, 0, sim.fl.granules * sizeof(*sim.wear));
			for (i = 0; i < HOT_WRITES; i++)
				write_page(&sim, &sim.pages[0], HOT_BYTES);
			say("| %s | %s |", policies[p], churned ? "after churn" : "just filled");
			worst = wear_row(&sim, total_wear(sim.wear, sim.fl.granules) / room);
			if (p == MTDC_ALLOC_ROTATE)
				result = fmax(result, worst);
			*sound = *sound && !mtdc_freelist_check(&sim.fl);
			sim_exit(&sim);
		}
	}
	return result;
}

static void uniform(bool *sound)
{
	struct sim sim;
	unsigned int p;

	say("| alloc | media |");
	wear_header();
	for (p = 0; p < ARRAY_SIZE(policies); p++) {
		sim_init(&sim, p, 90);
		fill_up(&sim);
		memset(sim.wear, 0, sim.fl.granules * sizeof(*sim.wear));
		churn(&sim);
		say("| %s | 90 %% full |", policies[p]);
		wear_row(&sim, total_wear(sim.wear, sim.fl.granules) / sim.fl.granules);
		*sound = *sound && !mtdc_freelist_check(&sim.fl);
		sim_exit(&sim);
	}
}

int main(int argc, char **argv)
{
	double split, wear;
	bool sound = true;
	int i;

	for (i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--tap"))
			continue;
		if (atoi(argv[i]) <= 0) {
			fprintf(stderr, "usage: sim [--tap] [GRANULE_BYTES]\n");
			return 1;
		}
		granule_bytes = atoi(argv[i]);
	}
	begin(argc, argv, "sim: ", 3);

	say("%u pages of %u bytes, %.0f %% incompressible, the others lognormal with mean %.0f\n",
	    PAGES, PAGE_BYTES, 100 * INCOMPRESSIBLE, BYTES_MEAN);
	say("and sigma %.1f, cut at %.0f and %.0f; granules of %u bytes, fragment headers of %u\n",
	    BYTES_SIGMA, BYTES_LEAST, BYTES_MOST, granule_bytes, HEADER_BYTES);
	say("\nSplitting, after %u turnovers of random overwrites:\n\n", TURNOVERS);
	split = split_pages(&sound);
	say("\nWear of one hot page, rewritten %u times on a half-full device: writes to the\n",
	    HOT_WRITES);
	say("most worn region, divided by the mean of the free half:\n\n");
	wear = hot_page(&sound);
	say("\nWear of %u turnovers of random overwrites: writes to the most worn region,\n",
	    TURNOVERS);
	say("divided by the mean of the media:\n\n");
	uniform(&sound);
	say("\nTargets of alloc=rotate:\n\n");
	check(split <= TARGET_FRAGMENTS, "fragments a page at 90 %% full: %.3f, at most %.2f",
	      split, TARGET_FRAGMENTS);
	check(wear <= TARGET_WEAR, "most worn region of a hot page: %.2f, at most %.1f",
	      wear, TARGET_WEAR);
	check(sound, "all free lists are whole in the end");
	return missed ? 1 : 0;
}
