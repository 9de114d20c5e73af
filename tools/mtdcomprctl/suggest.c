// SPDX-License-Identifier: GPL-2.0

#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "attach.h"
#include "human.h"
#include "measure.h"
#include "medium.h"
#include "suggest.h"
#include "sys.h"

/* Pages to measure: enough for a stable ratio, but a small part of a small machine's memory. */
#define PAGES_MOST 2048
#define MEMORY_PART 32

/* Used if measuring failed. */
#define GUESS_ALGORITHM "lz4"
#define GUESS_RATIO 200

static const char *const media_names[] = { "MTD", "NAME", "SIZE", "TYPE", "REMARK" };
static const char *const names[] = {
	"ALGORITHM", "RATIO", "INCOMPR", "ZERO", "WRITE", "READ", "COMPR/S", "DECOMPR/S",
};

#define MEDIA_COLUMNS (sizeof(media_names) / sizeof(media_names[0]))
#define COLUMNS (sizeof(names) / sizeof(names[0]))

/* Inputs and the advice made from them. */
struct advice {
	const struct devices *devices;
	const struct form *form;
	struct media media;
	const struct medium *medium;	/* the media, or NULL */
	struct measured measured[MEASURE_ALGORITHMS];
	bool is_measured;
	bool is_named;			/* by the user, and measured on */
	unsigned int pages;		/* measured pages */
	uint64_t memory;		/* bytes of main memory */
	const char *algorithm;
	unsigned int ratio;
};

static void print_table(const struct advice *advice, const char *name, const char *const *heads,
			unsigned int columns, const struct cell *cells, unsigned int rows)
{
	const struct form *form = advice->form;
	struct table_head head[MEDIA_COLUMNS + COLUMNS];
	struct table table = {
		.name = name,
		.form = form->json ? TABLE_JSON : form->raw ? TABLE_RAW : TABLE_PLAIN,
		.noheadings = form->noheadings,
		.heads = head,
		.columns = columns,
		.cells = cells,
		.rows = rows,
	};
	unsigned int i;

	for (i = 0; i < columns; i++) {
		head[i].name = heads[i];
		head[i].left = !strcmp(heads[i], "NAME") || !strcmp(heads[i], "TYPE") ||
			       !strcmp(heads[i], "REMARK") || !strcmp(heads[i], "ALGORITHM");
	}
	if (form->json) {
		table_json_rows(stdout, &table);
		fputs(",\n", stdout);
	} else {
		table_print(stdout, &table);
		putchar('\n');
	}
}

static void medium_row(const struct advice *advice, const struct medium *medium,
		       struct cell *cells)
{
	static const char *const kinds[] = {
		"does not need to be erased", "does not need to be erased; may wear",
		"has to be erased, and wears", "",
	};
	const char *why = medium_unfit(medium, advice->devices);

	cell_number(&cells[0], medium->mtd);
	cell_text(&cells[1], medium->name);
	cell_size(&cells[2], medium->size, advice->form->bytes);
	cell_text(&cells[3], medium->type);
	cell_text(&cells[4], medium == advice->medium ? "is suggested" : why ? why :
			     kinds[medium_kind(medium)]);
}

static void print_media(const struct advice *advice)
{
	static struct cell cells[MEDIA_MAX * MEDIA_COLUMNS];
	unsigned int i;

	for (i = 0; i < advice->media.n; i++)
		medium_row(advice, &advice->media.of[i], cells + i * MEDIA_COLUMNS);
	print_table(advice, "media", media_names, MEDIA_COLUMNS, cells, advice->media.n);
}

static void measured_row(const struct measured *one, bool bytes, struct cell *cells)
{
	char text[HUMAN_TEXT];

	cell_text(&cells[0], one->algorithm);
	cell_text(&cells[1], human_ratio(one->pages * one->page_bytes, one->used, text));
	cells[1].number = one->used;
	cell_text(&cells[2], human_percent(one->raw, one->pages, text));
	cell_text(&cells[3], human_percent(one->filled, one->pages, text));
	cell_time(&cells[4], one->write_ns, bytes);
	cell_time(&cells[5], one->read_ns, bytes);
	cell_size(&cells[6], one->compress, bytes);
	cell_size(&cells[7], one->decompress, bytes);
}

static void print_measured(const struct advice *advice)
{
	struct cell cells[MEASURE_ALGORITHMS * COLUMNS];
	unsigned int i, rows = 0;

	memset(cells, 0, sizeof(cells));
	for (i = 0; i < MEASURE_ALGORITHMS && advice->is_measured; i++)
		if (advice->measured[i].done)
			measured_row(&advice->measured[i], advice->form->bytes,
				     cells + COLUMNS * rows++);
	if (rows && !advice->form->json)
		printf("Measured with %u pages of the programs that run:\n", advice->pages);
	if (rows || advice->form->json)
		print_table(advice, "algorithms", names, COLUMNS, cells, rows);
}

/* tables_for() - main memory for the tables, by the figures in the guide */
static uint64_t tables_for(const struct medium *medium, uint64_t size, uint64_t page_bytes)
{
	uint64_t pages = size / page_bytes;

	if (medium_kind(medium) == MEDIUM_FLASH)
		return pages * 16;
	return pages * 35 / 4 + medium->size / 1024 * 9;
}

static void print_advice(const struct advice *advice)
{
	char size[HUMAN_TEXT], media[HUMAN_TEXT], tables[HUMAN_TEXT], word[MEDIA_WORD];
	const struct medium *medium = advice->medium;
	const char *crypt;
	uint64_t bytes = human_share(medium->size, advice->ratio, 100);

	if (advice->form->json) {
		printf("   \"suggestion\": {\n      \"mtd\": %u,\n      \"name\": ", medium->mtd);
		table_json_text(stdout, medium->name);
		printf(",\n      \"algorithm\": \"%s\",\n      \"ratio\": %u,\n"
		       "      \"size\": %llu,\n      \"measured\": %s\n   }\n", advice->algorithm,
		       advice->ratio, (unsigned long long)bytes,
		       advice->is_measured ? "true" : "false");
		return;
	}
	printf("mtdcomprctl swap on --algorithm %s --ratio %u %s\n\n", advice->algorithm,
	       advice->ratio, media_word(&advice->media, medium, word));
	printf("Swap of about %s on %s of media; about %s of main memory for its tables.\n",
	       human_size(bytes, size), human_size(medium->size, media),
	       human_size(tables_for(medium, bytes, sys_page_size()), tables));
	crypt = choose_crypt(advice->is_named ? advice->measured : NULL, MEASURE_ALGORITHMS,
			     medium_keeps(medium->type, medium->name));
	if (crypt)
		puts(crypt);
	if (medium_kind(medium) == MEDIUM_FLASH)
		puts("What is on the flash is erased, and it wears: is it really free?");
}

static uint64_t memory_figure(const char *key)
{
	char text[4096];
	uint64_t kib;

	if (sys_read("/proc/meminfo", text, sizeof(text)) <= 0 || !parse_key(text, key, &kib))
		return 0;
	return kib << 10;
}

/* pages_for() - default number of pages to measure */
static unsigned int pages_for(const struct options *options)
{
	uint64_t pages = memory_figure("MemAvailable") / MEMORY_PART / sys_page_size();

	if (options->pages)
		return options->pages;
	return pages > PAGES_MOST ? PAGES_MOST : pages < 64 ? 64 : (unsigned int)pages;
}

/* scratch_for() - media to measure on: named by the user, or main memory */
static bool scratch_for(const struct advice *advice, const struct options *options,
			struct sample *sample, struct scratch *scratch)
{
	uint64_t most;

	if (!options->media)
		return scratch_make(scratch, sample);
	memset(scratch, 0, sizeof(*scratch));
	snprintf(scratch->media, sizeof(scratch->media), "%u", advice->medium->mtd);
	/* Has to fit even if nothing compresses. */
	most = advice->medium->size / 10 * 8 / sample->page_bytes;
	if (sample->n > most)
		sample->n = (unsigned int)most;
	return true;
}

/* take_measure() - measure if asked to; false after an error message */
static bool take_measure(struct advice *advice, const struct options *options)
{
	struct scratch scratch;
	struct sample sample;
	int err;

	if (*sys_root()) {
		warnx("nothing is measured below a --sysroot");
		return false;
	}
	if (!attach_module())
		return false;
	err = sample_take(&sample, pages_for(options));
	if (err) {
		warnx("no pages of other programs can be read: %s", err == -ENOENT ?
		      "are you root?" : strerror(-err));
		return false;
	}
	if (scratch_for(advice, options, &sample, &scratch)) {
		advice->is_measured = measure_all(&scratch, &sample, advice->measured);
		scratch_remove(&scratch);
	} else {
		warnx("there is no mtdram to measure on: name media to be overwritten by --media");
	}
	advice->pages = sample.n;
	sample_free(&sample);
	return advice->is_measured;
}

/* find_medium() - the named or the best medium; false if the named one is unusable */
static bool find_medium(struct advice *advice, const struct options *options)
{
	if (!options->media) {
		advice->medium = media_choose(&advice->media, advice->devices);
		return true;
	}
	advice->medium = media_find(&advice->media, options->media);
	if (!advice->medium)
		warnx("%s: no such MTD; /proc/mtd has the names%s", options->media,
		      strchr(options->media, ':') ? "; a UBI volume cannot be measured on" : "");
	else if (advice->medium->user[0])
		warnx("%s: it is in use: it %s", options->media, advice->medium->user);
	else if (medium_kind(advice->medium) == MEDIUM_UNFIT)
		warnx("%s: it is read-only", options->media);
	else
		return true;
	return false;
}

static void decide(struct advice *advice, const struct options *options)
{
	const struct measured *best = choose_best(advice->measured, MEASURE_ALGORITHMS,
						  options->prefer);

	advice->algorithm = best ? best->algorithm : GUESS_ALGORITHM;
	advice->ratio = best ? choose_ratio(best->pages * best->page_bytes, best->used) :
			       GUESS_RATIO;
	if (advice->medium)
		advice->ratio = choose_limit(advice->ratio, advice->medium->size, advice->memory);
}

/**
 * suggest() - suggest media, compressor and ratio for this machine
 * @devices: all devices
 * @options: output form, media to measure on, preference
 *
 * Return: true on success; else an error message was printed.
 */
bool suggest(const struct devices *devices, const struct options *options)
{
	static struct advice advice;
	bool good;

	advice.devices = devices;
	advice.form = &options->form;
	advice.is_named = options->media;
	advice.memory = memory_figure("MemTotal");
	if (media_read(&advice.media, devices)) {
		warnx("there are no MTDs: /sys/class/mtd is not there");
		return false;
	}
	if (!find_medium(&advice, options))
		return false;
	good = take_measure(&advice, options);
	/* If the user named media to measure on, do not guess. */
	if (!good && options->media)
		return false;
	if (!good)
		warnx("warning: nothing was measured: the compressor and the ratio are guesses");
	decide(&advice, options);
	if (options->form.json)
		puts("{");
	print_media(&advice);
	print_measured(&advice);
	if (advice.medium)
		print_advice(&advice);
	else if (options->form.json)
		puts("   \"suggestion\": null");
	if (options->form.json)
		puts("}");
	if (!advice.medium)
		warnx("no media are free: see the remarks; a UBI volume has to be named");
	return advice.medium;
}
