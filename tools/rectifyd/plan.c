// SPDX-License-Identifier: GPL-2.0
/*
 * The schedule of a trial counts switches. A result is tested anew all the time, because the system
 * may change. A plan follows from the trials, the balance, and the costs of both kinds of pages.
 */
#include <string.h>
#include "plan.h"

/* An app that is worse off is tried again after 19 switches to it, as in TURN_KNOWN_REST. */
#define APP_REST 19
/* The first block without lean, so that both trials, if they begin together, differ: a guess. */
#define FIRST_LEAN 32
/* Push only if files cost so many times as much as the swap; it saves no more. A guess. */
#define PUSH_TIMES 2

const char *const act_names[] = { "push", "swappiness" };

/**
 * turn_begin() - begin a trial
 * @turn: filled in
 * @acts: assume that acting is better, until there is a result
 * @first: switches until the first block of the other kind; 0: as usual
 */
void turn_begin(struct turn *turn, bool acts, uint32_t first)
{
	memset(turn, 0, sizeof(*turn));
	turn->better = acts;
	turn->acts = acts;
	turn->left = first ? first : TURN_UNSURE_REST;
}

/* settle_trial() - note the result; the next result is found from new pairs only */
static void settle_trial(struct turn *turn, bool better)
{
	turn->known = true;
	turn->better = better;
	turn->acts = better;
	turn->left = TURN_KNOWN_REST;
	turn->blocks = 0;
	memset(&turn->pairs, 0, sizeof(turn->pairs));
}

/* judge_pair() - test the pairs of the app and of all apps; true, if the result has changed */
static bool judge_pair(struct turn *turn, struct turn_app *app)
{
	bool before = turn->better;

	if (trial_pairs_worse(&app->pairs)) {
		memset(&app->pairs, 0, sizeof(app->pairs));
		app->rest = APP_REST;
	}
	if (trial_pairs_better(&turn->pairs))
		settle_trial(turn, true);
	else if (trial_pairs_worse(&turn->pairs))
		settle_trial(turn, false);
	return turn->better != before;
}

/**
 * turn_cost() - note the cost of a switch to an app
 * @turn: the state
 * @app: its number, below TURN_APPS
 * @acted: the act was done for this switch
 * @us: how long the app waited
 *
 * The cost is compared with the app's last cost of the other kind, if that was not compared yet.
 *
 * Return: true, if the better kind has changed.
 */
bool turn_cost(struct turn *turn, unsigned int app, bool acted, uint64_t us)
{
	struct turn_app *last = &turn->apps[app];
	uint64_t before_us = last->cost_us;

	if (!last->waits || last->acted == acted) {
		last->cost_us = us;
		last->acted = acted;
		last->waits = true;
		return false;
	}
	last->waits = false;
	trial_pairs_add(&last->pairs, acted ? us : before_us, acted ? before_us : us);
	trial_pairs_add(&turn->pairs, acted ? us : before_us, acted ? before_us : us);
	return judge_pair(turn, last);
}

/* begin_block() - begin the next block after the end of one */
static void begin_block(struct turn *turn)
{
	turn->acts = !turn->acts;
	if (!turn->known && ++turn->blocks == TURN_UNSURE_BLOCKS)
		settle_trial(turn, turn->better && turn->pairs.saved > 0);
	else if (turn->acts != turn->better)
		turn->left = TURN_BLOCK;
	else
		turn->left = turn->known ? TURN_KNOWN_REST : TURN_UNSURE_REST;
}

/**
 * turn_switch() - count a switch: another app comes to the front
 * @turn: the state
 *
 * Return: does rectifyd act from now on?
 */
bool turn_switch(struct turn *turn)
{
	if (!turn->left)
		begin_block(turn);
	turn->left--;
	return turn->acts;
}

/**
 * turn_rest() - count a switch to an app that rests, without the act
 * @turn: the state
 * @app: its number
 */
void turn_rest(struct turn *turn, unsigned int app)
{
	if (turn->apps[app].rest)
		turn->apps[app].rest--;
}

/**
 * policy_begin() - begin all trials
 * @policy: filled in
 *
 * Pushing pages that are needed after all costs two transfers, so pushing has to prove better. Lean
 * is assumed to be better, because the kernel then reclaims pages that were not used for long.
 */
void policy_begin(struct policy *policy)
{
	memset(policy, 0, sizeof(*policy));
	balance_begin(&policy->balance);
	turn_begin(&policy->turns[ACT_PUSH], false, 0);
	turn_begin(&policy->turns[ACT_LEAN], true, FIRST_LEAN);
}

/**
 * policy_does() - is an act done now, if it is possible?
 * @policy: the state
 * @act: the act
 */
bool policy_does(const struct policy *policy, enum act act)
{
	return policy->always || policy->turns[act].acts;
}

/**
 * policy_pushes() - may pages of this app go out?
 * @policy: the state
 * @app: its number
 *
 * Return: false for an app that rests, because it was worse off with pushing.
 */
bool policy_pushes(const struct policy *policy, unsigned int app)
{
	return policy->always || !policy->turns[ACT_PUSH].apps[app].rest;
}

/* learn_cost() - note the cost of a switch; returns bits of the trials whose result has changed */
static unsigned int learn_cost(struct policy *policy, const struct facts *facts)
{
	unsigned int i, found = 0;

	for (i = 0; i < ACTS; i++) {
		struct turn *turn = &policy->turns[i];
		bool did = facts->did & ACT_BIT(i);

		if (!(facts->could & ACT_BIT(i)))
			turn_rest(turn, facts->app);
		else if (turn_cost(turn, facts->app, did, facts->waited_us))
			found |= ACT_BIT(i);
	}
	return found;
}

/*
 * may_push() - can pushing lower the costs? It saves at most the cost of files, and costs swap. So
 * files have to cost twice as much before a trial. While apps are pushed, files cost less.
 */
static bool may_push(const struct policy *policy, uint32_t needed)
{
	const struct turn *turn = &policy->turns[ACT_PUSH];

	if (policy->always)
		return true;
	if (!policy->balance.give && policy->balance.keep >= needed)
		return false;
	return turn->acts || (turn->known && turn->better) ||
	       policy->balance.file_us / PUSH_TIMES > policy->lean.anon_us;
}

/* possible() - returns bits of the acts that are possible now */
static unsigned int possible(const struct policy *policy, uint32_t needed)
{
	if (policy->state != BALANCE_WORK)
		return 0;
	return policy->may & ((may_push(policy, needed) ? ACT_BIT(ACT_PUSH) : 0) |
			      (policy->lean.on ? ACT_BIT(ACT_LEAN) : 0));
}

/* least_used() - the least used app at the back that has needed pages; TURN_APPS: none */
static unsigned int least_used(const struct policy *policy, const struct facts *facts,
			       const struct plan *plan)
{
	unsigned int i, found = TURN_APPS;

	for (i = 0; i < TURN_APPS; i++)
		if (facts->apps[i].back && facts->apps[i].hot > plan->give_hot[i] &&
		    policy_pushes(policy, i) &&
		    (found == TURN_APPS || facts->apps[i].used < facts->apps[found].used))
			found = i;
	return found;
}

/* plan_hot() - if apps keep more needed pages than @keep, the least used ones give up some */
static void plan_hot(const struct policy *policy, const struct facts *facts, struct plan *plan)
{
	uint32_t have = 0, pages;
	unsigned int i;

	for (i = 0; i < TURN_APPS; i++)
		if (facts->apps[i].back)
			have += facts->apps[i].hot - plan->give_hot[i];
	while (facts->may_give_hot && have > policy->balance.keep) {
		i = least_used(policy, facts, plan);
		if (i == TURN_APPS)
			return;
		pages = facts->apps[i].hot - plan->give_hot[i];
		if (pages > have - policy->balance.keep)
			pages = have - policy->balance.keep;
		plan->give_hot[i] += pages;
		plan->gives |= UINT32_C(1) << i;
		have -= pages;
	}
}

/* plan_pages() - apps whose visit has ended give up pages; then other apps may have to, too */
static void plan_pages(const struct policy *policy, const struct facts *facts, struct plan *plan)
{
	unsigned int i;

	for (i = 0; i < TURN_APPS; i++) {
		plan->give_hot[i] = facts->apps[i].give_hot;
		if (facts->apps[i].visited && policy->state == BALANCE_WORK)
			plan->gives |= UINT32_C(1) << i;
	}
	if (plan->gives)
		plan_hot(policy, facts, plan);
}

/**
 * policy_decide() - learn from the facts, and make a plan
 * @policy: the state
 * @facts: measured since the last plan
 * @plan: filled in
 */
void policy_decide(struct policy *policy, const struct facts *facts, struct plan *plan)
{
	unsigned int i, could;

	memset(plan, 0, sizeof(*plan));
	if (facts->waited)
		plan->found = learn_cost(policy, facts);
	if (facts->counts)
		lean_step(&policy->lean, facts->file_us, facts->anon_us);
	if (facts->weighs) {
		policy->state = balance_step(&policy->balance, &facts->news, facts->needed);
		policy->others = policy->state == BALANCE_WORK &&
			(policy->always || balance_gives(&policy->balance, &facts->news));
	}
	could = possible(policy, facts->needed);
	/* The trial of an act waits while the act is not possible. */
	for (i = 0; i < ACTS && facts->switches; i++) {
		if (could & ACT_BIT(i))
			turn_switch(&policy->turns[i]);
		if (facts->comes_first)
			memset(&policy->turns[i].apps[facts->comes], 0, sizeof(struct turn_app));
	}
	plan->could = possible(policy, facts->needed);
	for (i = 0; i < ACTS; i++)
		if (policy_does(policy, i))
			plan->does |= plan->could & ACT_BIT(i);
	plan_pages(policy, facts, plan);
}
