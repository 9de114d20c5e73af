// SPDX-License-Identifier: GPL-2.0
/*
 * The lock protocol: threads that use objects, and marvind's own function that takes them back, in
 * a thread of this process. What the kernel would drop is dropped here by a shim, whether it was
 * written or not: what the kernel spares must not be needed. The shim writes to it before, so that
 * ThreadSanitizer sees whether the lock orders the two.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "harness.h"
#include "marvin.h"
#include "objects.h"
#include "../heap.h"
#include "../../marvind/reclaim.h"

int __real_madvise(void *addr, size_t bytes, int advice);
int __wrap_madvise(void *addr, size_t bytes, int advice);

/* Percent of what is given that the kernel takes by itself at once. */
static unsigned int drop_percent;

int __wrap_madvise(void *addr, size_t bytes, int advice)
{
	static uint64_t state = 1;

	if (advice != MADV_FREE)
		return __real_madvise(addr, bytes, advice);
	if (next_random(&state) % 100 < drop_percent)
		return __real_madvise(addr, bytes, MADV_DONTNEED);
	return 0;
}

static char path[64];

static void say(const char *text)
{
	tap_note("%s", text);
}

static void begin(void)
{
	struct marvin_options options = { .store = path, .space = 32 << 20, .objects = 2000,
					  .no_thread = true, .say = say };

	unsetenv("MARVIN_REGISTER");
	snprintf(path, sizeof(path), "/var/tmp/marvin-lock.%d", getpid());
	drop_percent = 0;
	expect_eq(marvin_open(&options), 0);
}

static void end(void)
{
	expect_eq(marvin_close(), 0);
	unlink(path);
}

static uint64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/* What a shim of the kernel did. */
struct kernel {
	uint64_t state;
	uint64_t calls;
	bool spares;			/* it takes only a part, or fails */
};

static ssize_t drop(const struct iovec *ranges, size_t n, void *arg)
{
	struct kernel *kernel = arg;
	ssize_t done = 0;
	size_t i, at;

	kernel->calls++;
	for (i = 0; i < n; i++) {
		unsigned int chance = kernel->spares ? next_random(&kernel->state) % 8 : 7;
		size_t bytes = ranges[i].iov_len;

		if (chance == 0)
			return done ? done : -ENOMEM;
		if (chance == 1)
			usleep(200);
		/* It says that it was done for all of it; pages that stay are no error. */
		if (chance == 2)
			bytes = 4096;
		for (at = 0; at < bytes; at += 4096)
			((uint8_t *)ranges[i].iov_base)[at] = 0xee;
		__real_madvise(ranges[i].iov_base, bytes, MADV_DONTNEED);
		done += (ssize_t)ranges[i].iov_len;
	}
	return done;
}

/* ThreadSanitizer knows an atomic word by its address: both sides need the same one. */
static void open_reclaimer(struct reclaim *reclaim, struct kernel *kernel)
{
	expect_eq(reclaim_open(reclaim, dup(marvin_heap.table_fd), drop, kernel), 0);
	munmap(reclaim->table, reclaim->bytes);
	reclaim->table = marvin_heap.table;
	atomic_store(&marvin_heap.table->reclaimer, (uint32_t)getpid());
}

static void close_reclaimer(struct reclaim *reclaim)
{
	close(reclaim->fd);
}

static void test_take(void)
{
	struct kernel kernel = { 0 };
	struct reclaim reclaim;
	struct reclaim_sum sum;
	struct marvin_stats stats;
	marvin_ref refs[20];
	unsigned int i;

	begin();
	for (i = 0; i < 20; i++)
		refs[i] = make(100000, i);
	open_reclaimer(&reclaim, &kernel);
	/* Nothing was given yet. */
	expect_eq(reclaim_take(&reclaim, UINT64_MAX, UINT64_MAX), 0);
	expect_eq(kernel.calls, 0);
	ticks(5);
	marvin_pin(refs[3], false);
	expect_eq(reclaim_count(&reclaim, &sum), 0);
	expect_eq(sum.objects, 20);
	expect_eq(sum.given, 19 * 25);
	expect_eq(sum.out, 0);
	expect_eq(reclaim_take(&reclaim, 1, UINT64_MAX), 25 * 4096);
	expect(reclaim.next != 0);
	expect_eq(reclaim_take(&reclaim, UINT64_MAX, UINT64_MAX), 18 * 25 * 4096);
	expect_eq(reclaim.next, 0);
	reclaim_count(&reclaim, &sum);
	expect_eq(sum.given, 0);
	expect_eq(sum.out, 19 * 25);
	marvin_stats(&stats);
	expect_eq(stats.dropped, 19);
	for (i = 0; i < 20; i++)
		expect(check(refs[i], i));
	marvin_stats(&stats);
	expect_eq(stats.loaded, 19);
	marvin_unpin(refs[3]);
	close_reclaimer(&reclaim);
	end();
}

/* leave_lock() - as a reclaimer would that ends at the worst moment */
static void leave_lock(marvin_ref ref, uint32_t reclaimer)
{
	atomic_store(&marvin_heap.table->reclaimer, reclaimer);
	__atomic_fetch_or(ref->word, ENTRY_LOCK, __ATOMIC_SEQ_CST);
	__real_madvise(ref->data, ref->bytes, MADV_DONTNEED);
}

static void test_dead(void)
{
	pid_t pid = fork();
	uint64_t since_us;
	marvin_ref ref, freed;

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	begin();
	heap_patience_ms = 60000;
	ref = make(100000, 1);
	freed = make(100000, 2);
	ticks(5);
	leave_lock(ref, (uint32_t)pid);
	leave_lock(freed, (uint32_t)pid);
	since_us = now_us();
	expect(check(ref, 1));
	marvin_free(freed);
	expect(now_us() - since_us < 30000000);
	expect(!(*ref->word & ENTRY_LOCK));
	end();
}

/* One that is there, but stopped; or another process that has the id of one that died. */
static void test_stopped(void)
{
	marvin_ref ref, other;
	uint64_t since_us;

	begin();
	heap_patience_ms = 100;
	ref = make(100000, 1);
	other = make(100000, 2);
	ticks(5);
	leave_lock(ref, (uint32_t)getpid());
	leave_lock(other, (uint32_t)getpid());
	since_us = now_us();
	expect(check(ref, 1));
	expect(now_us() - since_us >= 100000);
	expect(!(*ref->word & (ENTRY_LOCK | ENTRY_PINS)));
	/* Its other locks are not waited for any more. */
	heap_patience_ms = 600000;
	since_us = now_us();
	expect(check(other, 2));
	expect(now_us() - since_us < 60000000);
	end();
}

/* A lock that was left keeps nobody from taking the object back. */
static void test_left(void)
{
	struct kernel kernel = { 0 };
	struct reclaim reclaim;
	marvin_ref ref;

	begin();
	ref = make(100000, 1);
	ticks(5);
	leave_lock(ref, 1);
	open_reclaimer(&reclaim, &kernel);
	expect_eq(reclaim_take(&reclaim, UINT64_MAX, UINT64_MAX), 25 * 4096);
	expect(!(*ref->word & (ENTRY_LOCK | ENTRY_RESIDENT)));
	expect(check(ref, 1));
	close_reclaimer(&reclaim);
	end();
}

static _Atomic bool stop;

static void *reclaimer(void *arg)
{
	struct kernel kernel = { .state = 7, .spares = true };
	struct reclaim *reclaim = arg;

	reclaim->arg = &kernel;
	while (!stop) {
		reclaim_take(reclaim, next_random(&kernel.state) % 400000, now_us() + 20000);
		usleep((unsigned int)(next_random(&kernel.state) % 300));
	}
	return NULL;
}

static void *ticker(void *arg)
{
	while (!stop) {
		marvin_tick(100);
		usleep(300);
	}
	return arg;
}

#define MINE 40U

struct worker {
	pthread_t thread;
	uint64_t seed;
	uint64_t wrong;
	struct { marvin_ref ref; uint64_t seed; } mine[MINE];
};

/* pinned() - use an object for longer than others are inside */
static bool pinned(marvin_ref ref, uint64_t seed, uint64_t *new)
{
	uint8_t *bytes = marvin_pin(ref, true);
	bool good = is_filled(bytes, ref->bytes, seed);

	usleep(100);
	good = good && is_filled(bytes, ref->bytes, seed);
	*new = seed + 1;
	fill(bytes, ref->bytes, *new);
	marvin_unpin(ref);
	return good;
}

static void use(struct worker *self, unsigned int i, uint64_t chance, uint64_t step)
{
	marvin_ref ref = self->mine[i].ref;

	if (chance == 0) {
		self->wrong += !pinned(ref, self->mine[i].seed, &self->mine[i].seed);
	} else if (chance == 1) {
		self->wrong += !check(ref, self->mine[i].seed);
		marvin_free(ref);
		self->mine[i].ref = make(i % 4 ? 4096 : 70000, step);
		self->mine[i].seed = step;
	} else if (chance < 5) {
		marvin_enter();
		fill(marvin_write(ref), ref->bytes, step);
		marvin_leave();
		self->mine[i].seed = step;
	} else {
		self->wrong += !check(ref, self->mine[i].seed);
	}
}

/* is_enough() - was so much taken back that it could have gone wrong? On a slow disk, later */
static bool is_enough(void)
{
	struct marvin_stats stats;

	marvin_stats(&stats);
	return stats.dropped > 100 && stats.loaded > 50;
}

static void *worker(void *arg)
{
	struct worker *self = arg;
	uint64_t state = self->seed;
	unsigned int i, step, steps = getenv("QUICK") ? 5000 : 20000;

	for (i = 0; i < MINE; i++) {
		self->mine[i].ref = make(i % 4 ? 4096 : 70000, i);
		self->mine[i].seed = i;
	}
	for (step = 0; step < steps || (step < 50 * steps && !is_enough()); step++) {
		/* Half of the time most of them grow cold. */
		i = (unsigned int)(next_random(&state) % (step % 1000 < 500 ? MINE : 6));
		use(self, i, next_random(&state) % 24, step);
		if (step % 20 == 0)
			usleep(100);
	}
	for (i = 0; i < MINE; i++) {
		self->wrong += !check(self->mine[i].ref, self->mine[i].seed);
		marvin_free(self->mine[i].ref);
	}
	return NULL;
}

static void test_threads(void)
{
	static struct worker workers[3];
	struct marvin_stats stats;
	struct reclaim reclaim;
	pthread_t tick, take;
	unsigned int i;

	begin();
	/* The shim is worse than the kernel: a lock that is taken away from it would be harm. */
	heap_patience_ms = 600000;
	drop_percent = 10;
	stop = false;
	open_reclaimer(&reclaim, NULL);
	pthread_create(&take, NULL, reclaimer, &reclaim);
	pthread_create(&tick, NULL, ticker, NULL);
	for (i = 0; i < 3; i++) {
		workers[i].seed = i + 1;
		pthread_create(&workers[i].thread, NULL, worker, &workers[i]);
	}
	for (i = 0; i < 3; i++) {
		pthread_join(workers[i].thread, NULL);
		expect_eq(workers[i].wrong, 0);
	}
	stop = true;
	pthread_join(take, NULL);
	pthread_join(tick, NULL);
	marvin_stats(&stats);
	tap_note("given %llu, taken back %llu, still there %llu, read %llu",
		 (unsigned long long)stats.lazy, (unsigned long long)stats.dropped,
		 (unsigned long long)stats.claimed, (unsigned long long)stats.loaded);
	expect(stats.dropped > 100);
	expect(stats.loaded > 50);
	expect_eq(stats.broken, 0);
	close_reclaimer(&reclaim);
	end();
}

static const struct tap_case cases[] = {
	{ "objects are taken back", test_take },
	{ "a reclaimer that dies with locks held", test_dead },
	{ "a reclaimer that is stopped with locks held", test_stopped },
	{ "a lock that was left", test_left },
	{ "threads against the reclaimer", test_threads },
};

int main(int argc, char **argv)
{
	return tap_main("lock", cases, ARRAY_SIZE(cases), argc, argv);
}
