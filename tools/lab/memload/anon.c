// SPDX-License-Identifier: GPL-2.0
/*
 * "anon": takes anonymous memory chunk by chunk, writes it and keeps it, as the program in
 * appendix C of the thesis does.
 */
#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "contents.h"
#include "loads.h"
#include "options.h"
#include "sys.h"
#include "work.h"

static uint64_t chunk = UINT64_C(100) << 20, size;
static bool loop, rewrite, leave;
static struct work work;

static const struct option_row rows[] = {
	{ "chunk", OPTION_SIZE, &chunk, 4096, PTRDIFF_MAX / 2, "that is taken at once (100M)" },
	{ "size", OPTION_SIZE, &size, 4096, PTRDIFF_MAX / 2, "in all; else all that there is" },
	{ "loop", OPTION_FLAG, &loop, 0, 0, "then touch all pages again and again" },
	{ "rewrite", OPTION_FLAG, &rewrite, 0, 0, "write all of each page, not a byte only" },
	{ "exit", OPTION_FLAG, &leave, 0, 0, "end when all is written" },
	{ "rate", OPTION_NUMBER, &work.rate, 1, 1000000, "MiB a second at most" },
	{ "seconds", OPTION_SECONDS, &work.duration_us, 1, OPTION_MANY, "end after them" },
	{ "progress", OPTION_TEXT, &work.name, 0, 0, "file: a line each half second" },
	{ 0 },
};

static uint8_t **chunks;
static size_t nchunks, page, pages, per_chunk;

static uint8_t *page_of(size_t nr)
{
	return chunks[nr / per_chunk] + nr % per_chunk * page;
}

static bool add_chunk(void)
{
	void *map = mmap(NULL, per_chunk * page, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8_t **more = realloc(chunks, (nchunks + 1) * sizeof(*more));

	if (more)
		chunks = more;
	if (map == MAP_FAILED || !more) {
		warnx("refused after %llu MiB: %s", (unsigned long long)work.touched >> 20,
		      strerror(errno));
		return false;
	}
	chunks[nchunks++] = map;
	return true;
}

static void touch_page(size_t nr)
{
	if (!work.passes || rewrite)
		contents_fill(page_of(nr), page, nr, work.passes);
	else
		page_of(nr)[page - 1] = (uint8_t)work.passes;
}

/* Both return false when the load has to end. */
static bool step(size_t nr, size_t last)
{
	if (nr % WORK_PIECE != WORK_PIECE - 1 && nr != last)
		return true;
	return work_step(&work, (nr % WORK_PIECE + 1) * page);
}

static bool fill_all(void)
{
	size_t want = size ? (size_t)((size + page - 1) / page) : SIZE_MAX;

	for (pages = 0; pages < want; pages++) {
		if (pages == nchunks * per_chunk && !add_chunk())
			return true;
		touch_page(pages);
		if (!step(pages, want - 1))
			return false;
	}
	return true;
}

static bool touch_all(void)
{
	size_t nr;

	for (nr = 0; nr < pages; nr++) {
		touch_page(nr);
		if (!step(nr, pages - 1))
			return false;
	}
	return true;
}

/**
 * load_anon() - take memory
 * @argc: number of arguments
 * @argv: name of the load, and its options
 *
 * Return: exit status.
 */
int load_anon(int argc, char **argv)
{
	int at = options_parse("usage: memload anon [OPTION...]\n"
			       "Takes anonymous memory chunk by chunk, writes it and keeps it.\n\n",
			       rows, argc, argv);
	bool goes_on;

	if (at < argc || (loop && leave))
		errx(STATUS_USAGE, "anon takes no argument, and not both --loop and --exit");
	page = (size_t)sys_page_size();
	per_chunk = (size_t)(chunk + page - 1) / page;
	work_begin(&work);
	for (goes_on = fill_all(); goes_on; work.passes++, goes_on = touch_all())
		if (!loop || !pages)
			break;
	work.passes += goes_on;
	if (goes_on && !leave)
		while (work_sleep(&work, UINT64_MAX))
			;
	return work_end(&work);
}
