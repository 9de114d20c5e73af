// SPDX-License-Identifier: GPL-2.0
/*
 * load MIB [STORE]: a program with so many MiB of objects, which does what the test tells it on
 * standard input, a letter at a time, and answers by a line:
 *
 *	t  eight ticks: what is cold is saved and given to the kernel
 *	u  use all of it: "right" or "wrong"
 *	w  write all of it anew
 *	r  "RSS in KiB"
 *	s  "bytes that were dropped, and loads"
 *	d  marvin_drop() of all: bytes
 *	f  fork; the child lives as long as the program
 *	x  exec() of sleep, with the same process id
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "../../libmarvin/marvin.h"

#define BYTES 65536U

static struct marvin *heap;
static uint8_t **objects;
static unsigned int n;
static uint8_t seed;

static void write_all(void)
{
	unsigned int i;

	seed++;
	for (i = 0; i < n; i++)
		memset(objects[i], (int)(uint8_t)(i + seed), BYTES);
}

static bool is_right(void)
{
	unsigned int i, at;
	bool right = true;

	for (i = 0; i < n; i++)
		for (at = 0; at < BYTES; at++)
			right = right && objects[i][at] == (uint8_t)(i + seed);
	return right;
}

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
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	return pid > 0;
}

static void answer(int letter)
{
	struct marvin_stats stats = MARVIN_STATS;
	int i;

	switch (letter) {
	case 't':
		for (i = 0; i < 8; i++)
			marvin_tick(heap, 10000);
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
		marvin_stats(heap, &stats);
		printf("%llu %llu\n", (unsigned long long)stats.dropped,
		       (unsigned long long)stats.loads);
		break;
	case 'd':
		printf("%llu\n", (unsigned long long)marvin_drop(heap, UINT64_MAX));
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
	fflush(stdout);
}

int main(int argc, char **argv)
{
	struct marvin_options options = MARVIN_OPTIONS;
	unsigned int i;
	int letter;

	n = argc > 1 ? (unsigned int)atoi(argv[1]) * 16 : 0;
	options.store = argc > 2 ? argv[2] : "/var/tmp/";
	options.space = 256 << 20;
	options.name = "load";
	/* The thread answers marvind, and gives nothing by itself while the test looks. */
	options.foreground_ms = 60000;
	options.background_ms = 60000;
	objects = calloc(n + 1, sizeof(*objects));
	if (!objects || marvin_open(&heap, &options))
		return 1;
	for (i = 0; i < n; i++) {
		objects[i] = marvin_new(heap, BYTES);
		if (!objects[i])
			return 1;
	}
	write_all();
	puts("ready");
	fflush(stdout);
	while ((letter = getchar()) != EOF)
		answer(letter);
	return marvin_close(heap) ? 1 : 0;
}
