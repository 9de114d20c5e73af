/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For the suites of the heap: a heap at a path, objects whose bytes are known, and functions
 * of the C library that fail or wait when a test wants it.
 */
#ifndef HEAPS_H
#define HEAPS_H

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "harness.h"
#include "marvin.h"
#include "../heap.h"

/* So many ticks without a use, and a page is saved and given. */
#define TICKS 6U

static char path[64];
static struct marvin *heap;
static enum marvin_road road;

static char said[256];
static _Atomic unsigned int said_n;

static inline void say(const char *text)
{
	snprintf(said, sizeof(said), "%s", text);
	said_n++;
}

/* Called once, in the next read or write of the store; how long each takes; its error. */
static void (*_Atomic in_read)(void), (*_Atomic in_write)(void);
static _Atomic unsigned int read_ms, write_ms;
static _Atomic int read_errno, write_errno;
static _Atomic unsigned int reads, writes;

static inline void sleep_ms(unsigned int ms)
{
	struct timespec left = { ms / 1000, ms % 1000 * 1000000L };

	while (ms && nanosleep(&left, &left) && errno == EINTR)
		;
}

/* While it is closed, a read or a write of the store waits, but not for ever. */
#define GATE_MS 20000U
static _Atomic bool gate_closed;
/* Reads pass: the thread that opens the gate may have to load a page. */
static _Atomic bool gate_lets_reads;
static _Atomic unsigned int at_gate, gave_up;

static inline void pass_gate(void)
{
	unsigned int ms;

	at_gate++;
	for (ms = 0; gate_closed && ms < GATE_MS; ms += 5)
		sleep_ms(5);
	gave_up += gate_closed;
	at_gate--;
}

/* wait_at_gate() - until @n threads are there */
static inline bool wait_at_gate(unsigned int n)
{
	unsigned int ms;

	for (ms = 0; at_gate < n && ms < GATE_MS; ms += 5)
		sleep_ms(5);
	return at_gate >= n;
}

static inline bool fails(void (*_Atomic *hook)(void), _Atomic unsigned int *ms, _Atomic int *error)
{
	void (*call)(void) = atomic_exchange(hook, NULL);

	if (call)
		call();
	sleep_ms(*ms);
	if (hook == &in_write || !gate_lets_reads)
		pass_gate();
	if (*error)
		errno = *error;
	return *error;
}

/* is_store() - some file systems have no O_DIRECT; there it is a file without a name */
static inline bool is_store(int fd)
{
	struct stat st;

	if (fstat(fd, &st) || !(S_ISREG(st.st_mode) || S_ISBLK(st.st_mode)))
		return false;
	return fcntl(fd, F_GETFL) & O_DIRECT || (S_ISREG(st.st_mode) && !st.st_nlink);
}

ssize_t __real_pread64(int fd, void *data, size_t bytes, off_t at);
ssize_t __wrap_pread64(int fd, void *data, size_t bytes, off_t at);

ssize_t __wrap_pread64(int fd, void *data, size_t bytes, off_t at)
{
	if (is_store(fd)) {
		reads++;
		if (fails(&in_read, &read_ms, &read_errno))
			return -1;
	}
	return __real_pread64(fd, data, bytes, at);
}

ssize_t __real_pwrite64(int fd, const void *data, size_t bytes, off_t at);
ssize_t __wrap_pwrite64(int fd, const void *data, size_t bytes, off_t at);

ssize_t __wrap_pwrite64(int fd, const void *data, size_t bytes, off_t at)
{
	if (is_store(fd)) {
		writes++;
		if (fails(&in_write, &write_ms, &write_errno))
			return -1;
	}
	return __real_pwrite64(fd, data, bytes, at);
}

/* Threads may begin in a child, too: the children here were forked with few locks held. */
const char *__tsan_default_options(void);

const char *__tsan_default_options(void)
{
	return "die_after_fork=0";
}

static inline struct marvin_options options(void)
{
	struct marvin_options now = MARVIN_OPTIONS;

	/* A child's heap has the same path, so that the parent removes it. */
	if (!path[0])
		snprintf(path, sizeof(path), "/var/tmp/marvin-heap.%d", getpid());
	now.store = path;
	now.space = 32 << 20;
	now.road = road;
	now.no_thread = true;
	now.say = say;
	said[0] = '\0';
	said_n = 0;
	return now;
}

static inline void begin_with(struct marvin_options with)
{
	if (!expect_eq(marvin_open(&heap, &with), 0)) {
		printf("Bail out! no heap\n");
		exit(1);
	}
}

static inline void begin(void)
{
	begin_with(options());
}

static inline void end(void)
{
	expect_eq(marvin_close(heap), 0);
	heap = NULL;
	unlink(path);
}

/* on_roads() - a test on each road that traps, as far as it works here */
static inline void on_roads(void (*test)(void))
{
	static const enum marvin_road all[] = { MARVIN_ROAD_WP, MARVIN_ROAD_SIGNAL };
	unsigned int i, bad;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		struct marvin_options with;
		struct marvin *probe;

		road = all[i];
		bad = tap.bad;
		with = options();
		if (marvin_open(&probe, &with)) {
			tap_note("road %s does not work here", marvin_road_name(road));
			continue;
		}
		marvin_close(probe);
		test();
		if (tap.bad > bad)
			tap_note("the road is %s", marvin_road_name(road));
	}
	road = MARVIN_ROAD_AUTO;
}

#define ON_ROADS(test)			\
static void test##_on_roads(void)	\
{					\
	on_roads(test);			\
}

static inline uint8_t byte_of(size_t i, unsigned int seed)
{
	return (uint8_t)(i * 7 + i / 4096 * 3 + seed + 1);
}

static inline void fill(uint8_t *object, size_t bytes, unsigned int seed)
{
	size_t i;

	for (i = 0; i < bytes; i++)
		object[i] = byte_of(i, seed);
}

static inline bool check(const uint8_t *object, size_t bytes, unsigned int seed)
{
	size_t i;

	for (i = 0; i < bytes; i++)
		if (object[i] != byte_of(i, seed))
			return false;
	return true;
}

static inline bool is_zeroes(const uint8_t *object, size_t bytes)
{
	size_t i;

	for (i = 0; i < bytes; i++)
		if (object[i])
			return false;
	return true;
}

/* make() - an object that is not all zeroes */
static inline uint8_t *make(size_t bytes, unsigned int seed)
{
	uint8_t *object = marvin_new(heap, bytes);

	if (expect(object))
		fill(object, bytes, seed);
	return object;
}

static inline void ticks(unsigned int n)
{
	while (n--)
		marvin_tick(heap, 10000);
}

/* away() - all is saved, and the memory gone */
static inline void away(void)
{
	ticks(TICKS);
	marvin_drop(heap, UINT64_MAX);
}

static inline struct marvin_stats stats(void)
{
	struct marvin_stats now = MARVIN_STATS;

	expect_eq(marvin_stats(heap, &now), 0);
	return now;
}

static inline size_t page_bytes(void)
{
	struct marvin_info info = MARVIN_INFO;

	marvin_info(heap, &info);
	return info.page;
}

static inline uint32_t page_nr(const void *at)
{
	return (uint32_t)((size_t)((const uint8_t *)at - heap->space) / heap->page_bytes);
}

/* page_in() - a page that is all in an object of some pages */
static inline uint8_t *page_in(uint8_t *object, unsigned int n)
{
	return heap_at(heap, page_nr(object) + 1 + n);
}

static inline uint64_t now_ms(void)
{
	return heap_now_ms();
}

static __thread sigjmp_buf on_bus;

static inline void jump(int signal_nr)
{
	(void)signal_nr;
	siglongjmp(on_bus, 1);
}

/* is_bus() - does a read end with SIGBUS? */
static inline bool is_bus(const uint8_t *at)
{
	struct sigaction action = { .sa_handler = jump }, before;
	volatile bool bus = true;

	sigaction(SIGBUS, &action, &before);
	if (!sigsetjmp(on_bus, 1)) {
		(void)*(const volatile uint8_t *)at;
		bus = false;
	}
	sigaction(SIGBUS, &before, NULL);
	return bus;
}

/* in_child() - the exit status of what a child does */
static inline int in_child(int (*run)(void))
{
	int status = -1;
	pid_t pid = fork();

	if (!pid)
		_exit(run());
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

#endif
