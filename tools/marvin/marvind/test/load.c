// SPDX-License-Identifier: GPL-2.0
/*
 * load MIB [STORE]: a program with so many MiB of objects, for the letters of letters.h, and
 *
 *	d  marvin_drop() of all: bytes
 */
#include <stdlib.h>
#include <string.h>
#include "letters.h"

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

/* tick() - after eight ticks all memory is cold */
static void tick(void)
{
	int i;

	for (i = 0; i < 8; i++)
		marvin_tick(heap, 10000);
}

static struct marvin_stats figures(void)
{
	struct marvin_stats stats = MARVIN_STATS;

	marvin_stats(heap, &stats);
	return stats;
}

static void in_child(void)
{
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
	while ((letter = getchar()) != EOF) {
		if (letter == 'd')
			printf("%llu\n", (unsigned long long)marvin_drop(heap, UINT64_MAX));
		else
			answer_letter(letter);
		fflush(stdout);
	}
	return marvin_close(heap) ? 1 : 0;
}
