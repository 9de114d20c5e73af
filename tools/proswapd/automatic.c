// SPDX-License-Identifier: GPL-2.0
/*
 * Modes auto and watch. automatic_step() is one look: it measures what the programs did, decides
 * which are periodic, whether help goes on, and how many pages have to move, then moves them, and
 * keeps the results for the next look. While it decides, it reads and changes the daemon's own
 * memory only.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include "aside.h"
#include "automatic.h"
#include "cost.h"
#include "knobs.h"
#include "log.h"
#include "memory_domains.h"
#include "monitor.h"
#include "programs.h"
#include "push.h"

/* Ask processes what they did, and look for periods, twice a second: a guess. */
#define FIND_MS 500
/* To go through the swap-outs takes no more than 1.6 % of the time: a guess. */
#define WALK_PART 64
/* A swap whose pages take longer than 40 us to read is slow: compressed memory takes less. */
#define SLOW_NS 40000
/* Bring back pages that are needed within three looks: a guess. */
#define LEAD_TICKS 3
/* At a look push 2 MiB at most; a process that goes through more has its own pace. A guess. */
#define PUSH_PAGES 512
/* The first batch, and the smallest one. */
#define PUSH_LEAST (2 * CHUNK_PAGES)
/* A batch takes 20 ms at most, so that the next look is not too late: a guess. */
#define PUSH_US 20000
/* At a look bring back 4 MiB at most: a guess. */
#define FETCH_PAGES 1024
/* To look takes no more than 3 % of the time, but look twice a second at least: guesses. */
#define LOOK_PART 32
#define LOOK_SLOWEST_MS 500
/* Look ten times a second; if no program has help, four times; see AUTOMATIC_IDLE_MS. Guesses. */
#define TICK_MS 100
#define SWAPS_MS 250

/* From look to look. */
static struct {
	uint32_t find_ms;		/* when processes were last asked */
	uint32_t walk_ms;		/* when the swap-outs were last gone through, */
	uint32_t walk_cost_ms;		/* and how long that took */
	uint64_t traffic;		/* pages that the system has swapped */
	bool swaps;			/* the system swapped between the last two checks */
	bool readahead_off;
	bool fetch;			/* pages are brought back */
	uint32_t acting;		/* processes with help, also during a pause of it */
	uint32_t batch;			/* pages that go out at a look */
} state;

/* The decisions about one memory domain. */
struct plan {
	enum trial_change change;
	bool first;			/* help begins for the first time */
	bool push;			/* push the pages of choice */
	uint32_t want;			/* pages that have to go, also more than a batch */
	struct choice choice;
};

/* A look: its measurements, and the plans. */
struct look {
	const struct config *config;
	uint32_t now_ms;
	bool dry_run;
	bool find;			/* ask all processes, and look for periods */
	bool walked;			/* programs that learn have new gaps */
	uint32_t cost_ms;		/* least time to the next look, by the cost of this one */
	uint32_t tick_ms;		/* time to the next look */
	bool busy;			/* pages came in or went out */
	bool sampling;			/* a sample is looked at */
	bool behind;			/* the batch was too small */
	unsigned int domain;		/* the memory domain that is worked on */
	struct plan plans[DOMAINS];
};

/* watches() - mode watch helps no program, so the swap-outs tell enough */
static bool watches(const struct look *look)
{
	return look->config->mode == MODE_WATCH;
}

/* is_paused() - leave its memory alone: help rests, or the program did not run lately */
static bool is_paused(const struct program *program, const struct look *look)
{
	return domains_get(program->domain)->trial.state == TRIAL_LEFT ||
	       activity_sleeps(&program->activity, look->now_ms, program->rhythm.period_ms);
}

/* is_sampled() - a sample of programs without a period goes out */
static bool is_sampled(const struct look *look)
{
	return look->config->automatic.trim && !watches(look) && !look->dry_run &&
	       sample_time(look->now_ms);
}

/* Measure. */

/* add_gap() - for a steady period use the mean; for a new one the last gap */
static void add_gap(const struct monitor_page *page, void *arg)
{
	uint64_t gap = page->gap_us, mean = page->mean_us;
	struct program *program = page->count >= 2 ? programs_find(page->tgid) : NULL;

	(void)arg;
	if (program && program->learns)
		period_add(&program->gaps, mean > gap * 3 / 4 && mean < gap * 5 / 4 ? mean : gap);
}

/* measure_work() - measure the program's user time, and whether it sleeps */
static void measure_work(struct program *program, const struct look *look)
{
	struct domain *domain = domains_get(program->domain);

	if (domain->due)
		domain->work += program_worked(program, look->now_ms);
	monitor_sleeps(program->id.pid, activity_sleeps(&program->activity, look->now_ms,
							program->rhythm.period_ms));
}

/* measure_swapouts() - go through all swap-outs once, for all processes that need it */
static void measure_swapouts(struct look *look)
{
	uint64_t begun_us = sys_cpu_us();
	struct program *program;

	if (!look->find || look->now_ms - state.walk_ms < WALK_PART * state.walk_cost_ms)
		return;
	for_each_program(program) {
		program->learns = !is_paused(program, look) &&
				  (program->rhythm.state == RHYTHM_LEARN || watches(look));
		period_clear(&program->gaps);
		look->walked |= program->learns;
	}
	if (!look->walked)
		return;
	monitor_each(0, add_gap, NULL);
	state.walk_ms = look->now_ms;
	state.walk_cost_ms = (uint32_t)((sys_cpu_us() - begun_us) / 1000);
}

/* measure_pages() - for a program without a period, swap-outs tell enough */
static void measure_pages(struct program *program, const struct look *look)
{
	program->came = 0;
	if (!is_paused(program, look) && !watches(look) &&
	    (rhythm_watched(&program->rhythm) || is_sampled(look)) &&
	    program_look(program, look->now_ms))
		program_drop(program);
}

/* measure() - work, swap-outs, page tables, and the room in memories */
static void measure(struct look *look)
{
	uint64_t begun_us = sys_cpu_us() + aside_cpu_us();
	struct program *program;
	struct domain *domain;
	unsigned int nr;

	/* Without swapping, and without a program that is helped, no process changes state. */
	look->find = look->now_ms - state.find_ms >= FIND_MS;
	if (look->find) {
		state.find_ms = look->now_ms;
		state.swaps = traffic_since(&state.traffic);
		look->find = state.swaps || state.acting || state.readahead_off ||
			     look->config->automatic.trim;
	}
	for (nr = 0; (domain = domains_get(nr)); nr++)
		domain->due = look->find || !trial_left_ms(&domain->trial, look->now_ms,
							   domain->period_ms);
	for_each_program(program)
		measure_work(program, look);
	measure_swapouts(look);
	for_each_program(program)
		measure_pages(program, look);
	look->cost_ms = (uint32_t)((sys_cpu_us() + aside_cpu_us() - begun_us) * LOOK_PART / 1000);
	if (look->find && !look->dry_run)
		state.fetch = look->config->automatic.fetch == CHOICE_YES ||
			      (look->config->automatic.fetch == CHOICE_AUTO &&
			       cost_swap_ns() >= SLOW_NS);
	for (nr = 0; (domain = domains_get(nr)); nr++)
		look->plans[nr].push = (domain->due || trial_helps(&domain->trial)) &&
				       !domain_look(domain);
}

/* Decide: nothing outside the daemon is read or changed. */

/*
 * find_period() - find the period in the swap-outs; of a trimmed program in the uses of its sample,
 * because its pages go out when we look
 */
static void find_period(struct program *program, bool trim)
{
	if (trim) {
		period_find(&program->rhythm.uses, &program->found);
		/* A use of a chunk counts as many events as swap-outs of its pages would. */
		program->found.events *= CHUNK_PAGES / AUTOMATIC_EVERY;
	} else if (program->learns) {
		period_find(&program->gaps, &program->found);
	}
}

/* is_tried() - has the program had help for a while? */
static bool is_tried(const struct program *program)
{
	const struct trial *trial = &domains_get(program->domain)->trial;

	return trial_helps(trial) && !trial->settles && trial->on.n;
}

/* decide_period() - is the program periodic? */
static void decide_period(struct program *program, const struct look *look)
{
	bool trim = look->config->automatic.trim;
	struct rhythm *rhythm = &program->rhythm;
	uint32_t turn_ms = rhythm->turn_ms;

	if (rhythm->state == RHYTHM_ACT && !watches(look)) {
		program->change = rhythm_turn(rhythm, look->now_ms, trim && is_tried(program));
		rhythm_hold(rhythm, &program->layout, look->tick_ms, rhythm->turn_ms != turn_ms);
	} else if (look->walked || (trim && look->find)) {
		find_period(program, trim && rhythm->state == RHYTHM_LEARN);
		if (rhythm->state == RHYTHM_ACT)
			rhythm->period_ms = (uint32_t)(program->found.us / 1000);
		else
			program->change = rhythm_learn(rhythm, look->now_ms, &program->found);
	}
}

static void decide_program(struct program *program, struct look *look)
{
	struct domain *domain = domains_get(program->domain);
	struct rhythm *rhythm = &program->rhythm;
	uint32_t ms;

	program->change = RHYTHM_SAME;
	if (is_paused(program, look))
		return;
	look->busy |= program->came > 0;
	if (rhythm->state == RHYTHM_LEARN) {
		look->sampling |= is_sampled(look);
		if (!is_sampled(look))
			period_clear(&rhythm->uses);
	}
	decide_period(program, look);
	if (watches(look) || rhythm->state != RHYTHM_ACT)
		return;
	if (rhythm->period_ms > domain->period_ms)
		domain->period_ms = rhythm->period_ms;
	state.acting++;
	domain->came += program->came;
	/* Frequent looks cost; do without them while the speed without help is measured. */
	ms = rhythm_tick_ms(rhythm);
	if (trial_helps(&domain->trial) && ms < look->tick_ms)
		look->tick_ms = ms;
}

/* helped() - is it a program of this domain that has help? @view is filled in for the rules */
static bool helped(struct program *program, const struct look *look, struct view *view)
{
	*view = (struct view){ program->chunks, &program->layout, program->rhythm.period_ms };
	return program->rhythm.state == RHYTHM_ACT && program->domain == look->domain &&
	       !watches(look);
}

/* decide_pages() - push as many pages as have to be free at the next look */
static void decide_pages(struct look *look, const struct domain *domain)
{
	struct plan *plan = &look->plans[look->domain];
	uint32_t more = state.fetch ? LEAD_TICKS * domain->rate : 0, horizon_ms = 0;
	bool trim = look->config->automatic.trim;
	struct program *program;
	struct view view;

	for_each_program(program)
		if (helped(program, look, &view) && 3 * view.period_ms > horizon_ms)
			horizon_ms = 3 * view.period_ms;
	plan->push = horizon_ms > 0;
	if (!plan->push)
		return;
	plan->want = trim ? UINT32_MAX : domain_want(domain, more, sys_page_size());
	select_begin(&plan->choice, look->now_ms,
		     plan->want < state.batch ? plan->want : state.batch, horizon_ms);
	plan->choice.trim = trim;
	plan->choice.lead_ms = LEAD_TICKS * look->tick_ms;
	for_each_program(program)
		if (helped(program, look, &view))
			select_count(&plan->choice, &view);
	select_decide(&plan->choice);
}

/* decide() - periods, then each memory: does help go on, and which pages move? */
static void decide(struct look *look)
{
	struct program *program;
	struct domain *domain;
	struct plan *plan;
	unsigned int nr;

	for (nr = 0; (domain = domains_get(nr)); nr++)
		domain->period_ms = 0;
	state.acting = 0;
	look->tick_ms = TICK_MS;
	for_each_program(program)
		decide_program(program, look);
	if (look->cost_ms > look->tick_ms)
		look->tick_ms = look->cost_ms < LOOK_SLOWEST_MS ? look->cost_ms : LOOK_SLOWEST_MS;
	for (nr = 0; (domain = domains_get(nr)); nr++) {
		plan = &look->plans[nr];
		plan->first = !domain->trial.on.n;
		domain->trial.paced = look->config->automatic.trim;
		if (domain->due)
			plan->change = trial_step(&domain->trial, look->now_ms, domain->work,
						  domain->period_ms);
		domain_looked(domain);
		plan->push &= trial_helps(&domain->trial);
		look->domain = nr;
		if (plan->push)
			decide_pages(look, domain);
	}
}

/* Act. */

/* set_readahead() - turn readahead of the swap off while a program has help */
static void set_readahead(const struct look *look)
{
	bool off = state.acting && look->config->automatic.knobs;
	int err;

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

/* add_chunk() - add a chunk to the memory that goes out or comes back */
static void add_chunk(struct push *push, const struct program *program, uint32_t nr)
{
	push_add(push, layout_address(&program->layout, nr, sys_page_size()),
		 layout_bytes(&program->layout, nr, sys_page_size()));
}

/* push_sample() - push the chunks of the sample that are not in use */
static void push_sample(struct program *program, const struct look *look)
{
	struct push push;
	uint32_t nr;

	if (program->rhythm.state != RHYTHM_LEARN || is_paused(program, look))
		return;
	push_begin(&push, program->id, MADV_PAGEOUT);
	for (nr = 0; nr < program->layout.n_chunks; nr++) {
		struct chunk *chunk = &program->chunks[nr];

		if (!sample_has(nr, program->layout.n_chunks, look->now_ms) ||
		    !sample_push(chunk, look->now_ms))
			continue;
		chunk->pushed_ms = look->now_ms;
		add_chunk(&push, program, nr);
		program->pushed += (uint32_t)__builtin_popcount(chunk->in);
	}
	push_end(&push);
}

static void push_program(struct program *program, struct look *look)
{
	struct choice *choice = &look->plans[look->domain].choice;
	uint32_t nr, before = choice->want;
	struct push push;
	struct view view;

	if (!helped(program, look, &view) || !choice->want)
		return;
	push_begin(&push, program->id, MADV_PAGEOUT);
	for (nr = 0; nr < view.layout->n_chunks; nr++) {
		struct range *range = (struct range *)layout_range(view.layout, nr);

		if (!select_push(choice, &view, nr))
			continue;
		range->pushed += (uint32_t)__builtin_popcount(view.chunks[nr].in);
		add_chunk(&push, program, nr);
	}
	push_end(&push);
	program->pushed += before - choice->want;
	look->busy |= choice->want < before;
}

static void fetch_program(struct program *program, struct look *look)
{
	struct choice *choice = &look->plans[look->domain].choice;
	uint32_t nr, before = choice->want;
	struct push push;
	struct view view;

	if (!helped(program, look, &view) || !choice->want)
		return;
	push_begin(&push, program->id, MADV_WILLNEED);
	for (nr = 0; nr < view.layout->n_chunks; nr++)
		if (select_fetch(choice, &view, nr))
			add_chunk(&push, program, nr);
	push_end(&push);
	program->fetched += before - choice->want;
}

/* push_batch() - push a batch of pages; its time gives the size of the next one */
static void push_batch(struct look *look)
{
	const struct plan *plan = &look->plans[look->domain];
	uint32_t pages = plan->choice.want;
	uint64_t us = sys_now_us();
	struct program *program;

	for_each_program(program)
		push_program(program, look);
	pages -= plan->choice.want;
	us = sys_now_us() - us;
	if (pages >= CHUNK_PAGES) {
		pages = (uint32_t)(pages * (uint64_t)PUSH_US / (us + 1));
		state.batch = pages < PUSH_LEAST ? PUSH_LEAST :
			      pages > PUSH_PAGES ? PUSH_PAGES : pages;
	}
	look->behind |= plan->want > state.batch && !plan->choice.want;
}

/* fetch_pages() - bring pages back into three quarters of the room that is left after the pushes */
static void fetch_pages(struct look *look, struct domain *domain)
{
	struct program *program;
	uint32_t room;

	if (!state.fetch || domain_look(domain))
		return;
	room = domain_room(domain, sys_page_size());
	room -= room / 4;
	look->plans[look->domain].choice.want = room < FETCH_PAGES ? room : FETCH_PAGES;
	for_each_program(program)
		fetch_program(program, look);
}

static void act(struct look *look)
{
	struct program *program;
	struct domain *domain;

	if (look->dry_run)
		return;
	if (look->find)
		set_readahead(look);
	if (look->sampling)
		for_each_program(program)
			push_sample(program, look);
	for (look->domain = 0; (domain = domains_get(look->domain)); look->domain++) {
		if (!look->plans[look->domain].push)
			continue;
		push_batch(look);
		fetch_pages(look, domain);
	}
}

/* Results. */

static void say_period(const struct program *program)
{
	const struct rhythm *rhythm = &program->rhythm;

	if (program->change == RHYTHM_PERIODIC)
		log_info("%s[%d]: periodic, %u ms: %u %% of %u swap-outs agree", program->name,
			 program->id.pid, rhythm->period_ms, program->found.share / 10,
			 program->found.events);
	if (program->change == RHYTHM_NEW_PERIOD)
		log_debug("%s[%d]: period %u ms, %u before it was helped", program->name,
			  program->id.pid, rhythm->period_ms, rhythm->base_ms);
	if (program->change == RHYTHM_LOST) {
		log_info("%s[%d]: not periodic any more", program->name, program->id.pid);
		monitor_forget(program->id.pid);
	}
}

/* learn_anew() - forget swap-outs during help, because they do not show the period */
static void learn_anew(struct program *program, const struct look *look)
{
	if (program->domain != look->domain)
		return;
	rhythm_init(&program->rhythm);
	monitor_forget(program->id.pid);
}

static void say_trial(const struct domain *domain, const struct plan *plan, uint32_t now_ms)
{
	const char *name = domain->group[0] ? domain->group : "the system";
	const struct trial *trial = &domain->trial;

	if (plan->change == TRIAL_HELPS && plan->first)
		log_info("%s: help begins; its speed is %u.%u %% of a processor", name,
			 trial->base / 1000, trial->base / 100 % 10);
	else if (plan->change == TRIAL_HELPS)
		log_debug("%s: help goes on; its speed was %u, and %u with help", name,
			  trial->base, trial->speed);
	else if (plan->change == TRIAL_PAUSES)
		log_debug("%s: help pauses", name);
	else if (plan->change == TRIAL_SLOWER)
		log_info("%s: left alone for %u s: its speed was %u.%u %% of a processor, and with help %u.%u",
			 name, (trial->begun_ms - now_ms) / 1000, trial->base / 1000,
			 trial->base / 100 % 10, trial->speed / 1000, trial->speed / 100 % 10);
	else if (plan->change == TRIAL_AGAIN)
		log_debug("%s: is looked at again", name);
}

/* finish() - log the changes, forget old swap-outs, and set the time of the next look */
static uint32_t finish(struct look *look)
{
	const struct domain *domain;
	struct program *program;
	uint32_t ms;

	for_each_program(program)
		say_period(program);
	for (look->domain = 0; (domain = domains_get(look->domain)); look->domain++) {
		const struct plan *plan = &look->plans[look->domain];

		say_trial(domain, plan, look->now_ms);
		if (plan->change == TRIAL_SLOWER || plan->change == TRIAL_AGAIN)
			for_each_program(program)
				learn_anew(program, look);
		/* Wake up in time for the end of the sample. */
		ms = trial_left_ms(&domain->trial, look->now_ms, domain->period_ms);
		if (ms && ms < look->tick_ms)
			look->tick_ms = ms;
	}
	if (look->behind)
		return 1;
	if (state.acting || look->busy || look->sampling)
		return look->tick_ms;
	return state.swaps || look->config->automatic.trim ? SWAPS_MS : AUTOMATIC_IDLE_MS;
}

/**
 * automatic_begin() - forget all
 */
void automatic_begin(void)
{
	memset(&state, 0, sizeof(state));
	state.batch = PUSH_LEAST;
}

/**
 * automatic_step() - one look, and its consequences
 * @config: the configuration
 * @now_ms: the time
 * @dry_run: move no page, and change no setting
 *
 * Return: milliseconds until the next look.
 */
uint32_t automatic_step(const struct config *config, uint32_t now_ms, bool dry_run)
{
	struct look look = { .config = config, .now_ms = now_ms, .dry_run = dry_run };

	measure(&look);
	decide(&look);
	act(&look);
	return finish(&look);
}
