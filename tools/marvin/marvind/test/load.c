// SPDX-License-Identifier: GPL-2.0
/*
 * load MIB [STORE]: a program with so many MiB of objects, which does what the test tells it on
 * standard input, a letter at a time, and answers by a line:
 *
 *	t  eight ticks: what is cold is saved and given to the kernel
 *	u  use all of it: "right" or "wrong"
 *	w  write all of it anew
 *	r  "RSS in KiB"
 *	s  "objects of marvin_stats(): dropped claimed loaded"
 *	v  its table is of another version from now on
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
#include "../../lib/heap.h"

#define BYTES 65536U

static marvin_ref *refs;
static unsigned int n;
static uint8_t seed;

static bool write_all(void)
{
	unsigned int i;

	seed++;
	for (i = 0; i < n; i++) {
		uint8_t *bytes;

		marvin_enter();
		bytes = marvin_write(refs[i]);
		if (bytes)
			memset(bytes, (int)(i + seed), BYTES);
		marvin_leave();
		if (!bytes)
			return false;
	}
	return true;
}

static bool is_right(void)
{
	unsigned int i, at;
	bool right = true;

	for (i = 0; i < n && right; i++) {
		const uint8_t *bytes;

		marvin_enter();
		bytes = marvin_read(refs[i]);
		for (at = 0; bytes && at < BYTES; at++)
			right = right && bytes[at] == (uint8_t)(i + seed);
		marvin_leave();
		right = right && bytes;
	}
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
	struct marvin_stats stats;
	int i;

	switch (letter) {
	case 't':
		for (i = 0; i < 8; i++)
			marvin_tick(10000);
		puts("ticked");
		break;
	case 'u':
		puts(is_right() ? "right" : "wrong");
		break;
	case 'w':
		puts(write_all() ? "written" : "wrong");
		break;
	case 'r':
		printf("%lu\n", rss_kib());
		break;
	case 's':
		marvin_stats(&stats);
		printf("%llu %llu %llu\n", (unsigned long long)stats.dropped,
		       (unsigned long long)stats.claimed, (unsigned long long)stats.loaded);
		break;
	case 'v':
		marvin_heap.table->magic++;
		puts("changed");
		break;
	case 'd':
		printf("%llu\n", (unsigned long long)marvin_drop(UINT64_MAX));
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
	struct marvin_options options = { .no_thread = true, .space = 256 << 20, .name = "load" };
	unsigned int i;
	int letter;

	n = argc > 1 ? (unsigned int)atoi(argv[1]) * 16 : 0;
	options.store = argc > 2 ? argv[2] : "/var/tmp/";
	refs = calloc(n + 1, sizeof(*refs));
	if (!refs || marvin_open(&options))
		return 1;
	for (i = 0; i < n; i++) {
		refs[i] = marvin_new(BYTES);
		if (!refs[i])
			return 1;
	}
	if (!write_all())
		return 1;
	puts("ready");
	fflush(stdout);
	while ((letter = getchar()) != EOF)
		answer(letter);
	return marvin_close() ? 1 : 0;
}
