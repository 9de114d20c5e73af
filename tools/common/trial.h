/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Does it help to act? A daemon acts for a while and stops for a while, in turn, and compares its
 * measurements. A sequential test decides, so the daemon may look as often as it likes.
 *
 * There are two tests, because there are two kinds of measurements. PURE.
 *
 * - Speeds, struct trial: many samples that differ by some percent. Their spread is known, so one
 *   comparison can decide. A. Wald, Sequential Tests of Statistical Hypotheses, 1945.
 * - Costs, struct trial_pairs: few samples, and some are a hundred times the others. Their
 *   spread says nothing, so only the differences of pairs count, and it takes several of them.
 *
 * A speed is the user time that programs get in each second: a frame needs the same user time,
 * however long the program waits for memory. Run time (schedstat) is no measure of speed: it
 * includes the kernel's swapping.
 */
#ifndef COMMON_TRIAL_H
#define COMMON_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

/*
 * User time is known to a tick of 10 ms: ten ticks are known to a tenth. An idle program has fewer,
 * so a sample ends after four periods in any case: a guess.
 */
#define TRIAL_SAMPLE_TICKS 10
#define TRIAL_SAMPLE_PERIODS 4
/* Samples of a pause, and of help: a guess, few, so that a wrong judgement is short. */
#define TRIAL_OFF_SAMPLES 3
#define TRIAL_ON_SAMPLES 4
/*
 * While help is faster, or seems to be, the next pause comes after so many blocks of samples, and
 * after twice as many each time. Pauses, of four samples each, then take 3 % of the time.
 */
#define TRIAL_SPAN_BLOCKS 8U
#define TRIAL_MOST_SHOWN 2
/* Each error is at most 5 %: ln(0.95 / 0.05), in thousandths. */
#define TRIAL_EVIDENCE 2944
/* Help that shows no effect in so many comparisons ends: a guess, a minute of one-second frames. */
#define TRIAL_MOST_COMPARED 12
/* Help rests for so many periods, and for twice as long each time: guesses. */
#define TRIAL_LEFT_PERIODS 16U
#define TRIAL_LEFT_MS 600000
#define TRIAL_MOST_TRIES 4

enum trial_state {
	TRIAL_NONE,			/* no program needs help */
	TRIAL_BASE,			/* measure the speed without help */
	TRIAL_HELP,
	TRIAL_LEFT,			/* help was not faster: no help for a while */
};

/* The change that a step made, for the log. */
enum trial_change {
	TRIAL_SAME,
	TRIAL_HELPS,			/* help begins, or goes on after a pause */
	TRIAL_PAUSES,			/* help pauses, for a measurement */
	TRIAL_SLOWER,			/* help ends: slower with it, or no faster */
	TRIAL_AGAIN,			/* the rest is over */
};

/* Samples of the speed: user time in clock ticks in 1000 s. */
struct trial_block {
	uint32_t n;
	uint64_t sum;
	uint64_t squares;
};

/* Times are milliseconds after the start of the daemon. */
struct trial {
	enum trial_state state;
	uint32_t begun_ms;		/* of this sample; of TRIAL_LEFT, its end */
	uint64_t begun_work;		/* clock ticks of user time at that moment */
	bool settles;			/* this sample is the first after a switch: not counted */
	struct trial_block now;		/* samples so far */
	struct trial_block on;		/* the last block with help */
	struct trial_block off;		/* the block of the last pause */
	unsigned int blocks;		/* with help, since the last pause */
	uint32_t base;			/* speed in the last pause, */
	uint32_t speed;			/* and with help; for the status */
	int64_t spread;			/* sum of squared deviations from a block's mean, ppm, */
	uint32_t free;			/* and its degrees of freedom */
	int64_t evidence;		/* log likelihood ratio, in thousandths */
	unsigned int compared;		/* pauses since help began, or was last shown */
	unsigned int shown;		/* comparisons in a row that left it shown */
	unsigned int tries;
	bool paced;			/* set by the caller: a camera or the like paces them */
};

enum trial_change trial_step(struct trial *trial, uint32_t now_ms, uint64_t work,
			     uint32_t period_ms);
uint32_t trial_left_ms(const struct trial *trial, uint32_t now_ms, uint32_t period_ms);
bool trial_helps(const struct trial *trial);
bool trial_shown(const struct trial *trial);

/* Pairs of costs, with and without; all zeroes at first. */
struct trial_pairs {
	uint32_t n;
	int32_t score;			/* sum of the differences, as parts of both costs, */
	uint32_t squares;		/* and of their squares */
	int64_t saved;			/* what acting has saved in them, in units of 100 us */
};

void trial_pairs_add(struct trial_pairs *pairs, uint64_t with_us, uint64_t without_us);
bool trial_pairs_better(const struct trial_pairs *pairs);
bool trial_pairs_worse(const struct trial_pairs *pairs);

#endif
