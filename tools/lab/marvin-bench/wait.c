// SPDX-License-Identifier: GPL-2.0
/*
 * Measures the longest wait for an access to a hot object while eight threads load 64 MiB from a
 * store that needs 50 ms per read. A wait counts only if the thread slept, because the scheduler
 * may take the processor away at any time.
 */
#include <err.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <time.h>
#include "bench.h"
#include "memory.h"
#include "rounds.h"

#define THREADS 8U
#define EACH_BYTES (8U << 20)
#define READ_MS 50
#define HOT 16U
/* Short, so that hot pages are saved and writes to them trap now and then. */
#define TICK_MS 20U
#define GOAL_NS 1000000U
/* Time to save all cold memory: two times three ticks and the writes. */
#define SAVE_S 60U

static atomic_bool slow;
static atomic_uint reads;

ssize_t __real_pread64(int fd, void *to, size_t bytes, off_t at);
ssize_t __wrap_pread64(int fd, void *to, size_t bytes, off_t at);

/* Slow media for the library's reads. save.c reads /proc/self/pagemap with another size. */
ssize_t __wrap_pread64(int fd, void *to, size_t bytes, off_t at)
{
	const struct timespec time = { 0, READ_MS * 1000000L };

	if (slow && bytes % MEMORY_PAGE == 0) {
		nanosleep(&time, NULL);
		reads++;
	}
	return __real_pread64(fd, to, bytes, at);
}

struct loader {
	pthread_t thread;
	uint8_t *object;
	uint64_t seed;
	bool right;
};

static atomic_uint loading;

static void *load(void *arg)
{
	struct loader *loader = arg;
	uint32_t nr;

	loader->right = true;
	for (nr = 0; nr < EACH_BYTES / MEMORY_PAGE; nr++)
		if (!memory_is_page(loader->object + (size_t)nr * MEMORY_PAGE, nr, loader->seed))
			loader->right = false;
	loading--;
	return NULL;
}

struct waits {
	uint64_t uses, over, most_ns;
	uint64_t slept_over, slept_most_ns;
	long sleeps;			/* sleeps of this thread before the access */
};

static long sleeps(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw;
}

static void count(struct waits *waits, uint64_t ns)
{
	long now = sleeps();
	bool slept = now != waits->sleeps;

	waits->sleeps = now;
	waits->uses++;
	waits->over += ns > GOAL_NS;
	waits->most_ns = ns > waits->most_ns ? ns : waits->most_ns;
	if (!slept)
		return;
	waits->slept_over += ns > GOAL_NS;
	waits->slept_most_ns = ns > waits->slept_most_ns ? ns : waits->slept_most_ns;
}

static bool use_all(uint64_t *const *hot, uint64_t turn, struct waits *waits)
{
	bool right = true;
	uint64_t since_ns;
	uint32_t i;

	for (i = 0; i < HOT; i++) {
		since_ns = rounds_now_ns();
		right = right && *(volatile uint64_t *)hot[i] == turn - 1;
		*(volatile uint64_t *)hot[i] = turn;
		count(waits, rounds_now_ns() - since_ns);
	}
	return right;
}

static bool save_cold(struct marvin *heap)
{
	const struct timespec nap = { 0, 100000000L };
	struct marvin_stats stats = MARVIN_STATS;
	uint32_t i;

	for (i = 0; i < SAVE_S * 10; i++) {
		marvin_stats(heap, &stats);
		marvin_drop(heap, UINT64_MAX);
		if (stats.given >= (uint64_t)THREADS * EACH_BYTES)
			return true;
		nanosleep(&nap, NULL);
	}
	return false;
}

static bool make(struct marvin *heap, struct loader *loaders, uint64_t **hot)
{
	uint32_t i;

	for (i = 0; i < HOT; i++) {
		hot[i] = marvin_new_aligned(heap, MEMORY_PAGE, MEMORY_PAGE);
		if (!hot[i])
			return false;
	}
	for (i = 0; i < THREADS; i++) {
		loaders[i].object = marvin_new_aligned(heap, EACH_BYTES, MEMORY_PAGE);
		loaders[i].seed = i;
		if (!loaders[i].object)
			return false;
		memory_fill(loaders[i].object, EACH_BYTES, i);
	}
	return save_cold(heap) && memory_resident(loaders[0].object, EACH_BYTES) < 0.01;
}

static void tell(struct marvin *heap, const struct waits *waits, uint64_t took_ns,
		 uint64_t traps)
{
	struct marvin_stats stats = MARVIN_STATS;

	marvin_stats(heap, &stats);
	printf("loaded in %.2f s by %u reads; %llu uses, %llu write traps meanwhile\n",
	       (double)took_ns / 1e9, (unsigned int)reads, (unsigned long long)waits->uses,
	       (unsigned long long)(stats.write_traps - traps));
	printf("longest wait %.3f ms, %llu uses over 1 ms\n", (double)waits->slept_most_ns / 1e6,
	       (unsigned long long)waits->slept_over);
	printf("with those in which another program had the processor: %.3f ms, %llu\n",
	       (double)waits->most_ns / 1e6, (unsigned long long)waits->over);
}

static bool play(struct marvin *heap, struct loader *loaders, uint64_t *const *hot)
{
	struct waits waits = { .sleeps = sleeps() };
	struct marvin_stats stats = MARVIN_STATS;
	uint64_t turn = 0, since_ns = rounds_now_ns();
	bool right = true;
	uint32_t i;

	/* Bring the hot objects back, which save_cold() has taken as well. */
	right = use_all(hot, ++turn, &waits);
	waits = (struct waits){ .sleeps = sleeps() };
	marvin_stats(heap, &stats);
	slow = true;
	loading = THREADS;
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&loaders[i].thread, NULL, load, &loaders[i]))
			errx(1, "no thread");
	while (loading)
		right = use_all(hot, ++turn, &waits) && right;
	tell(heap, &waits, rounds_now_ns() - since_ns, stats.write_traps);
	slow = false;
	for (i = 0; i < THREADS; i++) {
		pthread_join(loaders[i].thread, NULL);
		right = right && loaders[i].right;
	}
	return right;
}

/**
 * wait_run() - measure the longest wait for a hot object
 * @options: store and road
 */
bool wait_run(const struct bench_options *options)
{
	uint64_t *hot[HOT];
	struct loader loaders[THREADS];
	struct marvin *heap;
	char store[256];
	bool right;

	snprintf(store, sizeof(store), "%s/", options->store);
	heap = memory_open(options, store, (uint64_t)THREADS * EACH_BYTES, TICK_MS);
	if (!heap)
		return false;
	printf("\n%u objects in use, while %u threads load %u MiB, %u ms a read; goal: 1 ms\n", HOT,
	       THREADS, THREADS * EACH_BYTES >> 20, READ_MS);
	right = make(heap, loaders, hot) && play(heap, loaders, hot);
	if (!right)
		warnx("wait: wrong bytes, or the store could not be used");
	marvin_close(heap);
	return right;
}
