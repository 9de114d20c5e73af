/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the simulations: the sizes of the pages, the choice of the page to write,
 * the wear of regions, and the output in Markdown or TAP. It must not depend on the
 * module: sim.c, log.c and drift.c have the simulated unit and its targets.
 *
 * The figures are deterministic, but they change if the random numbers here are drawn
 * in another way or order.
 */
#ifndef SIM_H
#define SIM_H

#include <err.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>
#include <linux/types.h>

#define PAGE_BYTES		4096U

/* Sizes of compressed pages: mean and shape of the lognormal distribution. */
#define BYTES_MEAN		800.0
#define BYTES_SIGMA		0.5
#define BYTES_LEAST		40.0
#define BYTES_MOST		4000.0
#define INCOMPRESSIBLE		0.05

static bool tap;			/* instead of Markdown */
static const char *tap_prefix;
static unsigned int missed;	/* failed checks */
static u64 random_state;

/* Called for each device, so that all devices get the same writes. */
static inline void random_seed(void)
{
	random_state = 88172645463325252ULL;
}

static inline u64 random_u64(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* In [0, 1). */
static inline double random_unit(void)
{
	return (random_u64() >> 11) * (1.0 / (1ULL << 53));
}

static inline u32 random_below(u32 n)
{
	return random_unit() * n;
}

/* Below @n, and in 90 % of all cases in the first tenth of that. */
static inline u32 random_skewed(u32 n)
{
	u32 hot = n / 10;

	return random_unit() < 0.9 ? random_below(hot) : hot + random_below(n - hot);
}

static inline double random_normal(void)
{
	double radius = sqrt(-2 * log(1 - random_unit()));

	return radius * cos(2 * M_PI * random_unit());
}

static inline u32 random_size(void)
{
	double size;

	if (random_unit() < INCOMPRESSIBLE)
		return PAGE_BYTES;
	size = exp(log(BYTES_MEAN) - BYTES_SIGMA * BYTES_SIGMA / 2 + BYTES_SIGMA * random_normal());
	return fmin(fmax(size, BYTES_LEAST), BYTES_MOST);
}

/* Granules that @pages unsplit pages take. */
static inline u64 random_granules(u32 pages, u32 header_bytes, u32 granule_bytes)
{
	u64 granules = 0;

	while (pages--)
		granules += DIV_ROUND_UP(random_size() + header_bytes, granule_bytes);
	return granules;
}

static inline void *get_memory(size_t bytes)
{
	void *memory = calloc(1, bytes);

	if (!memory)
		errx(1, "no memory");
	return memory;
}

/* Writes of @n granules; @wear is how often each of them was written. */
static inline double total_wear(const u32 *wear, u32 n)
{
	double sum = 0;
	u32 i;

	for (i = 0; i < n; i++)
		sum += wear[i];
	return sum;
}

/* Writes a granule in the most worn of @n regions, divided by @mean. */
static inline double worst_region(const u32 *wear, u32 granules, unsigned int n, double mean)
{
	double worst = 0;
	unsigned int i;

	for (i = 0; i < n; i++) {
		u32 from = (u64)granules * i / n;
		u32 to = (u64)granules * (i + 1) / n;

		worst = fmax(worst, total_wear(wear + from, to - from) / (to - from));
	}
	return worst / mean;
}

static inline bool has_option(int argc, char **argv, const char *option)
{
	int i;

	for (i = 1; i < argc; i++) {
		if (!strcmp(argv[i], option))
			return true;
	}
	return false;
}

/*
 * Call this before any output. All programs know --tap; @prefix begins the texts of the
 * checks there, because several programs write to the same stream.
 */
static inline void begin(int argc, char **argv, const char *prefix, unsigned int checks)
{
	tap = has_option(argc, argv, "--tap");
	tap_prefix = prefix;
	if (tap)
		printf("1..%u\n", checks);
}

static inline __attribute__((format(printf, 1, 2)))
void say(const char *format, ...)
{
	static bool inside;
	va_list args;

	if (tap && !inside)
		printf("# ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	inside = format[strlen(format) - 1] != '\n';
}

static inline __attribute__((format(printf, 2, 3)))
void check(bool good, const char *format, ...)
{
	static unsigned int checks;
	va_list args;

	checks++;
	missed += !good;
	if (tap)
		printf("%sok %u - %s", good ? "" : "not ", checks, tap_prefix);
	else
		printf("* %s: ", good ? "reached" : "MISSED");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
}

#endif
