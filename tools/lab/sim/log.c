// SPDX-License-Identifier: GPL-2.0
/*
 * The log on flash without errors: write amplification and evenness of wear. Runs
 * the module's own units in user space; records have a length but no contents. Prints
 * Markdown, or TAP with --tap; exit status 1 if a target is missed.
 */
#include <linux/errno.h>
#include <linux/random.h>

#include "log.h"
#include "sim.h"

/* A chip of 128 MiB, and one with small blocks for long runs. */
#define CHIP_BLOCKS		1024U
#define CHIP_BLOCK_BYTES	131072U
#define LONG_BLOCKS		256U
#define LONG_BLOCK_BYTES	65536U
#define UNIT_BYTES		2048U

#define TURNOVERS		6U
#define LONG_TURNOVERS		500U

/* Write amplification divided by theory() (the first two); largest by mean erase count. */
#define TARGET_UNIFORM		1.1
#define TARGET_SKEWED		1.5
#define TARGET_SPREAD		1.1

/* Incompressible pages moved for a write, except writes that wait for a block. */
#define TARGET_MOVED		5U

struct sim {
	struct mtdc_log log;
	struct mtdc_log_geo geo;
	void *memory;
	u32 pages;
	u64 payload;		/* bytes written by the host since sim_forget() */
	u64 writes;
	u32 most_moved;		/* bytes moved for a write */
};

/* The log has no keys here. */
void get_random_bytes(void *to, size_t bytes)
{
	memset(to, 0, bytes);
}

static u8 record[PAGE_BYTES + MTDC_FRAGMENT_BYTES];

static void sim_init(struct sim *sim, u32 blocks, u32 block_bytes, u32 spread)
{
	u32 i;

	random_seed();
	memset(sim, 0, sizeof(*sim));
	sim->geo.blocks = blocks;
	sim->geo.block_bytes = block_bytes;
	sim->geo.unit_bytes = UNIT_BYTES;
	sim->geo.write_bytes = UNIT_BYTES;
	sim->geo.page_bytes = PAGE_BYTES;
	sim->geo.pages = (u64)blocks * block_bytes / 512;
	sim->geo.spread = spread;
	sim->memory = get_memory(mtdc_log_memory(&sim->geo));
	if (!mtdc_log_suits(&sim->geo))
		errx(1, "no such log");
	mtdc_log_init(&sim->log, sim->memory, &sim->geo);
	for (i = 0; i < blocks; i++)
		mtdc_log_found(&sim->log, i, NULL);
	if (mtdc_log_settle(&sim->log))
		errx(1, "too few blocks");
}

static void write_bytes(struct sim *sim, u32 page, u32 bytes)
{
	struct mtdc_place place = { .kind = MTDC_COMPRESSED, .bytes = bytes };
	u64 moved = sim->log.stats.moved_bytes;
	struct mtdc_log_job job;
	int err;

	if (mtdc_log_admit(&sim->log, page, place.bytes))
		errx(1, "a page is refused");
	while ((err = mtdc_log_room(&sim->log, place.bytes, &job)) == -EAGAIN)
		mtdc_log_done(&sim->log, &job, 0);
	if (err)
		errx(1, "there is no room for a page");
	mtdc_log_append(&sim->log, page, &place, record);
	while (mtdc_log_next(&sim->log, &job))
		mtdc_log_done(&sim->log, &job, 0);
	sim->payload += place.bytes;
	sim->writes++;
	moved = sim->log.stats.moved_bytes - moved;
	if (moved > sim->most_moved)
		sim->most_moved = moved;
}

static void write_page(struct sim *sim, u32 page)
{
	write_bytes(sim, page, random_size());
}

/* Fill @percent of all blocks with live records, headers included. */
static void fill_up(struct sim *sim, u32 percent)
{
	u64 want = (u64)sim->geo.blocks * sim->geo.block_bytes * percent / 100;

	for (sim->pages = 0; sim->log.blocks.live < want; sim->pages++)
		write_page(sim, sim->pages);
}

static void sim_forget(struct sim *sim)
{
	memset(&sim->log.stats, 0, sizeof(sim->log.stats));
	sim->payload = 0;
	sim->writes = 0;
	sim->most_moved = 0;
}

/* 90 % of the writes go to 10 % of the pages, those after @cold of them. */
static u32 skewed_page(const struct sim *sim, u32 cold)
{
	return cold + random_skewed(sim->pages - cold);
}

/*
 * Write amplification of greedy cleaning of uniform random writes, with @fill of
 * the media live: a / (a + W(-a exp(-a))), a = 1 / fill. L. Xiang, B. Kurkoski:
 * An Improved Analytic Expression for Write Amplification in NAND Flash, 2011
 * (arXiv 1110.4245), which has 2.36 for a = 1.3, and 2.35 by simulation;
 * P. Desnoyers: Analytic Modeling of SSD Write Performance, 2012, has the same.
 */
static double theory(double fill)
{
	double a = 1 / fill, x = -a * exp(-a), w = -0.5;
	int i;

	/* W is the solution of w exp(w) = x above -1; by Newton. */
	for (i = 0; i < 100; i++)
		w -= (w * exp(w) - x) / ((w + 1) * exp(w));
	return a / (a + w);
}

static double amplification(const struct sim *sim)
{
	return (double)sim->log.stats.programmed_bytes / sim->payload;
}

static void churn(struct sim *sim, u32 turnovers, bool skewed)
{
	u64 left = (u64)turnovers * sim->pages;

	while (left--)
		write_page(sim, skewed ? skewed_page(sim, 0) : random_below(sim->pages));
}

static double one_fill(u32 percent, bool skewed, u32 *most_moved)
{
	double want = theory(percent / 100.0), got;
	struct mtdc_log_geo geo;
	struct sim sim;

	sim_init(&sim, CHIP_BLOCKS, CHIP_BLOCK_BYTES, MTDC_LOG_SPREAD);
	fill_up(&sim, percent);
	/* Reach the steady state, because the pages were first written in order. */
	churn(&sim, TURNOVERS, skewed);
	sim_forget(&sim);
	churn(&sim, TURNOVERS / 2, skewed);
	got = amplification(&sim);
	/* The same device with exactly the stored number of pages. */
	geo = sim.geo;
	geo.pages = sim.pages;
	say("| %u | %s | %.3f | %.3f | %.2f | %.3f | %.1f | %u | %.1f |\n", percent,
	    skewed ? "90/10" : "uniform", got, want, got / want,
	    (double)sim.log.stats.erases * sim.geo.block_bytes / sim.payload,
	    100.0 * sim.log.stats.padding_bytes / sim.log.stats.programmed_bytes,
	    sim.most_moved, (double)mtdc_log_memory(&geo) / sim.pages);
	if (percent == 80 && sim.most_moved > *most_moved)
		*most_moved = sim.most_moved;
	free(sim.memory);
	return got / want;
}

/*
 * Fill the device to the last promised byte and overwrite all of it. If a write is
 * refused there is no table.
 */
static void promise(void)
{
	u32 least = mtdc_log_record_bytes(1), bytes;
	struct sim sim;
	u64 left, room;

	sim_init(&sim, CHIP_BLOCKS, CHIP_BLOCK_BYTES, MTDC_LOG_SPREAD);
	while ((room = mtdc_log_capacity(&sim.log) - sim.log.blocks.live) >= least) {
		bytes = random_size();
		if (mtdc_log_record_bytes(bytes) > room)
			bytes = room / MTDC_LOG_ALIGN * MTDC_LOG_ALIGN - MTDC_FRAGMENT_BYTES;
		write_bytes(&sim, sim.pages++, bytes);
	}
	for (left = sim.pages, sim_forget(&sim); left--;) {
		u32 page = random_below(sim.pages);

		mtdc_map_get(&sim.log.map, page, &sim.log.place);
		write_bytes(&sim, page, sim.log.place.bytes);
	}
	say("\nFull to the last byte that is promised, which is %.1f %% of the media: %.2f bytes\n",
	    100.0 * mtdc_log_capacity(&sim.log) / sim.geo.blocks / sim.geo.block_bytes,
	    amplification(&sim));
	say("are programmed for each of payload, %u moved at most for one write.\n",
	    sim.most_moved);
	free(sim.memory);
}

static void spread_of(const struct sim *sim, double *mean, u32 *least, u32 *most)
{
	double sum = 0;
	u32 i;

	*least = U32_MAX;
	*most = 0;
	for (i = 0; i < sim->geo.blocks; i++) {
		u32 erases = sim->log.blocks.wear.erases[i];

		sum += erases;
		*least = erases < *least ? erases : *least;
		*most = erases > *most ? erases : *most;
	}
	*mean = sum / sim->geo.blocks;
}

/* Wear if half of the data are never written again. */
static double wear(u32 spread, u32 turnovers)
{
	u32 least, most;
	struct sim sim;
	double mean;
	u64 left;

	sim_init(&sim, LONG_BLOCKS, LONG_BLOCK_BYTES, spread);
	fill_up(&sim, 79);
	sim_forget(&sim);
	for (left = (u64)turnovers * sim.pages; left--;)
		write_page(&sim, skewed_page(&sim, sim.pages / 2));
	spread_of(&sim, &mean, &least, &most);
	if (spread == U32_MAX)
		say("| none |");
	else
		say("| %u |", spread);
	say(" %u | %.0f | %u | %.3f | %.3f | %llu |\n", least, mean, most, most / mean,
	    amplification(&sim), sim.log.stats.levelled);
	if (mtdc_log_check(&sim.log))
		errx(1, "the log is not whole in the end");
	free(sim.memory);
	return most / mean;
}

int main(int argc, char **argv)
{
	static const u32 spreads[] = { U32_MAX, 256, 64, MTDC_LOG_SPREAD, 8 };
	double uniform = 0, skewed = 0, spread = 0, ratio;
	bool quick = has_option(argc, argv, "--quick");
	unsigned int i;
	u32 percent, moved = 0;

	begin(argc, argv, "logsim: ", 4);
	say("Blocks of %u KiB, %u of them, units of %u bytes; pages of %u bytes, %.0f %%\n",
	    CHIP_BLOCK_BYTES / 1024, CHIP_BLOCKS, UNIT_BYTES, PAGE_BYTES, 100 * INCOMPRESSIBLE);
	say("incompressible, the others lognormal with mean %.0f and sigma %.1f\n", BYTES_MEAN,
	    BYTES_SIGMA);
	say("\nWrite amplification: bytes programmed for each byte of payload, %u turnovers\n",
	    TURNOVERS / 2);
	say("after %u, and that of the theory of greedy cleaning of uniform writes:\n\n",
	    TURNOVERS);
	say("| live, %% | writes | programmed / payload | theory | of it | erased / payload | ");
	say("padding, %% | most moved for a write, bytes | metadata, bytes a page |\n");
	say("|--:|---|--:|--:|--:|--:|--:|--:|--:|\n");
	for (percent = quick ? 80 : 50; percent <= (quick ? 80 : 85); percent += 5) {
		ratio = one_fill(percent, false, &moved);
		uniform = percent == 80 ? ratio : uniform;
		ratio = one_fill(percent, true, &moved);
		skewed = percent == 80 ? ratio : skewed;
	}
	promise();
	say("\nErase counts after %u turnovers of writes, 90 %% of them to 10 %% of one half of\n",
	    LONG_TURNOVERS);
	say("the pages, 79 %% live; %u blocks of %u KiB, by the bound of the spread:\n\n",
	    LONG_BLOCKS, LONG_BLOCK_BYTES / 1024);
	say("| spread= | least | mean | most | most / mean | programmed / payload | levelled |\n");
	say("|--:|--:|--:|--:|--:|--:|--:|\n");
	for (i = 0; i < ARRAY_SIZE(spreads); i++) {
		if (quick && spreads[i] != MTDC_LOG_SPREAD)
			continue;
		ratio = wear(spreads[i], LONG_TURNOVERS);
		spread = spreads[i] == MTDC_LOG_SPREAD ? ratio : spread;
	}
	say("\nTargets:\n\n");
	check(uniform <= TARGET_UNIFORM, "80 %% live, uniform: %.3f of the theory, at most %.1f",
	      uniform, TARGET_UNIFORM);
	check(skewed <= TARGET_SKEWED, "80 %% live, 90/10: %.3f of the theory, at most %.1f",
	      skewed, TARGET_SKEWED);
	check(spread <= TARGET_SPREAD, "most worn block, half of the data cold: %.3f, at most %.1f",
	      spread, TARGET_SPREAD);
	check(moved <= TARGET_MOVED * mtdc_log_record_bytes(PAGE_BYTES),
	      "80 %% live, moved for one write: %u bytes, at most %u pages that do not compress",
	      moved, TARGET_MOVED);
	return missed ? 1 : 0;
}
