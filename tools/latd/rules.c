// SPDX-License-Identifier: GPL-2.0
/*
 * Decides. Each mode is a function. rules_decide() calls it, and the rules of all modes: the
 * longest stop, and the rule to kill. The arithmetic of fair shares is here, too.
 *
 * Mode auto: memory.min keeps the protected programs' pages. These programs still lose time in
 * direct reclaim, if the others have all memory. So the others get a limit that leaves a reserve
 * free: then they reclaim their own pages, into compressed swap, in their own time. If protected
 * programs wait all the same, the others are stopped for a part of each second. This part grows
 * while protected programs wait and shrinks otherwise, and the others always run for some time.
 */
#include <string.h>
#include "rules.h"

/* Arguments of a decision. */
struct decision {
	struct rule *rule;
	const struct config *config;
	const struct sample *sample;
	struct plan *plan;
	uint64_t reserve;		/* bytes that the configuration keeps free */
	const char *stall;		/* name of stall_us, for the log */
	uint64_t stall_us;		/* the protected programs have waited since the last look */
};

/**
 * rules_init() - start
 * @rule: filled in
 */
void rules_init(struct rule *rule)
{
	memset(rule, 0, sizeof(*rule));
	rule->share = 1000;
}

static uint64_t permille(uint64_t bytes, unsigned int part)
{
	return bytes / 1000 * part;
}

static uint64_t smaller(uint64_t one, uint64_t other)
{
	return one < other ? one : other;
}

static void plan_add(struct decision *d, enum act_kind kind, uint64_t bytes, const char *figure,
		     uint64_t value, const char *unit)
{
	if (d->plan->n < PLAN_MAX)
		d->plan->acts[d->plan->n++] = (struct act){ kind, bytes, figure, value, unit };
}

static void plan_limit(struct decision *d, uint64_t bytes, const char *figure, uint64_t value,
		       const char *unit)
{
	d->rule->limit = bytes;
	plan_add(d, ACT_LIMIT, bytes, figure, value, unit);
}

/* plan_stop() - stop the others, if there are any and they run */
static void plan_stop(struct decision *d, const char *figure, uint64_t value_us)
{
	/* A program that was told to end must run to do so. */
	if (d->rule->stopped || !d->sample->victim || !d->sample->protects || d->rule->term_us)
		return;
	d->rule->stopped = true;
	d->rule->stopped_us = d->sample->now_us;
	plan_add(d, ACT_STOP, 0, figure, value_us, "us");
}

/* plan_cont() - continue the others, if they are stopped */
static void plan_cont(struct decision *d, const char *figure, uint64_t value_us)
{
	if (!d->rule->stopped)
		return;
	d->rule->stopped = false;
	d->rule->stopped_us = d->sample->now_us;
	plan_add(d, ACT_CONT, 0, figure, value_us, "us");
}

static uint64_t since_stop_us(const struct decision *d)
{
	return d->sample->now_us - d->rule->stopped_us;
}

/* dirty_early() - algorithm 1, lines 7 to 9 and 18 to 19: write back early, without throttling */
static void dirty_early(struct decision *d)
{
	bool wanted = d->sample->some_us > 0;

	if (wanted == d->rule->dirty)
		return;
	d->rule->dirty = wanted;
	plan_add(d, wanted ? ACT_DIRTY : ACT_DIRTY_BACK, 0, "memory some", d->sample->some_us,
		 "us");
}

/* stop_on_stall() - stop while programs wait, continue when they do not */
static void stop_on_stall(struct decision *d, const char *figure, uint64_t stall_us)
{
	if (stall_us)
		plan_stop(d, figure, stall_us);
	else
		plan_cont(d, figure, stall_us);
}

/*
 * mode_freeze() - stop the others when protected programs wait: for twice as long as the last time,
 * if that was a short time ago, else for half as long. Meanwhile their memory is pushed out, so
 * that they find free memory when they continue.
 */
static void mode_freeze(struct decision *d)
{
	struct rule *rule = d->rule;
	uint64_t since = since_stop_us(d), most = d->config->others.stop_max_ms * 1000ull;

	if (rule->stopped) {
		if (since >= rule->freeze_us && !d->stall_us)
			plan_cont(d, "time since they were stopped", since);
		else if (d->sample->free < FREEZE_RESERVES * d->reserve)
			plan_add(d, ACT_PUSH, permille(d->sample->total, FREEZE_PUSH_PERMILLE),
				 "memory free", d->sample->free, "bytes");
		return;
	}
	if (!d->stall_us)
		return;
	/* A short time ago: within the length of four stops. Guess. */
	if (!rule->freeze_us || since > 4 * rule->freeze_us)
		rule->freeze_us = rule->freeze_us / 2 > FREEZE_US ? rule->freeze_us / 2 : FREEZE_US;
	else
		rule->freeze_us = smaller(2 * rule->freeze_us, most);
	plan_stop(d, d->stall, d->stall_us);
}

/* fixed_limit() - algorithm 2, line 3 */
static void fixed_limit(struct decision *d)
{
	if (!d->rule->limit && d->sample->others.known)
		plan_limit(d, permille(d->sample->total, d->config->others.limit), "memory",
			   d->sample->total, "bytes");
}

/*
 * grow_limit() - algorithm 3, lines 7 to 11: a higher limit, if the others wait and memory is
 * available. The thesis makes another group and moves the process; with cgroup v2 the limit is
 * changed in place.
 */
static void grow_limit(struct decision *d)
{
	const struct sample *sample = d->sample;
	uint64_t step = permille(sample->total, GROW_PERMILLE), limit = d->rule->limit;
	uint64_t first = permille(sample->total, d->config->others.limit);

	/* The last step was too much. */
	if (sample->app_some_us && limit >= first + step)
		plan_limit(d, limit - step, "protected memory some", sample->app_some_us, "us");
	else if (sample->others.some_us && sample->available >= d->reserve + step &&
		 sample->others.bytes + step >= limit)
		plan_limit(d, limit + step, "others' memory some", sample->others.some_us, "us");
}

/* is_loose() - is most of the others' memory in no group that can be limited? */
static bool is_loose(const struct sample *sample)
{
	return sample->others.loose > sample->others.bytes;
}

/* auto_room() - the others' and the free memory, without the reserve and pages back from swap */
static uint64_t auto_room(const struct decision *d)
{
	const struct sample *sample = d->sample;
	uint64_t least = permille(sample->total, LIMIT_LEAST_PERMILLE);
	uint64_t have = sample->others.bytes + sample->free, kept = d->reserve;

	if (d->config->protect.fetch)
		kept += smaller(sample->app_swapped, permille(sample->total, RETURN_PERMILLE));
	return have > kept + least ? have - kept : least;
}

static void auto_limit(struct decision *d)
{
	const struct sample *sample = d->sample;
	uint64_t wanted = auto_room(d), step = permille(sample->total, LIMIT_RISE_PERMILLE);
	uint64_t limit = d->rule->limit;

	if (!sample->protects) {
		if (limit && limit != UINT64_MAX)
			plan_add(d, ACT_LIMIT, UINT64_MAX, "protected processes", 0, "");
		d->rule->limit = UINT64_MAX;
		return;
	}
	/* The groups cannot free enough, so their limit is their present size. */
	if (is_loose(sample) && wanted < sample->others.bytes)
		wanted = sample->others.bytes;
	if (limit == UINT64_MAX)
		limit = 0;
	if (limit && wanted > limit + step)
		wanted = limit + step;
	/* Small changes are not worth a write. */
	if (limit && wanted < limit + step / 4 && limit < wanted + step / 4)
		return;
	plan_limit(d, wanted, "memory free", sample->free, "bytes");
}

/* waits_too_long() - do protected programs miss their goal, or without a goal wait too long? */
static bool waits_too_long(const struct decision *d)
{
	if (d->sample->goal.reported)
		return d->sample->goal.late && d->stall_us;
	return d->stall_us * 1000 > d->sample->elapsed_us * STALL_PERMILLE_OF_TIME;
}

/* auto_share() - the part of a period that the others may run */
static void auto_share(struct decision *d)
{
	struct rule *rule = d->rule;

	if (waits_too_long(d)) {
		rule->quiet_us = d->sample->now_us;
		rule->share = SHARE_LESS(rule->share);
		if (rule->share < d->config->others.run_min)
			rule->share = d->config->others.run_min;
	} else if (rule->share < 1000 && d->sample->now_us - rule->quiet_us >= QUIET_US) {
		rule->quiet_us = d->sample->now_us;
		rule->share = (unsigned int)smaller(SHARE_MORE(rule->share), 1000);
	}
}

/* auto_duty() - the others run for the first part of each period and are stopped for the rest */
static void auto_duty(struct decision *d)
{
	uint64_t run_us = DUTY_PERIOD_US / 1000 * d->rule->share, since = since_stop_us(d);
	uint64_t stop_us = DUTY_PERIOD_US - run_us;
	uint64_t look_us = d->sample->elapsed_us;

	/* A hog without a limit stays stopped, within stop_max, until protected pages are back. */
	if (d->rule->stopped && is_loose(d->sample) &&
	    d->sample->app_swapped > permille(d->sample->total, MISSING_PERMILLE))
		return;
	/* Continue now, if the next look would be too late. Do not stop for less than a look. */
	if (d->rule->stopped && (since + look_us > stop_us || d->rule->share == 1000))
		plan_cont(d, d->stall, d->stall_us);
	else if (!d->rule->stopped && look_us <= stop_us && since >= run_us)
		plan_stop(d, d->stall, d->stall_us);
}

/*
 * auto_push() - push memory of the others that were just stopped. A process in no group cannot be
 * limited. So all of its memory is pushed out, and it reads the pages that it uses back.
 */
static void auto_push(struct decision *d)
{
	uint64_t free = d->sample->free, bytes = free < d->reserve ? d->reserve - free : 0;

	if (is_loose(d->sample))
		bytes = d->sample->others.loose;
	if (bytes)
		plan_add(d, ACT_PUSH, bytes, "memory free", free, "bytes");
}

/* auto_fetch() - bring pages back; less often while the number of pages in swap stays the same */
static void auto_fetch(struct decision *d)
{
	const struct sample *sample = d->sample;
	struct rule *rule = d->rule;

	if (sample->app_swapped != rule->fetch_had)
		rule->fetch_wait_us = FETCH_US;
	if (sample->now_us - rule->fetch_us < rule->fetch_wait_us)
		return;
	if (rule->fetch_wait_us < FETCH_MOST_US)
		rule->fetch_wait_us *= 2;
	rule->fetch_us = sample->now_us;
	rule->fetch_had = sample->app_swapped;
	/* Half of the reserve stays free for allocations of programs meanwhile. Guess. */
	plan_add(d, ACT_FETCH, sample->free - d->reserve / 2, "protected swap",
		 sample->app_swapped, "bytes");
}

/*
 * is_stop_useless() - do protected programs wait as much while the others are stopped as while
 * they run? Then the cause is another one, such as a memory.max of their own or a slow disk. Stops
 * are given up for some time, and tried again.
 */
static bool is_stop_useless(struct stop_benefit *benefit, uint64_t now_us)
{
	double run, stop;

	if (now_us < benefit->until_us)
		return true;
	if (benefit->time_us[true] < JUDGE_STOPPED_US || benefit->time_us[false] < JUDGE_RUNNING_US)
		return false;
	run = (double)benefit->stall_us[false] / (double)benefit->time_us[false];
	stop = (double)benefit->stall_us[true] / (double)benefit->time_us[true];
	memset(benefit->time_us, 0, sizeof(benefit->time_us));
	memset(benefit->stall_us, 0, sizeof(benefit->stall_us));
	if (stop * 1000 < run * HELPS_PERMILLE) {
		benefit->pause_us = 0;
		return false;
	}
	benefit->pause_us = benefit->pause_us ? smaller(2 * benefit->pause_us, GIVE_UP_MOST_US) :
						GIVE_UP_US;
	benefit->until_us = now_us + benefit->pause_us;
	return true;
}

static void mode_auto(struct decision *d)
{
	const struct sample *sample = d->sample;
	struct rule *rule = d->rule;
	bool was_stopped = rule->stopped;

	/* Times without stops of the others do not count. */
	if (rule->share < 1000) {
		rule->benefit.time_us[was_stopped] += sample->elapsed_us;
		rule->benefit.stall_us[was_stopped] += d->stall_us;
	}
	/* With much free memory they wait for something else, such as their own memory.max. */
	if (sample->free >= SHORT_RESERVES * d->reserve)
		d->stall_us = 0;
	if (is_stop_useless(&rule->benefit, sample->now_us)) {
		d->stall_us = 0;
		rule->share = 1000;
	}
	if (sample->others.known)
		auto_limit(d);
	auto_share(d);
	auto_duty(d);
	if (rule->stopped && !was_stopped)
		auto_push(d);
	if (d->config->protect.fetch && sample->app_swapped && sample->free > d->reserve)
		auto_fetch(d);
}

/*
 * is_stuck() - do the others wait for most of the time? Stopped programs do not wait, so the looks
 * shortly before count, too.
 */
static bool is_stuck(struct decision *d)
{
	const struct sample *sample = d->sample;
	uint64_t wait_us = sample->others.known ? sample->others.some_us : 0;

	if (sample->full_us > wait_us)
		wait_us = sample->full_us;
	if (wait_us > sample->elapsed_us / 2)
		d->rule->stuck_us = sample->now_us;
	return d->rule->stuck_us && sample->now_us - d->rule->stuck_us < STUCK_US;
}

/*
 * is_low() - does the condition of the rule to kill hold? When the swap takes no more pages, the
 * reserve may still keep memory available. Then the others cannot swap out, and wait (stuck).
 */
static bool is_low(struct decision *d)
{
	const struct sample *sample = d->sample;
	const struct config_kill *kill = &d->config->kill;
	bool swap = sample->swap_left <= permille(sample->swap_total, kill->swap);
	bool memory = sample->available <= permille(sample->total, kill->memory);
	bool stuck = is_stuck(d) && sample->swap_total;

	switch (kill->rule) {
	case KILL_MEMORY:
		return memory;
	case KILL_SWAP:
		/* Without swap the memory alone decides. */
		return sample->swap_total ? swap : memory;
	case KILL_BOTH:
		return swap && (memory || stuck);
	}
	return false;
}

/* kill_told() - kill the victim, if it does not end in time */
static void kill_told(struct decision *d)
{
	uint64_t since_us = d->sample->now_us - d->rule->term_us;

	if (d->sample->told && since_us < d->config->kill.term_ms * 1000ull)
		return;
	if (d->sample->told)
		plan_add(d, ACT_KILL, 0, "time since TERM", since_us / 1000, "ms");
	d->rule->term_us = 0;
	d->rule->low_us = 0;
}

/*
 * kill_rule() - the last resort: one victim gets TERM, time to end, then KILL. Before that memory
 * has to stay low for some time. Meanwhile the others are stopped and pushed out.
 */
static void kill_rule(struct decision *d)
{
	const struct sample *sample = d->sample;
	struct rule *rule = d->rule;

	if (rule->term_us) {
		kill_told(d);
		return;
	}
	if (!sample->victim || !is_low(d)) {
		rule->low_us = 0;
		return;
	}
	if (!rule->low_us)
		rule->low_us = sample->now_us;
	if (sample->now_us - rule->low_us < d->config->kill.after_ms * 1000ull)
		return;
	rule->term_us = sample->now_us;
	/* ACT_TERM continues all programs. */
	rule->stopped = false;
	rule->stopped_us = sample->now_us;
	if (d->config->kill.rule == KILL_MEMORY)
		plan_add(d, ACT_TERM, 0, "memory available", sample->available, "bytes");
	else
		plan_add(d, ACT_TERM, 0, "swap left", sample->swap_left, "bytes");
}

static void decide_by_mode(struct decision *d)
{
	switch (d->config->mode) {
	case MODE_AUTO:
		mode_auto(d);
		break;
	case MODE_SYSCTL:
		dirty_early(d);
		break;
	case MODE_SIGNAL:
		dirty_early(d);
		stop_on_stall(d, "memory full", d->sample->full_us);
		break;
	case MODE_FREEZE:
		mode_freeze(d);
		break;
	case MODE_GROW:
	case MODE_CGROUP:
		fixed_limit(d);
		if (d->config->mode == MODE_GROW)
			grow_limit(d);
		stop_on_stall(d, "memory some", d->sample->some_us);
		break;
	}
}

/**
 * rules_decide() - make a plan
 * @rule: the state
 * @config: the configuration
 * @sample: the figures
 * @plan: filled in: the acts in their order
 */
void rules_decide(struct rule *rule, const struct config *config, const struct sample *sample,
		  struct plan *plan)
{
	struct decision d = {
		rule, config, sample, plan, permille(sample->total, config->others.reserve),
		sample->app_group ? "protected memory some" : "memory full", 0,
	};

	plan->n = 0;
	if (sample->protects)
		d.stall_us = sample->app_group ? sample->app_some_us : sample->full_us;
	/* The longest stop holds in all modes and under any pressure. */
	if (rule->stopped && since_stop_us(&d) >= config->others.stop_max_ms * 1000ull) {
		plan_cont(&d, "time since they were stopped", since_stop_us(&d));
		return;
	}
	if (!sample->protects)
		plan_cont(&d, "protected processes", 0);
	decide_by_mode(&d);
	kill_rule(&d);
}

/**
 * fair_share() - the max-min fair share of a total
 * @have: bytes of each group
 * @n: number of groups
 * @total: bytes for all together
 *
 * If each group is cut to the share, all together have at most the total. Groups below the share
 * lose nothing. So a hog loses memory before small services do, and without a hog all services lose
 * the same.
 *
 * Return: bytes; UINT64_MAX, if the groups have no more than the total.
 */
uint64_t fair_share(const uint64_t *have, unsigned int n, uint64_t total)
{
	uint64_t share = 0, below, last;
	unsigned int above, i;

	/* The share rises in each round, because the groups above it divide the rest. */
	do {
		last = share;
		below = 0;
		above = 0;
		for (i = 0; i < n; i++) {
			if (have[i] > share)
				above++;
			else
				below += have[i];
		}
		if (!above)
			return UINT64_MAX;
		share = below < total ? (total - below) / above : 0;
	} while (share > last);
	return share;
}

/**
 * least_of_largest() - the least size among the largest groups that together have a part of all
 * @have: bytes of each group
 * @n: number of groups
 * @permille: the part
 *
 * Return: bytes. A fixed size would leave out many small groups without a large one.
 */
uint64_t least_of_largest(const uint64_t *have, unsigned int n, unsigned int permille)
{
	uint64_t all = 0, sum = 0, least = UINT64_MAX, next;
	unsigned int i;

	for (i = 0; i < n; i++)
		all += have[i];
	if (all / 1000 * permille == 0)
		return 0;
	while (sum < all / 1000 * permille) {
		for (i = 0, next = 0; i < n; i++)
			if (have[i] < least && have[i] > next)
				next = have[i];
		for (i = 0; i < n; i++)
			sum += have[i] == next ? next : 0;
		least = next;
	}
	return least;
}
