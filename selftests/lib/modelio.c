// SPDX-License-Identifier: GPL-2.0
/*
 * Operations on one device, compared with a plain array in memory: `modelio [-e] [-s SEED] [-n OPS]
 * [-f FIRST] [-p PAGES] MODE CHARDEV BLOCKDEV`.
 *
 * Uses the device through all its interfaces: /dev/mtdN at any offset and length, mtdblock with
 * O_DIRECT in multiples of 512 bytes, and mtdblock's page cache. Only pages FIRST .. FIRST+PAGES-1
 * are accessed. The device must be freshly attached or erased there: all 0xFF.
 *
 * -e: full media may refuse writes. A refused write must read as before, a successful one as
 * written, never as a mix.
 *
 * Modes: sizes edges partial interleave random, one at a time.
 *
 * MODELIO_BREAK=1 in the environment flips one byte of the array before the final comparison: the
 * run must then fail. It proves the checker.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <mtd/mtd-user.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "model.h"

#define BUFFER (8 * PAT_PAGE_MAX)

enum way { CHAR, DIRECT, CACHED };
static const char *const way_name[] = { "char", "direct", "cached" };

static const char *char_path, *block_path;
static int fd[3] = { -1, -1, -1 };
static size_t size;
static off_t base;
static uint8_t *before;		/* with -e: contents of pages before their first piece */
static bool *running;		/* the pieces of the page may still be refused */

static void open_all(void)
{
	fd[CHAR] = open(char_path, O_RDWR);
	fd[DIRECT] = open(block_path, O_RDWR | O_DIRECT);
	fd[CACHED] = open(block_path, O_RDWR);
	if (fd[CHAR] < 0 || fd[DIRECT] < 0 || fd[CACHED] < 0)
		die("cannot open: %s", strerror(errno));
}

/* mtdchar syncs when its last writer closes it, mtdblock on its last close. */
static void reopen(void)
{
	int i;

	note("close and open");
	memset(running, 0, pages * sizeof(*running));
	for (i = 0; i < 3; i++)
		close(fd[i]);
	open_all();
}

/*
 * The page cache does not see writes through the other two interfaces. Before 5.11 mtdblock handles
 * BLKFLSBUF itself, and the page cache keeps its pages.
 */
static void drop_cache(void)
{
	if (fsync(fd[CACHED]) || ioctl(fd[CACHED], BLKFLSBUF, 0) ||
	    posix_fadvise(fd[CACHED], 0, 0, POSIX_FADV_DONTNEED))
		die("flush: %s", strerror(errno));
}

/*
 * The pieces of a page, written in order from its beginning, are one write of the device. So the
 * device may refuse the last piece, and with it the whole page.
 */
static void run_begins(size_t at, size_t len)
{
	size_t page = at / PAT_PAGE;

	if (at % PAT_PAGE || len >= PAT_PAGE)
		return;
	memcpy(before + page * PAT_PAGE, model + page * PAT_PAGE, PAT_PAGE);
	running[page] = true;
}

/* After a read or sync the pieces are settled, and can't be refused later. */
static void runs_end(size_t at, size_t len)
{
	memset(running + at / PAT_PAGE, 0, (at + len - 1) / PAT_PAGE - at / PAT_PAGE + 1);
}

static void do_read(enum way way, size_t at, size_t len)
{
	ssize_t n;

	if (len > BUFFER)
		die("length %zu", len);
	note("%s read %zu+%zu", way_name[way], at, len);
	if (way == CACHED)
		drop_cache();
	/* Poison: bytes that the device does not deliver must not compare equal. */
	for (n = 0; n < (ssize_t)len; n++)
		buf[n] = (uint8_t)~model[at + n];
	n = pread(fd[way], buf, len, base + at);
	if (n != (ssize_t)len)
		die("%s read of %zu+%zu: %zd, %s", way_name[way], at, len, n,
		    strerror(errno));
	compare(way_name[way], at, len);
	runs_end(at, len);
}

/* Is @now, the contents of @page, allowed after a refused write of @len bytes at @at? */
static bool settle_page(enum way way, size_t page, const uint8_t *now, size_t at, size_t len)
{
	size_t unit = way == CHAR ? PAT_PAGE : 512, off, part, start = page * PAT_PAGE;
	uint8_t *old = model + start, next[PAT_PAGE_MAX];

	memcpy(next, old, PAT_PAGE);
	for (off = 0; off < PAT_PAGE; off++)
		if (start + off >= at && start + off < at + len)
			next[off] = buf[start + off - at];
	for (off = 0; off < PAT_PAGE; off += part) {
		part = unit;
		if (memcmp(now + off, old + off, part) && memcmp(now + off, next + off, part))
			break;
	}
	if (off >= PAT_PAGE || (running[page] && !memcmp(now, before + start, PAT_PAGE))) {
		memcpy(old, now, PAT_PAGE);
		return true;
	}
	return false;
}

/* Contents that are neither old nor new: note the write that they come from. */
static void tell_origin(size_t page, const uint8_t *now)
{
	uint8_t then[PAT_PAGE];
	size_t off;
	uint64_t g;

	for (off = 0; off < PAT_PAGE; off += 512) {
		for (g = gen; g > 0; g--) {
			pat_page(then, PAT_MIX, seed, page, g);
			if (!memcmp(now + off, then + off, 512))
				break;
		}
		note("page %zu, offset %zu: gen %llu%s", page, off, (unsigned long long)g,
		     memcmp(now + off, model + page * PAT_PAGE + off, 512) ? "" : ", old");
	}
}

/* A write of @buf was refused at some point: find out which part was written. */
static void settle(enum way way, size_t at, size_t len)
{
	uint8_t now[PAT_PAGE_MAX];
	size_t page;

	refused++;
	note("refused");
	for (page = at / PAT_PAGE; page <= (at + len - 1) / PAT_PAGE; page++) {
		if (pread(fd[CHAR], now, PAT_PAGE, base + page * PAT_PAGE) != (ssize_t)PAT_PAGE)
			die("after a refused write, page %zu can't be read: %s", page,
			    strerror(errno));
		if (settle_page(way, page, now, at, len))
			continue;
		tell_origin(page, now);
		die("after a refused write, page %zu is neither old nor new", page);
	}
	runs_end(at, len);
}

static void do_write(enum way way, size_t at, size_t len)
{
	uint8_t page[PAT_PAGE_MAX];
	size_t i = 0;
	ssize_t n;

	if (len > BUFFER)
		die("length %zu", len);
	gen++;
	note("%s write %zu+%zu gen %llu", way_name[way], at, len, (unsigned long long)gen);
	while (i < len) {
		size_t off = (at + i) % PAT_PAGE, part = PAT_PAGE - off;

		if (part > len - i)
			part = len - i;
		pat_page(page, PAT_MIX, seed, (at + i) / PAT_PAGE, gen);
		memcpy(buf + i, page + off, part);
		i += part;
	}
	if (way == CACHED)
		drop_cache();
	run_begins(at, len);
	n = pwrite(fd[way], buf, len, base + at);
	if (n > 0 && n < (ssize_t)len && may_be_full) {
		/* A short write; the write of the rest returns the reason. */
		memcpy(model + at, buf, n);
		memmove(buf, buf + n, len - n);
		at += n;
		len -= n;
		n = pwrite(fd[way], buf, len, base + at);
	}
	if (n < 0 && is_refusal()) {
		settle(way, at, len);
		return;
	}
	if (n != (ssize_t)len)
		die("%s write of %zu+%zu: %zd, %s", way_name[way], at, len, n,
		    strerror(errno));
	if (way == CACHED && fdatasync(fd[way])) {
		if (!is_refusal())
			die("fdatasync: %s", strerror(errno));
		/* The page cache holds data that were never stored. */
		drop_cache();
		settle(way, at, len);
		return;
	}
	memcpy(model + at, buf, len);
}

static void do_erase(size_t page, size_t count)
{
	struct erase_info_user64 ei = {
		.start = base + page * PAT_PAGE, .length = count * PAT_PAGE,
	};

	note("erase pages %zu+%zu", page, count);
	if (ioctl(fd[CHAR], MEMERASE64, &ei))
		die("erase of pages %zu+%zu: %s", page, count, strerror(errno));
	memset(model + page * PAT_PAGE, 0xff, count * PAT_PAGE);
}

static void check_all(enum way way)
{
	size_t at, len;

	for (at = 0; at < size; at += len) {
		len = size - at < 65536 ? size - at : 65536;
		do_read(way, at, len);
	}
}

static size_t any_length(void)
{
	switch (below(4)) {
	case 0:
		return 1 + below(64);
	case 1:
		return 512 * (1 + below(16));
	default:
		return 1 + below(3 * PAT_PAGE);
	}
}

static size_t any_place(size_t *len, size_t align)
{
	if (*len > size)
		*len = size;
	return below((size - *len) / align + 1) * align;
}

/* Write the sectors of a page in order, as mtdblock does for swap. */
static void sectors(enum way way, size_t page)
{
	size_t i;

	for (i = 0; i < PAT_PAGE; i += 512)
		do_write(way, page * PAT_PAGE + i, 512);
}

static void interleave_pages(size_t a, size_t b)
{
	size_t i;

	for (i = 0; i < PAT_PAGE; i += 512) {
		do_write(CHAR, a * PAT_PAGE + i, 512);
		do_write(CHAR, b * PAT_PAGE + i, 512);
		if (below(3) == 0)
			do_read(CHAR, a * PAT_PAGE, PAT_PAGE);
	}
	do_read(CHAR, a * PAT_PAGE, PAT_PAGE);
	do_read(CHAR, b * PAT_PAGE, PAT_PAGE);
}

static void mode_sizes(void)
{
	size_t bs, at, span;
	enum way way;

	for (way = DIRECT; way <= CACHED; way++) {
		for (bs = 512; bs <= 65536; bs *= 2) {
			span = bs < 8192 ? 8 * bs : 2 * bs;
			for (at = 0; at + bs <= size && at < span; at += bs)
				do_write(way, at, bs);
			for (at = 0; at + bs <= size && at < span; at += bs)
				do_read(way, at, bs);
			do_read(CHAR, 0, span < size ? span : size);
		}
	}
}

static void mode_edges(void)
{
	const size_t p = PAT_PAGE;
	const struct { size_t at, len; } edge[] = {
		{ 0, 1 }, { p - 1, 1 }, { p, 1 }, { p - 1, 2 }, { 1, p - 1 },
		{ 0, p - 1 }, { 1, p }, { 0, p + 1 }, { p - 1, p + 2 },
		{ 511, 2 }, { 513, 511 }, { 511, 3 * p }, { p - 1, 2 * p + 2 },
		{ p / 2, p }, { 2 * p - 1, 1 }, { 0, 3 * p }, { 3 * p - 1, 1 },
	};
	unsigned int i, round;

	for (round = 0; round < 3; round++) {
		for (i = 0; i < sizeof(edge) / sizeof(edge[0]); i++) {
			do_write(CHAR, edge[i].at, edge[i].len);
			do_read(CHAR, edge[i].at, edge[i].len);
			do_read(CHAR, 0, 5 * p);
		}
	}
	do_write(CHAR, size - 1, 1);
	do_read(CHAR, size - 1, 1);
	do_write(CHAR, size - p - 1, p + 1);
	do_read(CHAR, size - 3 * p, 3 * p);
}

/* Events that a partially written page must survive, one at a time. */
static void mode_partial(void)
{
	size_t page, i;

	for (page = 0; page + 40 < pages && page < 16; page += 2) {
		size_t at = page * PAT_PAGE;

		do_write(CHAR, at + 512 * (page % 8), 512);
		do_read(CHAR, at, PAT_PAGE);
		switch (page / 2) {
		case 0:
			note("flush");
			drop_cache();
			break;
		case 1:
			if (fsync(fd[DIRECT]))
				die("fsync: %s", strerror(errno));
			break;
		case 2:
			reopen();
			break;
		case 3:
			for (i = 20; i < 40; i++)
				do_read(CHAR, i * PAT_PAGE, PAT_PAGE);
			break;
		case 4:
			for (i = 20; i < 40; i++)
				do_write(CHAR, i * PAT_PAGE + 100, 7);
			break;
		case 5:
			do_read(DIRECT, at, PAT_PAGE);
			break;
		case 6:
			do_read(CACHED, at, PAT_PAGE);
			break;
		default:
			do_erase(page + 1, 1);
			break;
		}
		do_read(CHAR, at, PAT_PAGE);
		do_write(CHAR, at + 3000, 900);
		do_read(DIRECT, at, PAT_PAGE);
	}
}

static void mode_interleave(void)
{
	size_t i;

	for (i = 0; i < 24; i++)
		interleave_pages(below(pages), below(pages));
}

static void random_op(void)
{
	size_t len = any_length(), at;

	switch (below(20)) {
	case 0 ... 5:
		at = any_place(&len, 1);
		do_write(CHAR, at, len);
		if (below(2))
			do_read(CHAR, at, len);
		break;
	case 6 ... 9:
		at = any_place(&len, 1);
		do_read(CHAR, at, len);
		break;
	case 10:
		sectors(CHAR, below(pages));
		break;
	case 11:
		interleave_pages(below(pages), below(pages));
		break;
	case 12 ... 13:
		len = 512u << below(8);
		at = any_place(&len, 512);
		do_write(DIRECT, at, len);
		if (below(2))
			do_read(CHAR, at, len);
		break;
	case 14 ... 15:
		len = 512u << below(8);
		at = any_place(&len, 512);
		do_read(DIRECT, at, len);
		break;
	case 16:
		len = 1 + below(4 * PAT_PAGE);
		at = any_place(&len, 1);
		do_write(CACHED, at, len);
		do_read(CHAR, at, len);
		break;
	case 17:
		len = 1 + below(4 * PAT_PAGE);
		at = any_place(&len, 1);
		do_read(CACHED, at, len);
		break;
	case 18:
		at = below(pages);
		len = 1 + below(4);
		do_erase(at, len < pages - at ? len : pages - at);
		break;
	default:
		memset(running, 0, pages * sizeof(*running));
		/* The other descriptor, too, gets an error of writeback. */
		if (below(3) == 0)
			reopen();
		else if (fsync(fd[DIRECT]) && !is_refusal())
			die("fsync: %s", strerror(errno));
		break;
	}
}

static void mode_random(void)
{
	uint64_t i;

	for (i = 0; i < ops; i++)
		random_op();
}

static const struct {
	const char *name;
	void (*run)(void);
} mode[] = {
	{ "sizes", mode_sizes },
	{ "edges", mode_edges },
	{ "partial", mode_partial },
	{ "interleave", mode_interleave },
	{ "random", mode_random },
};

int main(int argc, char **argv)
{
	void (*run)(void) = NULL;
	unsigned int i;
	int opt;

	pages = 512;
	while ((opt = getopt(argc, argv, MODEL_OPTIONS)) != -1)
		if (!model_option(opt))
			return 2;
	if (argc - optind != 3 || pages < 64)
		return 2;
	for (i = 0; i < sizeof(mode) / sizeof(mode[0]); i++)
		if (!strcmp(mode[i].name, argv[optind]))
			run = mode[i].run;
	if (!run)
		return 2;
	char_path = argv[optind + 1];
	block_path = argv[optind + 2];
	size = pages * PAT_PAGE;
	base = (off_t)first * PAT_PAGE;
	before = malloc(size);
	running = calloc(pages, sizeof(*running));
	if (!before || !running || !model_begin(BUFFER))
		return 2;
	open_all();

	check_all(CHAR);
	run();
	model_break("MODELIO_BREAK");
	check_all(CHAR);
	reopen();
	check_all(DIRECT);
	check_all(CACHED);
	model_end();
	return 0;
}
