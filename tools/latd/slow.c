// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "cgroup.h"
#include "aside.h"
#include "log.h"
#include "push.h"
#include "slow.h"
#include "sys.h"

/* Enough for snprintf() and a path; the usual stack would be 8 MiB of locked memory. */
#define STACK_BYTES (64 << 10)
/* Taken back at a time, so that the end of latd need not wait for long. */
#define PUSH_BYTES (4ull << 20)
/* Of a process's addresses, many of which are in swap already. */
#define VICTIM_BYTES (16ull << 20)
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
	unsigned int n_limits;
	struct slow_group limits[SLOW_GROUPS];
	struct slow_group now;		/* the one that is being set; path "": none */
	bool forget;			/* that one has to be as before */
	uint64_t push;
	unsigned int n_pushed;
	struct slow_group pushed[SLOW_GROUPS];	/* whose memory; only the paths */
	struct proc_id victim;		/* whose memory instead; pid 0: that of the groups */
	uint64_t fetch;
	unsigned int n_protected;
	struct proc_id protected[SCAN_PROTECTED];
} wish;

static struct slow_group *find_limit(const char *path)
{
	unsigned int i;

	for (i = 0; i < wish.n_limits; i++)
		if (!strcmp(wish.limits[i].path, path))
			return &wish.limits[i];
	return NULL;
}

/* is_over() - the thread has to end, or another limit of this group is wanted by now */
static bool is_over(unsigned int turn)
{
	bool over;

	pthread_mutex_lock(&lock);
	over = wish.turn != turn || wish.forget || find_limit(wish.now.path);
	pthread_mutex_unlock(&lock);
	return over;
}

/* lower() - the limit, in steps that do not take long each */
static void lower(unsigned int turn, const struct slow_group *group)
{
	uint64_t at = group->limit;

	cgroup_get(group->path, "memory.current", &at);
	while (at > group->limit && at - group->limit > PUSH_BYTES && !is_over(turn)) {
		at -= PUSH_BYTES;
		cgroup_set(group->path, "memory.high", at);
	}
	if (!is_over(turn))
		cgroup_set(group->path, "memory.high", group->limit);
}

/* take_limit() - the next one; called with the lock, which it gives away meanwhile */
static void take_limit(unsigned int turn)
{
	struct slow_group group = wish.limits[--wish.n_limits];

	wish.now = group;
	wish.forget = false;
	pthread_mutex_unlock(&lock);
	lower(turn, &group);
	pthread_mutex_lock(&lock);
	/* It was let go between the question and the write. */
	if (wish.forget)
		cgroup_set(group.path, "memory.high", group.cap);
	wish.now.path[0] = '\0';
}

/* push_group() - memory of the one that has the most */
static void push_group(uint64_t bytes, const struct slow_group *groups, unsigned int n)
{
	uint64_t most = 0, have;
	unsigned int i, at = 0;
	int err;

	for (i = 0; i < n; i++) {
		if (!cgroup_get(groups[i].path, "memory.current", &have) && have > most) {
			most = have;
			at = i;
		}
	}
	if (!most)
		return;
	err = cgroup_reclaim(groups[at].path, bytes, 200);
	if (err)
		log_debug("%s was not pushed out: %s", groups[at].path, strerror(-err));
}

/* push_victim() - its next addresses, whether they are in memory or not */
static void push_victim(struct proc_id victim)
{
	static struct proc_id last;
	static uint64_t from;
	int64_t done;

	if (victim.pid != last.pid || victim.start != last.start)
		from = 0;
	last = victim;
	done = push_process(victim, VICTIM_BYTES, &from);
	if (done < 0)
		log_debug("%d: not pushed out: %s", victim.pid, strerror((int)-done));
}

static void fetch(uint64_t bytes, const struct proc_id *protected, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		int64_t done = push_fetch(protected[i], bytes);

		if (done < 0)
			log_debug("%d: not brought back: %s", protected[i].pid,
				  strerror((int)-done));
		else
			bytes -= (uint64_t)done < bytes ? (uint64_t)done : bytes;
	}
}

/* At the lowest priority: that memory is compressed must not cost the protected programs time. */
static void *work(void *arg)
{
	static struct proc_id protected[SCAN_PROTECTED];
	static struct slow_group groups[SLOW_GROUPS];
	unsigned int turn = (unsigned int)(uintptr_t)arg;

	pthread_mutex_lock(&lock);
	wish.tid = sys_gettid();
	sys_nice(wish.tid, 19);
	aside_start();
	while (wish.turn == turn) {
		uint64_t pushed = wish.push, fetched = wish.fetch;
		struct proc_id victim = wish.victim;
		unsigned int n = wish.n_protected, n_groups = wish.n_pushed;

		if (wish.n_limits) {
			take_limit(turn);
			continue;
		}
		if (!pushed && !fetched) {
			pthread_cond_wait(&wake, &lock);
			continue;
		}
		if (pushed > (victim.pid ? VICTIM_BYTES : PUSH_BYTES))
			pushed = victim.pid ? VICTIM_BYTES : PUSH_BYTES;
		memcpy(groups, wish.pushed, n_groups * sizeof(groups[0]));
		memcpy(protected, wish.protected, n * sizeof(protected[0]));
		wish.push -= pushed;
		wish.fetch = 0;
		pthread_mutex_unlock(&lock);
		if (pushed && victim.pid)
			push_victim(victim);
		else if (pushed)
			push_group(pushed, groups, n_groups);
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
	wish.n_limits = 0;
	wish.push = 0;
	wish.fetch = 0;
	if (!err)
		err = pthread_create(&thread, &attr, work, (void *)(uintptr_t)wish.turn);
	wish.running = !err;
	return -err;
}

/**
 * slow_limit() - set memory.high of groups
 * @groups: the groups; memory.high of each is in the list of changes
 * @n: of them, SLOW_GROUPS at most
 */
void slow_limit(const struct slow_group *groups, unsigned int n)
{
	struct slow_group *wanted;
	unsigned int i;

	pthread_mutex_lock(&lock);
	for (i = 0; i < n; i++) {
		wanted = find_limit(groups[i].path);
		if (!wanted && wish.n_limits < SLOW_GROUPS)
			wanted = &wish.limits[wish.n_limits++];
		if (wanted)
			*wanted = groups[i];
	}
	pthread_cond_signal(&wake);
	pthread_mutex_unlock(&lock);
}

/**
 * slow_forget() - write no limit of a group any more, before its memory.high is put back
 * @path: the group
 */
void slow_forget(const char *path)
{
	struct slow_group *wanted;

	pthread_mutex_lock(&lock);
	wanted = find_limit(path);
	if (wanted)
		*wanted = wish.limits[--wish.n_limits];
	wish.forget |= !strcmp(wish.now.path, path);
	pthread_mutex_unlock(&lock);
}

/**
 * slow_push() - push memory of the others out
 * @bytes: how much
 * @groups: of these, the largest first; only the paths count
 * @n: of them, SLOW_GROUPS at most
 * @victim: of this process instead; pid 0: of the groups
 */
void slow_push(uint64_t bytes, const struct slow_group *groups, unsigned int n,
	       struct proc_id victim)
{
	pthread_mutex_lock(&lock);
	wish.push = bytes;
	wish.n_pushed = n;
	memcpy(wish.pushed, groups, n * sizeof(groups[0]));
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
