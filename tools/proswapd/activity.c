// SPDX-License-Identifier: GPL-2.0

#include "activity.h"

/* A process that did not run for so long sleeps, */
#define SLEEPS_MS 2000
/* and one without a major fault, or without a period, for so long gives up its place. */
#define YIELDS_MS 60000

/**
 * activity_begin() - a process gets a place
 * @activity: filled in
 * @stat: the process
 * @now_ms: the time
 * @swaps: false: it has the place only until another process needs that
 */
void activity_begin(struct activity *activity, const struct proc_stat *stat, uint32_t now_ms,
		    bool swaps)
{
	uint32_t since_ms = swaps ? now_ms : now_ms - YIELDS_MS;

	*activity = (struct activity){
		.user = stat->utime, .ran = stat->utime + stat->stime, .faults = stat->majflt,
		.placed_ms = since_ms, .ran_ms = now_ms, .swapped_ms = since_ms,
	};
}

/**
 * activity_take() - account the time since the last look
 * @activity: made new
 * @stat: the process
 * @now_ms: the time
 *
 * Return: clock ticks of user time.
 */
uint64_t activity_take(struct activity *activity, const struct proc_stat *stat, uint32_t now_ms)
{
	uint64_t before = activity->user, ran = stat->utime + stat->stime;

	/* A process that runs for less than a tick from look to look shows by its faults. */
	if (ran != activity->ran || stat->majflt != activity->faults)
		activity->ran_ms = now_ms;
	if (stat->majflt != activity->faults) {
		/* It could have lost its place: it has a minute again to show a period. */
		if (now_ms - activity->swapped_ms >= YIELDS_MS)
			activity->placed_ms = now_ms;
		activity->swapped_ms = now_ms;
	}
	activity->user = stat->utime;
	activity->ran = ran;
	activity->faults = stat->majflt;
	return stat->utime > before ? stat->utime - before : 0;
}

/**
 * activity_sleeps() - has it not run for so long that its page table need not be looked at?
 * @activity: of the process
 * @now_ms: the time
 * @period_ms: of the process; 0: not known
 */
bool activity_sleeps(const struct activity *activity, uint32_t now_ms, uint32_t period_ms)
{
	uint32_t ms = 2 * period_ms > SLEEPS_MS ? 2 * period_ms : SLEEPS_MS;

	return now_ms - activity->ran_ms >= ms;
}

/**
 * activity_yields() - does it give up its place to a process that swaps?
 * @activity: of the process
 * @now_ms: the time
 * @periodic: it has a period, or seems to have one
 */
bool activity_yields(const struct activity *activity, uint32_t now_ms, bool periodic)
{
	return now_ms - activity->swapped_ms >= YIELDS_MS ||
	       (!periodic && now_ms - activity->placed_ms >= YIELDS_MS);
}
