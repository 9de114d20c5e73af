// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include "cgroup.h"
#include "group.h"
#include "aside.h"
#include "log.h"
#include "push.h"
#include "slow.h"
#include "sys.h"

/* Enough for snprintf() and a path; the usual stack would be 8 MiB of locked memory. */
#define STACK_BYTES (64 << 10)
/* Taken back at a time, so that the end of latd need not wait for long. */
#define PUSH_BYTES (4ull << 20)
/*
 * The end of latd waits so long for the thread, which may be taking back PUSH_BYTES. A thread that
 * is later writes no limit any more.
 */
#define END_MS 500

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static pthread_t thread;

/* Under the lock. */
static struct {
	bool running;
	int tid;
	unsigned int turn;		/* of slow_start(); a late thread of an earlier one ends */
	uint64_t limit;			/* 0: no wish */
	uint64_t push;
	struct proc_id victim;
	char others[SYS_PATH];		/* the others' group, of the last limit or push; or "" */
	uint64_t fetch;
	unsigned int n_protected;
	struct proc_id protected[SCAN_PROTECTED];
} wish;

/* is_over() - the thread has to end, or another limit is wanted by now */
static bool is_over(unsigned int turn)
{
	bool over;

	pthread_mutex_lock(&lock);
	over = wish.turn != turn || wish.limit;
	pthread_mutex_unlock(&lock);
	return over;
}

/* lower() - the limit, in steps that do not take long each */
static void lower(unsigned int turn, const char *others, uint64_t limit)
{
	uint64_t at = limit;

	cgroup_get(others, "memory.current", &at);
	while (at > limit + PUSH_BYTES && !is_over(turn)) {
		at -= PUSH_BYTES;
		cgroup_set(others, "memory.high", at);
	}
	if (!is_over(turn))
		cgroup_set(others, "memory.high", limit);
}

static void push(const char *others, uint64_t bytes, struct proc_id victim)
{
	int64_t done;

	if (others[0]) {
		int err = cgroup_reclaim(others, bytes, 200);

		if (err)
			log_debug("the others' memory was not pushed out: %s", strerror(-err));
		return;
	}
	done = victim.pid ? push_process(victim, MADV_PAGEOUT, bytes) : 0;
	if (done < 0)
		log_debug("%d: not pushed out: %s", victim.pid, strerror((int)-done));
}

static void fetch(uint64_t bytes, const struct proc_id *protected, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		int64_t done = push_process(protected[i], MADV_WILLNEED, bytes);

		if (done < 0)
			log_debug("%d: not brought back: %s", protected[i].pid,
				  strerror((int)-done));
	}
}

/* At the lowest priority: that memory is compressed must not cost the protected programs time. */
static void *work(void *arg)
{
	static struct proc_id protected[SCAN_PROTECTED];
	unsigned int turn = (unsigned int)(uintptr_t)arg;

	pthread_mutex_lock(&lock);
	wish.tid = sys_gettid();
	sys_nice(wish.tid, 19);
	aside_start();
	while (wish.turn == turn) {
		uint64_t limit = wish.limit, pushed = wish.push, fetched = wish.fetch;
		struct proc_id victim = wish.victim;
		char others[SYS_PATH];
		unsigned int n = wish.n_protected;

		if (!limit && !pushed && !fetched) {
			pthread_cond_wait(&wake, &lock);
			continue;
		}
		if (pushed > PUSH_BYTES)
			pushed = PUSH_BYTES;
		strcpy(others, wish.others);
		memcpy(protected, wish.protected, n * sizeof(protected[0]));
		wish.limit = 0;
		wish.push -= pushed;
		wish.fetch = 0;
		pthread_mutex_unlock(&lock);
		if (limit && others[0])
			lower(turn, others, limit);
		if (pushed)
			push(others, pushed, victim);
		if (fetched)
			fetch(fetched, protected, n);
		pthread_mutex_lock(&lock);
	}
	pthread_mutex_unlock(&lock);
	return NULL;
}

/**
 * slow_start() - start the thread
 *
 * Return: 0, or a negative errno.
 */
int slow_start(void)
{
	pthread_attr_t attr;
	int err = pthread_attr_init(&attr);

	if (!err)
		err = pthread_attr_setstacksize(&attr, STACK_BYTES);
	wish.limit = 0;
	wish.push = 0;
	wish.fetch = 0;
	if (!err)
		err = pthread_create(&thread, &attr, work, (void *)(uintptr_t)wish.turn);
	wish.running = !err;
	return -err;
}

/* note_others() - under the lock; the thread must not ask group.h, which a reload changes */
static void note_others(void)
{
	snprintf(wish.others, sizeof(wish.others), "%s", group_others() ? group_others() : "");
}

/**
 * slow_limit() - set memory.high of the others
 * @bytes: the limit
 */
void slow_limit(uint64_t bytes)
{
	pthread_mutex_lock(&lock);
	wish.limit = bytes;
	note_others();
	pthread_cond_signal(&wake);
	pthread_mutex_unlock(&lock);
}

/**
 * slow_push() - push memory of the others out
 * @bytes: how much
 * @victim: of this process, where there are no groups
 */
void slow_push(uint64_t bytes, struct proc_id victim)
{
	pthread_mutex_lock(&lock);
	wish.push = bytes;
	note_others();
	wish.victim = victim;
	pthread_cond_signal(&wake);
	pthread_mutex_unlock(&lock);
}

/**
 * slow_fetch() - bring the protected programs' pages back
 * @bytes: addresses of each at most
 * @scan: who they are
 */
void slow_fetch(uint64_t bytes, const struct scan *scan)
{
	pthread_mutex_lock(&lock);
	wish.fetch = bytes;
	wish.n_protected = scan->n_protected;
	memcpy(wish.protected, scan->protected, scan->n_protected * sizeof(scan->protected[0]));
	pthread_cond_signal(&wake);
	pthread_mutex_unlock(&lock);
}

/**
 * slow_stop() - end the thread, before undo_all()
 *
 * No other program can delay this: it kills the child that the thread waits for.
 */
void slow_stop(void)
{
	struct timespec end;

	if (!wish.running)
		return;
	aside_stop();
	pthread_mutex_lock(&lock);
	wish.turn++;
	/* Its end is waited for. */
	sys_nice(wish.tid, 0);
	pthread_cond_signal(&wake);
	pthread_mutex_unlock(&lock);
	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_nsec += END_MS * 1000000L;
	end.tv_sec += end.tv_nsec / 1000000000;
	end.tv_nsec %= 1000000000;
	if (pthread_timedjoin_np(thread, NULL, &end)) {
		log_warn("the thread that takes memory back is late: latd does not wait for it");
		pthread_detach(thread);
	}
	wish.running = false;
}
