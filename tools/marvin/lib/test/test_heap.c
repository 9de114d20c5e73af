// SPDX-License-Identifier: GPL-2.0
/*
 * Objects against a plain model: random sizes, reads, writes, pins, ticks, frees; the kernel drops
 * what it was given by MADV_FREE, all of it, or pages by chance, or nothing, by a shim for
 * madvise().
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "harness.h"
#include "marvin.h"
#include "objects.h"
#include "../heap.h"

int __real_madvise(void *addr, size_t bytes, int advice);
int __wrap_madvise(void *addr, size_t bytes, int advice);

/* What the kernel drops of memory that was given to it: percent of the pages. */
static unsigned int drop_percent = 100;
static uint64_t drop_state = 1;

int __wrap_madvise(void *addr, size_t bytes, int advice)
{
	size_t at, page = (size_t)sysconf(_SC_PAGESIZE);

	if (advice != MADV_FREE)
		return __real_madvise(addr, bytes, advice);
	for (at = 0; at < bytes; at += page)
		if (next_random(&drop_state) % 100 < drop_percent)
			__real_madvise((char *)addr + at, page, MADV_DONTNEED);
	return 0;
}

ssize_t __real_pwrite(int fd, const void *data, size_t bytes, off_t at);
ssize_t __wrap_pwrite(int fd, const void *data, size_t bytes, off_t at);

/* What happens in the middle of saving, once. */
static void (*in_write)(void);

ssize_t __wrap_pwrite(int fd, const void *data, size_t bytes, off_t at)
{
	void (*call)(void) = in_write;

	in_write = NULL;
	if (call)
		call();
	return __real_pwrite(fd, data, bytes, at);
}

static char path[64];
static char said[256];

static void say(const char *text)
{
	snprintf(said, sizeof(said), "%s", text);
}

static struct marvin_options options(void)
{
	struct marvin_options options = { .store = path, .space = 32 << 20, .objects = 4000,
					  .no_thread = true, .say = say };

	said[0] = '\0';
	return options;
}

static void begin(const char *dir)
{
	struct marvin_options opts = options();

	snprintf(path, sizeof(path), "%s/marvin.%d", dir, getpid());
	expect_eq(marvin_open(&opts), 0);
}

static void end(void)
{
	expect_eq(marvin_close(), 0);
	unlink(path);
}

static void test_life(void)
{
	struct marvin_stats stats;
	marvin_ref ref;

	begin("/var/tmp");
	ref = make(100000, 3);
	expect(check(ref, 3));
	ticks(3);
	marvin_stats(&stats);
	expect_eq(stats.saved, 0);
	ticks(1);
	marvin_stats(&stats);
	expect_eq(stats.saved, 1);
	expect_eq(stats.lazy, 1);
	expect(check(ref, 3));
	marvin_stats(&stats);
	expect_eq(stats.loaded, 1);
	/* It was only read: there is nothing to save. */
	ticks(6);
	marvin_stats(&stats);
	expect_eq(stats.saved, 1);
	expect_eq(stats.lazy, 2);
	marvin_enter();
	fill(marvin_write(ref), ref->bytes, 4);
	marvin_leave();
	ticks(6);
	expect(check(ref, 4));
	marvin_stats(&stats);
	expect_eq(stats.saved, 2);
	marvin_free(ref);
	marvin_stats(&stats);
	expect_eq(stats.objects, 0);
	expect_eq(stats.bytes, 0);
	end();
}

static void test_not_dropped(void)
{
	struct marvin_stats stats;
	marvin_ref ref;

	drop_percent = 0;
	begin("/var/tmp");
	ref = make(100000, 3);
	ticks(4);
	expect(check(ref, 3));
	marvin_stats(&stats);
	expect_eq(stats.claimed, 1);
	expect_eq(stats.loaded, 0);
	ticks(4);
	expect_eq(marvin_drop(1), 100000 / 4096 * 4096 + 4096);
	expect(check(ref, 3));
	marvin_stats(&stats);
	expect_eq(stats.loaded, 1);
	end();
	drop_percent = 100;
}

static void test_directory(void)
{
	struct marvin_options opts = options();
	struct marvin_stats stats;
	marvin_ref ref;

	opts.store = "/var/tmp/";
	expect_eq(marvin_open(&opts), 0);
	ref = make(8192, 1);
	ticks(5);
	expect(check(ref, 1));
	marvin_stats(&stats);
	expect_eq(stats.loaded, 1);
	expect_eq(marvin_close(), 0);
}

static void test_errors(void)
{
	struct marvin_options opts = options(), bad = opts;
	marvin_ref ref;

	expect(!marvin_new(10) && errno == EINVAL);
	bad.store = "/dev/null";
	expect_eq(marvin_open(&bad), -EINVAL);
	bad.store = "/nonexistent/file";
	expect_eq(marvin_open(&bad), -ENOENT);
	begin("/var/tmp");
	expect_eq(marvin_open(&opts), -EBUSY);
	expect(!marvin_new(0) && errno == EINVAL);
	/* Too large for the space: it stays in memory. */
	ref = make(33 << 20, 1);
	expect(strstr(said, "stay in memory") || ref->bytes > 32 << 20);
	ticks(5);
	expect(check(ref, 1));
	marvin_free(ref);
	marvin_enter();
	expect_eq(marvin_tick(1), -EDEADLK);
	marvin_leave();
	end();
	expect_eq(marvin_close(), -EINVAL);
}

static void test_damage(void)
{
	marvin_ref good, bad;
	int fd;

	begin("/var/tmp");
	bad = make(8192, 1);
	good = make(8192, 2);
	ticks(5);
	fd = open(path, O_RDWR);
	expect_eq(pwrite(fd, "x", 1, 5), 1);
	close(fd);
	marvin_enter();
	errno = 0;
	expect(!marvin_read(bad) && errno == EBADMSG);
	expect(!marvin_write(bad) && errno == EBADMSG);
	marvin_leave();
	expect(!marvin_pin(bad, false) && errno == EBADMSG);
	expect(strstr(said, "other bytes") != NULL);
	expect(check(good, 2));
	marvin_free(bad);
	marvin_free(good);
	/* A store that has become shorter. */
	bad = make(8192, 1);
	ticks(5);
	expect_eq(truncate(path, 0), 0);
	marvin_enter();
	expect(!marvin_read(bad) && errno == EIO);
	marvin_leave();
	end();
}

static void test_pins(void)
{
	struct marvin_stats stats;
	uint8_t *bytes;
	marvin_ref ref;

	begin("/var/tmp");
	ref = make(8192, 1);
	bytes = marvin_pin(ref, true);
	ticks(8);
	marvin_stats(&stats);
	expect_eq(stats.saved, 0);
	fill(bytes, 8192, 2);
	marvin_unpin(ref);
	ticks(8);
	marvin_stats(&stats);
	expect_eq(stats.saved, 1);
	expect(check(ref, 2));
	end();
}

static marvin_ref small, large, other;
static uint8_t *pinned;

static void pin_large(void)
{
	pinned = marvin_pin(large, true);
}

/* A large object was found to be saved; before it is, it is pinned to be written. */
static void test_pinned_late(void)
{
	begin("/var/tmp");
	small = make(4096, 1);
	large = make(3 << 20, 2);
	ticks(3);
	in_write = pin_large;
	ticks(1);
	expect(pinned != NULL);
	fill(pinned, large->bytes, 3);
	marvin_unpin(large);
	ticks(8);
	expect(check(large, 3));
	expect(check(small, 1));
	end();
}

static void replace_large(void)
{
	marvin_free(large);
	other = make(4096, 5);
	large = make(2 << 20, 6);
}

/* The same; it is freed, and others get its entry and its place. */
static void test_replaced_late(void)
{
	begin("/var/tmp");
	small = make(4096, 1);
	large = make(3 << 20, 2);
	ticks(3);
	in_write = replace_large;
	ticks(9);
	expect(check(other, 5));
	expect(check(large, 6));
	expect(check(small, 1));
	end();
}

/* A stub that has outlived the heap is no object of the next one. */
static void test_outlived(void)
{
	marvin_ref old, new;

	begin("/var/tmp");
	old = make(8192, 1);
	expect_eq(marvin_close(), 0);
	begin("/var/tmp");
	new = make(8192, 2);
	marvin_enter();
	errno = 0;
	expect(!marvin_read(old) && errno == EINVAL);
	marvin_leave();
	marvin_free(old);
	expect(check(new, 2));
	end();
}

static int child(marvin_ref there, marvin_ref out, marvin_ref changed)
{
	if (!check(there, 1) || !check(out, 2))
		return 1;
	marvin_enter();
	fill(marvin_write(there), there->bytes, 9);
	marvin_leave();
	ticks(8);
	if (!check(there, 9))
		return 2;
	/* The parent has changed it, and its place in the store: other bytes would be wrong. */
	sleep(1);
	marvin_enter();
	if (marvin_read(changed) || errno != ESTALE)
		return 3;
	marvin_leave();
	return marvin_close() ? 4 : 0;
}

static void test_fork(void)
{
	marvin_ref there, out, changed;
	int status;
	pid_t pid;

	begin("/var/tmp");
	there = make(100000, 1);
	out = make(8192, 2);
	changed = make(8192, 3);
	ticks(6);
	expect(check(there, 1));
	pid = fork();
	if (!pid)
		_exit(child(there, out, changed));
	marvin_enter();
	fill(marvin_write(changed), 8192, 4);
	marvin_leave();
	ticks(6);
	expect_eq(waitpid(pid, &status, 0), pid);
	expect_eq(status, 0);
	expect(check(there, 1));
	expect(check(out, 2));
	expect(check(changed, 4));
	end();
}

#define OBJECTS 300

static void random_work(uint64_t seed, unsigned int steps)
{
	static struct { marvin_ref ref; uint64_t seed; } model[OBJECTS];
	static const size_t sizes[] = { 1, 100, 2048, 4076, 4096, 4097, 30000, 200000, 3000000 };
	uint64_t state = seed, wrong = 0;
	unsigned int step, i;

	for (step = 0; step < steps; step++) {
		i = next_random(&state) % OBJECTS;
		if (!model[i].ref) {
			size_t bytes = sizes[next_random(&state) % (i % 40 ? 8 : 9)];

			model[i].seed = step;
			model[i].ref = make(bytes, step);
			continue;
		}
		switch (next_random(&state) % 16) {
		case 0:
			marvin_free(model[i].ref);
			model[i].ref = NULL;
			break;
		case 1: case 2: case 3:
			marvin_enter();
			fill(marvin_write(model[i].ref), model[i].ref->bytes, step);
			marvin_leave();
			model[i].seed = step;
			break;
		case 4:
			drop_percent = (unsigned int)(next_random(&state) % 3) * 50;
			marvin_tick(1000);
			break;
		case 5:
			marvin_drop(next_random(&state) % 1000000);
			break;
		default:
			wrong += !check(model[i].ref, model[i].seed);
		}
	}
	for (i = 0; i < OBJECTS; i++) {
		wrong += model[i].ref && !check(model[i].ref, model[i].seed);
		marvin_free(model[i].ref);
		model[i].ref = NULL;
	}
	expect_eq(wrong, 0);
	drop_percent = 100;
}

static void test_random(void)
{
	struct marvin_stats stats;

	begin("/var/tmp");
	random_work(1, getenv("QUICK") ? 5000 : 30000);
	marvin_stats(&stats);
	tap_note("saved %llu, given %llu, still there %llu, read %llu",
		 (unsigned long long)stats.saved, (unsigned long long)stats.lazy,
		 (unsigned long long)stats.claimed, (unsigned long long)stats.loaded);
	expect(stats.loaded > 100);
	expect_eq(stats.objects, 0);
	end();
}

/* Threads of the program, the saver, and ticks as fast as it goes. */
struct worker {
	pthread_t thread;
	uint64_t wrong;
	uint64_t seed;
};

static _Atomic bool stop;

static void *worker(void *arg)
{
	struct worker *self = arg;
	struct { marvin_ref ref; uint64_t seed; } mine[40];
	uint64_t state = self->seed;
	unsigned int i, step;

	for (i = 0; i < 40; i++) {
		mine[i].ref = make(i % 4 ? 4096 : 70000, i);
		mine[i].seed = i;
	}
	for (step = 0; step < 20000; step++) {
		i = next_random(&state) % (step % 1000 < 500 ? 40 : 8);
		if (next_random(&state) % 4 == 0) {
			marvin_enter();
			fill(marvin_write(mine[i].ref), mine[i].ref->bytes, step);
			marvin_leave();
			mine[i].seed = step;
		} else {
			self->wrong += !check(mine[i].ref, mine[i].seed);
		}
		if (step % 50 == 0)
			usleep(100);
	}
	for (i = 0; i < 40; i++) {
		self->wrong += !check(mine[i].ref, mine[i].seed);
		marvin_free(mine[i].ref);
	}
	return NULL;
}

static void *ticker(void *arg)
{
	while (!stop) {
		marvin_tick(100);
		marvin_drop(100000);
		usleep(500);
	}
	return arg;
}

static void test_threads(void)
{
	struct worker workers[4] = { { .seed = 1 }, { .seed = 2 }, { .seed = 3 }, { .seed = 4 } };
	struct marvin_stats stats;
	pthread_t tick;
	unsigned int i;

	begin("/var/tmp");
	stop = false;
	pthread_create(&tick, NULL, ticker, NULL);
	for (i = 0; i < 4; i++)
		pthread_create(&workers[i].thread, NULL, worker, &workers[i]);
	for (i = 0; i < 4; i++) {
		pthread_join(workers[i].thread, NULL);
		expect_eq(workers[i].wrong, 0);
	}
	stop = true;
	pthread_join(tick, NULL);
	marvin_stats(&stats);
	tap_note("ticks %llu, saved %llu, read %llu", (unsigned long long)stats.ticks,
		 (unsigned long long)stats.saved, (unsigned long long)stats.loaded);
	expect(stats.loaded > 0);
	end();
}

static const struct tap_case cases[] = {
	{ "the life of an object", test_life },
	{ "memory that the kernel did not want", test_not_dropped },
	{ "a store without a name", test_directory },
	{ "what cannot be", test_errors },
	{ "a store that is damaged", test_damage },
	{ "pins", test_pins },
	{ "a large object is pinned while it is about to be saved", test_pinned_late },
	{ "a large object is replaced while it is about to be saved", test_replaced_late },
	{ "a stub that has outlived the heap", test_outlived },
	{ "a fork", test_fork },
	{ "random use, and a kernel that drops by chance", test_random },
	{ "threads", test_threads },
};

int main(int argc, char **argv)
{
	return tap_main("heap", cases, ARRAY_SIZE(cases), argc, argv);
}
