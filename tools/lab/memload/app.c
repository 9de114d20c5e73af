// SPDX-License-Identifier: GPL-2.0

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "app.h"
#include "appfile.h"
#include "group.h"
#include "hotset.h"
#include "loadopt.h"
#include "sample.h"
#include "sys.h"

/* Of the hot runs, so many percent are other ones at the next visit. */
#define EXCHANGE 5

/* The app in front uses its hot memory so often. */
#define AGAIN_US 100000

/* A memory, or a file. */
struct area {
	const char *name;
	uint8_t *map;
	uint32_t pages;
	uint64_t number;		/* of its first page */
	uint32_t *versions;		/* of its pages; NULL: all are 0 */
};

struct app {
	const struct appopt *options;
	unsigned int nr;
	int commands;
	int answers;
	struct contents contents;
	struct area anon;
	struct area file;
	struct area shared;
	struct hotset hot;		/* of anon */
	struct hotset half;		/* of shared, which never changes */
	uint32_t grown;			/* the next cold page that is written, in their order */
	bool filled;
	uint64_t again_us;		/* UINT64_MAX: it is not in front */
};

static int fail(const struct app *app, const char *what, const char *name)
{
	int error = errno ? errno : EIO;

	warn("app%u: cannot %s %s", app->nr, what, name);
	return -error;
}

static int map_anon(struct app *app)
{
	struct area *area = &app->anon;
	size_t size = (size_t)app->options->anon;
	void *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	area->name = "anonymous memory";
	area->pages = (uint32_t)(size / app->contents.page);
	area->number = APPFILE_ANON(app->nr);
	area->versions = calloc(area->pages, sizeof(*area->versions));
	if (map == MAP_FAILED || !area->versions)
		return fail(app, "have", area->name);
	/* A hot run is smaller than a huge page, and would make all of one hot. */
	madvise(map, size, MADV_NOHUGEPAGE);
	area->map = map;
	return 0;
}

static int map_file(struct app *app, struct area *area, unsigned int nr, uint64_t size)
{
	void *map = MAP_FAILED;
	char path[4096];
	struct stat st;
	int fd;

	area->name = nr == APPFILE_SHARED ? "shared file" : "file";
	area->pages = (uint32_t)(size / app->contents.page);
	area->number = APPFILE_NUMBER(nr);
	if (!size)
		return 0;
	if (appfile_path(app->options, nr, path, sizeof(path)))
		return -ENAMETOOLONG;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	errno = fd < 0 ? errno : EIO;
	if (fd >= 0 && !fstat(fd, &st) && (uint64_t)st.st_size == size)
		map = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return fail(app, "map", path);
	close(fd);
	area->map = map;
	return 0;
}

static int choose(struct app *app, struct hotset *set, const struct area *area, uint32_t run,
		  unsigned int percent)
{
	set->n = area->pages / run;
	set->hot = (uint32_t)(((uint64_t)set->n * percent + 99) / 100);
	set->order = calloc((size_t)set->n + 1, sizeof(*set->order));
	if (!set->order)
		return fail(app, "have", "memory");
	hotset_begin(set, app->options->seed, APPFILE_ANON(app->nr) + run);
	return 0;
}

static int begin(struct app *app)
{
	const struct appopt *options = app->options;
	char name[16];

	snprintf(name, sizeof(name), "app%u", app->nr);
	prctl(PR_SET_NAME, name);
	appfile_contents(&app->contents, options);
	app->again_us = UINT64_MAX;
	if (group_enter(options->group, name) || map_anon(app) ||
	    map_file(app, &app->file, app->nr, options->file) ||
	    map_file(app, &app->shared, APPFILE_SHARED, options->shared) ||
	    choose(app, &app->hot, &app->anon, APPOPT_ANON_RUN, options->hot) ||
	    choose(app, &app->half, &app->shared, APPOPT_FILE_RUN, 50))
		return -EIO;
	return 0;
}

static uint8_t *page_of(const struct app *app, const struct area *area, uint32_t nr)
{
	return area->map + (size_t)nr * app->contents.page;
}

/* The stamp of a page is the last byte of its version. */
static void fill_page(const struct app *app, const struct area *area, uint32_t nr)
{
	uint32_t version = area->versions[nr];

	contents_fill(&app->contents, area->number + nr, version, (uint8_t)version,
		      page_of(app, area, nr));
}

typedef int (*check_fn)(const struct contents *contents, uint64_t nr, uint64_t version,
			uint8_t stamp, const uint8_t *page, struct contents_wrong *wrong);

static int check_page(const struct app *app, const struct area *area, uint32_t nr, check_fn check)
{
	uint32_t version = area->versions ? area->versions[nr] : 0;
	struct contents_wrong wrong;

	if (check(&app->contents, area->number + nr, version, (uint8_t)version,
		  page_of(app, area, nr), &wrong) == 0)
		return 0;
	warnx("wrong data: app%u, %s, page %u, byte %zu: %#04x instead of %#04x", app->nr,
	      area->name, nr, wrong.byte, wrong.got, wrong.want);
	return -EBADMSG;
}

static int touch_run(const struct app *app, const struct area *area, uint32_t run, uint32_t pages)
{
	uint32_t nr;

	for (nr = run * pages; nr < (run + 1) * pages; nr++)
		if (check_page(app, area, nr, sample_check))
			return -EBADMSG;
	return 0;
}

static int touch_hot(const struct app *app, uint32_t i)
{
	return touch_run(app, &app->anon, app->hot.order[i], APPOPT_ANON_RUN);
}

/* All that the app needs to be in front: a run of each area in turn, until none has more. */
static int touch_all(const struct app *app)
{
	uint32_t files = app->file.pages / APPOPT_FILE_RUN, i;
	bool more = true;

	for (i = 0; more; i++) {
		more = false;
		if (i < app->hot.hot) {
			more = true;
			if (touch_hot(app, i))
				return -EBADMSG;
		}
		if (i < files) {
			more = true;
			if (touch_run(app, &app->file, i, APPOPT_FILE_RUN))
				return -EBADMSG;
		}
		if (i < app->half.hot) {
			more = true;
			if (touch_run(app, &app->shared, app->half.order[i], APPOPT_FILE_RUN))
				return -EBADMSG;
		}
	}
	return 0;
}

/* The app in front uses its hot memory; what it missed, as it had other work, is left out. */
static int touch_again(struct app *app)
{
	uint64_t now = sys_now_us();
	uint32_t i;

	if (now > app->again_us)
		app->again_us += (now - app->again_us) / AGAIN_US * AGAIN_US;
	app->again_us += AGAIN_US;
	for (i = 0; i < app->hot.hot; i++)
		if (touch_hot(app, i))
			return -EBADMSG;
	return 0;
}

static void fill(struct app *app)
{
	uint32_t nr;

	for (nr = 0; nr < app->anon.pages; nr++)
		fill_page(app, &app->anon, nr);
	if (app->options->corrupt && app->nr == 0 && app->hot.hot)
		page_of(app, &app->anon, app->hot.order[0] * APPOPT_ANON_RUN)[7] ^= 0x10;
	app->filled = true;
}

/* Writes cold pages anew. Nobody waits for it: they are checked from end to end before. */
static int grow(struct app *app)
{
	uint32_t cold = app->hot.n - app->hot.hot;
	uint64_t left;

	for (left = app->options->grow / app->contents.page; left; left--) {
		uint32_t run = app->hot.order[app->hot.hot + app->grown / APPOPT_ANON_RUN];
		uint32_t nr = run * APPOPT_ANON_RUN + app->grown % APPOPT_ANON_RUN;

		if (check_page(app, &app->anon, nr, contents_check))
			return -EBADMSG;
		app->anon.versions[nr]++;
		fill_page(app, &app->anon, nr);
		app->grown = (app->grown + 1) % (cold * APPOPT_ANON_RUN);
	}
	return 0;
}

static int answer(const struct app *app, const struct app_answer *text)
{
	return write(app->answers, text, sizeof(*text)) == sizeof(*text) ? 0 : -EPIPE;
}

/* The app comes to the front. The first time is its start. */
static int visit(struct app *app)
{
	struct rusage before, after;
	struct app_answer text;

	getrusage(RUSAGE_SELF, &before);
	if (app->filled)
		hotset_exchange(&app->hot, EXCHANGE);
	else
		fill(app);
	if (touch_all(app))
		return -EBADMSG;
	getrusage(RUSAGE_SELF, &after);
	text.major_faults = (uint64_t)(after.ru_majflt - before.ru_majflt);
	text.minor_faults = (uint64_t)(after.ru_minflt - before.ru_minflt);
	if (answer(app, &text))
		return -EPIPE;
	app->again_us = sys_now_us() + AGAIN_US;
	return grow(app);
}

/* Returns the next command; 0 when it is time to use the hot memory; -EPIPE at the end. */
static int next_command(const struct app *app)
{
	struct pollfd wait = { .fd = app->commands, .events = POLLIN };
	uint64_t now = sys_now_us();
	struct timespec time = { 0 };
	char command;
	int n;

	if (app->again_us != UINT64_MAX && app->again_us > now)
		time.tv_nsec = (long)(app->again_us - now) * 1000;
	do {
		n = ppoll(&wait, 1, app->again_us == UINT64_MAX ? NULL : &time, NULL);
	} while (n < 0 && errno == EINTR);
	if (!n)
		return 0;
	return read(app->commands, &command, 1) == 1 ? command : -EPIPE;
}

static int serve(struct app *app)
{
	static const struct app_answer begun;
	int ret = answer(app, &begun), command;

	while (!ret) {
		command = next_command(app);
		if (command == APP_FRONT)
			ret = visit(app);
		else if (command == APP_BACK)
			app->again_us = UINT64_MAX;
		else
			ret = command ? command : touch_again(app);
	}
	return ret;
}

/**
 * app_run() - be an app
 * @options: of all apps
 * @nr: its number
 * @commands: where they come from
 * @answers: where to
 *
 * Return: the status of the process, whose memory and files go with it.
 */
int app_run(const struct appopt *options, unsigned int nr, int commands, int answers)
{
	static struct app app;
	int ret;

	app.options = options;
	app.nr = nr;
	app.commands = commands;
	app.answers = answers;
	if (begin(&app))
		return STATUS_FAILED;
	ret = serve(&app);
	return ret == -EBADMSG ? STATUS_WRONG : 0;
}
