/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared code of the suites: TAP output, random numbers, memory.
 *
 * A suite is a table of cases; each case prints one TAP line. SEED= and OPS= in the environment set
 * the random seed and the number of random operations of the suite. Every case starts from the seed
 * anew, so a case that fails also fails alone: `test_inplace_freelist NAME` runs only the cases
 * with NAME in their names.
 */
#ifndef HARNESS_H
#define HARNESS_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>
#include <linux/random.h>
#include <linux/types.h>

/* Most diagnostics printed for one case. */
#define TAP_NOTES	12U

struct tap_case {
	const char *name;
	void (*run)(void);
};

static struct {
	u64 seed;		/* SEED= */
	u64 ops;		/* OPS= */
	u64 random;		/* state of random_u64() */
	u64 keys;		/* state of get_random_bytes() */
	unsigned int bad;	/* failed expectations of this case */
	unsigned int notes;	/* diagnostics printed for it */
} tap;

static inline __attribute__((format(printf, 1, 2))) void tap_note(const char *format, ...)
{
	va_list args;

	if (tap.notes++ >= TAP_NOTES)
		return;
	va_start(args, format);
	printf("# ");
	vprintf(format, args);
	printf("\n");
	va_end(args);
}

static inline bool tap_expect(bool good, const char *file, int line, const char *what)
{
	if (!good) {
		tap.bad++;
		tap_note("%s:%d: not so: %s", file, line, what);
	}
	return good;
}

static inline bool tap_expect_eq(long long got, long long want, const char *file, int line,
				 const char *what)
{
	if (got != want) {
		tap.bad++;
		tap_note("%s:%d: %s: %lld instead of %lld", file, line, what, got, want);
	}
	return got == want;
}

/* Both return the condition. */
#define expect(cond)		tap_expect(cond, __FILE__, __LINE__, #cond)
#define expect_eq(got, want)	tap_expect_eq(got, want, __FILE__, __LINE__, #got)

static inline void random_seed(u64 seed)
{
	/* splitmix64: neighbouring seeds get unrelated streams, and never 0. */
	seed += 0x9e3779b97f4a7c15ULL;
	seed = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9ULL;
	seed = (seed ^ seed >> 27) * 0x94d049bb133111ebULL;
	tap.random = (seed ^ seed >> 31) | 1;
	tap.keys = seed;
}

/* selftests/fuzz defines its own random numbers. */
#ifndef HARNESS_RANDOM
static inline u64 random_u64(void)
{
	tap.random ^= tap.random << 13;
	tap.random ^= tap.random >> 7;
	tap.random ^= tap.random << 17;
	return tap.random;
}

/* Return: a random number below @n. */
static inline u32 random_below(u32 n)
{
	return (random_u64() >> 32) * n >> 32;
}
#endif

/*
 * The kernel's function, for keys. They have a stream of their own, so that a case does the same
 * whether it encrypts or not.
 */
void get_random_bytes(void *to, size_t bytes)
{
	u8 *at = to;

	while (bytes--) {
		tap.keys = tap.keys * 6364136223846793005ULL + 1442695040888963407ULL;
		*at++ = tap.keys >> 56;
	}
}

/* Return: a random number from 1 to @n; all orders of magnitude are equally likely. */
static inline u32 random_length(u32 n)
{
	unsigned int bits = 1;

	while (bits < 32 && n >> bits)
		bits++;
	return 1 + random_below(n >> random_below(bits));
}

/* Zeroed, and of exactly that size, so that ASan sees an access to the first byte past it. */
static inline void *test_alloc(size_t bytes)
{
	void *memory = calloc(1, bytes ? bytes : 1);

	if (!memory) {
		printf("Bail out! no memory\n");
		exit(1);
	}
	return memory;
}

static inline u64 tap_env(const char *name, u64 preset)
{
	const char *value = getenv(name);

	return value && *value ? strtoull(value, NULL, 0) : preset;
}

static inline int tap_main(const char *suite, const struct tap_case *cases, unsigned int n,
			   int argc, char **argv)
{
	unsigned int i, run = 0, failed = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	tap.seed = tap_env("SEED", 1);
	tap.ops = tap_env("OPS", 1000000);
	for (i = 0; i < n; i++)
		run += argc < 2 || strstr(cases[i].name, argv[1]);
	printf("1..%u\n", run);
	printf("# %s: SEED=%llu OPS=%llu, %zu bits\n", suite, tap.seed, tap.ops, 8 * sizeof(long));
	for (i = 0, run = 0; i < n; i++) {
		if (argc >= 2 && !strstr(cases[i].name, argv[1]))
			continue;
		tap.bad = 0;
		tap.notes = 0;
		random_seed(tap.seed);
		cases[i].run();
		failed += !!tap.bad;
		printf("%sok %u - %s: %s\n", tap.bad ? "not " : "", ++run, suite, cases[i].name);
	}
	return failed ? 1 : 0;
}

#endif /* HARNESS_H */
