// SPDX-License-Identifier: GPL-2.0
/*
 * Measures hot objects in a heap of libmarvin and in memory of malloc(), in turn: a loop over all
 * words, a walk along pointers in random order, and look-ups in a hash table of chains. Meanwhile
 * the heap's thread saves and gives pages.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench.h"
#include "memory.h"
#include "rounds.h"

#define WORDS 29
/* A round of about 4 ms, so that many rounds pass without another program. */
#define ROUND_NS 4000000ULL
#define ROUNDS 101U

struct node {
	struct node *next;		/* next in the random order */
	struct node *chain;		/* next in the bucket */
	uint64_t key;
	uint64_t words[WORDS];
};

struct set {
	struct node **nodes;
	struct node **buckets;
	uint32_t n;
	uint32_t mask;			/* of the buckets */
};

typedef uint64_t (*use)(struct set *set, uint32_t steps);

static uint32_t hash(uint64_t key)
{
	return (uint32_t)((key * 0x9e3779b97f4a7c15ULL) >> 32);
}

static uint64_t loop_read(struct set *set, uint32_t steps)
{
	uint64_t sum = 0;
	uint32_t i, k, at = 0;

	for (i = 0; i < steps; i++) {
		for (k = 0; k < WORDS; k++)
			sum += set->nodes[at]->words[k];
		at = at + 1 == set->n ? 0 : at + 1;
	}
	return sum;
}

static uint64_t loop_write(struct set *set, uint32_t steps)
{
	uint32_t i, k, at = 0;

	for (i = 0; i < steps; i++) {
		for (k = 0; k < WORDS; k++)
			set->nodes[at]->words[k] += i;
		at = at + 1 == set->n ? 0 : at + 1;
	}
	return 0;
}

static uint64_t chase_read(struct set *set, uint32_t steps)
{
	struct node *node = set->nodes[0];
	uint64_t sum = 0;

	for (; steps; steps--, node = node->next)
		sum += node->words[0];
	return sum;
}

static uint64_t chase_write(struct set *set, uint32_t steps)
{
	struct node *node = set->nodes[0];

	for (; steps; steps--, node = node->next)
		node->words[0] += steps;
	return 0;
}

static struct node *find(struct set *set, uint64_t key)
{
	struct node *node = set->buckets[hash(key) & set->mask];

	while (node->key != key)
		node = node->chain;
	return node;
}

static uint64_t table_read(struct set *set, uint32_t steps)
{
	uint64_t sum = 0, random = 1;

	for (; steps; steps--)
		sum += find(set, rounds_random(&random) % set->n)->words[0];
	return sum;
}

static uint64_t table_write(struct set *set, uint32_t steps)
{
	uint64_t random = 1;

	for (; steps; steps--)
		find(set, rounds_random(&random) % set->n)->words[0] += steps;
	return 0;
}

static void *take(struct marvin *heap, size_t bytes)
{
	void *at = heap ? marvin_new(heap, bytes) : calloc(1, bytes);

	if (!at)
		err(1, "%zu bytes", bytes);
	return at;
}

/* make() - make the objects; the same in both kinds of memory */
static void make(struct set *set, struct marvin *heap, uint32_t n)
{
	uint64_t random = n;
	uint32_t i, k, *order = take(NULL, n * sizeof(*order));

	set->n = n;
	for (set->mask = 1; set->mask < n; set->mask *= 2)
		;
	set->mask--;
	set->nodes = take(heap, n * sizeof(*set->nodes));
	set->buckets = take(heap, (set->mask + 1ULL) * sizeof(*set->buckets));
	for (i = 0; i < n; i++) {
		struct node *node = take(heap, sizeof(*node));

		set->nodes[i] = node;
		node->key = i;
		node->chain = set->buckets[hash(i) & set->mask];
		set->buckets[hash(i) & set->mask] = node;
		k = rounds_random(&random) % (i + 1);
		order[i] = order[k];
		order[k] = i;
	}
	for (i = 0; i < n; i++)
		set->nodes[order[i]]->next = set->nodes[order[(i + 1) % n]];
	free(order);
}

static void unmake(struct set *set)
{
	uint32_t i;

	for (i = 0; i < set->n; i++)
		free(set->nodes[i]);
	free(set->nodes);
	free(set->buckets);
}

static double time_ns(use of, struct set *set, uint32_t steps, uint64_t *sum)
{
	uint64_t begin_ns = rounds_now_ns();

	*sum += of(set, steps);
	return (double)(rounds_now_ns() - begin_ns) / steps;
}

/* steps_of() - find the number of steps that take ROUND_NS */
static uint32_t steps_of(use of, struct set *set, uint64_t *sum)
{
	uint32_t steps = set->n;
	double each_ns = time_ns(of, set, steps, sum);

	while (each_ns * steps < ROUND_NS / 4.0 && steps < 1U << 28) {
		steps *= 2;
		each_ns = time_ns(of, set, steps, sum);
	}
	return (uint32_t)((double)ROUND_NS / each_ns) + 1;
}

/* compare() - print a line of the table; false if the sums differ */
static bool compare(const char *name, use of, struct set *sets, uint32_t steps, uint32_t rounds)
{
	struct rounds ns[2] = { { .n = 0 }, { .n = 0 } }, ratios = { .n = 0 };
	uint64_t sums[2] = { 0, 0 };
	double took_ns[2];
	uint32_t i, k, kind;

	/* The first round does not count. The kinds take turns to go first. */
	for (i = 0; i <= rounds; i++) {
		for (k = 0; k < 2; k++) {
			kind = (i + k) % 2;
			took_ns[kind] = time_ns(of, &sets[kind], steps, &sums[kind]);
		}
		if (!i)
			continue;
		rounds_add(&ns[0], took_ns[0]);
		rounds_add(&ns[1], took_ns[1]);
		rounds_add(&ratios, took_ns[1] / took_ns[0]);
	}
	rounds_sort(&ns[0]);
	rounds_sort(&ns[1]);
	rounds_sort(&ratios);
	printf("%7u  %-12s %9.2f  %9.2f  %6.3f  %6.3f  %6.3f  %6.3f\n", sets->n, name,
	       rounds_median(&ns[0]), rounds_median(&ns[1]), rounds_median(&ratios),
	       ratios.figures[0], ratios.figures[ratios.n - 1],
	       ns[1].figures[0] / ns[0].figures[0]);
	return sums[0] == sums[1];
}

/* are_same() - are both sets equal after the same writes? */
static bool are_same(const struct set *sets)
{
	bool same = true;
	uint32_t i;

	for (i = 0; i < sets->n; i++)
		same = same && !memcmp(sets[0].nodes[i]->words, sets[1].nodes[i]->words,
				       sizeof(sets[0].nodes[i]->words));
	return same;
}

static bool compare_all(struct set *sets, uint32_t rounds)
{
	static const struct { const char *names[2]; use uses[2]; } all[] = {
		{ { "loop read", "loop write" }, { loop_read, loop_write } },
		{ { "chase read", "chase write" }, { chase_read, chase_write } },
		{ { "table read", "table write" }, { table_read, table_write } },
	};
	uint32_t i, k, steps;
	bool right = true;
	uint64_t sum = 0;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		steps = steps_of(all[i].uses[0], sets, &sum);
		for (k = 0; k < 2; k++)
			right = compare(all[i].names[k], all[i].uses[k], sets, steps, rounds) &&
				right;
	}
	return are_same(sets) && right;
}

static void tell(struct marvin *heap)
{
	struct marvin_stats stats = MARVIN_STATS;

	marvin_stats(heap, &stats);
	printf("# %llu ticks, %llu KiB written, %llu KiB given, %llu write traps\n",
	       (unsigned long long)stats.ticks, (unsigned long long)stats.written >> 10,
	       (unsigned long long)stats.gave >> 10, (unsigned long long)stats.write_traps);
}

/**
 * hot_run() - measure the time of an access, in a heap and without
 * @options: store, road, rounds and tick_ms
 */
bool hot_run(const struct bench_options *options)
{
	static const uint32_t sizes[] = { 16, 1000, 40000 };
	char store[256];
	struct marvin *heap;
	struct set sets[2];		/* of malloc(), and of libmarvin */
	bool right = true;
	unsigned int i;

	snprintf(store, sizeof(store), "%s/", options->store);
	printf("\nObjects of %zu bytes in use; ticks each %u ms; goal: at most 1.02\n",
	       sizeof(struct node), options->tick_ms);
	printf("objects  use         malloc ns  marvin ns   ratio   least    most  of best\n");
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		heap = memory_open(options, store, 2ULL * sizes[i] * sizeof(struct node),
				   options->tick_ms);
		if (!heap)
			return false;
		make(&sets[0], NULL, sizes[i]);
		make(&sets[1], heap, sizes[i]);
		right = compare_all(sets, options->rounds ? options->rounds : ROUNDS) && right;
		tell(heap);
		unmake(&sets[0]);
		marvin_close(heap);
	}
	if (!right)
		warnx("hot: wrong bytes");
	return right;
}
