// SPDX-License-Identifier: GPL-2.0
/*
 * A program may expect all of this of malloc() and its like, as TAP. It passes with the C library,
 * and has to with libmarvin-malloc.so, while memory is taken all the time.
 */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LARGE 200000U
#define OBJECTS 64U
#define THREADS 4U
#define USES 500U

static unsigned int number;

static void result(bool right, const char *what)
{
	printf("%sok %u - %s\n", right ? "" : "not ", ++number, what);
	fflush(stdout);
}

static uint8_t byte(uint32_t seed, size_t at)
{
	return (uint8_t)((seed * 2654435761U + at * 40503U) >> 13);
}

static void fill(uint8_t *at, size_t bytes, uint32_t seed)
{
	size_t i;

	for (i = 0; i < bytes; i++)
		at[i] = byte(seed, i);
}

static bool is_right(const uint8_t *at, size_t bytes, uint32_t seed)
{
	size_t i;

	for (i = 0; i < bytes; i++)
		if (at[i] != byte(seed, i))
			return false;
	return true;
}

static bool is_zero(const uint8_t *at, size_t bytes)
{
	return !*at && !memcmp(at, at + 1, bytes - 1);
}

/* calloc_is_zero() - also where other bytes were before */
static bool calloc_is_zero(void)
{
	bool right = true;
	uint32_t i;

	for (i = 0; i < 200 && right; i++) {
		uint8_t *at = calloc(7 + i % 5, LARGE / 10);

		right = at && is_zero(at, (7 + i % 5) * (LARGE / 10));
		if (at)
			memset(at, 0xa5, malloc_usable_size(at));
		free(at);
	}
	return right;
}

static bool realloc_keeps(void)
{
	static const size_t sizes[] = {
		10, 70000, 65536, 65535, 3000000, 3000001, 100, 1000000, 128, 500000, 64,
	};
	uint8_t *at = malloc(sizes[0]), *new;
	bool right = at;
	size_t i, old;

	if (at)
		fill(at, sizes[0], 5);
	for (i = 1; right && i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		usleep(3000);
		new = realloc(at, sizes[i]);
		old = sizes[i - 1] < sizes[i] ? sizes[i - 1] : sizes[i];
		right = new && is_right(new, old, 5);
		at = new ? new : at;
		if (right)
			fill(at, sizes[i], 5);
	}
	free(at);
	return right;
}

/* aligned() - by each of the functions */
static bool aligned(void)
{
	bool right = true;
	size_t align;
	int i;

	for (align = 16; right && align <= 4 << 20; align *= 2)
		for (i = 0; i < 3 && right; i++) {
			void *at = NULL;

			if (i == 0)
				right = !posix_memalign(&at, align, LARGE + align);
			else
				at = i == 1 ? memalign(align, LARGE + align) :
					      aligned_alloc(align, (LARGE / align + 3) * align);
			right = right && at && (uintptr_t)at % align == 0;
			if (right)
				memset(at, 1, LARGE);
			free(at);
		}
	return right;
}

static bool errors(void)
{
	volatile size_t huge = SIZE_MAX / 2 - 5000;
	void *at = (void *)1;
	bool right = posix_memalign(&at, 24, LARGE) == EINVAL && at == (void *)1;

	errno = 0;
	right = right && !malloc(huge) && errno == ENOMEM;
	errno = 0;
	right = right && !calloc(huge, 3) && errno == ENOMEM;
	errno = 0;
	right = right && !reallocarray(NULL, huge, 3) && errno == ENOMEM;
	at = malloc(LARGE);
	fill(at, LARGE, 9);
	right = right && !realloc(at, huge) && is_right(at, LARGE, 9);
	errno = 77;
	free(at);
	return right && errno == 77;
}

static bool usable(void)
{
	uint8_t *at = malloc(LARGE + 13);
	size_t bytes = malloc_usable_size(at);
	bool right = bytes >= LARGE + 13;

	fill(at, bytes, 3);
	usleep(10000);
	right = right && is_right(at, bytes, 3);
	free(at);
	return right;
}

/* system_calls() - the kernel reads and writes it */
static bool system_calls(void)
{
	char path[] = "/tmp/marvin-malloc.XXXXXX";
	int fd = mkstemp(path), i;
	uint8_t *from = malloc(LARGE), *to = malloc(LARGE);
	bool right = fd >= 0 && from && to;

	unlink(path);
	for (i = 0; right && i < 50; i++) {
		fill(from, LARGE, i);
		usleep(4000);
		right = pwrite(fd, from, LARGE, 0) == LARGE && pread(fd, to, LARGE, 0) == LARGE;
		usleep(4000);
		right = right && is_right(to, LARGE, i);
	}
	free(from);
	free(to);
	close(fd);
	return right;
}

static void *work(void *arg)
{
	uint8_t *objects[OBJECTS] = { NULL };
	size_t bytes[OBJECTS] = { 0 };
	uint32_t seeds[OBJECTS] = { 0 }, seed = (uint32_t)(uintptr_t)arg, i, k;
	bool right = true;

	for (i = 0; i < USES && right; i++) {
		seed = seed * 1103515245 + 12345;
		k = seed >> 16 & (OBJECTS - 1);
		right = !objects[k] || is_right(objects[k], bytes[k], seeds[k]);
		free(objects[k]);
		bytes[k] = 1000 + (seed >> 8 & 0x1ffff);
		seeds[k] = seed;
		objects[k] = malloc(bytes[k]);
		if (objects[k])
			fill(objects[k], bytes[k], seed);
	}
	for (k = 0; k < OBJECTS; k++)
		free(objects[k]);
	return right ? arg : NULL;
}

static bool threads(void)
{
	pthread_t ids[THREADS];
	bool right = true;
	void *value;
	uint32_t i;

	for (i = 0; i < THREADS; i++)
		pthread_create(&ids[i], NULL, work, (void *)(uintptr_t)(i + 1));
	for (i = 0; i < THREADS; i++) {
		pthread_join(ids[i], &value);
		right = right && value;
	}
	return right;
}

/* Handlers that a program registers: before the heap is there, and after. */
static uint8_t *handlers_object;

static void before(void)
{
	free(handlers_object);
	handlers_object = malloc(LARGE);
}

static void after(void)
{
	free(handlers_object);
	handlers_object = calloc(1, LARGE);
}

/* in_children() - objects of the parent, and new ones; the child changes them, and has a child */
static bool in_children(uint8_t **objects, int depth)
{
	bool right = true;
	int status, i;
	pid_t pid;

	pid = fork();
	if (pid < 0)
		return false;
	if (!pid) {
		for (i = 0; i < (int)OBJECTS && right; i++) {
			right = is_right(objects[i], LARGE, i + depth);
			fill(objects[i], LARGE, i + depth + 1);
		}
		usleep(20000);
		right = right && (depth == 2 || in_children(objects, depth + 1));
		for (i = 0; i < (int)OBJECTS && right; i++)
			right = is_right(objects[i], LARGE, i + depth + 1);
		right = right && work((void *)7);
		_exit(right ? 0 : 3);
	}
	return waitpid(pid, &status, 0) == pid && !status;
}

static bool forks(void)
{
	uint8_t *objects[OBJECTS];
	bool right = true;
	int i;

	for (i = 0; i < (int)OBJECTS; i++) {
		objects[i] = malloc(LARGE);
		fill(objects[i], LARGE, i);
	}
	usleep(50000);
	for (i = 0; i < 5 && right; i++)
		right = in_children(objects, 0);
	for (i = 0; i < (int)OBJECTS && right; i++)
		right = is_right(objects[i], LARGE, i);
	for (i = 0; i < (int)OBJECTS; i++)
		free(objects[i]);
	return right;
}

/* closes() - a daemon closes all descriptors that it does not know, and goes on */
static bool closes(bool then_forks)
{
	uint8_t *objects[OBJECTS];
	bool right = true;
	int i;

	for (i = 0; i < (int)OBJECTS; i++) {
		objects[i] = malloc(LARGE);
		fill(objects[i], LARGE, i);
	}
	usleep(100000);
	for (i = 3; i < 256; i++)
		close(i);
	/* Its own files have these numbers now. */
	for (i = 3; i < 32; i++)
		if (open("/dev/null", O_RDWR) < 0)
			return false;
	usleep(100000);
	for (i = 0; i < (int)OBJECTS && right; i++)
		right = is_right(objects[i], LARGE, i);
	right = right && (!then_forks || in_children(objects, 0));
	return right && work((void *)9);
}

/* apart() - in a process of its own, which ends within minutes */
static bool apart(bool (*of)(bool), bool arg)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		alarm(200);
		_exit(of(arg) ? 0 : 3);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && !status;
}

int main(void)
{
	pthread_atfork(before, after, after);
	result(calloc_is_zero(), "calloc() gives zeroes");
	pthread_atfork(before, after, after);
	result(realloc_keeps(), "realloc() keeps bytes, to and from the heap");
	result(aligned(), "memory is aligned");
	result(errors(), "errors are those of the C library");
	result(usable(), "malloc_usable_size() bytes are usable");
	result(system_calls(), "the kernel reads and writes it");
	result(threads(), "threads take and free");
	result(forks(), "children have the parent's objects, and their own");
	result(apart(closes, false), "a program closes all descriptors");
	result(apart(closes, true), "a program closes all descriptors, and forks");
	printf("1..%u\n", number);
	return 0;
}
