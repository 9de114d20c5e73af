// SPDX-License-Identifier: GPL-2.0

#include <string.h>
#include "rule.h"

/**
 * rule_init() - nothing is known
 * @rule: filled in
 */
void rule_init(struct rule *rule)
{
	memset(rule, 0, sizeof(*rule));
	rule->share = 1000;
}

/**
 * plan_add() - one thing more to do
 * @plan: the plan
 * @kind: what
 * @bytes: how much of it, where that has a meaning
 * @figure: the figure that caused it
 * @value: of @figure
 * @unit: of @value
 */
void plan_add(struct plan *plan, enum act_kind kind, uint64_t bytes, const char *figure,
	      uint64_t value, const char *unit)
{
	if (plan->n < PLAN_MAX)
		plan->acts[plan->n++] = (struct act){ kind, bytes, figure, value, unit };
}

/**
 * rule_stall_us() - how long the protected programs have waited
 * @sample: the figures
 *
 * Return: microseconds; where they are in no group, those that all programs of the system have
 * waited.
 */
uint64_t rule_stall_us(const struct sample *sample)
{
	if (!sample->protects)
		return 0;
	return sample->app_group ? sample->app_some_us : sample->full_us;
}

/**
 * rule_stall_name() - the name of that figure
 * @sample: the figures
 */
const char *rule_stall_name(const struct sample *sample)
{
	return sample->app_group ? "protected memory some" : "memory full";
}

/**
 * rule_stop() - stop the others, if they run and there are any
 * @rule: the state
 * @sample: the figures
 * @plan: is added to
 * @figure: what caused it
 * @value: of @figure, in microseconds
 */
void rule_stop(struct rule *rule, const struct sample *sample, struct plan *plan,
	       const char *figure, uint64_t value)
{
	/* Who was told to end must run to do it. */
	if (rule->stopped || !sample->victim || !sample->protects || rule->term_us)
		return;
	rule->stopped = true;
	rule->stopped_us = sample->now_us;
	plan_add(plan, ACT_STOP, 0, figure, value, "us");
}

/**
 * rule_cont() - let the others go on, if they were stopped
 * @rule: the state
 * @sample: the figures
 * @plan: is added to
 * @figure: what caused it
 * @value: of @figure, in microseconds
 */
void rule_cont(struct rule *rule, const struct sample *sample, struct plan *plan,
	       const char *figure, uint64_t value)
{
	if (!rule->stopped)
		return;
	rule->stopped = false;
	rule->stopped_us = sample->now_us;
	plan_add(plan, ACT_CONT, 0, figure, value, "us");
}

/* dirty() - algorithm 1, lines 7 to 9 and 18 to 19: write back early, and nobody waits for it */
static void dirty(struct rule *rule, const struct sample *sample, struct plan *plan)
{
	bool wanted = sample->some_us > 0;

	if (wanted == rule->dirty)
		return;
	rule->dirty = wanted;
	plan_add(plan, wanted ? ACT_DIRTY : ACT_DIRTY_BACK, 0, "memory some", sample->some_us,
		 "us");
}

/* on_stall() - stop while programs wait, go on when they do not any more */
static void on_stall(struct rule *rule, const struct sample *sample, struct plan *plan,
		     const char *figure, uint64_t stall_us)
{
	if (stall_us)
		rule_stop(rule, sample, plan, figure, stall_us);
	else
		rule_cont(rule, sample, plan, figure, stall_us);
}

/* Mode freeze begins with so much, and doubles it: less than that is not worth the return. */
#define HOLD_US 2000000
/* Pushed out at a look while the others are stopped. */
#define PUSH_BYTES (2ull << 20)
/* Longer than the others are stopped for in a second, so that this does not hide that they wait. */
#define STUCK_US 2000000

static uint64_t permille(uint64_t bytes, unsigned int part)
{
	return bytes / 1000 * part;
}

/*
 * hold() - stop the others when the protected programs wait; for twice as long, if that was soon
 * after they were let go on, and for half as long, if it was not. Meanwhile their memory is pushed
 * out, so that they have some when they go on.
 */
static void hold(struct rule *rule, const struct config *config, const struct sample *sample,
		 struct plan *plan)
{
	uint64_t since = sample->now_us - rule->stopped_us;
	uint64_t most = config->others.stop_max_ms * 1000ull;
	uint64_t reserve = permille(sample->total, config->others.reserve);
	uint64_t stall_us = rule_stall_us(sample);

	if (rule->stopped) {
		if (since >= rule->hold_us && !stall_us)
			rule_cont(rule, sample, plan, "time since they were stopped", since);
		else if (sample->free < 4 * reserve)
			plan_add(plan, ACT_PUSH, PUSH_BYTES, "memory free", sample->free, "bytes");
		return;
	}
	if (!stall_us)
		return;
	if (!rule->hold_us || since > 4 * rule->hold_us)
		rule->hold_us = rule->hold_us / 2 > HOLD_US ? rule->hold_us / 2 : HOLD_US;
	else
		rule->hold_us = 2 * rule->hold_us < most ? 2 * rule->hold_us : most;
	rule_stop(rule, sample, plan, rule_stall_name(sample), stall_us);
}

/* fixed_limit() - algorithm 2, line 3 */
static void fixed_limit(struct rule *rule, const struct config *config,
			const struct sample *sample, struct plan *plan)
{
	if (rule->limit || !sample->others.known)
		return;
	rule->limit = permille(sample->total, config->others.limit);
	plan_add(plan, ACT_LIMIT, rule->limit, "memory", sample->total, "bytes");
}

/*
 * grow_limit() - algorithm 3, lines 7 to 11: a higher limit where the others wait and there is
 * memory. The thesis makes another group and moves the process; version 2 takes another limit
 * in place.
 */
static void grow_limit(struct rule *rule, const struct config *config,
		       const struct sample *sample, struct plan *plan)
{
	uint64_t step = permille(sample->total, 20);
	uint64_t reserve = permille(sample->total, config->others.reserve);
	uint64_t least = permille(sample->total, config->others.limit);

	/* What was given was too much. */
	if (sample->app_some_us && rule->limit >= least + step) {
		rule->limit -= step;
		plan_add(plan, ACT_LIMIT, rule->limit, "protected memory some",
			 sample->app_some_us, "us");
		return;
	}
	if (!sample->others.some_us || sample->available < reserve + step ||
	    sample->others.bytes + step < rule->limit)
		return;
	rule->limit += step;
	plan_add(plan, ACT_LIMIT, rule->limit, "others' memory some", sample->others.some_us, "us");
}

/*
 * is_stuck() - do the others wait for most of the time? While they are stopped they wait for
 * nothing, so the looks shortly before count, too.
 */
static bool is_stuck(struct rule *rule, const struct sample *sample)
{
	uint64_t wait_us = sample->others.known ? sample->others.some_us : 0;

	if (sample->full_us > wait_us)
		wait_us = sample->full_us;
	if (wait_us > sample->elapsed_us / 2)
		rule->stuck_us = sample->now_us;
	return rule->stuck_us && sample->now_us - rule->stuck_us < STUCK_US;
}

/*
 * is_low() - is there as little as the rule to kill wants? The reserve keeps memory available
 * though the swap takes no more. Then no page of the others can go, and they wait.
 */
static bool is_low(struct rule *rule, const struct config *config, const struct sample *sample)
{
	bool swap = sample->swap_left <= permille(sample->swap_total, config->kill.swap);
	bool memory = sample->available <= permille(sample->total, config->kill.memory);
	bool stuck = is_stuck(rule, sample) && sample->swap_total;

	/* Without any swap the rules that look at it too look at the memory alone. */
	if (!sample->swap_total && config->kill.rule == KILL_SWAP)
		return memory;
	switch (config->kill.rule) {
	case KILL_MEMORY:
		return memory;
	case KILL_SWAP:
		return swap;
	case KILL_BOTH:
		return swap && (memory || stuck);
	}
	return false;
}

/*
 * kill_rule() - the last resort: one victim, TERM, time to end, KILL. It has to have held for
 * some time, in which the others were stopped and pushed out.
 */
static void kill_rule(struct rule *rule, const struct config *config,
		      const struct sample *sample, struct plan *plan)
{
	if (rule->term_us) {
		if (!sample->told) {
			rule->term_us = 0;
			rule->low_us = 0;
		} else if (sample->now_us - rule->term_us >= config->kill.term_ms * 1000ull) {
			plan_add(plan, ACT_KILL, 0, "time since TERM",
				 (sample->now_us - rule->term_us) / 1000, "ms");
			rule->term_us = 0;
			rule->low_us = 0;
		}
		return;
	}
	if (!sample->victim || !is_low(rule, config, sample)) {
		rule->low_us = 0;
		return;
	}
	if (!rule->low_us)
		rule->low_us = sample->now_us;
	if (sample->now_us - rule->low_us < config->kill.after_ms * 1000ull)
		return;
	rule->term_us = sample->now_us;
	/* The act lets all go on. */
	rule->stopped = false;
	rule->stopped_us = sample->now_us;
	if (config->kill.rule == KILL_MEMORY)
		plan_add(plan, ACT_TERM, 0, "memory available", sample->available, "bytes");
	else
		plan_add(plan, ACT_TERM, 0, "swap left", sample->swap_left, "bytes");
}

/* stop_limit() - nobody is stopped for longer than that, whatever the pressure is */
static void stop_limit(struct rule *rule, const struct config *config,
		       const struct sample *sample, struct plan *plan)
{
	uint64_t since = sample->now_us - rule->stopped_us;

	if (rule->stopped && since >= config->others.stop_max_ms * 1000ull)
		rule_cont(rule, sample, plan, "time since they were stopped", since);
}

/**
 * rule_step() - what to do now
 * @rule: the state
 * @config: what is wanted
 * @sample: the figures
 * @plan: what to do, in this order
 */
void rule_step(struct rule *rule, const struct config *config, const struct sample *sample,
	       struct plan *plan)
{
	plan->n = 0;
	stop_limit(rule, config, sample, plan);
	if (plan->n)
		return;
	if (!sample->protects)
		rule_cont(rule, sample, plan, "protected processes", 0);
	switch (config->mode) {
	case MODE_AUTO:
		rule_auto(rule, config, sample, plan);
		break;
	case MODE_SYSCTL:
		dirty(rule, sample, plan);
		break;
	case MODE_SIGNAL:
		dirty(rule, sample, plan);
		on_stall(rule, sample, plan, "memory full", sample->full_us);
		break;
	case MODE_FREEZE:
		hold(rule, config, sample, plan);
		break;
	case MODE_GROW:
		fixed_limit(rule, config, sample, plan);
		grow_limit(rule, config, sample, plan);
		on_stall(rule, sample, plan, "memory some", sample->some_us);
		break;
	case MODE_CGROUP:
		fixed_limit(rule, config, sample, plan);
		on_stall(rule, sample, plan, "memory some", sample->some_us);
		break;
	}
	kill_rule(rule, config, sample, plan);
}
