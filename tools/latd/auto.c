// SPDX-License-Identifier: GPL-2.0
/*
 * The mode of our own. The protected programs' pages are kept by memory.min; then what still
 * costs them time is that they have to take memory back themselves, from others who have taken
 * all of it. So the others get a limit that leaves a reserve free at any time: they take back
 * what they need from themselves, into compressed swap, in their own time. Only if the protected
 * programs wait all the same are the others stopped, for a part of each second that grows while
 * they wait and shrinks while they do not; they always run for some of it.
 */
#include "rule.h"

/* A second has so many parts to run in. */
#define PERIOD_US 1000000
/* The protected programs wait, if they do so for more than a hundredth of the time. */
#define STALL_PERMILLE 10
/* After so much time without waiting the others may run for longer. */
#define QUIET_US 2000000
/* Pages are brought back once a second at most: it takes time itself. */
#define FETCH_US 1000000
#define FETCH_MOST_US 60000000
/* The limit rises by so much of the memory at a look, and falls as far as needed. */
#define RISE_PERMILLE 10
/* The others make room for so much of the memory at most for pages that come back. */
#define BACK_PERMILLE 60
/* More than so much of the memory in swap is missed by the protected programs. */
#define AWAY_PERMILLE 20
/* Memory is short, if less is free than so many reserves. */
#define SHORT_RESERVES 3

static uint64_t permille(uint64_t bytes, unsigned int part)
{
	return bytes / 1000 * part;
}

/* back() - memory for the protected programs' pages that come back from swap next */
static uint64_t back(const struct config *config, const struct sample *sample)
{
	uint64_t most = permille(sample->total, BACK_PERMILLE);

	if (!config->protect.fetch)
		return 0;
	return sample->app_swapped < most ? sample->app_swapped : most;
}

/* room() - the others may have their memory, and the free memory without reserve and back() */
static uint64_t room(const struct config *config, const struct sample *sample)
{
	uint64_t reserve = permille(sample->total, config->others.reserve) + back(config, sample);
	uint64_t least = permille(sample->total, 20);
	uint64_t have = sample->others.bytes + sample->free;

	return have > reserve + least ? have - reserve : least;
}

/* is_loose() - is most of the others' memory in no group that can be limited? */
static bool is_loose(const struct sample *sample)
{
	return sample->others.loose > sample->others.bytes;
}

static void limit(struct rule *rule, const struct config *config, const struct sample *sample,
		  struct plan *plan)
{
	uint64_t wanted = room(config, sample), step = permille(sample->total, RISE_PERMILLE);

	if (!sample->protects) {
		if (rule->limit && rule->limit != UINT64_MAX)
			plan_add(plan, ACT_LIMIT, UINT64_MAX, "protected processes", 0, "");
		rule->limit = UINT64_MAX;
		return;
	}
	/* What the groups give would not be enough: they just get no more. */
	if (is_loose(sample) && wanted < sample->others.bytes)
		wanted = sample->others.bytes;
	if (rule->limit == UINT64_MAX)
		rule->limit = 0;
	if (rule->limit && wanted > rule->limit + step)
		wanted = rule->limit + step;
	/* A write for each page more or less would be work for nothing. */
	if (rule->limit && wanted < rule->limit + step / 4 && rule->limit < wanted + step / 4)
		return;
	rule->limit = wanted;
	plan_add(plan, ACT_LIMIT, wanted, "memory free", sample->free, "bytes");
}

/* waits() - do the protected programs wait too long? By their goal, where they say how they do */
static bool waits(const struct sample *sample, uint64_t stall_us)
{
	if (sample->goal.reported)
		return sample->goal.late && stall_us;
	return stall_us * 1000 > sample->elapsed_us * STALL_PERMILLE;
}

static void share(struct rule *rule, const struct config *config, const struct sample *sample,
		  uint64_t stall_us)
{
	if (waits(sample, stall_us)) {
		rule->quiet_us = sample->now_us;
		/* No sooner than they have run for a part as long as the last one. */
		rule->share = rule->share * 3 / 4;
		if (rule->share < config->others.run_min)
			rule->share = config->others.run_min;
	} else if (rule->share < 1000 && sample->now_us - rule->quiet_us >= QUIET_US) {
		rule->quiet_us = sample->now_us;
		rule->share = rule->share * 5 / 4 + 1;
		if (rule->share > 1000)
			rule->share = 1000;
	}
}

/* duty() - they run for the first part of each second and are stopped for the rest */
static void duty(struct rule *rule, const struct sample *sample, struct plan *plan,
		 const char *figure, uint64_t stall_us)
{
	uint64_t run_us = PERIOD_US / 1000 * rule->share;
	uint64_t since = sample->now_us - rule->stopped_us;
	uint64_t stop_us = PERIOD_US - run_us;

	/* It cannot be limited: first the protected programs' pages come back, within stop_max. */
	if (rule->stopped && is_loose(sample) &&
	    sample->app_swapped > permille(sample->total, AWAY_PERMILLE))
		return;
	/* The next look would be too late; and one that is too short for a look is left out. */
	if (rule->stopped && (since + sample->elapsed_us > stop_us || rule->share == 1000))
		rule_cont(rule, sample, plan, figure, stall_us);
	else if (!rule->stopped && sample->elapsed_us <= stop_us && since >= run_us)
		rule_stop(rule, sample, plan, figure, stall_us);
}

/*
 * push() - memory of the others that were just stopped. A process in no group has no limit. So it
 * loses all of its memory, and takes back what it uses from free memory.
 */
static void push(const struct sample *sample, uint64_t reserve, struct plan *plan)
{
	uint64_t bytes = sample->free < reserve ? reserve - sample->free : 0;

	if (is_loose(sample))
		bytes = sample->others.loose;
	if (bytes)
		plan_add(plan, ACT_PUSH, bytes, "memory free", sample->free, "bytes");
}

/* fetch() - bring pages back; less often while it changes nothing */
static void fetch(struct rule *rule, const struct sample *sample, uint64_t reserve,
		  struct plan *plan)
{
	if (sample->app_swapped != rule->fetch_had)
		rule->fetch_wait_us = FETCH_US;
	if (sample->now_us - rule->fetch_us < rule->fetch_wait_us)
		return;
	if (rule->fetch_wait_us < FETCH_MOST_US)
		rule->fetch_wait_us *= 2;
	rule->fetch_us = sample->now_us;
	rule->fetch_had = sample->app_swapped;
	plan_add(plan, ACT_FETCH, sample->free - reserve / 2, "protected swap",
		 sample->app_swapped, "bytes");
}

/**
 * rule_auto() - mode auto
 * @rule: the state
 * @config: what is wanted
 * @sample: the figures
 * @plan: is added to
 */
void rule_auto(struct rule *rule, const struct config *config, const struct sample *sample,
	       struct plan *plan)
{
	const char *figure = rule_stall_name(sample);
	uint64_t reserve = permille(sample->total, config->others.reserve);
	uint64_t stall_us = rule_stall_us(sample);
	bool was_stopped = rule->stopped;

	/* Times of rest, when nobody is stopped, say nothing. */
	if (rule->share < 1000)
		help_add(&rule->help, was_stopped, sample->elapsed_us, stall_us);
	/* Otherwise they wait for something else, such as their own memory.max. */
	if (sample->free >= SHORT_RESERVES * reserve)
		stall_us = 0;
	if (help_given_up(&rule->help, sample->now_us)) {
		stall_us = 0;
		rule->share = 1000;
	}

	if (sample->others.known)
		limit(rule, config, sample, plan);
	share(rule, config, sample, stall_us);
	duty(rule, sample, plan, figure, stall_us);
	if (rule->stopped && !was_stopped)
		push(sample, reserve, plan);
	if (config->protect.fetch && sample->app_swapped && sample->free > reserve)
		fetch(rule, sample, reserve, plan);
}
