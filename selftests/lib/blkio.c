// SPDX-License-Identifier: GPL-2.0
/*
 * Operations on one block device, compared with a plain array in memory: `blkio [-e] [-c] [-s SEED]
 * [-n OPS] [-f FIRST] [-p PAGES] DEV`.
 *
 * Operations: O_DIRECT in whole blocks, from and to memory at any multiple of 512 bytes (before 6.0
 * memory must be aligned to blocks), in one piece or in several; the page cache at any offset;
 * discard, zeroing, flush, and close. Only pages FIRST .. FIRST+PAGES-1 are accessed, so several
 * processes can use one device, each with its own pages.
 *
 * -e: full media may refuse writes. A page of a refused write reads as before or as written, never
 * as a mix.
 * -c: do not use the page cache, because its flush drops the pages of all processes.
 *
 * BLKIO_BREAK=1 in the environment flips one byte of the array before the final comparison: the run
 * must then fail. It proves the checker.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>
#include "model.h"

#define MOST 16

static const char *path;
static int direct = -1, cached = -1;
static bool no_cache, aligned;
static uint8_t *now;

static off_t place(size_t page)
{
	return (off_t)(first + page) * PAT_PAGE;
}

static void open_both(void)
{
	direct = open(path, O_RDWR | O_DIRECT);
	cached = open(path, O_RDWR);
	if (direct < 0 || cached < 0)
		die("cannot open %s: %s", path, strerror(errno));
}

static void drop_cache(void)
{
	if (no_cache)
		return;
	if (fsync(cached) || posix_fadvise(cached, 0, 0, POSIX_FADV_DONTNEED))
		die("flush: %s", strerror(errno));
}

/*
 * @n blocks in up to eight pieces. No piece begins at the start of a page of memory, so each
 * block's bytes span two pages or two pieces.
 */
static int pieces(struct iovec *iov, size_t n)
{
	uint8_t *at = now;
	int k = 0;

	while (n) {
		size_t part = k == 7 ? n : 1 + below(n);

		at += aligned ? 0 : 512 * (1 + below(PAT_PAGE / 512 - 1));
		iov[k].iov_base = at;
		iov[k++].iov_len = part * PAT_PAGE;
		at += part * PAT_PAGE;
		n -= part;
	}
	return k;
}

static void copy(const struct iovec *iov, int k, bool in)
{
	uint8_t *at = buf;
	int i;

	for (i = 0; i < k; i++) {
		memcpy(in ? iov[i].iov_base : at, in ? at : iov[i].iov_base, iov[i].iov_len);
		at += iov[i].iov_len;
	}
}

static ssize_t transfer(bool write, size_t page, size_t n)
{
	struct iovec iov[8] = { { now, n * PAT_PAGE } };
	int k = below(3) ? pieces(iov, n) : 1;
	ssize_t got;

	if (!write) {
		memset(now, 0x5a, (MOST + 9) * PAT_PAGE);
		got = preadv(direct, iov, k, place(page));
		copy(iov, k, false);
		return got;
	}
	copy(iov, k, true);
	return pwritev(direct, iov, k, place(page));
}

static void read_direct(size_t page, size_t n)
{
	ssize_t got;

	note("direct read %zu+%zu", page, n);
	drop_cache();
	got = transfer(false, page, n);
	if (got != (ssize_t)(n * PAT_PAGE))
		die("direct read of %zu+%zu: %zd, %s", page, n, got, strerror(errno));
	compare("direct", page * PAT_PAGE, n * PAT_PAGE);
}

/* A write of @buf was refused: update the model of page @page. */
static void settle(size_t page, size_t n)
{
	static uint8_t got[PAT_PAGE_MAX] __attribute__((aligned(PAT_PAGE_MAX)));
	size_t i;

	refused++;
	note("refused");
	for (i = 0; i < n; i++) {
		uint8_t *old = model + (page + i) * PAT_PAGE;

		if (pread(direct, got, PAT_PAGE, place(page + i)) != (ssize_t)PAT_PAGE)
			die("after a refused write, page %zu can't be read: %s", page + i,
			    strerror(errno));
		if (memcmp(got, old, PAT_PAGE) && memcmp(got, buf + i * PAT_PAGE, PAT_PAGE))
			die("after a refused write, page %zu is neither old nor new", page + i);
		memcpy(old, got, PAT_PAGE);
	}
}

static void write_direct(size_t page, size_t n)
{
	ssize_t got;
	size_t i;

	gen++;
	note("direct write %zu+%zu gen %llu", page, n, (unsigned long long)gen);
	drop_cache();
	for (i = 0; i < n; i++)
		pat_page(buf + i * PAT_PAGE, PAT_MIX, seed, first + page + i, gen);
	got = transfer(true, page, n);
	if (got != (ssize_t)(n * PAT_PAGE)) {
		if (got < 0 && !is_refusal())
			die("direct write of %zu+%zu: %s", page, n, strerror(errno));
		settle(page, n);
		return;
	}
	memcpy(model + page * PAT_PAGE, buf, n * PAT_PAGE);
}

static void write_cached(size_t at, size_t len)
{
	gen++;
	note("cached write %zu+%zu gen %llu", at, len, (unsigned long long)gen);
	drop_cache();
	pat_page(buf, PAT_MIX, seed, at, gen);
	if (pwrite(cached, buf, len, place(0) + at) != (ssize_t)len)
		die("cached write: %s", strerror(errno));
	memcpy(model + at, buf, len);
	if (fdatasync(cached))
		die("fdatasync: %s", strerror(errno));
}

static void read_cached(size_t at, size_t len)
{
	note("cached read %zu+%zu", at, len);
	drop_cache();
	if (pread(cached, buf, len, place(0) + at) != (ssize_t)len)
		die("cached read: %s", strerror(errno));
	compare("cached", at, len);
}

static void give_up(size_t page, size_t n, unsigned long how)
{
	uint64_t range[2] = { place(page), n * PAT_PAGE };
	bool zero = how == BLKZEROOUT;

	note("%s %zu+%zu", zero ? "zero" : "discard", page, n);
	drop_cache();
	if (ioctl(direct, how, range))
		die("%s: %s", zero ? "BLKZEROOUT" : "BLKDISCARD", strerror(errno));
	memset(model + page * PAT_PAGE, zero ? 0 : 0xff, n * PAT_PAGE);
}

static void reopen(void)
{
	note("close and open");
	close(direct);
	close(cached);
	open_both();
}

static void random_op(void)
{
	size_t page = below(pages), n = 1 + below(MOST);
	size_t at = below((pages - 1) * PAT_PAGE), len = 1 + below(PAT_PAGE);

	if (n > pages - page)
		n = pages - page;
	switch (below(no_cache || may_be_full ? 14 : 18)) {
	case 0 ... 5:
		write_direct(page, n);
		break;
	case 6 ... 9:
		read_direct(page, n);
		break;
	case 10:
		give_up(page, n, BLKDISCARD);
		break;
	case 11:
		give_up(page, n, BLKZEROOUT);
		break;
	case 12:
		note("flush");
		if (fsync(direct) && !is_refusal())
			die("fsync: %s", strerror(errno));
		break;
	case 13:
		if (below(4) == 0)
			reopen();
		break;
	case 14 ... 15:
		write_cached(at, len);
		break;
	default:
		read_cached(at, len);
		break;
	}
}

static void check_all(void)
{
	size_t page;

	for (page = 0; page < pages; page += MOST)
		read_direct(page, pages - page < MOST ? pages - page : MOST);
}

/* Find out whether this kernel needs memory aligned to blocks. */
static void look_at_alignment(void)
{
	aligned = pread(direct, now + 512, PAT_PAGE, place(0)) < 0 && errno == EINVAL;
	if (aligned)
		note("memory has to be aligned");
}

static void run(void)
{
	uint64_t i;

	look_at_alignment();
	give_up(0, pages, BLKDISCARD);
	check_all();
	for (i = 0; i < ops; i++)
		random_op();
	model_break("BLKIO_BREAK");
	check_all();
	reopen();
	check_all();
}

int main(int argc, char **argv)
{
	int opt;

	pages = 256;
	while ((opt = getopt(argc, argv, MODEL_OPTIONS "c")) != -1) {
		if (opt == 'c')
			no_cache = true;
		else if (!model_option(opt))
			return 2;
	}
	if (argc - optind != 1 || pages < MOST)
		return 2;
	path = argv[optind];
	if (!model_begin(MOST * PAT_PAGE) ||
	    posix_memalign((void **)&now, PAT_PAGE, (MOST + 9) * PAT_PAGE))
		return 2;
	open_both();
	run();
	model_end();
	return 0;
}
