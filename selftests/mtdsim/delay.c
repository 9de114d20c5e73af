// SPDX-License-Identifier: GPL-2.0
/*
 * Waits for the time that an operation takes.
 *
 * The time counts from the beginning of the operation, so it includes the simulator's own work.
 * With a coarse clock (300 ns on the PXA270) every wait is too long by a part of a tick. The next
 * wait is shortened by that, so many short operations take the right time together.
 *
 * This file does not know media.
 */
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/processor.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "delay.h"

/* For shorter waits a sleep is too expensive. */
#define SLEEP_MIN_NS	100000
/* Spin at the end of a sleep, because waking up takes time. */
#define SPIN_NS		30000
/* More than a tick. A longer excess was not caused by the clock. */
#define CREDIT_MAX_NS	5000
/* In a batch the device may be this far behind the caller, and this far ahead. */
#define BATCH_NS	200000

static const char * const mode_names[SIM_DELAY_MODES] = {
	[SIM_DELAY_NONE] = "none",
	[SIM_DELAY_BUSY] = "busy",
	[SIM_DELAY_SLEEP] = "sleep",
	[SIM_DELAY_BATCH] = "batch",
};

/**
 * sim_delay_set() - choose how the time passes
 * @delay: the time of a device
 * @text: "none", "busy", "sleep" or "batch"
 *
 * Context: the caller serialises the use of @delay.
 * Return: 0, or -EINVAL for any other text.
 */
int sim_delay_set(struct sim_delay *delay, const char *text)
{
	int mode = match_string(mode_names, SIM_DELAY_MODES, text);

	if (mode < 0)
		return -EINVAL;
	delay->mode = mode;
	delay->ready_ns = 0;
	return 0;
}

/**
 * sim_delay_name() - name of the delay mode
 * @delay: the time of a device
 *
 * Context: any.
 * Return: the name.
 */
const char *sim_delay_name(const struct sim_delay *delay)
{
	return mode_names[delay->mode];
}

/**
 * sim_delay_now() - the beginning of an operation
 *
 * Context: any.
 * Return: the time, for sim_delay_until().
 */
u64 sim_delay_now(void)
{
	return ktime_get_ns();
}

/* The device does one operation after the other; the caller sleeps if it is far ahead of it. */
static void batch(struct sim_delay *delay, u64 begun, u64 cost_ns)
{
	u64 now = ktime_get_ns();
	unsigned long us;

	delay->ready_ns = max(delay->ready_ns, begun - BATCH_NS) + cost_ns;
	if (delay->ready_ns < now + BATCH_NS)
		return;
	us = div_u64(delay->ready_ns - now, NSEC_PER_USEC);
	usleep_range(us, us + 10);
}

/**
 * sim_delay_until() - wait until an operation is over
 * @delay: the time of the device
 * @begun: when the operation began
 * @cost_ns: duration of the operation
 *
 * Context: process; may sleep. The caller serialises the use of @delay.
 */
void sim_delay_until(struct sim_delay *delay, u64 begun, u64 cost_ns)
{
	u64 end = begun + cost_ns;
	u64 now = ktime_get_ns();

	if (delay->mode == SIM_DELAY_NONE || !cost_ns)
		return;
	if (delay->mode == SIM_DELAY_BATCH) {
		batch(delay, begun, cost_ns);
		return;
	}
	end -= min_t(u64, delay->credit_ns, cost_ns);
	if (delay->mode == SIM_DELAY_SLEEP && end >= now + SLEEP_MIN_NS) {
		unsigned long us = div_u64(end - now - SPIN_NS, NSEC_PER_USEC);

		usleep_range(us, us + 10);
		now = ktime_get_ns();
	}
	while (now < end) {
		/* Let other tasks run during an erase of a second. */
		if (end - now > NSEC_PER_MSEC)
			cond_resched();
		cpu_relax();
		now = ktime_get_ns();
	}
	delay->credit_ns = min_t(u64, now - end, CREDIT_MAX_NS);
}
