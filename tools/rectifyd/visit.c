// SPDX-License-Identifier: GPL-2.0

#include <string.h>
#include <sys/mman.h>
#include "meters.h"
#include "pages.h"
#include "push.h"
#include "visit.h"

static bool all(uint32_t nr, void *arg)
{
	(void)nr;
	(void)arg;
	return true;
}

static void see_chunk(uint32_t nr, uint32_t in, uint32_t out, void *arg)
{
	struct member *member = arg;

	(void)in;
	usage_begin(&member->usage[nr], out);
}

/* see() - what is out of a process */
static void see(struct member *member, void *arg)
{
	const uint32_t *now_ms = arg;

	if (!app_layout(member, *now_ms))
		pages_each(member->id, &member->layout, all, see_chunk, member);
}

/* fetch() - what is needed of a process, and is out */
static void fetch(struct member *member, void *arg)
{
	struct push push;
	uint32_t nr;

	(void)arg;
	push_begin(&push, member->id, MADV_WILLNEED);
	for (nr = 0; nr < member->layout.n_chunks; nr++)
		member->app->fetched += push_pages(&push, &member->layout, nr,
						   member->usage[nr].hot & member->usage[nr].out);
	push_end(&push);
}

/**
 * visit_begin() - an app comes to the front
 * @config: where apps are
 * @app: the app
 * @now_ms: the time
 * @early: bring back what it needs, before it asks
 *
 * Looks at it only if that was not done at the back, or pages went out since: the kernel has taken
 * some, or more of them were just going.
 */
void visit_begin(const struct config *config, struct app *app, uint32_t now_ms, bool early)
{
	if (!app->seen || app->push || app->taken != meters_taken()) {
		app_members(config, app);
		app_each_member(app, see, &now_ms);
	}
	app->seen = false;
	if (early)
		app_each_member(app, fetch, NULL);
}

struct end {
	struct app *app;
	uint32_t now_ms;
	bool doubt;			/* what is kept */
	struct usage *usage;		/* of a process */
	struct usage_sums *sums;	/* of all of them */
};

static void end_chunk(uint32_t nr, uint32_t in, uint32_t out, void *arg)
{
	struct end *end = arg;

	(void)out;
	usage_end(&end->usage[nr], in,
		  end->doubt && usage_is_doubted(nr, end->app->visit, end->app->visits), end->sums);
}

static void end_process(struct member *member, void *arg)
{
	struct end *end = arg;

	end->usage = member->usage;
	if (!app_layout(member, end->now_ms))
		pages_each(member->id, &member->layout, all, end_chunk, end);
}

/**
 * visit_end() - an app has gone to the back
 * @app: the app
 * @now_ms: the time
 * @doubt: what is kept is doubted, by parts
 * @sums: filled in: what it needs, and what had gone of that
 */
void visit_end(struct app *app, uint32_t now_ms, bool doubt, struct usage_sums *sums)
{
	struct end end = { .app = app, .now_ms = now_ms, .doubt = doubt, .sums = sums };

	memset(sums, 0, sizeof(*sums));
	if (!app->visits)
		app->visits = USAGE_VISITS;
	app_each_member(app, end_process, &end);
	app->visits = usage_visits(app->visits, sums);
}

/**
 * visit_see() - see what is out, for the next visit
 * @app: an app at the back
 * @now_ms: the time
 */
void visit_see(struct app *app, uint32_t now_ms)
{
	app->taken = meters_taken();
	app_each_member(app, see, &now_ms);
	app->seen = true;
}
