// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include "cgroup.h"
#include "group.h"
#include "log.h"
#include "slow.h"
#include "sys.h"

/* Enough for snprintf() and a path; the usual stack would be 8 MiB of locked memory. */
#define STACK_BYTES (64 << 10)
/* Taken back at a time, so that the end of latd need not wait for long. */
#define PUSH_BYTES (4ull << 20)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static pthread_t thread;

/* Under the lock. */
static struct {
	bool running;
	int tid;
	bool stop;
	uint64_t limit;			/* 0: no wish */
	uint64_t push;
	struct proc_id victim;
	uint64_t fetch;
	unsigned int n_protected;
	struct proc_id protected[SCAN_PROTECTED];
} wish;

static void push(uint64_t bytes, struct proc_id victim)
{
	int64_t done;

	if (group_others()) {
		int err = cgroup_reclaim(group_others(), bytes, 200);

		if (err)
			log_debug("the others' memory was not pushed out: %s", strerror(-err));
		return;
	}
	done = victim.pid ? proc_advise(victim, MADV_PAGEOUT, bytes) : 0;
	if (done < 0)
		log_debug("%d: not pushed out: %s", victim.pid, strerror((int)-done));
}

static void fetch(uint64_t bytes, const struct proc_id *protected, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		int64_t done = proc_advise(protected[i], MADV_WILLNEED, bytes);

		if (done < 0)
			log_debug("%d: not brought back: %s", protected[i].pid,
				  strerror((int)-done));
	}
}

/* At the lowest priority: that memory is compressed must not cost the protected programs time. */
static void *work(void *arg)
{
	static struct proc_id protected[SCAN_PROTECTED];

	(void)arg;
	pthread_mutex_lock(&lock);
	wish.tid = sys_gettid();
	sys_nice(wish.tid, 19);
	while (!wish.stop) {
		uint64_t limit = wish.limit, pushed = wish.push, fetched = wish.fetch;
		struct proc_id victim = wish.victim;
		unsigned int n = wish.n_protected;

		if (!limit && !pushed && !fetched) {
			pthread_cond_wait(&wake, &lock);
			continue;
		}
		if (pushed > PUSH_BYTES)
			pushed = PUSH_BYTES;
		memcpy(protected, wish.protected, n * sizeof(protected[0]));
		wish.limit = 0;
		wish.push -= pushed;
		wish.fetch = 0;
		pthread_mutex_unlock(&lock);
		if (limit && group_others())
			cgroup_set(group_others(), "memory.high", limit);
		if (pushed)
			push(pushed, victim);
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
	wish.stop = false;
	if (!err)
		err = pthread_create(&thread, &attr, work, NULL);
	wish.running = !err;
	return -err;
}

/**
 * slow_limit() - set memory.high of the others
 * @bytes: the limit
 */
void slow_limit(uint64_t bytes)
{
	pthread_mutex_lock(&lock);
	wish.limit = bytes;
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
 * slow_stop() - end the thread, before what it changed is undone
 */
void slow_stop(void)
{
	if (!wish.running)
		return;
	pthread_mutex_lock(&lock);
	wish.stop = true;
	/* Its end is waited for. */
	sys_nice(wish.tid, 0);
	pthread_cond_signal(&wake);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	wish.running = false;
}
