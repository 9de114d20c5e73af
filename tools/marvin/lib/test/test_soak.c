// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that do random operations on objects that they share, against a plain model, while two
 * other processes take the memory by both roads at once: one has the kernel reclaim all of the
 * space without asking (MADV_PAGEOUT: what was given by MADV_FREE and not written since is dropped,
 * as under pressure), one is marvind's function, which takes objects under the lock protocol.
 * Every use looks at all bytes.
 *
 * OPS= says how many operations (QUICK: 500,000; else 10,000,000), OBJECTS= on how many objects
 * (1,500), STORE= where (/var/tmp/). Root, Linux 5.10.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "harness.h"
#include "marvin.h"
#include "objects.h"
#include "../heap.h"
#include "../../marvind/reclaim.h"

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif
#ifndef SYS_process_madvise
#define SYS_process_madvise 440
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif

#define THREADS 4U
#define SPACE (128U << 20)
#define MOST_OBJECTS 4000U
/* Most operations use objects of a window, which moves after so many. */
#define WINDOW 48U
#define WINDOW_OPS 4000U

/* The model: the two halves of an object follow from a number each. */
struct object {
	pthread_rwlock_t lock;
	marvin_ref ref;
	uint64_t seed[2];
	uint32_t pins;			/* atomic: pins that are kept for long */
};

static struct object objects[MOST_OBJECTS];
static uint32_t objects_n = 1500;
static uint64_t ops_each;

/* Of the pages of the space: which entry begins there. */
static uint32_t owner[SPACE / 4096];
/* Objects that came back from the store: after the kernel, and after the reclaimer. */
static uint64_t by_kernel, by_reclaimer;

struct worker {
	pthread_t thread;
	uint64_t state;
	uint64_t ops, wrong, lost, pins, writes, made;
	struct object *pinned;
	const uint8_t *pinned_bytes;
};

int __real_store_read(const struct store *store, uint64_t at, void *data, size_t bytes);
int __wrap_store_read(const struct store *store, uint64_t at, void *data, size_t bytes);

/* An object that is not RESIDENT was taken by the reclaimer; else its hash was wrong. */
int __wrap_store_read(const struct store *store, uint64_t at, void *data, size_t bytes)
{
	uint32_t nr = __atomic_load_n(&owner[at / marvin_heap.page], __ATOMIC_RELAXED);
	bool resident = heap_word(nr) & ENTRY_RESIDENT;

	__atomic_fetch_add(resident ? &by_kernel : &by_reclaimer, 1, __ATOMIC_RELAXED);
	return __real_store_read(store, at, data, bytes);
}

/* half() - where one of them begins, in words. What is less than a word belongs to the second */
static size_t half(size_t bytes, unsigned int which)
{
	return bytes / 8 * which / 2;
}

static void fill_half(uint8_t *to, size_t bytes, unsigned int which, uint64_t seed)
{
	fill_words(to, half(bytes, which), half(bytes, which + 1), seed);
	if (which == 1)
		fill_end(to, bytes, seed);
}

static bool is_half(const uint8_t *from, size_t bytes, unsigned int which, uint64_t seed)
{
	return are_words(from, half(bytes, which), half(bytes, which + 1), seed) &&
	       (which == 0 || is_end(from, bytes, seed));
}

/* check_object() - @bytes is NULL, if it is lost */
static void check_object(struct worker *self, const struct object *object, const uint8_t *bytes)
{
	size_t n = object->ref->bytes;

	if (!bytes)
		self->lost++;
	else if (!is_half(bytes, n, 0, object->seed[0]) || !is_half(bytes, n, 1, object->seed[1]))
		self->wrong++;
}

static void write_object(struct worker *self, struct object *object, uint8_t *bytes)
{
	unsigned int which, halves = (unsigned int)(next_random(&self->state) % 3) + 1;

	self->writes++;
	for (which = 0; bytes && which < 2; which++) {
		if (!(halves & 1U << which))
			continue;
		object->seed[which] = next_random(&self->state);
		fill_half(bytes, object->ref->bytes, which, object->seed[which]);
	}
}

/* some_bytes() - small ones most of the time, and now and then more than the saver's buffer has */
static size_t some_bytes(uint64_t *state)
{
	uint64_t chance = next_random(state) % 256;
	size_t most = chance < 16 ? 2000 : chance < 176 ? 8192 : chance < 240 ? 65536 :
		      chance < 255 ? 262144 : 3 << 20;

	return 1 + (size_t)(next_random(state) % most);
}

/* make_object() - anew; its bytes are 0 */
static void make_object(struct worker *self, struct object *object)
{
	size_t bytes = some_bytes(&self->state), i;
	const uint8_t *zeroes;
	uint64_t sum = 0;

	object->ref = marvin_new(bytes);
	if (!object->ref)
		abort();
	if ((uintptr_t)object->ref->data - (uintptr_t)marvin_heap.space < SPACE) {
		uint32_t nr = (uint32_t)((struct marvin_entry *)object->ref->word -
					 marvin_heap.entries);

		__atomic_store_n(&owner[marvin_heap.entries[nr].page], nr, __ATOMIC_RELAXED);
	}
	marvin_enter();
	zeroes = marvin_read(object->ref);
	for (i = 0; i < bytes; i++)
		sum |= zeroes[i];
	self->wrong += !!sum;
	object->seed[0] = next_random(&self->state);
	object->seed[1] = next_random(&self->state);
	fill_half(marvin_write(object->ref), bytes, 0, object->seed[0]);
	fill_half(marvin_write(object->ref), bytes, 1, object->seed[1]);
	marvin_leave();
	self->made++;
}

static void read_one(struct worker *self, struct object *object)
{
	pthread_rwlock_rdlock(&object->lock);
	marvin_enter();
	check_object(self, object, marvin_read(object->ref));
	marvin_leave();
	pthread_rwlock_unlock(&object->lock);
}

static void write_one(struct worker *self, struct object *object)
{
	pthread_rwlock_wrlock(&object->lock);
	marvin_enter();
	if (next_random(&self->state) % 2)
		check_object(self, object, marvin_read(object->ref));
	write_object(self, object, marvin_write(object->ref));
	marvin_leave();
	pthread_rwlock_unlock(&object->lock);
}

/* replace_one() - by one of another size */
static void replace_one(struct worker *self, struct object *object)
{
	pthread_rwlock_wrlock(&object->lock);
	marvin_enter();
	check_object(self, object, marvin_read(object->ref));
	marvin_leave();
	if (!__atomic_load_n(&object->pins, __ATOMIC_RELAXED)) {
		marvin_free(object->ref);
		make_object(self, object);
	}
	pthread_rwlock_unlock(&object->lock);
}

/* pin_one() - written by the pin's pointer, while nobody is inside */
static void pin_one(struct worker *self, struct object *object)
{
	uint8_t *bytes;

	pthread_rwlock_wrlock(&object->lock);
	bytes = marvin_pin(object->ref, true);
	check_object(self, object, bytes);
	write_object(self, object, bytes);
	sched_yield();
	check_object(self, object, bytes);
	if (bytes)
		marvin_unpin(object->ref);
	pthread_rwlock_unlock(&object->lock);
	self->pins++;
}

/* keep_one() - a pin for many operations; the one before ends */
static void keep_one(struct worker *self, struct object *object)
{
	struct object *old = self->pinned;

	if (old) {
		pthread_rwlock_rdlock(&old->lock);
		check_object(self, old, self->pinned_bytes);
		marvin_unpin(old->ref);
		__atomic_fetch_sub(&old->pins, 1, __ATOMIC_RELAXED);
		pthread_rwlock_unlock(&old->lock);
	}
	self->pinned = object;
	if (!object)
		return;
	pthread_rwlock_rdlock(&object->lock);
	self->pinned_bytes = marvin_pin(object->ref, false);
	__atomic_fetch_add(&object->pins, 1, __ATOMIC_RELAXED);
	check_object(self, object, self->pinned_bytes);
	pthread_rwlock_unlock(&object->lock);
	self->pins++;
}

static void do_one(struct worker *self, struct object *object)
{
	uint64_t chance = next_random(&self->state) % 256;

	if (chance < 2)
		replace_one(self, object);
	else if (chance < 4)
		pin_one(self, object);
	else if (chance == 4)
		keep_one(self, object);
	else if (chance < 40)
		write_one(self, object);
	else
		read_one(self, object);
}

/* is_enough() - was so much brought back that it could have gone wrong? On a slow disk, later */
static bool is_enough(void)
{
	uint64_t enough = ops_each * THREADS / 10000;

	return __atomic_load_n(&by_kernel, __ATOMIC_RELAXED) > enough &&
	       __atomic_load_n(&by_reclaimer, __ATOMIC_RELAXED) > enough;
}

static void *work(void *arg)
{
	struct worker *self = arg;
	uint64_t op, from = 0;

	for (op = 0; op < ops_each || (op < 20 * ops_each && !is_enough()); op++) {
		uint64_t i = next_random(&self->state);

		if (op % WINDOW_OPS == 0)
			from = next_random(&self->state);
		if (i % 8)
			i = from + i / 8 % WINDOW;
		do_one(self, &objects[i % objects_n]);
	}
	keep_one(self, NULL);
	self->ops = op;
	return NULL;
}

static bool stop;

static void *ticker(void *arg)
{
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		marvin_tick(200);
		usleep(500);
	}
	return arg;
}

static int pidfd_of(pid_t pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	if (fd < 0)
		_exit(1);
	return fd;
}

static ssize_t advise(const struct iovec *ranges, size_t n, void *arg)
{
	ssize_t ret = syscall(SYS_process_madvise, *(int *)arg, ranges, n, MADV_PAGEOUT, 0);

	return ret < 0 ? -errno : ret;
}

/* kernel() - a process: the program's memory is reclaimed, two MiB at a time, whatever is there */
static void kernel(pid_t pid, uintptr_t space)
{
	uint64_t state = 3;
	int fd = pidfd_of(pid);

	for (;;) {
		/* The low half: the lowest pages that are free are taken first. */
		size_t at = next_random(&state) % (SPACE >> 22) << 21;
		struct iovec range = { (void *)(space + at), 2 << 20 };

		advise(&range, 1, &fd);
		usleep((useconds_t)(next_random(&state) % 300));
	}
}

/* reclaimer() - a process that does what marvind does, as fast as it goes */
static void reclaimer(pid_t pid, int table_fd)
{
	struct reclaim reclaim;
	uint64_t state = 5;
	int fd = pidfd_of(pid), table = (int)syscall(SYS_pidfd_getfd, fd, table_fd, 0);

	if (table < 0 || reclaim_open(&reclaim, table, advise, &fd))
		return;
	atomic_store(&reclaim.table->reclaimer, (uint32_t)getpid());
	for (;;) {
		reclaim_take(&reclaim, next_random(&state) % (1 << 19), UINT64_MAX);
		usleep((useconds_t)(next_random(&state) % 20000));
	}
}

/* start() - this program once more, as another process of a kind */
static pid_t start(char *kind, uintptr_t value)
{
	char pid[16], text[24];
	char *const args[] = { "test_soak", kind, pid, text, NULL };
	extern char **environ;
	pid_t child;

	snprintf(pid, sizeof(pid), "%d", getpid());
	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	return posix_spawn(&child, "/proc/self/exe", NULL, NULL, args, environ) ? -1 : child;
}

static bool end_process(pid_t pid)
{
	int status;

	kill(pid, SIGKILL);
	return waitpid(pid, &status, 0) == pid && WIFSIGNALED(status);
}

static bool is_possible(void)
{
	int fd = (int)syscall(SYS_pidfd_open, getpid(), 0);
	bool possible = fd >= 0 && !geteuid() &&
			!syscall(SYS_process_madvise, fd, NULL, 0, MADV_PAGEOUT, 0);

	close(fd);
	return possible;
}

static uint64_t number_of(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

static void begin(void)
{
	struct marvin_options options = { .store = getenv("STORE") ? getenv("STORE") : "/var/tmp/",
					  .space = SPACE, .objects = MOST_OBJECTS,
					  .no_thread = true };
	struct worker maker = { .state = 11 };
	uint32_t i;

	unsetenv("MARVIN_REGISTER");
	objects_n = (uint32_t)number_of("OBJECTS", objects_n) % (MOST_OBJECTS + 1);
	ops_each = number_of("OPS", getenv("QUICK") ? 500000 : 10000000) / THREADS;
	by_kernel = 0;
	by_reclaimer = 0;
	stop = false;
	expect_eq(marvin_open(&options), 0);
	for (i = 0; i < objects_n; i++) {
		pthread_rwlock_init(&objects[i].lock, NULL);
		make_object(&maker, &objects[i]);
	}
	expect_eq(maker.wrong, 0);
}

static void end(void)
{
	struct worker last = { .state = 12 };
	uint32_t i;

	for (i = 0; i < objects_n; i++) {
		read_one(&last, &objects[i]);
		expect_eq(objects[i].pins, 0);
		marvin_free(objects[i].ref);
		pthread_rwlock_destroy(&objects[i].lock);
	}
	expect_eq(last.wrong + last.lost, 0);
	expect_eq(marvin_close(), 0);
}

static void tell(const struct worker *workers, time_t seconds)
{
	struct marvin_stats stats;
	uint64_t ops = 0, writes = 0, pins = 0, made = 0;
	unsigned int i;

	for (i = 0; i < THREADS; i++) {
		expect_eq(workers[i].wrong, 0);
		expect_eq(workers[i].lost, 0);
		ops += workers[i].ops;
		writes += workers[i].writes;
		pins += workers[i].pins;
		made += workers[i].made;
	}
	marvin_stats(&stats);
	tap_note("%llu operations in %lld s: %llu writes, %llu pins, %llu objects replaced",
		 (unsigned long long)ops, (long long)seconds,
		 (unsigned long long)writes, (unsigned long long)pins, (unsigned long long)made);
	tap_note("%llu ticks, %llu saved, %llu given, %llu still there",
		 (unsigned long long)stats.ticks, (unsigned long long)stats.saved,
		 (unsigned long long)stats.lazy, (unsigned long long)stats.claimed);
	tap_note("brought back after the kernel %llu, after the reclaimer %llu",
		 (unsigned long long)by_kernel, (unsigned long long)by_reclaimer);
	expect_eq(stats.broken, 0);
	expect_eq(stats.store_errors, 0);
}

static void test_soak(void)
{
	struct worker workers[THREADS] = { 0 };
	time_t since = time(NULL);
	pid_t pids[2];
	pthread_t tick;
	unsigned int i;

	begin();
	pids[0] = start("kernel", (uintptr_t)marvin_heap.space);
	pids[1] = start("reclaimer", (uintptr_t)marvin_heap.table_fd);
	pthread_create(&tick, NULL, ticker, NULL);
	for (i = 0; i < THREADS; i++) {
		workers[i].state = number_of("SEED", 1) * 1000 + i;
		pthread_create(&workers[i].thread, NULL, work, &workers[i]);
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(workers[i].thread, NULL);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(tick, NULL);
	expect(end_process(pids[0]));
	expect(end_process(pids[1]));
	tell(workers, time(NULL) - since);
	expect(is_enough());
	end();
}

static const struct tap_case cases[] = {
	{ "random use while the kernel and marvind take the memory", test_soak },
};

int main(int argc, char **argv)
{
	if (argc == 4) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (!strcmp(argv[1], "kernel"))
			kernel(atoi(argv[2]), (uintptr_t)strtoull(argv[3], NULL, 10));
		reclaimer(atoi(argv[2]), atoi(argv[3]));
		return 1;
	}
	if (!is_possible()) {
		puts("1..0 # SKIP not root, or no process_madvise()");
		return 0;
	}
	return tap_main("soak", cases, ARRAY_SIZE(cases), argc, argv);
}
