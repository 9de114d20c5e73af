// SPDX-License-Identifier: GPL-2.0
/*
 * Do cold pages take less space when several of them are compressed together? This measures the
 * bytes and the time of pages alone, of units of 4 to 16 pages, and of pages with a dictionary. It
 * uses the driver's compressors on the kernel's own libraries; units.sh compiles all of it.
 *
 * usage: units PAGES PROGRAMS [DICTIONARY...]
 *        units PAGES PROGRAMS --samples DIR
 *        units PAGES PROGRAMS --swap NAME
 *
 * PAGES has all pages of the programs of PROGRAMS, the CSV that pageset.py prints, in the order of
 * their addresses. A DICTIONARY "FAMILY-all" is for all pages. "FAMILY-N" is for program N only;
 * the figures of a family are the sum over its dictionaries. --samples writes pages to train
 * dictionaries with, DIR/N and DIR/all; none of them is in the order that dictionaries are measured
 * with. With --swap, PAGES are a swap area in the order of its slots. Prints CSV.
 *
 * Every page is read back and compared. Pages of one word over and over are left out, because the
 * driver keeps them in its map.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <linux/kernel.h>
#include <linux/zstd_lib.h>

#include "comp.h"
#include "log_pages.h"
#include "pages.h"
#include "store_fill.h"

/* Pages of the longest unit; all runs of an order have this many, so units of all sizes fit. */
#define RUN		16U
/* Pages of an order at most, as many of each program: 1000 of 11, as in pageset.py's set. */
#define PAGES_MAX	11000U
#define PROGRAMS_MAX	16U
#define GRANULE		20U
/* Beyond what any level needs for 64 KiB and a dictionary of 64 KiB. */
#define WORKSPACE	(16U << 20)

struct program {
	u32 *pages;	/* numbers of those that need media */
	u32 n;
};

struct order {
	const char *name;
	u32 *pages;
	u32 n;
};

/* A way to store pages; pack() returns 0 if that gains nothing. */
struct coder {
	u32 unit_pages;
	size_t (*pack)(struct coder *coder, const u8 *unit, u8 *packed);
	size_t (*unpack)(struct coder *coder, const u8 *packed, size_t bytes, u32 page, u8 *unit);
	struct mtdc_comp comp;
	ZSTD_parameters params;
	const ZSTD_CDict *cdict;
	const ZSTD_DDict *ddict;
};

struct cost {
	u64 payload, log, sealed, place;	/* bytes; sealed: in an encrypted log */
	u32 pages;
	double write_ns, read_ns;		/* medians; writing is for each page of a unit */
};

static struct program programs[PROGRAMS_MAX];
static u32 nprograms;
static u32 limit;	/* pages of a program at most */
static ZSTD_CCtx *cctx;
static ZSTD_DCtx *dctx;

static u64 now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static void *get(size_t bytes)
{
	void *p = calloc(1, bytes);

	if (!p)
		err(1, "memory");
	return p;
}

static bool needs_media(u32 page)
{
	u64 word;

	return !mtdc_fill_detect(set_page(page), PAGE, &word);
}

static void read_programs(const char *path)
{
	FILE *file = fopen(path, "r");
	u32 has, taken, first = 0, i;
	char line[200];

	if (!file || !fgets(line, sizeof(line), file))
		err(2, "%s", path);
	while (fgets(line, sizeof(line), file)) {
		struct program *program = &programs[nprograms++];

		if (nprograms == PROGRAMS_MAX ||
		    sscanf(line, "%*[^,],%u,%u", &has, &taken) != 2 || first + taken > npages)
			errx(2, "%s: %s", path, line);
		program->pages = get(taken * sizeof(u32));
		for (i = 0; i < taken; i++)
			if (needs_media(first + i))
				program->pages[program->n++] = first + i;
		first += taken;
	}
	fclose(file);
	if (!nprograms)
		errx(2, "%s names no program", path);
	limit = PAGES_MAX / nprograms;
}

static void shuffle(u32 *pages, u32 n)
{
	u32 other, page;

	for (; n > 1; n--) {
		other = random_below(n);
		page = pages[n - 1];
		pages[n - 1] = pages[other];
		pages[other] = page;
	}
}

/* Adds runs of pages that are neighbours in this list, spread evenly over it. */
static void add_runs(struct order *order, const u32 *list, u32 n)
{
	u32 runs = (n < limit ? n : limit) / RUN, i;

	for (i = 0; i < runs; i++) {
		/* The runs do not overlap: n >= runs * RUN. */
		memcpy(order->pages + order->n, list + (u64)i * (n - RUN) / runs,
		       RUN * sizeof(u32));
		order->n += RUN;
	}
}

/* The pages of a program that are still there after others were freed; returns their number. */
static u32 survive(const struct program *program, u32 one_in, u32 *list)
{
	u32 i, n = 0;

	for (i = 0; i < program->n; i++)
		if (!random_below(one_in))
			list[n++] = program->pages[i];
	return n;
}

/* As pageset.py takes its set. */
static u32 spread(const struct program *program, u32 *list)
{
	u32 n = program->n < limit ? program->n : limit, i;

	for (i = 0; i < n; i++)
		list[i] = program->pages[(u64)i * program->n / n];
	return n;
}

enum { NEIGHBOURS, SURVIVORS, SET, SHUFFLED, MIXED, ORDERS };

static struct order orders[ORDERS] = {
	[NEIGHBOURS] = { .name = "neighbours" },
	[SURVIVORS] = { .name = "survivors" },
	[SET] = { .name = "set" },
	[SHUFFLED] = { .name = "shuffled" },
	[MIXED] = { .name = "mixed" },
};

static void make_orders(void)
{
	u32 *list = get(npages * sizeof(u32)), i, n;

	for (i = 0; i < ORDERS; i++)
		orders[i].pages = get(PAGES_MAX * sizeof(u32));
	for (i = 0; i < nprograms; i++) {
		struct program *program = &programs[i];

		add_runs(&orders[NEIGHBOURS], program->pages, program->n);
		n = survive(program, 3, list);
		add_runs(&orders[SURVIVORS], list, n);
		n = spread(program, list);
		add_runs(&orders[SET], list, n);
		shuffle(list, n);
		add_runs(&orders[SHUFFLED], list, n);
	}
	memcpy(orders[MIXED].pages, orders[SET].pages, orders[SET].n * sizeof(u32));
	orders[MIXED].n = orders[SET].n;
	shuffle(orders[MIXED].pages, orders[MIXED].n);
	free(list);
}

static size_t pack_whole(struct coder *coder, const u8 *unit, u8 *packed)
{
	u32 bytes = coder->unit_pages * PAGE;
	int len = coder->comp.ops->compress(coder->comp.ctx, unit, bytes, packed,
					    bytes - MTDC_LOG_ALIGN);

	return len > 0 ? len : 0;
}

static size_t unpack_whole(struct coder *coder, const u8 *packed, size_t bytes, u32 page, u8 *unit)
{
	(void)page;
	return coder->comp.ops->decompress(coder->comp.ctx, packed, bytes, unit,
					   coder->unit_pages * PAGE);
}

/* Each page is a block of its own, which refers to those before it: a read stops behind it. */
static size_t pack_blocks(struct coder *coder, const u8 *unit, u8 *packed)
{
	size_t bytes = coder->unit_pages * PAGE, room = 2 * bytes, at = 0, len;
	u32 i;

	if (ZSTD_isError(ZSTD_compressBegin_advanced(cctx, NULL, 0, coder->params, bytes)))
		errx(3, "zstd does not begin");
	for (i = 0; i < coder->unit_pages; i++, unit += PAGE) {
		if (i + 1 < coder->unit_pages)
			len = ZSTD_compressContinue(cctx, packed + at, room - at, unit, PAGE);
		else
			len = ZSTD_compressEnd(cctx, packed + at, room - at, unit, PAGE);
		if (ZSTD_isError(len))
			errx(3, "zstd: %s", ZSTD_getErrorName(len));
		at += len;
	}
	return at < bytes ? at : 0;
}

static size_t unpack_blocks(struct coder *coder, const u8 *packed, size_t bytes, u32 page, u8 *unit)
{
	size_t done = 0, next, len;

	(void)coder;
	(void)bytes;
	ZSTD_decompressBegin(dctx);
	while (done < (page + 1) * PAGE) {
		next = ZSTD_nextSrcSizeToDecompress(dctx);
		len = ZSTD_decompressContinue(dctx, unit + done, 2 * PAGE, packed, next);
		if (!next || ZSTD_isError(len))
			return 0;
		packed += next;
		done += len;
	}
	return done;
}

static size_t pack_dict(struct coder *coder, const u8 *unit, u8 *packed)
{
	size_t len = ZSTD_compress_usingCDict_advanced(cctx, packed, 2 * PAGE, unit, PAGE,
						       coder->cdict, coder->params.fParams);

	if (ZSTD_isError(len))
		errx(3, "zstd: %s", ZSTD_getErrorName(len));
	return len < PAGE ? len : 0;
}

static size_t unpack_dict(struct coder *coder, const u8 *packed, size_t bytes, u32 page, u8 *unit)
{
	(void)page;
	return ZSTD_decompress_usingDDict(dctx, unit, PAGE, packed, bytes, coder->ddict);
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *times, u32 n)
{
	qsort(times, n, sizeof(*times), ascending);
	return n ? times[n / 2] : 0;
}

static u32 round_to(u32 bytes, u32 multiple)
{
	return (bytes + multiple - 1) / multiple * multiple;
}

/* The header has the number of one page; a unit needs the others, too. */
static void count_bytes(struct cost *cost, u32 payload, u32 unit_pages)
{
	u32 bytes = payload + (unit_pages - 1) * sizeof(u32);

	cost->payload += payload;
	cost->log += mtdc_log_record_bytes(bytes);
	cost->sealed += mtdc_log_record_bytes(bytes + MTDC_CRYPT_BYTES);
	cost->place += round_to(bytes + MTDC_FRAGMENT_BYTES, GRANULE);
	cost->pages += unit_pages;
}

/* Stores the order's pages; @lens: length of each unit, or NULL. */
static struct cost measure(struct coder *coder, const struct order *order, u32 *lens)
{
	static u8 unit[RUN * PAGE], back[(RUN + 1) * PAGE], packed[2 * RUN * PAGE];
	u32 n = order->n / coder->unit_pages, timed = 0, i, j, page;
	double *writes = get((n + 1) * sizeof(double)), *reads = get((n + 1) * sizeof(double));
	struct cost cost = { 0 };
	size_t len;
	u64 start;

	for (i = 0; i < n; i++) {
		for (j = 0; j < coder->unit_pages; j++)
			memcpy(unit + j * PAGE, set_page(order->pages[i * coder->unit_pages + j]),
			       PAGE);
		start = now();
		len = coder->pack(coder, unit, packed);
		writes[i] = (double)(now() - start) / coder->unit_pages;
		count_bytes(&cost, len ?: coder->unit_pages * PAGE, coder->unit_pages);
		if (lens)
			lens[i] = len ?: PAGE;
		if (!len)
			continue;
		page = random_below(coder->unit_pages);
		start = now();
		coder->unpack(coder, packed, len, page, back);
		reads[timed++] = now() - start;
		if (memcmp(back + page * PAGE, unit + page * PAGE, PAGE))
			errx(3, "wrong data");
	}
	cost.write_ns = median(writes, n);
	cost.read_ns = median(reads, timed);
	free(writes);
	free(reads);
	return cost;
}

static void print(const char *order, const char *way, const char *comp, int level, u32 pages,
		  const struct cost *cost, const struct cost *alone)
{
	double n = cost->pages, before = alone->log / (double)alone->pages;

	printf("%s,%s,%s,%d,%u,%u,%.1f,%.1f,%.1f,%.1f,%.1f,%.0f,%.0f\n", order, way, comp, level,
	       pages, cost->pages, cost->payload / n, cost->log / n, cost->sealed / n,
	       cost->place / n, 100 * (before - cost->log / n) / before, cost->write_ns,
	       cost->read_ns);
	fflush(stdout);
}

static struct coder driver_coder(const char *name, int level, u32 unit_pages)
{
	struct coder coder = {
		.unit_pages = unit_pages, .pack = pack_whole, .unpack = unpack_whole,
	};
	const struct mtdc_comp_ops *ops;

	if (mtdc_comp_find(name, &ops) ||
	    mtdc_comp_create(&coder.comp, ops, level, unit_pages * PAGE))
		errx(3, "%s: no such compressor or level", name);
	return coder;
}

static struct cost measure_driver(const char *name, int level, u32 unit_pages,
				  const struct order *order, u32 *lens)
{
	struct coder coder = driver_coder(name, level, unit_pages);
	struct cost cost = measure(&coder, order, lens);

	mtdc_comp_destroy(&coder.comp);
	return cost;
}

static void measure_units(const struct order *order, int level)
{
	struct cost alone = measure_driver("zstd", level, 1, order, NULL), cost;
	u32 pages;

	print(order->name, "alone", "zstd", level, 1, &alone, &alone);
	for (pages = 4; pages <= RUN; pages *= 2) {
		struct coder blocks = {
			.unit_pages = pages, .pack = pack_blocks, .unpack = unpack_blocks,
			.params = ZSTD_getParams(level, pages * PAGE, 0),
		};

		cost = measure_driver("zstd", level, pages, order, NULL);
		print(order->name, "whole", "zstd", level, pages, &cost, &alone);
		cost = measure(&blocks, order, NULL);
		print(order->name, "blocks", "zstd", level, pages, &cost, &alone);
	}
}

/*
 * Should the driver keep a page as lz4 stored it, if zstd gains little? For each least gain in
 * hundredths: the share of pages that gain as much, and their share of all that zstd saves.
 */
static void print_savings(int level, const u32 *fast, const u32 *dense, u32 n)
{
	static const u32 least[] = { 0, 5, 10, 20, 30, 40 };
	u32 i, k, pages;
	double saved, all = 0;

	for (k = 0; k < ARRAY_SIZE(least); k++) {
		for (i = pages = saved = 0; i < n; i++) {
			int gain = (int)mtdc_log_record_bytes(fast[i]) -
				   (int)mtdc_log_record_bytes(dense[i]);

			if (gain > 0 && gain * 100U >= least[k] * fast[i]) {
				saved += gain;
				pages++;
			}
		}
		if (!k)
			all = saved;
		printf("saving,lz4,zstd,%d,%u,%.1f,%.1f\n", level, least[k], 100.0 * pages / n,
		       100 * saved / all);
	}
}

static void measure_alone(const struct order *order)
{
	static const struct {
		const char *name;
		int level;
	} all[] = {
		{ "lz4", 1 }, { "lzo", 0 }, { "zlib", 1 }, { "zlib", 6 }, { "zlib", 9 },
		{ "zstd", 1 }, { "zstd", 3 }, { "zstd", 6 }, { "zstd", 9 }, { "zstd", 19 },
	};
	u32 *fast = get(order->n * sizeof(u32)), *lens = get(order->n * sizeof(u32)), i;
	struct cost lz4, cost;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		cost = measure_driver(all[i].name, all[i].level, 1, order, i ? lens : fast);
		if (!i)
			lz4 = cost;
		print(order->name, "single", all[i].name, all[i].level, 1, &cost, &lz4);
		if (!strcmp(all[i].name, "zstd"))
			print_savings(all[i].level, fast, lens, order->n);
	}
	free(fast);
	free(lens);
}

static void *read_file(const char *path, size_t *bytes)
{
	FILE *file = fopen(path, "rb");
	u8 *data = get(1U << 20);

	if (!file)
		err(2, "%s", path);
	*bytes = fread(data, 1, 1U << 20, file);
	fclose(file);
	return data;
}

/* The part of the order that is of this program. */
static struct order of_program(const struct order *order, u32 nr)
{
	const struct program *program = &programs[nr];
	struct order part = { .pages = order->pages };

	while (part.pages < order->pages + order->n && *part.pages < program->pages[0])
		part.pages++;
	while (part.pages + part.n < order->pages + order->n &&
	       part.pages[part.n] <= program->pages[program->n - 1])
		part.n++;
	return part;
}

static struct cost measure_dictionary(const char *path, int level, const struct order *order)
{
	size_t bytes, room = WORKSPACE;
	void *data = read_file(path, &bytes), *cmem = get(room), *dmem = get(room);
	struct coder coder = {
		.unit_pages = 1, .pack = pack_dict, .unpack = unpack_dict,
		/* As the driver's: no checksum; the length; no number of the dictionary. */
		.params.fParams = { 1, 0, 1 },
		.cdict = ZSTD_initStaticCDict(cmem, room, data, bytes, ZSTD_dlm_byRef,
					      ZSTD_dct_auto, ZSTD_getCParams(level, PAGE, bytes)),
		.ddict = ZSTD_initStaticDDict(dmem, room, data, bytes, ZSTD_dlm_byRef,
					      ZSTD_dct_auto),
	};
	struct cost cost;

	if (!coder.cdict || !coder.ddict)
		errx(3, "%s is no dictionary", path);
	cost = measure(&coder, order, NULL);
	free(data);
	free(cmem);
	free(dmem);
	return cost;
}

static void add_cost(struct cost *sum, const struct cost *cost)
{
	/* The times of parts are weighed by their pages. */
	double n = sum->pages + cost->pages;

	sum->write_ns = (sum->write_ns * sum->pages + cost->write_ns * cost->pages) / n;
	sum->read_ns = (sum->read_ns * sum->pages + cost->read_ns * cost->pages) / n;
	sum->payload += cost->payload;
	sum->log += cost->log;
	sum->sealed += cost->sealed;
	sum->place += cost->place;
	sum->pages += cost->pages;
}

/* Dictionaries of one family follow each other. */
static void measure_dictionaries(char **paths, int level, const struct order *order)
{
	struct cost alone = measure_driver("zstd", level, 1, order, NULL);
	char family[64] = "";

	while (*paths) {
		const char *name = strrchr(*paths, '/') ? strrchr(*paths, '/') + 1 : *paths;
		u32 length = strcspn(name, "-");
		struct cost sum = { 0 };

		snprintf(family, sizeof(family), "%.*s", (int)length, name);
		for (; *paths && (name = strrchr(*paths, '/') + 1) &&
		     !strncmp(name, family, length) && name[length] == '-'; paths++) {
			const char *which = name + length + 1;
			struct order part = strcmp(which, "all") ?
				of_program(order, strtoul(which, NULL, 10)) : *order;
			struct cost cost = measure_dictionary(*paths, level, &part);

			add_cost(&sum, &cost);
		}
		print(order->name, family, "zstd", level, 1, &sum, &alone);
	}
}

/* Of the pages outside the set's order: one in 4 of each program, and one in 16 of all. */
static void write_samples(const char *dir)
{
	u8 *taken = get(npages);
	char path[200];
	FILE *all, *file;
	u32 i, j;

	for (i = 0; i < orders[SET].n; i++)
		taken[orders[SET].pages[i]] = 1;
	snprintf(path, sizeof(path), "%s/all", dir);
	all = fopen(path, "wb");
	for (i = 0; i < nprograms; i++) {
		snprintf(path, sizeof(path), "%s/%u", dir, i);
		file = fopen(path, "wb");
		if (!all || !file)
			err(2, "%s", path);
		for (j = 0; j < programs[i].n; j++) {
			const u8 *page = set_page(programs[i].pages[j]);

			if (taken[programs[i].pages[j]])
				continue;
			if (j % 4 == 0)
				fwrite(page, PAGE, 1, file);
			if (j % 16 == 0)
				fwrite(page, PAGE, 1, all);
		}
		fclose(file);
	}
	fclose(all);
	free(taken);
}

static void measure_all(char **dictionaries)
{
	static const int levels[] = { 1, 3, 9 };
	u32 i;

	measure_alone(&orders[SET]);
	measure_dictionaries(dictionaries, 3, &orders[SET]);
	for (i = 0; i < ARRAY_SIZE(levels); i++) {
		measure_units(&orders[NEIGHBOURS], levels[i]);
		measure_units(&orders[SURVIVORS], levels[i]);
	}
	for (i = SET; i < ORDERS; i++)
		measure_units(&orders[i], 3);
}

static void measure_swap(const char *name)
{
	char survivors[64];

	snprintf(survivors, sizeof(survivors), "%s survivors", name);
	orders[NEIGHBOURS].name = name;
	orders[SURVIVORS].name = survivors;
	measure_units(&orders[NEIGHBOURS], 3);
	measure_units(&orders[SURVIVORS], 3);
	measure_units(&orders[SURVIVORS], 9);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		errx(2, "usage: units PAGES PROGRAMS [DICTIONARY... | --samples DIR | --swap NAME]");
	map_set(argv[1]);
	read_programs(argv[2]);
	make_orders();
	if (argc == 5 && !strcmp(argv[3], "--samples")) {
		write_samples(argv[4]);
		return 0;
	}
	cctx = ZSTD_initStaticCCtx(get(WORKSPACE), WORKSPACE);
	dctx = ZSTD_initStaticDCtx(get(WORKSPACE), WORKSPACE);
	if (!cctx || !dctx)
		errx(3, "zstd has no context");
	if (argc == 5 && !strcmp(argv[3], "--swap"))
		measure_swap(argv[4]);
	else
		measure_all(argv + 3);
	return 0;
}
