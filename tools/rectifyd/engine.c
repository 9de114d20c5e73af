// SPDX-License-Identifier: GPL-2.0
/*
 * rectifyd works in cycles: measure, decide, act, and note the results. A switch is a cycle of its
 * own. A later cycle (after 2 s, or when the next app comes) reads the costs of the switch, and
 * another one weighs them, shortly after the next switch. Some time after an app has left the
 * front, cycles read its page tables and push some of its pages, a few chunks each time.
 */
#include <assert.h>
#include <errno.h>
#include <string.h>
#include "costs.h"
#include "engine.h"
#include "log.h"
#include "sys.h"
#include "undo.h"
#include "visits.h"

static_assert(APPS == TURN_APPS, "each app has a place in a plan");

/* Time between two cycles, during a push and otherwise: guesses. */
#define STEP_MS 2
#define IDLE_MS 1000
/* Waits in the first 2 s after a switch are its cost; later ones are not: a guess. */
#define COST_MS 2000
/* Weigh the last switch so long after the next one, so that the user need not wait: a guess. */
#define WEIGH_MS 100
#define SWAPPINESS "/proc/sys/vm/swappiness"
/*
 * With 200 the kernel reclaims used anonymous pages to keep the last few pages of files: a switch
 * between eight programs in 136 MiB takes 282 ms then, 194 ms with 150, and 212 ms with 60.
 */
#define LEAN_SWAPPINESS 150
/* The maximum before Linux 5.8. */
#define OLD_MOST_SWAPPINESS 100
/* The weight of a visit, and the part of it that each later switch takes off: guesses. */
#define VISIT_USE 4096
#define VISIT_USE_PART 16
/* Fetch needed pages early if a page from the swap takes so long (flash, not memory): a guess. */
#define SLOW_NS 40000

/* By enum balance_state. */
static const char *const state_names[] = { "plenty", "thrashing", "working" };
static const char *const reasons[] = {
	"memory is plenty: nothing is done",
	"more is needed than there is memory: nothing is done for a while",
	"memory is short: what apps do not need goes out",
};

static struct {
	struct policy policy;
	uint32_t now_ms;
	uint32_t switched_ms;		/* time of the last switch */
	struct app *measured;		/* the app whose waits are its cost; NULL: none */
	uint64_t told_us;		/* the time that engine_front() took for that switch */
	struct balance_news news;	/* of the switch before, */
	bool news_wait;			/* which is not weighed yet */
	uint32_t hot_back;		/* swapped pages that came back: needed ones, */
	uint32_t cold_back;		/* and others */
	uint32_t since_new;		/* switches since an app came for the first time */
	bool leans;			/* vm.swappiness was raised */
	struct visit_cursor cursor;	/* the next pages to be pushed */
} state;

/* files_count() - do the files read since the switch count as its cost? */
static bool files_count(const struct app *app)
{
	struct app *other = NULL;
	uint32_t apps = 0;

	/* While memory was plenty, the counters had the reads of all processes. */
	if (costs_source() == COSTS_NONE)
		return false;
	while ((other = app_next(other)))
		apps++;
	return balance_counts(costs_generations(), app->visit, state.since_new, apps);
}

/* measure_switch() - read the cost of the last switch, COST_MS after it */
static void measure_switch(const struct config *config, struct facts *facts)
{
	struct app *app = state.measured;
	uint64_t io_us = 0;

	state.measured = NULL;
	if (costs_read(state.now_ms, &state.news))
		return;
	state.news_wait = true;
	facts->counts = files_count(app);
	if (!facts->counts) {
		state.news.file_pages = 0;
		state.news.file_us = 0;
	}
	if (costs_source() != COSTS_NONE) {
		facts->waited_us = costs_waited(config, app, &io_us) + state.told_us;
		balance_limit(&state.news, facts->waited_us);
		log_debug("%s: waited %llu us", app->name, (unsigned long long)facts->waited_us);
		facts->waited = app->visit > 1;
	}
	if (facts->waited)
		app->cost_us = facts->waited_us;
	facts->app = app_number(app);
	facts->could = app->could;
	facts->did = app->did;
	/*
	 * MGLRU counts few refaults of files. But if the swap is memory, all I/O that the app waits
	 * for is for files.
	 */
	facts->file_us = state.news.file_us;
	if (costs_prices()->swap_ns < SLOW_NS && facts->file_us < io_us)
		facts->file_us = io_us;
	facts->anon_us = state.news.anon_us;
}

/* measure_back() - complete the figures of the last switch with the pages that came back */
static void measure_back(struct facts *facts)
{
	state.news.hot_us = costs_swap_us(state.hot_back);
	state.news.cold_us = costs_swap_us(state.cold_back);
	state.hot_back = 0;
	state.cold_back = 0;
	state.news_wait = false;
	facts->news = state.news;
	facts->weighs = true;
}

/* measure_visit() - which pages did the app need? Called some time after it has left the front. */
static void measure_visit(const struct config *config, struct app *app, struct facts *facts)
{
	bool pushes = app->did & state.policy.may & ACT_BIT(ACT_PUSH);
	struct usage_sums sums;

	if (app->front || !app->left || state.now_ms - app->since_ms < config->delay_ms)
		return;
	app->left = false;
	app->give_hot = 0;
	app->gave_hot = 0;
	app_search(config, app);
	facts->apps[app_number(app)].visited = pushes;
	if (!app->watched)
		return;
	visit_end(app, state.now_ms, state.policy.others && pushes, &sums);
	state.hot_back += sums.hot_back;
	state.cold_back += sums.cold_back;
	log_debug("%s: needs %u pages; back came %u of them, %u others; of %u doubted %u were needed",
		  app->name, sums.hot, sums.hot_back, sums.cold_back, sums.doubted, sums.needed);
}

/* leaves_front() - does an app go to the back now? */
static bool leaves_front(const struct app *app, const struct app *comes, const struct app *goes)
{
	return app->front && (app == goes || (comes && app != comes));
}

/* measure_apps() - facts about all apps, for a plan */
static void measure_apps(const struct app *comes, const struct app *goes, struct facts *facts)
{
	struct app *app = NULL;

	while ((app = app_next(app))) {
		struct plan_app *known = &facts->apps[app_number(app)];

		known->back = app != comes && (!app->front || leaves_front(app, comes, goes));
		known->hot = app->hot;
		known->give_hot = app->give_hot;
		known->used = app->used;
		if (known->back)
			facts->needed += app->hot;
	}
}

static void measure(const struct config *config, const struct app *comes, const struct app *goes,
		    struct facts *facts)
{
	uint32_t ms = state.now_ms - state.switched_ms;
	struct app *app = NULL;

	if (state.measured && (comes || goes || ms >= COST_MS))
		measure_switch(config, facts);
	else if (state.measured && state.news_wait && ms >= WEIGH_MS)
		measure_back(facts);
	while (!comes && !goes && (app = app_next(app)))
		measure_visit(config, app, facts);
	measure_apps(comes, goes, facts);
	facts->may_give_hot = config->mode == MODE_AUTO;
	if (!comes)
		return;
	facts->switches = true;
	facts->comes = app_number(comes);
	facts->comes_first = !comes->visit;
}

static void log_plan(const struct facts *facts, const struct plan *plan, enum balance_state before)
{
	const struct policy *policy = &state.policy;
	const struct balance_news *news = &facts->news;
	unsigned int i;

	for (i = 0; i < ACTS; i++)
		if (plan->found & ACT_BIT(i))
			log_info("%s: switches cost apps less %s it", act_names[i],
				 policy->turns[i].better ? "with" : "without");
	if (!facts->weighs)
		return;
	log_debug("files %llu us; swap %llu us: needed pages %llu, others %llu; in %u ms",
		  (unsigned long long)news->file_us, (unsigned long long)news->anon_us,
		  (unsigned long long)news->hot_us, (unsigned long long)news->cold_us, news->ms);
	log_debug("room for %d%s: at most %u of %u needed pages stay, others %s", news->room,
		  news->short_of_memory ? ", short of memory" : "", policy->balance.keep,
		  facts->needed, policy->others ? "go" : "stay");
	if (policy->state != before)
		log_info("%s", reasons[policy->state]);
}

/* go_back() - remember the acts, because the cost of the next switch to this app rates them */
static void go_back(struct app *app, const struct plan *plan)
{
	app->could = (uint8_t)plan->could;
	/* The cost of an app that is left alone tells nothing about the act. */
	if (!policy_pushes(&state.policy, app_number(app)))
		app->could &= (uint8_t)~ACT_BIT(ACT_PUSH);
	app->did = app->could & (uint8_t)plan->does;
	app->front = false;
	app->left = true;
	app->since_ms = state.now_ms;
	log_debug("%s: to the back", app->name);
}

/*
 * watch_visit() - read the page tables, which the user has to wait for. So do it only if pages may
 * go out when the app leaves, or if no act is allowed at all (mode watch).
 */
static void watch_visit(const struct config *config, struct app *app, const struct plan *plan)
{
	bool may = state.policy.may, early;

	app->watched = may ? plan->does & ACT_BIT(ACT_PUSH) : state.policy.state != BALANCE_PLENTY;
	if (!app->watched) {
		app->out_known = false;
		return;
	}
	early = config->fetch == CHOICE_AUTO ? costs_prices()->swap_ns >= SLOW_NS :
					       config->fetch == CHOICE_YES;
	visit_begin(config, app, state.now_ms, costs_taken(), may && early);
}

/* come_front() - the app's waits from now on are the cost of the switch */
static void come_front(const struct config *config, struct app *app, const struct plan *plan)
{
	struct app *other = NULL;

	app->front = true;
	app->left = false;
	app->since_ms = state.now_ms;
	state.since_new++;
	if (!app->visit++)
		state.since_new = 0;
	while ((other = app_next(other)))
		other->used -= other->used / VISIT_USE_PART;
	app->used += VISIT_USE;
	watch_visit(config, app, plan);
	/* With plenty of memory apps do not wait, and should not wait for rectifyd. */
	costs_switch(config, app, state.now_ms, state.policy.state != BALANCE_PLENTY);
	state.switched_ms = state.now_ms;
	state.measured = app;
}

static void act_switch(const struct config *config, struct app *comes, const struct app *goes,
		       const struct plan *plan)
{
	struct app *app = NULL;

	while ((app = app_next(app)))
		if (leaves_front(app, comes, goes))
			go_back(app, plan);
	if (comes)
		come_front(config, comes, plan);
}

/* set_swappiness() - raise vm.swappiness while the plan leans, and put it back after that */
static void set_swappiness(const struct plan *plan)
{
	bool leans = plan->does & ACT_BIT(ACT_LEAN);
	int err;

	if (leans == state.leans)
		return;
	state.leans = leans;
	err = leans ? undo_write_u64(SWAPPINESS, LEAN_SWAPPINESS) : undo_rewrite(SWAPPINESS);
	if (err == -EINVAL && leans)
		err = undo_write_u64(SWAPPINESS, OLD_MOST_SWAPPINESS);
	if (err)
		log_warn("vm.swappiness could not be set: %s", strerror(-err));
	else
		log_info("vm.swappiness %s", leans ? "higher, so that files stay" : "as before");
}

/* act_pages() - push a few chunks; false: nothing is left to push */
static bool act_pages(const struct plan *plan)
{
	struct app *app = NULL;

	while ((app = app_next(app))) {
		app->give_hot = plan->give_hot[app_number(app)];
		app->gives |= plan->gives >> app_number(app) & 1;
	}
	if (plan->gives)
		state.cursor = (struct visit_cursor){ app_next_member(NULL, NULL), 0 };
	if (visit_push(&state.cursor, state.policy.others))
		return true;
	/* All pages have been pushed: read which ones are out, for one app per cycle. */
	while ((app = app_next(app))) {
		if (!app->gives)
			continue;
		app->gives = false;
		if (!app->front)
			visit_read_out(app, state.now_ms, costs_taken());
		return true;
	}
	return false;
}

/* wait_ms() - time until the next cycle, if no push is going on */
static uint32_t wait_ms(const struct config *config)
{
	struct app *app = NULL;

	if (state.news_wait && state.measured)
		return WEIGH_MS;
	while ((app = app_next(app)))
		if (!app->front && app->left)
			return config->delay_ms / 4 + 1;
	return IDLE_MS;
}

/* cycle() - @comes: an app comes to the front; @goes: only leaves it; both NULL: no switch */
static uint32_t cycle(const struct config *config, struct app *comes, const struct app *goes)
{
	enum balance_state before = state.policy.state;
	struct facts facts = { 0 };
	struct plan plan;

	measure(config, comes, goes, &facts);
	policy_decide(&state.policy, &facts, &plan);
	log_plan(&facts, &plan, before);
	if (comes || goes) {
		act_switch(config, comes, goes, &plan);
		return 0;
	}
	if (facts.weighs)
		set_swappiness(&plan);
	return act_pages(&plan) ? STEP_MS : wait_ms(config);
}

/* set_limits() - the acts that the configuration allows */
static void set_limits(const struct config *config, bool dry_run)
{
	uint64_t now;

	state.policy.always = !config->trial;
	state.policy.may = 0;
	if (config->mode == MODE_WATCH || dry_run)
		return;
	state.policy.may = ACT_BIT(ACT_PUSH);
	if (config->mode != MODE_AUTO || !config->knobs)
		return;
	/* No lean, if the system's own value is as high. */
	if (state.leans || sys_read_u64(SWAPPINESS, &now) || now < LEAN_SWAPPINESS)
		state.policy.may |= ACT_BIT(ACT_LEAN);
}

/**
 * engine_begin() - start
 * @now_ms: the time
 */
void engine_begin(uint32_t now_ms)
{
	memset(&state, 0, sizeof(state));
	costs_begin(now_ms);
	policy_begin(&state.policy);
}

/**
 * engine_reload() - use a new configuration; it may allow other processes
 * @config: the configuration
 * @dry_run: change nothing
 */
void engine_reload(const struct config *config, bool dry_run)
{
	struct facts facts = { 0 };
	struct app *app = NULL;
	struct plan plan;

	while ((app = app_next(app)))
		app_search(config, app);
	set_limits(config, dry_run);
	measure_apps(NULL, NULL, &facts);
	policy_decide(&state.policy, &facts, &plan);
	set_swappiness(&plan);
}

/**
 * engine_switch() - an app comes to the front, or goes to the back without a new app in front
 * @config: the configuration
 * @name: the app
 * @front: it comes to the front
 * @now_ms: the time
 * @dry_run: move nothing
 *
 * Return: 0; or as of app_find().
 */
int engine_switch(const struct config *config, const char *name, bool front, uint32_t now_ms,
		  bool dry_run)
{
	uint64_t begin_us = sys_now_us();
	struct app *app;
	int err = app_find(config, name, &app);

	if (err || app->front == front)
		return err;
	state.now_ms = now_ms;
	set_limits(config, dry_run);
	cycle(config, front ? app : NULL, front ? NULL : app);
	state.told_us = sys_now_us() - begin_us;
	return 0;
}

/**
 * engine_step() - a cycle without a switch
 * @config: the configuration
 * @now_ms: the time
 *
 * Return: milliseconds until there is more to do.
 */
uint32_t engine_step(const struct config *config, uint32_t now_ms)
{
	state.now_ms = now_ms;
	return cycle(config, NULL, NULL);
}

/**
 * engine_policy() - the state of all decisions, for the status
 */
const struct policy *engine_policy(void)
{
	return &state.policy;
}

/**
 * engine_state() - one word for the status
 */
const char *engine_state(void)
{
	return state_names[state.policy.state];
}
