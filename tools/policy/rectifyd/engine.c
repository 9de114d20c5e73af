// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include "engine.h"
#include "lean.h"
#include "log.h"
#include "meters.h"
#include "pages.h"
#include "push.h"
#include "undo.h"
#include "visit.h"

/* Chunks that go out at a time: an app that comes to the front meanwhile waits for no more. */
#define STEP_CHUNKS 4
/* Between two times, and when there is nothing to do. */
#define STEP_MS 2
#define IDLE_MS 1000
/* A switch is weighed so long after it. */
#define WEIGH_MS 100
#define SWAPPINESS "/proc/sys/vm/swappiness"
#define MOST_SWAPPINESS 200
/* A visit counts as so much, and at each switch by one of so many parts less. */
#define USE 4096
#define USE_PART 16
/* A swap whose pages take longer to read is slow: then what is needed is brought back early. */
#define SLOW_NS 40000

/* By enum balance_state. */
static const char *const state_names[] = { "plenty", "thrashing", "working" };
static const char *const reasons[] = {
	"memory is plenty: nothing is done",
	"more is needed than there is memory: nothing is done for a while",
	"memory is short: what apps do not need goes out",
};

static struct {
	struct balance balance;
	enum balance_state balanced;
	struct lean lean;
	unsigned int member;		/* whose pages go out, */
	uint32_t chunk;			/* from that one on */
	bool others;			/* what is not known to be needed goes out, too */
	uint32_t hot_back;		/* pages that had gone out, though they are needed, */
	uint32_t cold_back;		/* or were not known to be */
	uint32_t now_ms;
	bool swappiness;		/* it was raised */
	bool weigh;			/* a switch has to be weighed, */
	uint32_t switched_ms;		/* which was then: the app comes first */
} state;

static void add_hot(struct app *app, void *arg)
{
	if (!app->front)
		*(uint32_t *)arg += app->hot;
}

static void add_kept(struct app *app, void *arg)
{
	if (!app->front)
		*(uint32_t *)arg += app->hot - app->shrink;
}

/* hot() - pages that the apps at the back need */
static uint32_t hot(void)
{
	uint32_t pages = 0;

	app_each(add_hot, &pages);
	return pages;
}

static void to_back(struct app *app, void *arg)
{
	if (app == arg || !app->front)
		return;
	app->front = false;
	app->due = true;
	app->since_ms = state.now_ms;
	log_debug("%s: to the back", app->name);
}

/* fade() - what an app was used for long ago counts less */
static void fade(struct app *app, void *arg)
{
	(void)arg;
	app->use -= app->use / USE_PART;
}

static void log_news(const struct balance_news *news)
{
	log_debug("files %llu us; swap %llu us: needed pages %llu, others %llu; in %u ms",
		  (unsigned long long)news->file_us, (unsigned long long)news->anon_us,
		  (unsigned long long)news->hot_us, (unsigned long long)news->cold_us, news->ms);
	log_debug("room for %d%s: at most %u of %u needed pages stay, others %s", news->room,
		  news->short_of_memory ? ", short of memory" : "", state.balance.keep, hot(),
		  state.others ? "go" : "stay");
}

/* weigh() - a switch: what it cost, and what comes of it */
static void weigh(void)
{
	enum balance_state before = state.balanced;
	struct balance_news news;

	if (meters_read(state.now_ms, &news))
		return;
	news.hot_us = meters_swap_us(state.hot_back);
	news.cold_us = meters_swap_us(state.cold_back);
	state.hot_back = 0;
	state.cold_back = 0;
	state.balanced = balance_step(&state.balance, &news, hot());
	state.others = state.balanced == BALANCE_WORK && balance_gives(&state.balance, &news);
	/* The kernel takes what is needed, too: only where apps keep nothing any more. */
	lean_step(&state.lean, balance_keeps(&state.balance), news.file_us, news.anon_us);
	log_news(&news);
	if (state.balanced != before)
		log_info("%s", reasons[state.balanced]);
}

/*
 * tune() - where a page of the swap is read in less time than one of a file, the kernel is to take
 * anonymous pages first, too, when it has to take some; as long as that does not come back
 */
static void tune(const struct config *config, bool dry_run)
{
	bool high = config->mode == MODE_AUTO && config->knobs && !dry_run &&
		    state.balanced == BALANCE_WORK && state.lean.on &&
		    meters_swap_ns() < meters_file_ns() / 2;
	int err;

	if (high == state.swappiness)
		return;
	state.swappiness = high;
	err = high ? undo_write_u64(SWAPPINESS, MOST_SWAPPINESS) : undo_rewrite(SWAPPINESS);
	/* Before Linux 5.8 it was at most 100. */
	if (err == -EINVAL && high)
		err = undo_write_u64(SWAPPINESS, MOST_SWAPPINESS / 2);
	if (err)
		log_warn("vm.swappiness could not be set: %s", strerror(-err));
	else
		log_info("vm.swappiness %s", high ? "as high as it can be" : "as before");
}

/**
 * engine_begin() - nothing is known
 * @now_ms: the time
 */
void engine_begin(uint32_t now_ms)
{
	memset(&state, 0, sizeof(state));
	state.member = MEMBERS;
	meters_begin(now_ms);
	balance_begin(&state.balance);
	lean_begin(&state.lean);
}

/**
 * engine_front() - an app comes to the front, and the one that is there goes to the back
 * @config: what is wanted
 * @name: the app
 * @now_ms: the time
 * @dry_run: move nothing
 *
 * Return: 0; or as of app_find().
 */
int engine_front(const struct config *config, const char *name, uint32_t now_ms, bool dry_run)
{
	struct app *app;
	bool fetch;
	int err = app_find(config, name, &app);

	if (err)
		return err;
	state.now_ms = now_ms;
	app_each(to_back, app);
	if (app->front)
		return 0;
	app->front = true;
	app->due = false;
	app->visit++;
	app_each(fade, NULL);
	app->use += USE;
	app->since_ms = now_ms;
	fetch = config->mode != MODE_WATCH && !dry_run &&
		(config->fetch == CHOICE_YES ||
		 (config->fetch == CHOICE_AUTO && meters_swap_ns() >= SLOW_NS));
	state.weigh = true;
	state.switched_ms = now_ms;
	/* Of one of which nothing ever went out there is nothing to see. */
	app->begun = state.balanced != BALANCE_PLENTY || app->pushed;
	if (app->begun)
		visit_begin(config, app, now_ms, fetch);
	return 0;
}

/**
 * engine_back() - an app goes to the back, and no other one comes to the front
 * @config: what is wanted
 * @name: the app
 * @now_ms: the time
 *
 * Return: 0; or as of app_find().
 */
int engine_back(const struct config *config, const char *name, uint32_t now_ms)
{
	struct app *app;
	int err = app_find(config, name, &app);

	if (err)
		return err;
	state.now_ms = now_ms;
	if (app->front)
		to_back(app, NULL);
	return 0;
}

/* end_visits() - of all processes of an app: what it needs, and what had gone of that */
static void end_visits(struct app *app, bool doubt)
{
	struct usage_sums sums;

	visit_end(app, state.now_ms, doubt, &sums);
	app->hot = sums.hot;
	state.hot_back += sums.hot_back;
	state.cold_back += sums.cold_back;
	log_debug("%s: needs %u pages; back came %u of them, %u others; of %u doubted %u were needed",
		  app->name, sums.hot, sums.hot_back, sums.cold_back, sums.doubted, sums.needed);
}

/* least_used() - of the apps at the back, of which what they need is in memory */
static void least_used(struct app *app, void *arg)
{
	struct app **found = arg;

	if (!app->front && app->hot > app->shrink && (!*found || app->use < (*found)->use))
		*found = app;
}

/* shrink() - the apps that were in front least often give up what they need, too */
static void shrink(const struct config *config)
{
	uint32_t have = 0, pages;

	app_each(add_kept, &have);
	while (config->mode == MODE_AUTO && have > state.balance.keep) {
		struct app *app = NULL;

		app_each(least_used, &app);
		if (!app)
			return;
		pages = app->hot - app->shrink;
		if (pages > have - state.balance.keep)
			pages = have - state.balance.keep;
		app->shrink += pages;
		app->push = true;
		have -= pages;
	}
}

struct look {
	const struct config *config;
	bool dry_run;
};

/* look() - an app that has been at the back for long enough */
static void look(struct app *app, void *arg)
{
	const struct look *look = arg;
	bool idle = look->dry_run || look->config->mode == MODE_WATCH;

	if (app->front || !app->due || state.now_ms - app->since_ms < look->config->delay_ms)
		return;
	app->due = false;
	app->shrink = 0;
	app->shrunk = 0;
	app_members(look->config, app);
	if (app->begun)
		end_visits(app, state.others && !idle);
	if (idle || state.balanced != BALANCE_WORK)
		return;
	app->push = true;
	shrink(look->config);
	state.member = 0;
	state.chunk = 0;
}

struct window {
	struct member *member;
	struct push push;
	uint32_t from;
	uint32_t pages;
};

/* is_in_window() - the next few chunks, until some pages of one go out */
static bool is_in_window(uint32_t nr, void *arg)
{
	const struct window *window = arg;

	return !window->pages && nr >= window->from && nr - window->from < STEP_CHUNKS;
}

static void push_chunk(uint32_t nr, uint32_t in, uint32_t out, void *arg)
{
	struct window *window = arg;
	struct member *member = window->member;
	uint32_t hot = in & member->usage[nr].hot, cold = state.others ? in & ~hot : 0, pages;

	(void)out;
	window->from = nr + 1;
	window->pages += push_pages(&window->push, &member->layout, nr, cold);
	if (member->app->shrunk >= member->app->shrink)
		return;
	pages = push_pages(&window->push, &member->layout, nr, hot);
	member->app->shrunk += pages;
	window->pages += pages;
}

/* push_some() - a few chunks of a process; false, if that was all of it */
static bool push_some(struct member *member)
{
	struct window window = { .member = member, .from = state.chunk };

	if (!member->id.pid || member->app->front || !member->app->push ||
	    (!state.others && member->app->shrunk >= member->app->shrink))
		return false;
	push_begin(&window.push, member->id, MADV_PAGEOUT);
	pages_each(member->id, &member->layout, is_in_window, push_chunk, &window);
	push_end(&window.push);
	member->app->pushed += window.pages;
	state.chunk = window.from;
	return window.pages;
}

static void is_waiting(struct app *app, void *arg)
{
	if (!app->front && app->due)
		*(bool *)arg = true;
}

/* pushed() - an app of which all has gone that was to go */
static void pushed(struct app *app, void *arg)
{
	if (app->push)
		*(struct app **)arg = app;
}

/* push_next() - of the next process of which some is to go; false, if all has gone */
static bool push_next(void)
{
	struct app *app = NULL;
	struct member *member;

	while ((member = app_member(state.member))) {
		if (push_some(member))
			return true;
		state.member++;
		state.chunk = 0;
	}
	app_each(pushed, &app);
	if (!app)
		return false;
	app->push = false;
	if (!app->front)
		visit_see(app, state.now_ms);
	return true;
}

/**
 * engine_step() - go on
 * @config: what is wanted
 * @now_ms: the time
 * @dry_run: move nothing
 *
 * Return: milliseconds until there is more to do.
 */
uint32_t engine_step(const struct config *config, uint32_t now_ms, bool dry_run)
{
	struct look looks = { config, dry_run };
	bool waiting = false;

	state.now_ms = now_ms;
	if (state.weigh && now_ms - state.switched_ms >= WEIGH_MS) {
		weigh();
		tune(config, dry_run);
		state.weigh = false;
	}
	app_each(look, &looks);
	if (push_next())
		return STEP_MS;
	app_each(is_waiting, &waiting);
	if (state.weigh)
		return WEIGH_MS;
	return waiting ? config->delay_ms / 4 + 1 : IDLE_MS;
}

/**
 * engine_balance() - how much stays
 */
const struct balance *engine_balance(void)
{
	return &state.balance;
}

/**
 * engine_state() - what it does, in a word
 */
const char *engine_state(void)
{
	return state_names[state.balanced];
}
