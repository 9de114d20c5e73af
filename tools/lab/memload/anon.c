// SPDX-License-Identifier: GPL-2.0
/*
 * "anon": takes anonymous memory chunk by chunk and writes it, as the program in appendix C of the
 * thesis does. What is in a page follows from its number, so that each touch may check it.
 */
#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "contents.h"
#include "loads.h"
#include "sys.h"
#include "work.h"

struct anon {
	const struct loadopt *options;
	struct contents contents;
	struct work work;
	uint8_t **chunks;
	size_t nchunks;
	size_t pages;			/* that are written */
	size_t per_chunk;		/* pages */
};

static uint8_t *page_of(const struct anon *anon, size_t nr)
{
	return anon->chunks[nr / anon->per_chunk] + nr % anon->per_chunk * anon->contents.page;
}

/* How many pages there are to be; all that there are, if there is no size. */
static size_t wanted(const struct anon *anon)
{
	uint64_t size = anon->options->size;

	return size ? (size_t)(size / anon->contents.page) : SIZE_MAX;
}

static int add_chunk(struct anon *anon)
{
	uint8_t **chunks = realloc(anon->chunks, (anon->nchunks + 1) * sizeof(*chunks));
	void *map;

	if (!chunks)
		return -ENOMEM;
	anon->chunks = chunks;
	map = mmap(NULL, (size_t)anon->options->chunk, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		return -errno;
	chunks[anon->nchunks++] = map;
	return 0;
}

/* The contents that a page has after a pass; without --rewrite only its stamp is new. */
static uint64_t version(const struct anon *anon, uint64_t pass)
{
	return anon->options->rewrite ? pass : 0;
}

static int check_page(const struct anon *anon, size_t nr, uint64_t pass)
{
	struct contents_wrong wrong;

	if (contents_check(&anon->contents, nr, version(anon, pass), (uint8_t)pass,
			   page_of(anon, nr), &wrong) == 0)
		return 0;
	warnx("wrong data: page %zu, byte %zu, after %llu passes: %#04x instead of %#04x", nr,
	      wrong.byte, (unsigned long long)pass + 1, wrong.got, wrong.want);
	return -EIO;
}

/* The number of the pass is that of the passes that are complete. */
static int touch_page(struct anon *anon, size_t nr)
{
	uint64_t pass = anon->work.passes;
	uint8_t *page = page_of(anon, nr);

	if (pass && anon->options->verify && check_page(anon, nr, pass - 1))
		return -EIO;
	if (pass == 0 || anon->options->rewrite)
		contents_fill(&anon->contents, nr, version(anon, pass), (uint8_t)pass, page);
	else
		page[anon->contents.page - 1] = (uint8_t)pass;
	return 0;
}

/* Returns 0, or 1 when the end has come. */
static int fill_all(struct anon *anon)
{
	size_t want = wanted(anon);
	int err;

	while (anon->pages < want) {
		if (anon->pages == anon->nchunks * anon->per_chunk) {
			err = add_chunk(anon);
			if (err) {
				warnx("refused after %llu MiB: %s",
				      (unsigned long long)(anon->work.touched >> 20),
				      strerror(-err));
				return 0;
			}
		}
		touch_page(anon, anon->pages++);
		if ((anon->pages % WORK_PIECE == 0 || anon->pages == want) &&
		    !work_step(&anon->work, ((anon->pages - 1) % WORK_PIECE + 1) *
			       anon->contents.page))
			return 1;
	}
	return 0;
}

/* Returns 0, 1 when the end has come, or a negative errno. */
static int touch_all(struct anon *anon)
{
	size_t nr;

	for (nr = 0; nr < anon->pages; nr++) {
		if (touch_page(anon, nr))
			return -EIO;
		if ((nr % WORK_PIECE == WORK_PIECE - 1 || nr == anon->pages - 1) &&
		    !work_step(&anon->work, (nr % WORK_PIECE + 1) * anon->contents.page))
			return 1;
	}
	return 0;
}

static int check_all(const struct anon *anon)
{
	size_t nr;

	for (nr = 0; nr < anon->pages && !work_stopped(); nr++)
		if (check_page(anon, nr, anon->work.passes - 1))
			return -EIO;
	return 0;
}

static int run(struct anon *anon)
{
	int ret = fill_all(anon);

	if (!ret)
		anon->work.passes = 1;
	if (!ret && anon->options->corrupt)
		page_of(anon, anon->pages / 2)[7] ^= 0x10;
	while (!ret && anon->options->loop && anon->pages) {
		ret = touch_all(anon);
		if (!ret)
			anon->work.passes++;
	}
	if (ret)
		return ret < 0 ? ret : 0;
	if (!anon->options->exit)
		work_hold(&anon->work);
	return anon->options->verify ? check_all(anon) : 0;
}

/**
 * load_anon() - take memory
 * @options: how
 *
 * Return: the status of the program.
 */
int load_anon(const struct loadopt *options)
{
	struct anon all = { .options = options };
	int ret;

	all.contents.seed = options->seed;
	all.contents.percent = options->percent;
	all.contents.page = (size_t)sys_page_size();
	all.per_chunk = (size_t)(options->chunk / all.contents.page);
	if (work_begin(&all.work, options))
		return STATUS_FAILED;
	if (!options->delay_us || work_sleep(&all.work, all.work.begin_us + options->delay_us))
		ret = run(&all);
	else
		ret = 0;
	/* The chunks themselves go with the program, as fast as the kernel can. */
	free(all.chunks);
	if (work_end(&all.work) && !ret)
		return STATUS_FAILED;
	return ret ? STATUS_WRONG : 0;
}
