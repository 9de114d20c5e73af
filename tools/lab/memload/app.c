// SPDX-License-Identifier: GPL-2.0
/*
 * A process that waits for its user's visit and then touches and checks all memory that it needs.
 *
 * Its hot memory consists of random runs of pages; some of them change from visit to visit. In
 * front the app uses them repeatedly, and after each visit it rewrites some cold memory.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "app.h"
#include "contents.h"
#include "options.h"
#include "sequence.h"
#include "sys.h"

/* Pages of a run, which are touched together. Sizes are whole runs. */
#define ANON_RUN	8U
#define FILE_RUN	16U

/* Percent: hot runs that change at each visit; hot part of the shared file. */
#define EXCHANGE	5
#define SHARED		50

/* Interval between uses of the hot memory in front. */
#define AGAIN_US	100000

/* Bytes of cold memory rewritten at a visit, at most all. */
#define GROW		(UINT64_C(1) << 20)

/* Numbers of files and memories; they determine the numbers of their first pages. */
#define NR_SHARED	APPS_MOST
#define NR_ANON(app)	((app) + APPS_MOST + 1)

/* A memory or a file. */
struct area {
	const char *name;
	uint8_t *map;
	uint32_t pages;
	uint64_t first;			/* number of its first page */
	uint32_t *versions;		/* versions of its pages; NULL: all 0 */
};

/* Runs of pages in random order: the first ones are hot, the others cold. */
struct hotset {
	uint32_t *order;
	uint32_t n;
	uint32_t hot;
	struct sequence chance;
};

static const struct app_options *options;
static unsigned int app;
static size_t page;
static struct area anon = { .name = "anonymous memory" };
static struct area own = { .name = "file" }, shared = { .name = "shared file" };
static struct hotset hot, half;		/* of anon; of shared, which never changes */
static uint32_t grown;			/* next cold page to rewrite, in their order */
static uint64_t again_us = UINT64_MAX;	/* UINT64_MAX: in the background */

static uint64_t round_up(uint64_t bytes, uint64_t pages)
{
	uint64_t run = pages * sys_page_size();

	return (bytes + run - 1) / run * run;
}

/**
 * app_round() - round sizes up to whole runs
 * @of: the options
 */
void app_round(struct app_options *of)
{
	of->anon = round_up(of->anon, ANON_RUN);
	of->file = round_up(of->file, FILE_RUN);
	of->shared = round_up(of->shared, FILE_RUN);
}

static void path_of(unsigned int nr, char *path, size_t size)
{
	int n;

	if (nr == NR_SHARED)
		n = snprintf(path, size, "%s/shared", options->dir);
	else
		n = snprintf(path, size, "%s/app%u", options->dir, nr);
	if (n < 0 || (size_t)n >= size)
		errx(STATUS_FAILED, "--dir: the name of the directory is too long");
}

static bool is_right(const char *path, unsigned int nr, uint64_t size, uint8_t *buf)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct contents_wrong wrong;
	uint64_t first = (uint64_t)nr << 32, i;
	struct stat st;
	bool right = fd >= 0 && !fstat(fd, &st) && (uint64_t)st.st_size == size;

	for (i = 0; i < size / page && right; i++)
		right = read(fd, buf, page) == (ssize_t)page &&
			contents_check(buf, page, first + i, 0, &wrong);
	if (fd >= 0)
		close(fd);
	return right;
}

/* Write under another name first, so that an existing file is complete; sync before the run. */
static void make_file(const char *path, unsigned int nr, uint64_t size, uint8_t *buf)
{
	char part[4200];
	uint64_t i;
	int fd;

	snprintf(part, sizeof(part), "%s.part", path);
	fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0)
		err(STATUS_FAILED, "cannot make %s", part);
	for (i = 0; i < size / page; i++) {
		contents_fill(buf, page, ((uint64_t)nr << 32) + i, 0);
		errno = ENOSPC;
		if (write(fd, buf, page) != (ssize_t)page)
			err(STATUS_FAILED, "cannot write %s", part);
	}
	if (fsync(fd) || close(fd) || rename(part, path))
		err(STATUS_FAILED, "cannot write %s", path);
}

/**
 * app_prepare() - make missing files and files with other contents
 * @of: the options
 *
 * Return: number of files made. Ends the program with a message on failure.
 */
int app_prepare(const struct app_options *of)
{
	static uint8_t buf[CONTENTS_MOST];
	unsigned int i, nr;
	char path[4096];
	uint64_t size;
	int made = 0;

	options = of;
	page = (size_t)sys_page_size();
	if ((of->file || of->shared) && mkdir(of->dir, 0755) && errno != EEXIST)
		err(STATUS_FAILED, "cannot make %s", of->dir);
	for (i = 0; i <= of->apps; i++) {
		nr = i < of->apps ? i : NR_SHARED;
		size = nr == NR_SHARED ? of->shared : of->file;
		if (!size)
			continue;
		path_of(nr, path, sizeof(path));
		if (is_right(path, nr, size, buf))
			continue;
		make_file(path, nr, size, buf);
		made++;
	}
	return made;
}

static void map_anon(void)
{
	size_t size = (size_t)options->anon;

	anon.map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	anon.pages = (uint32_t)(size / page);
	anon.first = (uint64_t)NR_ANON(app) << 32;
	anon.versions = calloc(anon.pages, sizeof(*anon.versions));
	if (anon.map == MAP_FAILED || !anon.versions)
		err(STATUS_FAILED, "app%u: no memory", app);
	/* With huge pages a small hot run would make a whole huge page hot. */
	madvise(anon.map, size, MADV_NOHUGEPAGE);
}

static void map_file(struct area *area, unsigned int nr, uint64_t size)
{
	char path[4096];
	struct stat st;
	int fd;

	area->pages = (uint32_t)(size / page);
	area->first = (uint64_t)nr << 32;
	if (!size)
		return;
	path_of(nr, path, sizeof(path));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && !fstat(fd, &st) && (uint64_t)st.st_size == size)
		area->map = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (!area->map || area->map == MAP_FAILED)
		err(STATUS_FAILED, "app%u: cannot map %s", app, path);
	close(fd);
}

static void swap_runs(struct hotset *set, uint32_t one, uint32_t other)
{
	uint32_t run = set->order[one];

	set->order[one] = set->order[other];
	set->order[other] = run;
}

/* A random place in [@first, @end). */
static uint32_t place(struct hotset *set, uint32_t first, uint32_t end)
{
	return first + (uint32_t)(sequence_next(&set->chance) % (end - first));
}

static void choose_hot(struct hotset *set, const struct area *area, uint32_t run, uint64_t percent)
{
	uint32_t i;

	set->n = area->pages / run;
	set->hot = (uint32_t)((set->n * percent + 99) / 100);
	set->order = calloc((size_t)set->n + 1, sizeof(*set->order));
	if (!set->order)
		err(STATUS_FAILED, "app%u: no memory", app);
	sequence_begin(&set->chance, 1, ((uint64_t)NR_ANON(app) << 32) + run, SEQUENCE_CHANCE);
	for (i = 0; i < set->n; i++)
		set->order[i] = i;
	for (i = 0; i < set->n; i++)
		swap_runs(set, i, place(set, i, set->n));
}

/*
 * Swaps some hot runs with cold ones. Chosen runs go to the front, so that none is chosen twice.
 */
static void exchange_hot(struct hotset *set)
{
	uint32_t cold = set->n - set->hot, n = (set->hot * EXCHANGE + 99) / 100, i;

	for (i = 0; i < n && i < cold; i++) {
		swap_runs(set, i, place(set, i, set->hot));
		swap_runs(set, set->hot + i, place(set, set->hot + i, set->n));
		swap_runs(set, i, set->hot + i);
	}
}

static uint8_t *page_of(const struct area *area, uint32_t nr)
{
	return area->map + (size_t)nr * page;
}

static void check_page(const struct area *area, uint32_t nr, contents_check_fn check)
{
	uint32_t version = area->versions ? area->versions[nr] : 0;
	struct contents_wrong wrong;

	if (!check(page_of(area, nr), page, area->first + nr, version, &wrong))
		errx(STATUS_WRONG, "wrong data: app%u, %s, page %u, byte %zu: %#04x instead of %#04x",
		     app, area->name, nr, wrong.byte, wrong.got, wrong.want);
}

static void touch_run(const struct area *area, uint32_t run, uint32_t pages)
{
	uint32_t nr;

	for (nr = run * pages; nr < (run + 1) * pages; nr++)
		check_page(area, nr, contents_sample);
}

/* Touches all that the app needs in front: a run of each area in turn. */
static void touch_all(void)
{
	uint32_t files = own.pages / FILE_RUN, i;

	for (i = 0; i < hot.hot || i < files || i < half.hot; i++) {
		if (i < hot.hot)
			touch_run(&anon, hot.order[i], ANON_RUN);
		if (i < files)
			touch_run(&own, i, FILE_RUN);
		if (i < half.hot)
			touch_run(&shared, half.order[i], FILE_RUN);
	}
}

/* Uses the hot memory; skips uses missed during other work. */
static void touch_again(void)
{
	uint64_t now = sys_now_us();
	uint32_t i;

	if (now > again_us)
		again_us += (now - again_us) / AGAIN_US * AGAIN_US;
	again_us += AGAIN_US;
	for (i = 0; i < hot.hot; i++)
		touch_run(&anon, hot.order[i], ANON_RUN);
}

static void fill(void)
{
	uint32_t nr;

	for (nr = 0; nr < anon.pages; nr++)
		contents_fill(page_of(&anon, nr), page, anon.first + nr, 0);
	if (options->corrupt && !app && hot.hot)
		page_of(&anon, hot.order[0] * ANON_RUN)[7] ^= 0x10;
}

/* Rewrites cold pages. The user does not wait, so check all bytes before. */
static void grow(void)
{
	uint32_t cold = (hot.n - hot.hot) * ANON_RUN;
	uint64_t left = GROW / page < cold ? GROW / page : cold;

	for (; left; left--) {
		uint32_t nr = hot.order[hot.hot + grown / ANON_RUN] * ANON_RUN + grown % ANON_RUN;

		check_page(&anon, nr, contents_check);
		contents_fill(page_of(&anon, nr), page, anon.first + nr, ++anon.versions[nr]);
		grown = (grown + 1) % cold;
	}
}

/* The first visit is the start of the app. Returns false when the pipe is closed. */
static bool visit(bool is_first)
{
	if (is_first)
		fill();
	else
		exchange_hot(&hot);
	touch_all();
	if (write(STDOUT_FILENO, "done\n", 5) != 5)
		return false;
	again_us = sys_now_us() + AGAIN_US;
	grow();
	return true;
}

/* Waits for a command; false if it is time to use the hot memory again. */
static bool wait_for_command(void)
{
	struct pollfd wait = { .fd = STDIN_FILENO, .events = POLLIN };
	uint64_t now = sys_now_us();
	struct timespec time = { 0 };

	if (again_us != UINT64_MAX && again_us > now)
		time.tv_nsec = (long)(again_us - now) * 1000;
	return ppoll(&wait, 1, again_us == UINT64_MAX ? NULL : &time, NULL) != 0;
}

/**
 * app_run() - run an app: commands on standard input, answers on standard output
 * @of: the options
 * @nr: number of the app
 *
 * Ends the process with STATUS_WRONG and a message if a byte is wrong.
 *
 * Return: exit status after the pipe of commands was closed.
 */
int app_run(const struct app_options *of, unsigned int nr)
{
	char command[sizeof(APP_VISIT) - 1];
	bool is_first = true;

	options = of;
	app = nr;
	page = (size_t)sys_page_size();
	map_anon();
	map_file(&own, nr, of->file);
	map_file(&shared, NR_SHARED, of->shared);
	choose_hot(&hot, &anon, ANON_RUN, of->hot);
	choose_hot(&half, &shared, FILE_RUN, SHARED);
	for (;;) {
		if (!wait_for_command()) {
			touch_again();
			continue;
		}
		if (read(STDIN_FILENO, command, sizeof(command)) != sizeof(command))
			return 0;
		if (command[0] == APP_LEAVE[0]) {
			again_us = UINT64_MAX;
			continue;
		}
		if (!visit(is_first))
			return 0;
		is_first = false;
	}
}
