// SPDX-License-Identifier: GPL-2.0
/*
 * The two tests of trial.h. The first compares help with no help before it and after it, again and
 * again. Both forget: old samples count less.
 */
#include <string.h>
#include "trial.h"

/* Much slower, or seems faster: by an eighth, 2.5 times what the test looks for. A guess. */
#define SEEMS_PART 8
/* A speed that changed by more than an eighth is compared anew: the program is another one. */
#define CHANGED_PART 8

/*
 * The hypotheses: help is faster by a twentieth, or slower. Programs that wait for something else,
 * such as a camera, may be slower by a sixth: no slower, or slower by a sixth. Guesses.
 */
#define DELTA_PPM 50000
#define DELTA_PACED_PPM 83333
/* The spread is taken to be 5 %, with the weight of four samples: frames of real programs. */
#define PRIOR_PPM 2500
#define PRIOR_SAMPLES 4
/* Halve the old spread after so many samples, about eight blocks with help and pauses: a guess. */
#define MOST_FREE 64
/* If the speeds of two pauses differ by more than a quarter, the program has changed: a guess. */
#define OTHER_PART 4
/* More than chance: three standard deviations, one case in 370. */
#define CHANCE 3
/* Speed of a thousand processors: its square fits into 64 bits. */
#define MOST_SPEED 100000000

/* Costs: the longest one is 10 s; a longer one counts as that. */
#define UNIT_US 100
#define LONGEST 100000
/* Users do not feel 5 ms: added to both costs, it makes their difference a small part. */
#define FELT 50
/* A difference is so many parts of both costs. */
#define PART 1024
/* Halve the sums after so many pairs: old ones count less. All products fit, too. */
#define MOST_PAIRS 128
/* Four differences of a half have these squares. */
#define SCALE (PART * PART)
/*
 * In thousandths: 2 ln(1 / 0.1) to act; 2 ln(1 / 0.3) to leave the system alone. As all of the
 * bound is never used up, less than one run in 100 acts without a reason (test_plan.c).
 */
#define TO_ACT 4605
#define TO_LEAVE 2408
/* The natural logarithm of two, in thousandths. */
#define LOG_TWO 693

/* difference() - of two measurements, in @parts of both; @least is added to each */
static int64_t difference(int64_t one, int64_t other, int64_t least, int64_t parts)
{
	int64_t both = one + other + 2 * least;

	return both ? (one - other) * parts / both : 0;
}

static void begin(struct trial *trial, enum trial_state state, uint32_t now_ms, uint64_t work)
{
	trial->state = state;
	trial->begun_ms = now_ms;
	trial->begun_work = work;
	memset(&trial->now, 0, sizeof(trial->now));
}

static int64_t mean(const struct trial_block *block)
{
	return block->n ? (int64_t)(block->sum / block->n) : 0;
}

/* spread_ppm() - squares of what the samples are off their mean, as parts of it, times a million */
static int64_t spread_ppm(const struct trial_block *block)
{
	int64_t middle = mean(block), squares;

	if (!middle)
		return 0;
	squares = (int64_t)(block->squares - block->sum * block->sum / block->n);
	return squares / middle * 1000000 / middle;
}

/* faster_ppm() - of their mean, a difference of two speeds; 2,000,000 if @off is 0 */
static int64_t faster_ppm(int64_t on, int64_t off)
{
	return difference(on, off, 0, 2000000);
}

/* variance_ppm() - of a sample, as a part of its square */
static int64_t variance_ppm(const struct trial *trial)
{
	return (trial->spread + PRIOR_PPM * PRIOR_SAMPLES) / (trial->free + PRIOR_SAMPLES);
}

/* learn_spread() - from a block that is whole */
static void learn_spread(struct trial *trial, const struct trial_block *block)
{
	trial->spread += spread_ppm(block);
	trial->free += block->n - 1;
	if (trial->free > MOST_FREE) {
		trial->spread /= 2;
		trial->free /= 2;
	}
}

/* is_other() - do the speeds of two blocks differ by more than a part, and more than chance? */
static bool is_other(const struct trial *trial, const struct trial_block *one,
		     const struct trial_block *other, unsigned int part)
{
	int64_t apart = faster_ppm(mean(one), mean(other)), variance = variance_ppm(trial);

	if (apart < 0)
		apart = -apart;
	if (!one->n || !other->n || apart <= 1000000 / part)
		return false;
	variance = variance / one->n + variance / other->n;
	return apart * apart / 1000000 > CHANCE * CHANCE * variance;
}

/*
 * compared_ppm() - how much faster help was than the pauses before and after it. If these differ,
 * the program has changed meanwhile: the smaller difference counts, and none if they disagree.
 */
static int64_t compared_ppm(const struct trial *trial, const struct trial_block *before,
			    const struct trial_block *after)
{
	int64_t on = mean(&trial->on), one, other;

	if (!is_other(trial, before, after, OTHER_PART))
		return faster_ppm(on, (mean(before) + mean(after)) / 2);
	one = faster_ppm(on, mean(before));
	other = faster_ppm(on, mean(after));
	if (one < 0 ? other >= 0 : other < 0)
		return 0;
	return (one < other) == (one > 0) ? one : other;
}

/* weigh() - the evidence of the last samples with help, between two pauses */
static void weigh(struct trial *trial, const struct trial_block *before,
		  const struct trial_block *after)
{
	int64_t delta = trial->paced ? DELTA_PACED_PPM : DELTA_PPM;
	int64_t faster = compared_ppm(trial, before, after), variance = variance_ppm(trial);

	variance = variance / trial->on.n + variance / (before->n + after->n);
	if (trial->paced)
		faster += DELTA_PACED_PPM;
	trial->evidence += 2 * delta * faster / 1000 / variance;
	if (trial->evidence > TRIAL_EVIDENCE)
		trial->evidence = TRIAL_EVIDENCE;
}

/* leave() - help ends for a while */
static enum trial_change leave(struct trial *trial, uint32_t now_ms, uint32_t period_ms)
{
	uint32_t least = TRIAL_LEFT_PERIODS * period_ms, ms = least << trial->tries;

	if (ms > TRIAL_LEFT_MS)
		ms = least > TRIAL_LEFT_MS ? least : TRIAL_LEFT_MS;
	begin(trial, TRIAL_LEFT, now_ms + ms, 0);
	if (trial->tries < TRIAL_MOST_TRIES)
		trial->tries++;
	return TRIAL_SLOWER;
}

/* paused() - a pause was measured: does help go on? */
static enum trial_change paused(struct trial *trial, uint32_t now_ms, uint64_t work,
				uint32_t period_ms)
{
	struct trial_block before = trial->off;

	trial->off = trial->now;
	learn_spread(trial, &trial->off);
	trial->base = (uint32_t)mean(&trial->off);
	if (trial->on.n) {
		trial->compared++;
		weigh(trial, &before, &trial->off);
	}
	if (!trial_shown(trial)) {
		trial->shown = 0;
	} else {
		trial->compared = 0;
		/* A long good time makes up for wrong judgements. */
		if (trial->shown == TRIAL_MOST_SHOWN)
			trial->tries = 0;
		else
			trial->shown++;
	}
	if (trial->evidence <= -TRIAL_EVIDENCE || trial->compared >= TRIAL_MOST_COMPARED)
		return leave(trial, now_ms, period_ms);
	begin(trial, TRIAL_HELP, now_ms, work);
	memset(&trial->on, 0, sizeof(trial->on));
	trial->blocks = 0;
	trial->settles = true;
	return TRIAL_HELPS;
}

/* most_blocks() - blocks of samples until the next pause */
static unsigned int most_blocks(const struct trial *trial)
{
	bool seems = !trial->compared && trial->speed > trial->base + trial->base / SEEMS_PART;

	return seems || trial_shown(trial) ? TRIAL_SPAN_BLOCKS << trial->shown : 1;
}

/* helped() - a sample with help was measured: is it time for a pause? */
static enum trial_change helped(struct trial *trial, uint32_t now_ms, uint64_t work)
{
	bool stop = false;

	trial->speed = (uint32_t)mean(&trial->now);
	/* Much slower, or another program: at once. */
	if (trial->now.n >= TRIAL_ON_SAMPLES / 2)
		stop = trial->speed < trial->base - trial->base / SEEMS_PART ||
		       is_other(trial, &trial->now, &trial->on, CHANGED_PART);
	if (!stop && trial->now.n < TRIAL_ON_SAMPLES)
		return TRIAL_SAME;
	trial->on = trial->now;
	learn_spread(trial, &trial->on);
	memset(&trial->now, 0, sizeof(trial->now));
	if (!stop && ++trial->blocks < most_blocks(trial))
		return TRIAL_SAME;
	begin(trial, TRIAL_BASE, now_ms, work);
	trial->settles = true;
	return TRIAL_PAUSES;
}

/* sample() - a sample is over */
static enum trial_change sample(struct trial *trial, uint32_t now_ms, uint64_t work,
				uint32_t period_ms)
{
	uint64_t speed = (work - trial->begun_work) * 1000000 / (now_ms - trial->begun_ms);

	trial->begun_ms = now_ms;
	trial->begun_work = work;
	if (trial->settles) {
		trial->settles = false;
		return TRIAL_SAME;
	}
	speed = speed < MOST_SPEED ? speed : MOST_SPEED;
	trial->now.n++;
	trial->now.sum += speed;
	trial->now.squares += speed * speed;
	if (trial->state == TRIAL_HELP)
		return helped(trial, now_ms, work);
	if (trial->now.n < TRIAL_OFF_SAMPLES)
		return TRIAL_SAME;
	return paused(trial, now_ms, work, period_ms);
}

/**
 * trial_left_ms() - milliseconds until a sample can be over; UINT32_MAX while nothing is measured
 */
uint32_t trial_left_ms(const struct trial *trial, uint32_t now_ms, uint32_t period_ms)
{
	uint32_t ms = now_ms - trial->begun_ms;

	if ((trial->state != TRIAL_BASE && trial->state != TRIAL_HELP) || !period_ms)
		return UINT32_MAX;
	return ms < period_ms ? period_ms - ms : 0;
}

/**
 * trial_step() - go on
 * @trial: all zeroes at first
 * @work: of all processes of this memory until now, in clock ticks of user time
 * @period_ms: the longest period of the periodic processes; 0 without one
 *
 * Return: the change.
 */
enum trial_change trial_step(struct trial *trial, uint32_t now_ms, uint64_t work,
			     uint32_t period_ms)
{
	uint32_t ms = now_ms - trial->begun_ms;

	if (trial->state == TRIAL_LEFT) {
		if ((int32_t)ms < 0)
			return TRIAL_SAME;
		trial->state = TRIAL_NONE;
		return TRIAL_AGAIN;
	}
	if (!period_ms) {
		trial->state = TRIAL_NONE;
		return TRIAL_SAME;
	}
	if (trial->state == TRIAL_NONE) {
		begin(trial, TRIAL_BASE, now_ms, work);
		memset(&trial->on, 0, sizeof(trial->on));
		memset(&trial->off, 0, sizeof(trial->off));
		trial->evidence = 0;
		trial->compared = 0;
		trial->shown = 0;
		trial->settles = false;
		return TRIAL_SAME;
	}
	if (ms < period_ms || (work - trial->begun_work < TRIAL_SAMPLE_TICKS &&
			       ms < TRIAL_SAMPLE_PERIODS * period_ms))
		return TRIAL_SAME;
	return sample(trial, now_ms, work, period_ms);
}

/** trial_helps() - are the programs to be helped now? */
bool trial_helps(const struct trial *trial)
{
	return trial->state == TRIAL_HELP;
}

/** trial_shown() - is help shown to be faster? */
bool trial_shown(const struct trial *trial)
{
	return trial->evidence >= TRIAL_EVIDENCE;
}

/*
 * is_more() - than chance has it? Where acting makes no difference, each difference is as likely to
 * be positive as negative. Then the chance that their sum is ever larger than the square root of
 * (squares + SCALE) * (2 ln(1 / chance) + ln(1 + squares / SCALE)) is at most that chance, however
 * often one looks: a mixture of supermartingales.
 */
static bool is_more(const struct trial_pairs *pairs, unsigned int chance)
{
	uint64_t score = (uint64_t)(pairs->score < 0 ? -pairs->score : pairs->score);
	uint64_t limit = (uint64_t)pairs->squares + SCALE, log = 0;
	uint32_t ratio;

	/* A little more than the natural logarithm of 1 + ratio. */
	for (ratio = pairs->squares / SCALE; ratio; ratio >>= 1)
		log += LOG_TWO;
	return score * score * 1000 > limit * (chance + log);
}

static int64_t units(uint64_t us)
{
	return us / UNIT_US < LONGEST ? (int64_t)(us / UNIT_US) : LONGEST;
}

/** trial_pairs_add() - two costs of the same thing, where the daemon acted and where it did not */
void trial_pairs_add(struct trial_pairs *pairs, uint64_t with_us, uint64_t without_us)
{
	int64_t with = units(with_us), without = units(without_us);
	int32_t part = (int32_t)difference(without, with, FELT, PART);

	if (pairs->n == MOST_PAIRS) {
		pairs->n /= 2;
		pairs->score /= 2;
		pairs->squares /= 2;
		pairs->saved /= 2;
	}
	pairs->n++;
	pairs->score += part;
	pairs->squares += (uint32_t)(part * part);
	pairs->saved += without - with;
}

/** trial_pairs_better() - does acting save costs, beyond chance? */
bool trial_pairs_better(const struct trial_pairs *pairs)
{
	return pairs->score > 0 && pairs->saved > 0 && is_more(pairs, TO_ACT);
}

/** trial_pairs_worse() - does acting add costs, beyond chance? It takes fewer pairs. */
bool trial_pairs_worse(const struct trial_pairs *pairs)
{
	return pairs->score < 0 && is_more(pairs, TO_LEAVE);
}
