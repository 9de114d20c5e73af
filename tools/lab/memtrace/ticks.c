// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>
#include "sys.h"
#include "ticks.h"

static atomic_int stopped;

/*
 * The alarm ends a sleep that began after the test of the flag and before the signal. It is
 * handled here, too, until the program has seen the flag.
 */
static void on_signal(int sig)
{
	(void)sig;
	stopped = 1;
	alarm(1);
}

/**
 * ticks_catch_signals() - from now on SIGINT, SIGTERM and SIGHUP end ticks_wait()
 *
 * SIGPIPE is ignored: the write that fails ends the program, in order.
 */
void ticks_catch_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGALRM };
	struct sigaction action = { .sa_handler = on_signal };
	size_t i;

	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &action, NULL);
	action.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &action, NULL);
}

/**
 * ticks_stopped() - has a signal come that ends the program?
 *
 * Return: true, if one has.
 */
bool ticks_stopped(void)
{
	return stopped;
}

/**
 * ticks_begin() - the first tick is now
 * @ticks: the ticks
 * @interval_us: from one to the next
 */
void ticks_begin(struct ticks *ticks, uint64_t interval_us)
{
	ticks->begin_us = sys_now_us();
	ticks->interval_us = interval_us;
	ticks->nr = 0;
}

/**
 * ticks_wait() - wait for the next tick
 * @ticks: the ticks; those that have passed already are left out
 *
 * Return: false, if a signal has come that ends the program.
 */
bool ticks_wait(struct ticks *ticks)
{
	uint64_t passed = (sys_now_us() - ticks->begin_us) / ticks->interval_us;
	struct timespec due;
	uint64_t due_us;

	ticks->nr = passed > ticks->nr ? passed + 1 : ticks->nr + 1;
	due_us = ticks->begin_us + ticks->nr * ticks->interval_us;
	due.tv_sec = (time_t)(due_us / 1000000);
	due.tv_nsec = (long)(due_us % 1000000) * 1000;
	while (!stopped)
		if (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL) != EINTR)
			break;
	return !stopped;
}
