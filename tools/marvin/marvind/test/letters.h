/* SPDX-License-Identifier: GPL-2.0 */
/*
 * load and speak do what the test tells them on standard input, a letter at a time, and answer a
 * line. Both know these letters; the functions are each program's own:
 *
 *	t  ticks: cold memory is saved and given to the kernel
 *	u  use all of it: "right" or "wrong"
 *	w  write all of it anew
 *	r  "RSS in KiB"
 *	s  "bytes that were dropped, and loads"
 *	f  fork; the child lives as long as the program
 *	x  exec() of sleep, with the same process id
 */
#ifndef MARVIND_TEST_LETTERS_H
#define MARVIND_TEST_LETTERS_H

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "../../libmarvin/marvin.h"

static void tick(void);
static bool is_right(void);
static void write_all(void);
static struct marvin_stats figures(void);
static void in_child(void);

static unsigned long rss_kib(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	unsigned long pages = 0;

	if (file && fscanf(file, "%*u %lu", &pages) != 1)
		pages = 0;
	if (file)
		fclose(file);
	return pages * (unsigned long)sysconf(_SC_PAGESIZE) / 1024;
}

static bool has_forked(void)
{
	pid_t pid = fork();

	if (!pid) {
		in_child();
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	return pid > 0;
}

static void answer_letter(int letter)
{
	struct marvin_stats stats;

	switch (letter) {
	case 't':
		tick();
		puts("ticked");
		break;
	case 'u':
		puts(is_right() ? "right" : "wrong");
		break;
	case 'w':
		write_all();
		puts("written");
		break;
	case 'r':
		printf("%lu\n", rss_kib());
		break;
	case 's':
		stats = figures();
		printf("%llu %llu\n", (unsigned long long)stats.dropped,
		       (unsigned long long)stats.loads);
		break;
	case 'f':
		puts(has_forked() ? "forked" : "failed");
		break;
	case 'x':
		puts("exec");
		fflush(stdout);
		execlp("sleep", "sleep", "60", NULL);
		break;
	}
}

#endif
