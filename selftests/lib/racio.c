// SPDX-License-Identifier: GPL-2.0
/*
 * Several threads on the same pages of one block device, by direct I/O: `racio [-a] [-s SEED] [-n
 * OPS] [-t THREADS] [-f FIRST] [-p PAGES] [-r OTHER] DEV`.
 *
 * Each page has one thread that writes or discards it; with -a any thread may, at the same time.
 * All threads read all pages, half of the time from OTHER if given. Only pages FIRST ..
 * FIRST+PAGES-1 are accessed.
 *
 * A read must return one version as a whole: a version that was begun before the read ended, unless
 * a later version was begun and done before the read began. This finds a lock that is released too
 * early, or a buffer that two threads use.
 *
 * RACIO_BREAK=1 in the environment makes each thread take one version for another: the run must
 * then fail. It proves the checker.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "pattern.h"

#define THREADS_MAX	16
#define PAGES_MAX	4096
/* Versions of a page. After the last one it is only read. */
#define VERSIONS_MAX	4096U
/* Most pages of one read. */
#define MOST		4

static int disk = -1, other = -1;
static uint64_t seed = 1, ops = 2000;
static unsigned int nthreads = 4, first, pages = 64;
static bool broken, any;

/* Ticks of a clock of all threads when a version was begun and done; 0: not yet. */
struct version {
	atomic_uint begun, done;
};

/* Versions count from 1; 0 is the contents before the first write, which are not checked. */
static struct history {
	atomic_uint versions;
	struct version version[VERSIONS_MAX + 1];
} *history;
static atomic_uint ticks;
static atomic_bool failed;

static void fail(const char *format, ...)
{
	va_list args;

	failed = true;
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	puts("");
	fflush(stdout);
}

/* A discard in one version of eight. */
static bool is_discard(unsigned int page, unsigned int version)
{
	return pat_hash(seed, page, version) % 8 == 0;
}

static void make(uint8_t *buf, unsigned int page, unsigned int version)
{
	if (is_discard(page, version))
		memset(buf, 0xff, PAT_PAGE);
	else
		pat_page(buf, PAT_MIX, seed, page, version);
}

static off_t place(unsigned int page)
{
	return (off_t)(first + page) * PAT_PAGE;
}

static void change(unsigned int page, uint8_t *buf)
{
	unsigned int version = ++history[page].versions;
	uint64_t range[2] = { place(page), PAT_PAGE };

	if (version > VERSIONS_MAX)
		return;
	history[page].version[version].begun = ++ticks;
	if (is_discard(page, version)) {
		if (ioctl(disk, BLKDISCARD, range))
			fail("discard of page %u: %s", page, strerror(errno));
	} else {
		make(buf, page, version);
		if (pwrite(disk, buf, PAT_PAGE, place(page)) != (ssize_t)PAT_PAGE)
			fail("write of page %u: %s", page, strerror(errno));
	}
	history[page].version[version].done = ++ticks;
}

/* The latest begin of the versions that were done before @start; 0 if none was done. */
static unsigned int last_before(const struct history *of, unsigned int n, unsigned int start)
{
	unsigned int last = 0, i;

	for (i = 1; i <= n; i++) {
		unsigned int done = of->version[i].done;

		if (done && done < start && of->version[i].begun > last)
			last = of->version[i].begun;
	}
	return last;
}

/* Is it a version that a read begun at @start may return? */
static bool is_any(const uint8_t *got, unsigned int page, unsigned int start, uint8_t *buf)
{
	const struct history *of = &history[page];
	unsigned int n = of->versions, version, last;

	if (n > VERSIONS_MAX)
		n = VERSIONS_MAX;
	last = last_before(of, n, start);
	if (!last)
		return true;
	for (version = n; version; version--) {
		unsigned int done = of->version[version].done;

		if (!of->version[version].begun || (done && done < last))
			continue;
		make(buf, page, version + broken);
		if (!memcmp(got, buf, PAT_PAGE))
			return true;
	}
	return false;
}

/* Read @n pages from @page on and check them; @spare: room for a version to compare with. */
static void look(int fd, unsigned int page, unsigned int n, uint8_t *buf, uint8_t *spare)
{
	unsigned int start = ++ticks, i;

	memset(buf, 0x5a, n * PAT_PAGE);
	if (pread(fd, buf, n * PAT_PAGE, place(page)) != (ssize_t)(n * PAT_PAGE)) {
		fail("read of page %u: %s", page, strerror(errno));
		return;
	}
	for (i = 0; i < n; i++)
		if (!is_any(buf + i * PAT_PAGE, page + i, start, spare))
			fail("page %u, %s, is none of the versions that it may be, up to %u",
			     page + i, fd == disk ? "by the disk" : "by the other way",
			     (unsigned int)history[page + i].versions);
}

static void *work(void *data)
{
	unsigned int nr = (uintptr_t)data;
	uint64_t rng = pat_hash(seed, nr, 1), i;
	uint8_t *buf = aligned_alloc(PAT_PAGE, MOST * PAT_PAGE);
	uint8_t *spare = aligned_alloc(PAT_PAGE, PAT_PAGE);

	if (!buf || !spare) {
		fail("no memory");
		return NULL;
	}
	for (i = 0; i < ops && !failed; i++) {
		unsigned int page = pat_next(&rng) % pages;
		unsigned int n = 1 + pat_next(&rng) % MOST;
		int fd = other >= 0 && pat_next(&rng) % 2 ? other : disk;

		if (pat_next(&rng) % 2) {
			if (!any)
				page += nr - page % nthreads;
			if (page < pages)
				change(page, buf);
		} else {
			look(fd, page, page + n > pages ? pages - page : n, buf, spare);
		}
	}
	free(spare);
	free(buf);
	return NULL;
}

int main(int argc, char **argv)
{
	const char *other_path = NULL;
	pthread_t threads[THREADS_MAX];
	uintptr_t i;
	int option;

	while ((option = getopt(argc, argv, "as:n:t:f:p:r:")) != -1) {
		uint64_t number = optarg ? strtoull(optarg, NULL, 0) : 0;

		if (option == 'a')
			any = true;
		else if (option == 's')
			seed = number;
		else if (option == 'n')
			ops = number;
		else if (option == 't')
			nthreads = number;
		else if (option == 'f')
			first = number;
		else if (option == 'p')
			pages = number;
		else if (option == 'r')
			other_path = optarg;
		else
			return 2;
	}
	if (optind + 1 != argc || !nthreads || nthreads > THREADS_MAX || !pages ||
	    pages > PAGES_MAX) {
		fprintf(stderr, "usage: racio [OPTION...] DEVICE, see the source\n");
		return 2;
	}
	broken = getenv("RACIO_BREAK");
	history = calloc(pages, sizeof(*history));
	if (!history) {
		fprintf(stderr, "racio: no memory\n");
		return 2;
	}
	disk = open(argv[optind], O_RDWR | O_DIRECT);
	if (disk >= 0 && other_path)
		other = open(other_path, O_RDONLY);
	if (disk < 0 || (other_path && other < 0)) {
		fprintf(stderr, "racio: cannot open a device: %s\n", strerror(errno));
		return 2;
	}
	for (i = 0; i < nthreads; i++) {
		if (pthread_create(&threads[i], NULL, work, (void *)i)) {
			fprintf(stderr, "racio: no thread\n");
			return 2;
		}
	}
	for (i = 0; i < nthreads; i++)
		pthread_join(threads[i], NULL);
	return failed;
}
