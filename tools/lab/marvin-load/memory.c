// SPDX-License-Identifier: GPL-2.0
/*
 * measure-memory of the paper: how much memory processes have. The paper looks each millisecond.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include "loads.h"

/* resident_pages() - of a process; 0: it has ended */
static unsigned long resident_pages(const char *pid)
{
	char path[64];
	unsigned long pages = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%s/statm", pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (fscanf(file, "%*u %lu", &pages) != 1)
		pages = 0;
	fclose(file);
	return pages;
}

static bool are_pids(const struct load_options *options)
{
	char *const *pid;
	char *end;

	for (pid = options->pids; *pid; pid++)
		if (strtol(*pid, &end, 10) <= 0 || *end) {
			warnx("%s: not the id of a process", *pid);
			return false;
		}
	if (pid == options->pids)
		warnx("memory: it takes ids of processes");
	return pid != options->pids;
}

static void sleep_until_us(uint64_t us)
{
	struct timespec until = { .tv_sec = (time_t)(us / 1000000),
				  .tv_nsec = (long)(us % 1000000 * 1000) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL))
		;
}

/**
 * memory_run() - print the sum of what processes have in memory
 * @options: pids, interval_ms and rounds
 *
 * It ends when all of them have ended. A round that comes late is not made up for.
 *
 * Return: exit status.
 */
int memory_run(const struct load_options *options)
{
	uint64_t interval_us = 1000 * (uint64_t)options->interval_ms;
	unsigned long page_kib = (unsigned long)sysconf(_SC_PAGESIZE) >> 10, pages;
	uint64_t now_us, next_us = load_now_us();
	char *const *pid;
	uint32_t round = 0;

	if (!are_pids(options))
		return LOAD_USAGE;
	/* It measures a machine whose memory is short. */
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		warn("mlockall");
	do {
		now_us = load_now_us();
		for (pages = 0, pid = options->pids; *pid; pid++)
			pages += resident_pages(*pid);
		printf("%s memory at_us %llu resident_kib %lu\n", options->name,
		       (unsigned long long)now_us, pages * page_kib);
		next_us = next_us + interval_us > now_us ? next_us + interval_us : now_us;
		sleep_until_us(next_us);
	} while (pages && (!options->rounds || ++round < options->rounds));
	return LOAD_RIGHT;
}
