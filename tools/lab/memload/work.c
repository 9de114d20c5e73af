// SPDX-License-Identifier: GPL-2.0
/*
 * Time, rate and progress of the loads that touch memory, and their output files.
 */
#include <err.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "options.h"
#include "sys.h"
#include "work.h"

#define PROGRESS_US 500000

/*
 * A load that could not run (stopped, or waiting for swap) makes up for at most this time.
 * Otherwise it would exceed its rate for long.
 */
#define DEBT_US 100000

static atomic_int stopped;

static void on_signal(int sig)
{
	(void)sig;
	stopped = 1;
}

/**
 * work_catch_signals() - let SIGINT, SIGTERM and SIGHUP end the load in order
 */
void work_catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
}

/**
 * work_stopped() - has a signal ended the load?
 *
 * Return: true if so.
 */
bool work_stopped(void)
{
	return stopped;
}

/**
 * work_sleep_until() - wait
 * @us: until then, or until a signal ends the load
 *
 * Return: false, if a signal ends the load.
 */
bool work_sleep_until(uint64_t us)
{
	uint64_t now = sys_now_us(), due;
	struct timespec at;

	while (!stopped && now < us) {
		/*
		 * A signal just before the sleep is noticed after it, so the sleep has to be short.
		 */
		due = us - now > PROGRESS_US ? now + PROGRESS_US : us;
		at.tv_sec = (time_t)(due / 1000000);
		at.tv_nsec = (long)(due % 1000000) * 1000;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
		now = sys_now_us();
	}
	return !stopped;
}

/**
 * work_begin() - start the load
 * @work: the caller has set name, duration and rate
 *
 * Ends the program if the file of progress cannot be written.
 */
void work_begin(struct work *work)
{
	work_catch_signals();
	if (work->name) {
		work->progress = fopen(work->name, "ae");
		if (!work->progress)
			err(STATUS_FAILED, "cannot write to %s", work->name);
	}
	work->begin_us = sys_now_us();
	work->end_us = work->duration_us ? work->begin_us + work->duration_us : UINT64_MAX;
	work->free_us = work->begin_us;
	work->next_us = work->begin_us;
}

/* Writes a line if one is due. Skips late lines. */
static void report(struct work *work, uint64_t now)
{
	if (!work->progress || now < work->next_us)
		return;
	fprintf(work->progress, "%llu.%06llu %.3f %llu\n", (unsigned long long)now / 1000000,
		(unsigned long long)now % 1000000, (double)work->touched / 1048576,
		(unsigned long long)work->passes);
	work_written(work->progress, work->name);
	work->next_us += (1 + (now - work->next_us) / PROGRESS_US) * PROGRESS_US;
}

/**
 * work_sleep() - wait, and write progress meanwhile
 * @work: the work
 * @until_us: until then, or until the end of the load
 *
 * Return: false if the load has to end.
 */
bool work_sleep(struct work *work, uint64_t until_us)
{
	uint64_t now = sys_now_us(), due;

	if (until_us > work->end_us)
		until_us = work->end_us;
	while (!stopped && now < until_us) {
		due = work->progress && work->next_us < until_us ? work->next_us : until_us;
		work_sleep_until(due);
		now = sys_now_us();
		report(work, now);
	}
	return !stopped && now < work->end_us;
}

/**
 * work_step() - count touched bytes, then sleep to keep the rate
 * @work: the work
 * @bytes: how many
 *
 * Return: false, if the load has to end.
 */
bool work_step(struct work *work, uint64_t bytes)
{
	uint64_t now = sys_now_us();

	work->touched += bytes;
	report(work, now);
	if (work->rate) {
		if (work->free_us + DEBT_US < now)
			work->free_us = now - DEBT_US;
		work->free_us += bytes * 1000000 / (work->rate << 20);
		/* Very short sleeps cost more than they wait. */
		if (work->free_us > now + 1000)
			return work_sleep(work, work->free_us);
	}
	return !stopped && now < work->end_us;
}

/**
 * work_end() - print the summary, and write the last line of progress
 * @work: the work
 *
 * Return: exit status of the program.
 */
int work_end(struct work *work)
{
	double seconds = (double)(sys_now_us() - work->begin_us) / 1e6;

	printf("%.2f MiB touched, %llu passes, %.3f s\n", (double)work->touched / 1048576,
	       (unsigned long long)work->passes, seconds);
	work->next_us = 0;
	report(work, sys_now_us());
	work_written(stdout, "standard output");
	return 0;
}

/**
 * work_open() - open a file of output
 * @name: of the file; NULL: none
 * @header: its first line
 *
 * Ends the program if the file cannot be written.
 *
 * Return: the file, or NULL.
 */
FILE *work_open(const char *name, const char *header)
{
	FILE *file = name ? fopen(name, "we") : NULL;

	if (name && (!file || fputs(header, file) < 0))
		err(STATUS_FAILED, "cannot write to %s", name);
	if (file)
		work_written(file, name);
	return file;
}

/**
 * work_written() - flush a written line to the file
 * @file: the file
 * @name: its name
 *
 * Ends the program if the line cannot be written.
 */
void work_written(FILE *file, const char *name)
{
	if (fflush(file) || ferror(file))
		err(STATUS_FAILED, "cannot write to %s", name);
}

/**
 * latencies_begin() - make room for latencies
 * @latencies: the latencies
 * @most: their largest number
 *
 * Ends the program if memory is short.
 */
void latencies_begin(struct latencies *latencies, uint64_t most)
{
	latencies->n = 0;
	latencies->us = calloc((size_t)most, sizeof(*latencies->us));
	if (!latencies->us)
		err(STATUS_FAILED, "cannot begin");
}

static int compare(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

/**
 * latencies_sort() - sort; needed before latencies_ms()
 * @latencies: the latencies
 */
void latencies_sort(struct latencies *latencies)
{
	qsort(latencies->us, latencies->n, sizeof(*latencies->us), compare);
}

/**
 * latencies_ms() - a percentile of the latencies
 * @latencies: the latencies, sorted
 * @percent: 1 to 100
 *
 * Return: milliseconds; 0 without latencies.
 */
double latencies_ms(const struct latencies *latencies, unsigned int percent)
{
	size_t n = latencies->n;

	return n ? (double)latencies->us[(n * percent + 99) / 100 - 1] / 1000 : 0;
}
