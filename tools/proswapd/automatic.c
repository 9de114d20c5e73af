// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include "aside.h"
#include "automatic.h"
#include "cost.h"
#include "domains.h"
#include "knobs.h"
#include "log.h"
#include "monitor.h"
#include "push.h"
#include "sample.h"
#include "select.h"
#include "target.h"
#include "traffic.h"

/* How often processes are asked what they did, and swap-outs are looked through for a period, */
#define FIND_MS 500
/* which takes no more than one of so many parts of the time. */
#define WALK_PART 64
/* A swap whose pages take longer than that to read is slow: compressed memory takes less. */
#define SLOW_NS 40000
/* What is brought back is needed within so many looks. */
#define LEAD_TICKS 3
/* At a look; a process that goes through more has its own pace. */
#define PUSH_PAGES 512
/* To push so many pages takes no longer than that, so that the next look is not too late. */
#define PUSH_US 20000
#define FETCH_PAGES 1024
/* To look takes no more than one of so many parts of the time. */
#define LOOK_PART 32
/* Nothing is going on. */
#define IDLE_MS 1000

static struct {
	uint32_t find_ms;		/* when processes were last asked */
	uint32_t walk_ms;		/* when swap-outs were last looked through, */
	uint32_t walk_cost_ms;		/* and how long that took */
	uint64_t traffic;		/* pages that the system has swapped */
	bool readahead_off;
	bool fetch;			/* pages are brought back */
	uint32_t acting;		/* processes that are helped, or were and will be */
	uint32_t tick_ms;
	uint32_t batch;			/* pages that go out at a look */
	bool sampling;			/* a sample is looked at */
	bool behind;			/* more has to go than goes at a look */
	uint32_t busy;			/* pages that came in or went out, in this look */
} state;

/* What a pass over the processes needs. */
struct pass {
	const struct config *config;
	uint32_t now_ms;
	bool find;
	bool walk;			/* what was swapped out is known anew */
	bool dry_run;
	unsigned int domain;
	struct choice choice;
};

/* Processes whose period is looked for, and the times between the swap-outs of their pages. */
static struct learners {
	unsigned int n;
	struct learner {
		pid_t pid;
		struct period period;
	} all[TARGETS];
} learners;

static struct period *period_of(pid_t pid)
{
	unsigned int i;

	for (i = 0; i < learners.n; i++)
		if (learners.all[i].pid == pid)
			return &learners.all[i].period;
	return NULL;
}

/* For a steady period use the mean; for a new one the last gap. */
static void add_page(const struct monitor_page *page, void *arg)
{
	uint64_t gap = page->gap_us, mean = page->mean_us;
	struct period *period = page->count >= 2 ? period_of(page->tgid) : NULL;

	(void)arg;
	if (period)
		period_add(period, mean > gap * 3 / 4 && mean < gap * 5 / 4 ? mean : gap);
}

/*
 * find_period() - of a program that is to be trimmed, by the uses of its sample: what we push out
 * ourselves goes out when we look
 */
static void find_period(struct target *target, bool trim)
{
	struct period *period = period_of(target->id.pid);

	if (trim) {
		period_find(&target->rhythm.uses, &target->found);
		/* Each is as much as the pages of a chunk that the kernel would tell of. */
		target->found.events *= CHUNK_PAGES / AUTOMATIC_EVERY;
	} else if (period) {
		period_find(period, &target->found);
	}
}

static void say(const struct target *target, enum rhythm_change change)
{
	const struct rhythm *rhythm = &target->rhythm;

	switch (change) {
	case RHYTHM_PERIODIC:
		log_info("%s[%d]: periodic, %u ms: %u %% of %u swap-outs agree", target->name,
			 target->id.pid, rhythm->period_ms, target->found.share / 10,
			 target->found.events);
		break;
	case RHYTHM_NEW_PERIOD:
		log_debug("%s[%d]: period %u ms, %u before it was helped", target->name,
			  target->id.pid, rhythm->period_ms, rhythm->base_ms);
		break;
	case RHYTHM_LOST:
		log_info("%s[%d]: not periodic any more", target->name, target->id.pid);
		break;
	case RHYTHM_SAME:
		break;
	}
}

/* only_watches() - nothing is done to anybody: then the swap-outs tell enough */
static bool only_watches(const struct pass *pass)
{
	return pass->config->mode == MODE_WATCH;
}

/* is_left() - nothing is done to it, nor is it looked at, for a while */
static bool is_left(const struct target *target)
{
	return domains_get(target->domain)->trial.state == TRIAL_LEFT;
}

/* sleeps() - it did not run of late: nothing of it has changed */
static bool sleeps(const struct target *target, const struct pass *pass)
{
	return activity_sleeps(&target->activity, pass->now_ms, target->rhythm.period_ms);
}

/* is_sampled() - of programs without a period, a sample goes out */
static bool is_sampled(const struct pass *pass)
{
	return pass->config->automatic.trim && !only_watches(pass) && !pass->dry_run &&
	       sample_time(pass->now_ms);
}

/* push_sample() - what is not in use of it */
static void push_sample(struct target *target, const struct pass *pass)
{
	uint64_t page_bytes = sys_page_size();
	const struct layout *layout = &target->layout;
	struct push push;
	uint32_t nr;

	state.sampling = true;
	push_begin(&push, target->id, MADV_PAGEOUT);
	for (nr = 0; nr < layout->n_chunks; nr++) {
		struct chunk *chunk = &target->chunks[nr];

		if (!sample_has(nr, layout->n_chunks, pass->now_ms) ||
		    !sample_push(chunk, pass->now_ms))
			continue;
		chunk->pushed_ms = pass->now_ms;
		push_add(&push, layout_address(layout, nr, page_bytes),
			 layout_bytes(layout, nr, page_bytes));
		target->pushed += (uint32_t)__builtin_popcount(chunk->in);
	}
	push_end(&push);
}

/* is_tried() - has it been helped for a while? */
static bool is_tried(const struct target *target)
{
	const struct trial *trial = &domains_get(target->domain)->trial;

	return trial_helps(trial) && !trial->settles && trial->on.n;
}

/* judge() - is it periodic? */
static void judge(struct target *target, const struct pass *pass)
{
	struct rhythm *rhythm = &target->rhythm;
	uint32_t turn_ms = rhythm->turn_ms;
	bool trim = pass->config->automatic.trim;
	enum rhythm_change change = RHYTHM_SAME;

	if (rhythm->state == RHYTHM_ACT && !only_watches(pass)) {
		change = rhythm_turn(rhythm, pass->now_ms, trim && is_tried(target));
		rhythm_hold(rhythm, &target->layout, state.tick_ms, rhythm->turn_ms != turn_ms);
	} else if (pass->walk || (trim && pass->find)) {
		find_period(target, trim && rhythm->state == RHYTHM_LEARN);
		if (rhythm->state == RHYTHM_ACT)
			rhythm->period_ms = (uint32_t)(target->found.us / 1000);
		else
			change = rhythm_learn(rhythm, pass->now_ms, &target->found);
	}
	if (change == RHYTHM_LOST)
		monitor_forget(target->id.pid);
	say(target, change);
}

/* ask() - what did it do, and does it sleep? */
static void ask(struct target *target, void *arg)
{
	struct pass *pass = arg;
	struct domain *domain = domains_get(target->domain);

	if (domain->due)
		domain->work += target_worked(target, pass->now_ms);
	monitor_sleeps(target->id.pid, sleeps(target, pass));
}

/* enlist() - to look for its period */
static void enlist(struct target *target, void *arg)
{
	const struct pass *pass = arg;

	if (sleeps(target, pass) || is_left(target) ||
	    (target->rhythm.state == RHYTHM_ACT && !only_watches(pass)))
		return;
	period_clear(&learners.all[learners.n].period);
	learners.all[learners.n++].pid = target->id.pid;
}

/* walk() - through all swap-outs once, for all whose period is looked for */
static void walk(struct pass *pass)
{
	uint64_t begun_us = sys_cpu_us();

	pass->walk = false;
	if (!pass->find || pass->now_ms - state.walk_ms < WALK_PART * state.walk_cost_ms)
		return;
	learners.n = 0;
	target_each(enlist, pass);
	if (!learners.n)
		return;
	monitor_each(0, add_page, NULL);
	state.walk_ms = pass->now_ms;
	state.walk_cost_ms = (uint32_t)((sys_cpu_us() - begun_us) / 1000);
	pass->walk = true;
}

static void look(struct target *target, void *arg)
{
	struct pass *pass = arg;
	struct domain *domain = domains_get(target->domain);
	uint32_t ms;

	target->came = 0;
	if (is_left(target) || sleeps(target, pass))
		return;
	/* For a program without a period, swap-outs tell enough. */
	if (!only_watches(pass) && (rhythm_watched(&target->rhythm) || is_sampled(pass)) &&
	    target_look(target, pass->now_ms)) {
		target_drop(target);
		return;
	}
	state.busy += target->came;
	if (target->rhythm.state == RHYTHM_LEARN) {
		if (is_sampled(pass))
			push_sample(target, pass);
		else
			period_clear(&target->rhythm.uses);
	}
	judge(target, pass);
	if (only_watches(pass) || target->rhythm.state != RHYTHM_ACT)
		return;
	if (target->rhythm.period_ms > domain->period_ms)
		domain->period_ms = target->rhythm.period_ms;
	state.acting += domain->trial.state != TRIAL_LEFT;
	domain->came += target->came;
	/* Frequent looks cost; do without them while the speed without help is measured. */
	ms = rhythm_tick_ms(&target->rhythm);
	if (trial_helps(&domain->trial) && ms < state.tick_ms)
		state.tick_ms = ms;
}

/* learn_anew() - what was seen of it while it was helped says nothing */
static void learn_anew(struct target *target, void *arg)
{
	const struct pass *pass = arg;

	if (target->domain != pass->domain)
		return;
	rhythm_init(&target->rhythm);
	monitor_forget(target->id.pid);
}

/* say_left() - help ends for a while: the log says why */
static void say_left(const struct trial *trial, const char *name, uint32_t now_ms)
{
	log_info("%s: left alone for %u s: its speed was %u.%u %% of a processor, and with help %u.%u",
		 name, (trial->begun_ms - now_ms) / 1000, trial->base / 1000,
		 trial->base / 100 % 10, trial->speed / 1000, trial->speed / 100 % 10);
}

/* try_domain() - are its processes better off? */
static void try_domain(struct domain *domain, struct pass *pass)
{
	const char *name = domain->group[0] ? domain->group : "the system";
	struct trial *trial = &domain->trial;
	bool first = !trial->on.n;

	trial->paced = pass->config->automatic.trim;
	switch (trial_step(trial, pass->now_ms, domain->work, domain->period_ms)) {
	case TRIAL_HELPS:
		if (first)
			log_info("%s: help begins; its speed is %u.%u %% of a processor", name,
				 trial->base / 1000, trial->base / 100 % 10);
		else
			log_debug("%s: help goes on; its speed was %u, and %u with help", name,
				  trial->base, trial->speed);
		break;
	case TRIAL_PAUSES:
		log_debug("%s: help pauses", name);
		break;
	case TRIAL_SLOWER:
		say_left(trial, name, pass->now_ms);
		target_each(learn_anew, pass);
		break;
	case TRIAL_AGAIN:
		log_debug("%s: is looked at again", name);
		target_each(learn_anew, pass);
		break;
	case TRIAL_SAME:
		break;
	}
}

/* helped() - the rules' view of a process, if it is one that is helped, of this domain */
static bool helped(struct target *target, const struct pass *pass, struct view *view)
{
	*view = (struct view){ target->chunks, &target->layout, target->rhythm.period_ms };
	return target->rhythm.state == RHYTHM_ACT && target->domain == pass->domain &&
	       !only_watches(pass);
}

static void horizon(struct target *target, void *arg)
{
	struct pass *pass = arg;
	struct view view;

	if (helped(target, pass, &view) && 3 * view.period_ms > pass->choice.horizon_ms)
		pass->choice.horizon_ms = 3 * view.period_ms;
}

static void count(struct target *target, void *arg)
{
	struct pass *pass = arg;
	struct view view;

	if (helped(target, pass, &view))
		select_count(&pass->choice, &view);
}

/* push_target() - what was chosen of it goes out */
static void push_target(struct target *target, void *arg)
{
	struct pass *pass = arg;
	uint64_t page_bytes = sys_page_size();
	struct push push;
	struct view view;
	uint32_t nr, before = pass->choice.want;

	if (!helped(target, pass, &view) || !pass->choice.want || pass->dry_run)
		return;
	push_begin(&push, target->id, MADV_PAGEOUT);
	for (nr = 0; nr < view.layout->n_chunks; nr++) {
		struct range *range = (struct range *)layout_range(view.layout, nr);

		if (!select_push(&pass->choice, &view, nr))
			continue;
		range->pushed += (uint32_t)__builtin_popcount(view.chunks[nr].in);
		push_add(&push, layout_address(view.layout, nr, page_bytes),
			 layout_bytes(view.layout, nr, page_bytes));
	}
	push_end(&push);
	target->pushed += before - pass->choice.want;
	state.busy += before - pass->choice.want;
}

static void fetch_target(struct target *target, void *arg)
{
	struct pass *pass = arg;
	uint64_t page_bytes = sys_page_size();
	struct push push;
	struct view view;
	uint32_t nr, before = pass->choice.want;

	if (!helped(target, pass, &view) || !pass->choice.want || pass->dry_run)
		return;
	push_begin(&push, target->id, MADV_WILLNEED);
	for (nr = 0; nr < view.layout->n_chunks; nr++)
		if (select_fetch(&pass->choice, &view, nr))
			push_add(&push, layout_address(view.layout, nr, page_bytes),
				 layout_bytes(view.layout, nr, page_bytes));
	push_end(&push);
	target->fetched += before - pass->choice.want;
}

/* room() - pages that are free */
static uint32_t room(const struct domain *domain)
{
	return domain->limit > domain->used ?
	       (uint32_t)((domain->limit - domain->used) / sys_page_size()) : 0;
}

/* push() - a batch, and how large the next one may be */
static void push(struct pass *pass)
{
	uint32_t pages = pass->choice.want;
	uint64_t begun_us = sys_now_us(), us;

	target_each(push_target, pass);
	pages -= pass->choice.want;
	us = sys_now_us() - begun_us;
	if (pages < CHUNK_PAGES)
		return;
	pages = (uint32_t)(pages * (uint64_t)PUSH_US / (us + 1));
	state.batch = pages < 2 * CHUNK_PAGES ? 2 * CHUNK_PAGES :
		      pages > PUSH_PAGES ? PUSH_PAGES : pages;
}

/* move() - out, as much as has to be free at the next look; and in, what is needed until then */
static void move(struct pass *pass, struct domain *domain)
{
	bool trim = pass->config->automatic.trim;
	uint32_t want;

	if (domain_look(domain))
		return;
	want = trim ? UINT32_MAX : domain_want(domain, state.fetch ? LEAD_TICKS * domain->rate : 0,
						sys_page_size());
	select_begin(&pass->choice, pass->now_ms, want < state.batch ? want : state.batch, 0);
	pass->choice.trim = trim;
	target_each(horizon, pass);
	if (!pass->choice.horizon_ms)
		return;
	target_each(count, pass);
	select_decide(&pass->choice);
	push(pass);
	state.behind |= want > state.batch && !pass->choice.want;
	if (!state.fetch || domain_look(domain))
		return;
	want = room(domain);
	want -= want / 4;
	pass->choice.want = want < FETCH_PAGES ? want : FETCH_PAGES;
	pass->choice.lead_ms = LEAD_TICKS * state.tick_ms;
	target_each(fetch_target, pass);
}

/*
 * tune() - what is right for this swap. Where a read takes longer than to decompress, pages are
 * brought back before they are needed.
 */
static void tune(const struct config *config)
{
	bool off = state.acting && config->automatic.knobs;
	int err;

	state.fetch = config->automatic.fetch == CHOICE_YES;
	if (config->automatic.fetch == CHOICE_AUTO)
		state.fetch = cost_swap_ns() >= SLOW_NS;
	if (off == state.readahead_off)
		return;
	err = knobs_swap_readahead(!off);
	if (err)
		log_warn("vm.page-cluster could not be set: %s", strerror(-err));
	else
		log_info("readahead of the swap %s: %u programs are helped",
			 off ? "off" : "as before", state.acting);
	state.readahead_off = off;
}

/**
 * automatic_begin() - nothing is known
 */
void automatic_begin(void)
{
	memset(&state, 0, sizeof(state));
	state.tick_ms = IDLE_MS;
	state.batch = 2 * CHUNK_PAGES;
}

/**
 * automatic_step() - one look, and what comes of it
 * @config: what is wanted
 * @now_ms: the time
 * @dry_run: move nothing
 *
 * Return: milliseconds until the next look.
 */
uint32_t automatic_step(const struct config *config, uint32_t now_ms, bool dry_run)
{
	struct pass pass = { .config = config, .now_ms = now_ms, .dry_run = dry_run };
	struct domain *domain;
	uint64_t begun_us;
	uint32_t look_ms;
	unsigned int nr;

	/* Without swapping, and without a program that is helped, no process changes state. */
	pass.find = now_ms - state.find_ms >= FIND_MS;
	if (pass.find) {
		state.find_ms = now_ms;
		pass.find = traffic_since(&state.traffic) || state.acting ||
			    state.readahead_off || config->automatic.trim;
	}
	state.acting = 0;
	state.busy = 0;
	state.sampling = false;
	state.behind = false;
	state.tick_ms = 100;
	for (nr = 0; (domain = domains_get(nr)); nr++)
		domain->due = pass.find ||
			      !trial_left_ms(&domain->trial, now_ms, domain->period_ms);
	begun_us = sys_cpu_us() + aside_cpu_us();
	target_each(ask, &pass);
	for (nr = 0; (domain = domains_get(nr)); nr++)
		domain->period_ms = 0;
	walk(&pass);
	target_each(look, &pass);
	look_ms = (uint32_t)((sys_cpu_us() + aside_cpu_us() - begun_us) * LOOK_PART / 1000);
	if (look_ms > state.tick_ms)
		state.tick_ms = look_ms < 500 ? look_ms : 500;
	if (pass.find && !dry_run)
		tune(config);
	for (pass.domain = 0; (domain = domains_get(pass.domain)); pass.domain++) {
		if (domain->due)
			try_domain(domain, &pass);
		domain_looked(domain);
		if (trial_helps(&domain->trial))
			move(&pass, domain);
		/* Wake up in time for the end of the sample. */
		look_ms = trial_left_ms(&domain->trial, now_ms, domain->period_ms);
		if (look_ms && look_ms < state.tick_ms)
			state.tick_ms = look_ms;
	}
	if (state.behind)
		return 1;
	return state.acting || state.busy || state.sampling ? state.tick_ms : IDLE_MS / 4;
}
