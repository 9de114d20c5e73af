/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How memory is protected, and how its uses are learned. All calls but begin and end are made with
 * the heap's lock.
 */
#ifndef MARVIN_ROAD_H
#define MARVIN_ROAD_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "bell.h"
#include "marvin.h"

/* Threads that handle faults: one less read pages at a time. */
#define ROAD_THREADS 5U
/* Pages that wait for one of these threads. If there are more, their users fault again. */
#define ROAD_QUEUE 64U
/* The stores of the parents and its own, the parents' pipes, and its own. */
#define ROAD_KEEP 9U

struct road;

/* Functions that a road calls without the lock. */
struct road_calls {
	/*
	 * A page is missing, or may be. @buffer has road_window() pages. Without one nothing waits
	 * for the store; false: the page needs it.
	 */
	bool (*missing)(void *arg, uint32_t page, void *buffer);
	void (*write)(void *arg, uint32_t page);
	/* The same as missing() for a page of road_ops.ahead(), which no thread waits for. */
	void (*ahead)(void *arg, uint32_t page, void *buffer);
	void *arg;
};

/*
 * The most that is read at a time, from a store that is fast enough. On a virtual disk 100 MiB come
 * back in 88 ms with 256 KiB, in 76 with this, in 65 with 2 MiB, which take four times the buffers.
 */
#define ROAD_WINDOW_BYTES (512U << 10)

struct road_ops {
	enum marvin_road road;
	bool traps_new;			/* the first use of a page traps */
	bool forks_protected;		/* a child's memory is protected as the parent's */
	bool lazy;			/* the kernel drops given pages when it needs memory */
	size_t (*page)(uint64_t bytes);	/* how large a page is in a space of so many bytes */
	int (*begin)(struct road *road);
	void (*end)(struct road *road);
	int (*forked)(struct road *road);
	int (*protect)(struct road *road, uint8_t *at, size_t bytes);
	int (*unprotect)(struct road *road, uint8_t *at, size_t bytes);
	/* May go; and, if @now, goes. */
	int (*give)(struct road *road, uint8_t *at, size_t bytes, bool now);
	/*
	 * Bytes for missing pages, protected. Returns how many bytes were taken; 0: there is a page
	 */
	ssize_t (*put)(struct road *road, uint8_t *at, const void *from, size_t bytes);
	/* Zeroes for missing pages, which may be written; as put() */
	ssize_t (*zero)(struct road *road, uint8_t *at, size_t bytes);
	int (*discard)(struct road *road, uint8_t *at, size_t bytes);
	void (*poison)(struct road *road, uint8_t *at);
	void (*cure)(struct road *road, uint8_t *at);
	void (*wake)(struct road *road, uint8_t *at, size_t bytes);
	/* Have another thread call road_calls.ahead(), if one is free. NULL: no threads */
	void (*ahead)(struct road *road, uint32_t page);
};

struct road_queue {
	pthread_mutex_t lock;
	uint8_t *buffers;		/* one for each thread that loads */
	uint32_t loading;		/* bits: the buffers in use */
	uint32_t first, n;
	sem_t ready;			/* a thread has its descriptors, or has failed */
	_Atomic uint32_t failed;	/* threads that could not begin */
	struct { uint32_t page; bool ahead; } jobs[ROAD_QUEUE];
};

struct road {
	const struct road_ops *ops;
	struct road_calls calls;
	uint8_t *space;
	size_t bytes;
	size_t page;			/* bytes */
	bool system_calls;		/* the kernel's own faults are handled, too */
	bool gone;			/* in a child: it could not begin again */
	int fd;				/* userfaultfd; -1: the road has no descriptor */
	void *spare;			/* road_window() pages */
	struct bell stop;		/* the threads end */
	int bell;			/* an eventfd: a thread looks at the queue */
	uint64_t features;
	_Atomic pid_t keeper;		/* a thread that has descriptors for itself; 0: none */
	int keep[ROAD_KEEP];		/* descriptors that its threads need; -1: none */
	struct road_queue queue;
	uint32_t threads_n;
	pthread_t threads[ROAD_THREADS];
};

extern const struct road_ops road_wp, road_signal, road_none;

/* road_window() - pages that are read at a time */
static inline uint32_t road_window(const struct road *road)
{
	return road->page < ROAD_WINDOW_BYTES ? (uint32_t)(ROAD_WINDOW_BYTES / road->page) : 1;
}

/* road_is_there() - has the program left the descriptors alone that its own calls need? */
static inline bool road_is_there(const struct road *road)
{
	return !road->ops->lazy || bell_is_there(&road->stop);
}

size_t road_page(uint64_t bytes);
int road_begin(struct road *road, enum marvin_road wanted);
void road_hole(struct road *road, uint8_t *at);

#endif
