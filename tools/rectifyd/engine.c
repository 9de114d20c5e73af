// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include "acts.h"
#include "engine.h"
#include "lean.h"
#include "log.h"
#include "meters.h"
#include "pages.h"
#include "push.h"
#include "sys.h"
#include "undo.h"
#include "visit.h"
#include "waits.h"

/* Chunks that go out at a time: an app that comes to the front meanwhile waits for no more. */
#define STEP_CHUNKS 4
/* Between two times, and when there is nothing to do. */
#define STEP_MS 2
#define IDLE_MS 1000
/* Waits in the first 2 s after a switch are its cost; later ones are not. */
#define COST_MS 2000
/* From the next switch until its cost is weighed, while the user has the app already. */
#define WEIGH_MS 100
#define SWAPPINESS "/proc/sys/vm/swappiness"
/*
 * With 200 the kernel takes pages that are in use for the last few of files: eight programs in 136
 * MiB take 282 ms a switch then, 194 with 150, and 212 with 60.
 */
#define LEAN_SWAPPINESS 150
#define GENERATIONS "/sys/kernel/mm/lru_gen/enabled"
/* Files have to cost so many times as much as the swap before it is tried to push. */
#define PUSH_TIMES 2
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
	unsigned int may;		/* what the configuration allows: bits of enum act, */
	bool always;			/* whatever it costs */
	bool swappiness;		/* it was raised */
	uint32_t switched_ms;		/* when the last switch was, */
	struct app *measured;		/* whose cost is being measured; NULL: none is */
	struct costs costs;		/* of the app until then, */
	uint64_t told_us;		/* and the time that it took to tell of the switch */
	struct balance_news news;	/* of the one before, */
	bool weigh;			/* which has to be weighed */
	uint32_t since_new;		/* switches since an app came for the first time */
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

/*
 * may_push() - might it cost apps less to push? The most that it can save is what files cost, and
 * swap is the price. So files have to cost more, before it is tried. While it is done, they cost
 * less.
 */
static bool may_push(void)
{
	const struct turn *turn = acts_turn(ACT_PUSH);

	if (state.always)
		return true;
	if (!state.balance.give && state.balance.keep >= hot())
		return false;
	return acts_does(ACT_PUSH) || (turn->known && turn->better) ||
	       state.balance.file_us / PUSH_TIMES > state.lean.anon_us;
}

/* wanted() - what could be done now, if it is better than nothing: bits */
static unsigned int wanted(void)
{
	if (state.balanced != BALANCE_WORK)
		return 0;
	return state.may & ((may_push() ? ACT_BIT(ACT_PUSH) : 0) |
			    (state.lean.on ? ACT_BIT(ACT_LEAN) : 0));
}

/* is_lower() - is vm.swappiness lower than what would be written, without us? */
static bool is_lower(void)
{
	uint64_t now;

	return state.swappiness || sys_read_u64(SWAPPINESS, &now) || now < LEAN_SWAPPINESS;
}

/* allowed() - by the configuration: bits */
static unsigned int allowed(const struct config *config, bool dry_run)
{
	if (config->mode == MODE_WATCH || dry_run)
		return 0;
	return ACT_BIT(ACT_PUSH) |
	       (config->mode == MODE_AUTO && config->knobs && is_lower() ?
		ACT_BIT(ACT_LEAN) : 0);
}

static void to_back(struct app *app, void *arg)
{
	if (app == arg || !app->front)
		return;
	acts_back(app, wanted());
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

static void count(struct app *app, void *arg)
{
	(void)app;
	(*(uint32_t *)arg)++;
}

/* counts() - do the files that the app has read since the switch to it say what switches cost? */
static bool counts(const struct app *app)
{
	uint64_t generations = 0;
	uint32_t apps = 0;

	/* While memory was plenty, only reads by any process were counted. */
	if (state.costs.source == COSTS_NONE)
		return false;
	app_each(count, &apps);
	sys_read_u64(GENERATIONS, &generations);
	return balance_counts(generations & 1, app->visit, state.since_new, apps);
}

/* begin_switch() - what the app waits from now on is what the switch costs */
static void begin_switch(const struct config *config, struct app *app)
{
	char group[SYS_PATH] = "";

	memset(&state.costs, 0, sizeof(state.costs));
	/* With plenty of memory apps do not wait, and should not wait for rectifyd. */
	if (state.balanced != BALANCE_PLENTY) {
		waits_begin(config, app, &state.costs);
		if (!app_group(config, app, group, sizeof(group)))
			group[0] = '\0';
	}
	meters_switch(state.now_ms, group);
	state.switched_ms = state.now_ms;
	state.measured = app;
}

/*
 * lean() - what both kinds of pages cost, for the kernel's choice. The LRU of several generations
 * counts few of the pages of files that come back; but the app waits for them, if the swap is
 * memory for nothing else.
 */
static void lean(const struct app *app, uint64_t io_us)
{
	uint64_t file_us = state.news.file_us;

	if (!counts(app))
		return;
	if (meters_swap_ns() < SLOW_NS && file_us < io_us)
		file_us = io_us;
	lean_step(&state.lean, file_us, state.news.anon_us);
}

/* end_switch() - the time is over, or the next app comes */
static void end_switch(const struct config *config)
{
	struct app *app = state.measured;
	uint64_t us, io_us = 0;

	state.measured = NULL;
	if (!app || meters_read(state.now_ms, &state.news))
		return;
	state.weigh = true;
	if (!counts(app)) {
		state.news.file_pages = 0;
		state.news.file_us = 0;
	}
	if (state.costs.source != COSTS_NONE) {
		us = waits_end(config, app, &state.costs, &io_us) + state.told_us;
		balance_limit(&state.news, us);
		log_debug("%s: waited %llu us", app->name, (unsigned long long)us);
		if (app->visit > 1)
			acts_cost(app, us);
	}
	lean(app, io_us);
}

/* weigh() - a switch: what it cost, and what comes of it */
static void weigh(void)
{
	enum balance_state before = state.balanced;
	struct balance_news *news = &state.news;

	news->hot_us = meters_swap_us(state.hot_back);
	news->cold_us = meters_swap_us(state.cold_back);
	state.hot_back = 0;
	state.cold_back = 0;
	state.balanced = balance_step(&state.balance, news, hot());
	state.others = state.balanced == BALANCE_WORK &&
		       (state.always || balance_gives(&state.balance, news));
	log_news(news);
	if (state.balanced != before)
		log_info("%s", reasons[state.balanced]);
}

/*
 * tune() - where files are read again, the kernel is to take anonymous pages first, when it has to
 * take some, as long as that costs apps less
 */
static void tune(void)
{
	bool high = wanted() & ACT_BIT(ACT_LEAN) && acts_does(ACT_LEAN);
	int err;

	if (high == state.swappiness)
		return;
	state.swappiness = high;
	err = high ? undo_write_u64(SWAPPINESS, LEAN_SWAPPINESS) : undo_rewrite(SWAPPINESS);
	/* Before Linux 5.8 it was at most 100. */
	if (err == -EINVAL && high)
		err = undo_write_u64(SWAPPINESS, 100);
	if (err)
		log_warn("vm.swappiness could not be set: %s", strerror(-err));
	else
		log_info("vm.swappiness %s", high ? "higher, so that files stay" : "as before");
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
	acts_begin();
	balance_begin(&state.balance);
	lean_begin(&state.lean);
}

/**
 * engine_reload() - the configuration is another one
 * @config: what is wanted
 * @dry_run: change nothing
 */
void engine_reload(const struct config *config, bool dry_run)
{
	state.may = allowed(config, dry_run);
	state.always = !config->trial;
	tune();
}

/* come() - an app is in front from now on */
static void come(struct app *app)
{
	app->front = true;
	app->due = false;
	app->since_ms = state.now_ms;
	state.since_new++;
	if (!app->visit++) {
		state.since_new = 0;
		acts_new(app);
	}
	app_each(fade, NULL);
	app->use += USE;
}

/*
 * look_at() - an app that comes to the front: the user waits for that look. So it is only done
 * where pages may go out when it leaves, or where nothing is ever done but to look.
 */
static void look_at(const struct config *config, struct app *app, bool only)
{
	bool fetch = !only && (config->fetch == CHOICE_YES ||
			       (config->fetch == CHOICE_AUTO && meters_swap_ns() >= SLOW_NS));

	app->begun = only ? state.balanced != BALANCE_PLENTY :
			    wanted() & ACT_BIT(ACT_PUSH) && acts_does(ACT_PUSH);
	if (app->begun)
		visit_begin(config, app, state.now_ms, fetch);
	else
		app->seen = false;
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
	uint64_t begin_us = sys_now_us();
	struct app *app;
	int err = app_find(config, name, &app);

	if (err)
		return err;
	if (app->front)
		return 0;
	state.now_ms = now_ms;
	state.may = allowed(config, dry_run);
	state.always = !config->trial;
	end_switch(config);
	acts_switch(wanted(), config->trial);
	app_each(to_back, app);
	come(app);
	look_at(config, app, !state.may);
	begin_switch(config, app);
	state.told_us = sys_now_us() - begin_us;
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
	if (app->front) {
		end_switch(config);
		to_back(app, NULL);
	}
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

	if (!app->front && app->hot > app->shrink && acts_suits(app) &&
	    (!*found || app->use < (*found)->use))
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

/* look() - an app that has been at the back for long enough */
static void look(struct app *app, void *arg)
{
	const struct config *config = arg;
	bool push = app->did & state.may & ACT_BIT(ACT_PUSH);

	if (app->front || !app->due || state.now_ms - app->since_ms < config->delay_ms)
		return;
	app->due = false;
	app->shrink = 0;
	app->shrunk = 0;
	app_members(config, app);
	if (app->begun)
		end_visits(app, state.others && push);
	if (!push || state.balanced != BALANCE_WORK)
		return;
	app->push = true;
	shrink(config);
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

/* after() - the app in front has most of its pages: weigh the switch before */
static void after(void)
{
	state.weigh = false;
	weigh();
	tune();
}

/**
 * engine_step() - go on
 * @config: what is wanted
 * @now_ms: the time
 *
 * Return: milliseconds until there is more to do.
 */
uint32_t engine_step(const struct config *config, uint32_t now_ms)
{
	bool waiting = false;

	state.now_ms = now_ms;
	if (state.measured && now_ms - state.switched_ms >= COST_MS)
		end_switch(config);
	else if (state.weigh && state.measured && now_ms - state.switched_ms >= WEIGH_MS)
		after();
	app_each(look, (void *)config);
	if (push_next())
		return STEP_MS;
	app_each(is_waiting, &waiting);
	if (state.weigh && state.measured)
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
 * engine_source() - by what the cost of the last switch was known
 */
enum costs_source engine_source(void)
{
	return state.costs.source;
}

/**
 * engine_state() - what it does, in a word
 */
const char *engine_state(void)
{
	return state_names[state.balanced];
}
