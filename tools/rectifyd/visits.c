// SPDX-License-Identifier: GPL-2.0
/*
 * Reads page tables of apps and moves their pages. The list of swapped pages is read while the app
 * is at the back, after its pages have gone out, so that the next switch to it need not wait for
 * that. usage.c compares the reads before and after a visit.
 */
#include <string.h>
#include <sys/mman.h>
#include "pages.h"
#include "push.h"
#include "visits.h"

/*
 * Chunks pushed in one step: an app that comes to the front waits for no more. A guess: 512 KiB,
 * some milliseconds.
 */
#define STEP_CHUNKS 4
/* Read a layout again after so long, because mappings come and go: a guess. */
#define LAYOUT_MS 50

/* read_layout() - read the mappings of a process anew; the usage of its chunks is kept */
static int read_layout(struct member *member, uint32_t now_ms)
{
	static struct usage scratch[LAYOUT_CHUNKS];
	static struct layout before;
	int err;

	if (member->layout_ms && now_ms - member->layout_ms < LAYOUT_MS)
		return 0;
	before = member->layout;
	err = pages_layout(member->id, &member->layout);
	if (err)
		return err;
	member->layout_ms = now_ms;
	if (layout_same(&before, &member->layout))
		return 0;
	memcpy(scratch, member->usage, before.n_chunks * sizeof(scratch[0]));
	layout_keep(&member->layout, &before, member->usage, scratch, sizeof(scratch[0]));
	return 0;
}

static bool every_chunk(uint32_t nr, void *arg)
{
	(void)nr;
	(void)arg;
	return true;
}

static void begin_chunk(uint32_t nr, uint32_t in, uint32_t out, void *arg)
{
	struct member *member = arg;

	(void)in;
	member->usage[nr].out = out;
}

/**
 * visit_read_out() - read which pages are out, for the next visit
 * @app: the app
 * @now_ms: the time
 * @taken: of costs_taken()
 */
void visit_read_out(struct app *app, uint32_t now_ms, uint64_t taken)
{
	struct member *member = NULL;

	while ((member = app_next_member(app, member)))
		if (!read_layout(member, now_ms))
			pages_each(member->id, &member->layout, every_chunk, begin_chunk, member);
	app->taken = taken;
	app->out_known = true;
}

/* fetch() - bring needed pages back before the app asks for them */
static void fetch(struct app *app)
{
	struct member *member = NULL;
	struct push push;
	uint32_t nr;

	while ((member = app_next_member(app, member))) {
		push_begin(&push, member->id, MADV_WILLNEED);
		for (nr = 0; nr < member->layout.n_chunks; nr++)
			app->fetched += push_pages(&push, &member->layout, nr,
						   member->usage[nr].hot & member->usage[nr].out);
		push_end(&push);
	}
}

/**
 * visit_begin() - an app comes to the front
 * @config: where apps are
 * @app: the app
 * @now_ms: the time
 * @taken: of costs_taken()
 * @early: bring needed pages back now
 *
 * Reads page tables only if that was not done at the back, or if pages have gone out since, by the
 * kernel or by a push.
 */
void visit_begin(const struct config *config, struct app *app, uint32_t now_ms, uint64_t taken,
		 bool early)
{
	if (!app->out_known || app->gives || app->taken != taken) {
		app_search(config, app);
		visit_read_out(app, now_ms, taken);
	}
	app->out_known = false;
	if (early)
		fetch(app);
}

struct visit_ending {
	const struct app *app;
	bool doubt;
	struct usage *usage;		/* of one process */
	struct usage_sums *sums;	/* of all of them */
};

static void end_chunk(uint32_t nr, uint32_t in, uint32_t out, void *arg)
{
	struct visit_ending *end = arg;

	(void)out;
	usage_end(&end->usage[nr], in, end->doubt &&
		  usage_is_doubted(nr, end->app->visit, end->app->doubt_period), end->sums);
}

/**
 * visit_end() - an app has gone to the back
 * @app: the app
 * @now_ms: the time
 * @doubt: push a part of the needed pages, to see which of them are still needed
 * @sums: filled in, for all processes of the app
 */
void visit_end(struct app *app, uint32_t now_ms, bool doubt, struct usage_sums *sums)
{
	struct visit_ending end = { .app = app, .doubt = doubt, .sums = sums };
	struct member *member = NULL;

	memset(sums, 0, sizeof(*sums));
	if (!app->doubt_period)
		app->doubt_period = USAGE_VISITS;
	while ((member = app_next_member(app, member))) {
		end.usage = member->usage;
		if (!read_layout(member, now_ms))
			pages_each(member->id, &member->layout, every_chunk, end_chunk, &end);
	}
	app->doubt_period = usage_visits(app->doubt_period, sums);
	app->hot = sums->hot;
}

struct push_window {
	struct member *member;
	struct push push;
	bool others;
	uint32_t from;			/* first chunk */
	uint32_t pages;			/* pushed so far */
};

/* is_in_window() - is it one of the next few chunks, with no page pushed yet? */
static bool is_in_window(uint32_t nr, void *arg)
{
	const struct push_window *window = arg;

	return !window->pages && nr >= window->from && nr - window->from < STEP_CHUNKS;
}

static void push_chunk(uint32_t nr, uint32_t in, uint32_t out, void *arg)
{
	struct push_window *window = arg;
	struct member *member = window->member;
	uint32_t hot = in & member->usage[nr].hot, others = window->others ? in & ~hot : 0, pages;

	(void)out;
	window->from = nr + 1;
	window->pages += push_pages(&window->push, &member->layout, nr, others);
	if (member->app->gave_hot >= member->app->give_hot)
		return;
	pages = push_pages(&window->push, &member->layout, nr, hot);
	member->app->gave_hot += pages;
	window->pages += pages;
}

/* push_chunks() - push pages of the next chunks of a process; false: no pages are left to push */
static bool push_chunks(struct visit_cursor *cursor, bool others)
{
	struct member *member = cursor->member;
	struct push_window window = { .member = member, .others = others, .from = cursor->chunk };
	struct app *app = member->app;

	if (!member->id.pid || app->front || !app->gives ||
	    (!others && app->gave_hot >= app->give_hot))
		return false;
	push_begin(&window.push, member->id, MADV_PAGEOUT);
	pages_each(member->id, &member->layout, is_in_window, push_chunk, &window);
	push_end(&window.push);
	app->pushed += window.pages;
	cursor->chunk = window.from;
	return window.pages;
}

/**
 * visit_push() - push some pages of the apps that give pages
 * @cursor: the next pages to push
 * @others: push pages that are not known to be needed
 *
 * Return: false, if no pages are left to push.
 */
bool visit_push(struct visit_cursor *cursor, bool others)
{
	while (cursor->member) {
		if (push_chunks(cursor, others))
			return true;
		cursor->member = app_next_member(NULL, cursor->member);
		cursor->chunk = 0;
	}
	return false;
}
