// SPDX-License-Identifier: GPL-2.0

#include "trial.h"

/* A measurement lasts so many periods, and until so much was done: 25 ticks are right to a 5th. */
#define BASE_PERIODS 3
#define TURN_PERIODS 4
#define BASE_WORK 25
#define TURN_WORK 50
/* Where hardly anything gets done, it lasts no longer than that. */
#define MOST_PERIODS 16
/*
 * Slower is by more than a twentieth, twice; of programs that wait for something else, such as a
 * camera, by more than a sixth: what their frames have to do differs by more.
 */
#define SLOWER_TURNS 2
#define SLOWER_PART 20
#define SLOWER_PART_PACED 6
/*
 * Faster by less than a seventh may be due to a beginning that was slow: then help pauses after so
 * many measurements, and after twice as many each time, and what it is compared with is measured
 * again.
 */
#define PAUSE_TURNS 2U
#define MOST_PAUSES 6
/* Left alone for so many periods, and twice as long each time. */
#define LEFT_PERIODS 16
#define MOST_TRIES 6

static void begin(struct trial *trial, enum trial_state state, uint32_t now_ms, uint64_t work)
{
	trial->state = state;
	trial->begun_ms = now_ms;
	trial->begun_work = work;
}

/* is_over() - has a measurement of @periods and @ticks been long enough? */
static bool is_over(const struct trial *trial, uint32_t now_ms, uint64_t work, uint32_t period_ms,
		    uint32_t periods, uint32_t ticks)
{
	uint32_t ms = now_ms - trial->begun_ms;

	return ms >= periods * period_ms &&
	       (work - trial->begun_work >= ticks || ms >= MOST_PERIODS * period_ms);
}

/* speed() - clock ticks in 1000 s */
static uint32_t speed(const struct trial *trial, uint32_t now_ms, uint64_t work)
{
	uint64_t ticks = (work - trial->begun_work) * 1000000 / (now_ms - trial->begun_ms);

	return ticks < UINT32_MAX ? (uint32_t)ticks : UINT32_MAX;
}

/* is_doubtful() - is it time to measure again what help is compared with? */
static bool is_doubtful(const struct trial *trial)
{
	return trial->speed < trial->base + trial->base / 7 &&
	       trial->turns >= PAUSE_TURNS << trial->pauses;
}

static enum trial_change measured(struct trial *trial, uint32_t now_ms, uint64_t work,
				  uint32_t period_ms)
{
	uint32_t part = trial->paced ? SLOWER_PART_PACED : SLOWER_PART;

	trial->speed = speed(trial, now_ms, work);
	trial->slower = trial->speed < trial->base - trial->base / part ? trial->slower + 1 : 0;
	trial->turns++;
	begin(trial, TRIAL_HELP, now_ms, work);
	if (!trial->slower && is_doubtful(trial)) {
		trial->state = TRIAL_BASE;
		if (trial->pauses < MOST_PAUSES)
			trial->pauses++;
		return TRIAL_PAUSES;
	}
	if (trial->slower < SLOWER_TURNS)
		return TRIAL_SAME;
	trial->state = TRIAL_LEFT;
	trial->begun_ms = now_ms + period_ms * (LEFT_PERIODS << trial->tries);
	if (trial->tries < MOST_TRIES)
		trial->tries++;
	return TRIAL_SLOWER;
}

/**
 * trial_step() - go on
 * @trial: all zeroes at first
 * @now_ms: the time
 * @work: what all processes of this memory have done, in clock ticks of their own code
 * @period_ms: the longest of those that are to be helped; 0: nobody is
 */
enum trial_change trial_step(struct trial *trial, uint32_t now_ms, uint64_t work,
			     uint32_t period_ms)
{
	if (!period_ms && trial->state != TRIAL_LEFT) {
		trial->state = TRIAL_NONE;
		return TRIAL_SAME;
	}
	switch (trial->state) {
	case TRIAL_NONE:
		begin(trial, TRIAL_BASE, now_ms, work);
		trial->pauses = 0;
		break;
	case TRIAL_BASE:
		if (!is_over(trial, now_ms, work, period_ms, BASE_PERIODS, BASE_WORK))
			break;
		trial->base = speed(trial, now_ms, work);
		trial->turns = 0;
		trial->slower = 0;
		begin(trial, TRIAL_HELP, now_ms, work);
		return TRIAL_HELPS;
	case TRIAL_HELP:
		if (is_over(trial, now_ms, work, period_ms, TURN_PERIODS, TURN_WORK))
			return measured(trial, now_ms, work, period_ms);
		break;
	case TRIAL_LEFT:
		if ((int32_t)(now_ms - trial->begun_ms) < 0)
			break;
		trial->state = TRIAL_NONE;
		return TRIAL_AGAIN;
	}
	return TRIAL_SAME;
}

/**
 * trial_helps() - are they to be helped now?
 * @trial: the state
 */
bool trial_helps(const struct trial *trial)
{
	return trial->state == TRIAL_HELP;
}
