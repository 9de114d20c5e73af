// SPDX-License-Identifier: GPL-2.0

#include <string.h>
#include "trial.h"

/* A sample lasts a period, and longer until so many ticks were counted, but no longer than that. */
#define SAMPLE_TICKS 10
#define SAMPLE_PERIODS 4
/* Samples of a pause, and of help that is not shown to be faster yet. */
#define OFF_SAMPLES 3
#define ON_SAMPLES 4
/*
 * Help that is, or seems to be, faster goes on for so many blocks of samples before the next pause,
 * and twice as many each time: the pauses, four samples each, then take 3 % of the time.
 */
#define SPAN_TURNS 8U
#define MOST_SHOWN 2
#define SEEMS_PART 8
/* A speed that changed by more than an eighth is compared anew: the program is another one. */
#define CHANGED_PART 8

/*
 * The hypotheses: help is faster by a twentieth, or slower. Programs that wait for something else,
 * such as a camera, may be slower by a sixth: no slower, or slower by a sixth.
 */
#define DELTA_PPM 50000
#define DELTA_PACED_PPM 83333
/* Each error at most 5 %: ln(0.95 / 0.05), in thousandths. */
#define EVIDENCE 2944
/* The spread is taken to be 5 % by so many samples, until those that there are outweigh them. */
#define PRIOR_PPM 2500
#define PRIOR_SAMPLES 4
/* Then halve the old samples of the spread, so that new ones count. */
#define MOST_FREE 64
/* If the speeds of two pauses differ by more than a quarter, the program has changed. */
#define OTHER_PART 4
/* More than chance: by so many standard deviations. */
#define CHANCE 3
/* Without a decision after so many comparisons, help is no faster. */
#define MOST_PAIRS 12

/* Of a thousand processors: its square fits. */
#define MOST_SPEED 100000000

/* Left alone for so many periods, and twice as long each time, but no more than ten minutes. */
#define LEFT_PERIODS 16U
#define LEFT_MS 600000
#define MOST_TRIES 4

static void begin(struct trial *trial, enum trial_state state, uint32_t now_ms, uint64_t work)
{
	trial->state = state;
	trial->begun_ms = now_ms;
	trial->begun_work = work;
	memset(&trial->now, 0, sizeof(trial->now));
}

static int64_t mean(const struct block *block)
{
	return block->n ? (int64_t)(block->sum / block->n) : 0;
}

/* spread_ppm() - squares of what the samples are off their mean, as parts of it, times a million */
static int64_t spread_ppm(const struct block *block)
{
	int64_t middle = mean(block), squares;

	if (!middle)
		return 0;
	squares = (int64_t)(block->squares - block->sum * block->sum / block->n);
	return squares / middle * 1000000 / middle;
}

/* faster_ppm() - relative difference of two speeds; 2,000,000 if @off is 0 */
static int64_t faster_ppm(int64_t on, int64_t off)
{
	return on + off ? (on - off) * 2000000 / (on + off) : 0;
}

/* variance_ppm() - of a sample, as a part of its square */
static int64_t variance_ppm(const struct trial *trial)
{
	return (trial->spread + PRIOR_PPM * PRIOR_SAMPLES) / (trial->free + PRIOR_SAMPLES);
}

/* learn_spread() - from a block that is whole */
static void learn_spread(struct trial *trial, const struct block *block)
{
	trial->spread += spread_ppm(block);
	trial->free += block->n - 1;
	if (trial->free > MOST_FREE) {
		trial->spread /= 2;
		trial->free /= 2;
	}
}

/* is_other() - do the speeds of two blocks differ by more than a part, and more than chance? */
static bool is_other(const struct trial *trial, const struct block *one,
		     const struct block *other, unsigned int part)
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
static int64_t compared_ppm(const struct trial *trial, const struct block *before,
			    const struct block *after)
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

/* weigh() - what the last samples with help say, between two pauses */
static void weigh(struct trial *trial, const struct block *before, const struct block *after)
{
	int64_t delta = trial->paced ? DELTA_PACED_PPM : DELTA_PPM;
	int64_t faster = compared_ppm(trial, before, after), variance = variance_ppm(trial);

	variance = variance / trial->on.n + variance / (before->n + after->n);
	if (trial->paced)
		faster += DELTA_PACED_PPM;
	trial->evidence += 2 * delta * faster / 1000 / variance;
	if (trial->evidence > EVIDENCE)
		trial->evidence = EVIDENCE;
}

/* leave() - help ends for a while */
static enum trial_change leave(struct trial *trial, uint32_t now_ms, uint32_t period_ms)
{
	uint32_t least = LEFT_PERIODS * period_ms, ms = least << trial->tries;

	if (ms > LEFT_MS)
		ms = least > LEFT_MS ? least : LEFT_MS;
	begin(trial, TRIAL_LEFT, now_ms + ms, 0);
	if (trial->tries < MOST_TRIES)
		trial->tries++;
	return TRIAL_SLOWER;
}

/* paused() - a pause was measured: does help go on? */
static enum trial_change paused(struct trial *trial, uint32_t now_ms, uint64_t work,
				uint32_t period_ms)
{
	struct block before = trial->off;

	trial->off = trial->now;
	learn_spread(trial, &trial->off);
	trial->base = (uint32_t)mean(&trial->off);
	if (trial->on.n) {
		trial->pairs++;
		weigh(trial, &before, &trial->off);
	}
	if (!trial_shown(trial)) {
		trial->shown = 0;
	} else {
		trial->pairs = 0;
		/* A long good time makes up for wrong judgements. */
		if (trial->shown == MOST_SHOWN)
			trial->tries = 0;
		else
			trial->shown++;
	}
	if (trial->evidence <= -EVIDENCE || trial->pairs >= MOST_PAIRS)
		return leave(trial, now_ms, period_ms);
	begin(trial, TRIAL_HELP, now_ms, work);
	memset(&trial->on, 0, sizeof(trial->on));
	trial->turns = 0;
	trial->settles = true;
	return TRIAL_HELPS;
}

/* most_turns() - blocks of samples until the next pause */
static unsigned int most_turns(const struct trial *trial)
{
	bool seems = !trial->pairs && trial->speed > trial->base + trial->base / SEEMS_PART;

	return seems || trial_shown(trial) ? SPAN_TURNS << trial->shown : 1;
}

/* helped() - a sample with help was measured: is it time for a pause? */
static enum trial_change helped(struct trial *trial, uint32_t now_ms, uint64_t work)
{
	bool stop = false;

	trial->speed = (uint32_t)mean(&trial->now);
	/* Much slower, or another program: at once. */
	if (trial->now.n >= ON_SAMPLES / 2)
		stop = trial->speed < trial->base - trial->base / SEEMS_PART ||
		       is_other(trial, &trial->now, &trial->on, CHANGED_PART);
	if (!stop && trial->now.n < ON_SAMPLES)
		return TRIAL_SAME;
	trial->on = trial->now;
	learn_spread(trial, &trial->on);
	memset(&trial->now, 0, sizeof(trial->now));
	if (!stop && ++trial->turns < most_turns(trial))
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
	return trial->now.n < OFF_SAMPLES ? TRIAL_SAME : paused(trial, now_ms, work, period_ms);
}

/**
 * trial_left_ms() - when can a sample be over, so that the work that was done has to be read?
 * @trial: the state
 * @now_ms: the time
 * @period_ms: as of trial_step()
 *
 * Return: milliseconds; UINT32_MAX while nothing is measured.
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
 * @now_ms: the time
 * @work: what all processes of this memory have done, in clock ticks of user time
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
		trial->pairs = 0;
		trial->shown = 0;
		trial->settles = false;
		return TRIAL_SAME;
	}
	if (ms < period_ms || (work - trial->begun_work < SAMPLE_TICKS &&
			       ms < SAMPLE_PERIODS * period_ms))
		return TRIAL_SAME;
	return sample(trial, now_ms, work, period_ms);
}

/**
 * trial_helps() - are the programs to be helped now?
 * @trial: the state
 */
bool trial_helps(const struct trial *trial)
{
	return trial->state == TRIAL_HELP;
}

/**
 * trial_shown() - is help shown to be faster?
 * @trial: the state
 */
bool trial_shown(const struct trial *trial)
{
	return trial->evidence >= EVIDENCE;
}
