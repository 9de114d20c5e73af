// SPDX-License-Identifier: GPL-2.0

#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include "sys.h"
#include "work.h"

#define PROGRESS_US 500000

/*
 * A load that was kept from running (stopped, or waiting for swap) does not catch up more than
 * this: it would go over its rate for all that time.
 */
#define DEBT_US 100000

static atomic_int stopped;

static void on_signal(int sig)
{
	(void)sig;
	stopped = 1;
}

/**
 * work_begin() - the load begins now
 * @work: the work
 * @options: its rate, its end and its file of progress
 *
 * Return: 0; or a negative errno, and the reason was said.
 */
int work_begin(struct work *work, const struct loadopt *options)
{
	struct sigaction action = { .sa_handler = on_signal };

	memset(work, 0, sizeof(*work));
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	if (options->progress) {
		work->progress = fopen(options->progress, "ae");
		if (!work->progress) {
			int error = errno;

			warn("cannot write to %s", options->progress);
			return -error;
		}
	}
	work->begin_us = sys_now_us();
	work->end_us = options->duration_us ? work->begin_us + options->duration_us : UINT64_MAX;
	work->rate = options->rate;
	work->free_us = work->begin_us;
	work->next_us = work->begin_us;
	return 0;
}

/**
 * work_stopped() - has a signal come that ends the load?
 *
 * Return: true, if one has.
 */
bool work_stopped(void)
{
	return stopped;
}

/* A line, if one is due. Those that nobody could write in time are left out. */
static void report(struct work *work, uint64_t now)
{
	if (!work->progress || now < work->next_us)
		return;
	fprintf(work->progress, "%llu.%06llu %.3f %llu\n", (unsigned long long)now / 1000000,
		(unsigned long long)now % 1000000, (double)work->touched / 1048576,
		(unsigned long long)work->passes);
	fflush(work->progress);
	work->next_us += (1 + (now - work->next_us) / PROGRESS_US) * PROGRESS_US;
}

/**
 * work_sleep() - wait
 * @work: the work
 * @until_us: until then, or until the end of all
 *
 * Return: false, if that has come.
 */
bool work_sleep(struct work *work, uint64_t until_us)
{
	uint64_t now = sys_now_us(), due;
	struct timespec at;

	if (until_us > work->end_us)
		until_us = work->end_us;
	while (!stopped && now < until_us) {
		/* A signal just before the sleep is seen after it: let it be a short one. */
		due = now + PROGRESS_US;
		if (work->progress && work->next_us < due)
			due = work->next_us;
		if (until_us < due)
			due = until_us;
		at.tv_sec = (time_t)(due / 1000000);
		at.tv_nsec = (long)(due % 1000000) * 1000;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
		now = sys_now_us();
		report(work, now);
	}
	return !stopped && now < work->end_us;
}

/**
 * work_step() - some bytes were touched: wait for as long as the rate wants it
 * @work: the work
 * @bytes: how many
 *
 * Return: false, if the end has come.
 */
bool work_step(struct work *work, uint64_t bytes)
{
	uint64_t now = sys_now_us();

	work->touched += bytes;
	report(work, now);
	if (work->rate) {
		if (work->free_us + DEBT_US < now)
			work->free_us = now - DEBT_US;
		work->free_us += bytes * 1000000 / work->rate;
		/* Sleeps that are too short cost more than they keep. */
		if (work->free_us > now + 1000)
			return work_sleep(work, work->free_us);
	}
	return !stopped && now < work->end_us;
}

/**
 * work_hold() - do nothing until the end
 * @work: the work
 */
void work_hold(struct work *work)
{
	while (work_sleep(work, UINT64_MAX))
		;
}

/**
 * work_close() - the end, with the last line of progress
 * @work: the work
 *
 * Return: 0; or a negative errno, and the reason was said.
 */
int work_close(struct work *work)
{
	if (work->progress) {
		work->next_us = 0;
		report(work, sys_now_us());
		if (ferror(work->progress) || fclose(work->progress)) {
			warn("cannot write the progress");
			return -EIO;
		}
	}
	if (fflush(stdout)) {
		warn("cannot write to standard output");
		return -EIO;
	}
	return 0;
}

/**
 * work_end() - say what was done, and work_close()
 * @work: the work
 *
 * Return: 0; or a negative errno, and the reason was said.
 */
int work_end(struct work *work)
{
	double seconds = (double)(sys_now_us() - work->begin_us) / 1e6;

	printf("%.2f MiB touched, %llu passes, %.3f s\n", (double)work->touched / 1048576,
	       (unsigned long long)work->passes, seconds);
	return work_close(work);
}
