// SPDX-License-Identifier: GPL-2.0
/*
 * The thread for what takes the kernel long. A lower memory.high and memory.reclaim take memory
 * back before write() returns. Calls that another program can hold run in a child of this thread
 * (aside.h). The thread has the lowest priority: compressing the others' memory must not cost the
 * protected programs processor time.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "aside.h"
#include "cgroup.h"
#include "log.h"
#include "push.h"
#include "reclaim.h"

/* Enough for snprintf() and a path; the usual stack would be 8 MiB of locked memory. */
#define STACK_BYTES (64 << 10)
/* Bytes to reclaim at a time, so that the end of latd need not wait long. */
#define PUSH_BYTES (4ull << 20)
/* The same for a process's addresses. Many are in swap already, so it may be more. Guess. */
#define VICTIM_BYTES (16ull << 20)
/*
 * The end of latd waits so long for the thread, which may be reclaiming PUSH_BYTES. A later thread
 * writes no limit any more. Guess.
 */
#define END_MS 500

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static pthread_t thread;

/* Protected by the lock. */
static struct {
	bool running;
	int tid;
	unsigned int turn;		/* number of the thread; earlier threads end */
	unsigned int n_limits;
	struct group_limit limits[OTHERS_MAX];
	struct group_limit now;		/* the limit that is being set; path "": none */
	bool forget;			/* put the old memory.high of this group back */
	uint64_t push;			/* bytes */
	char pushed[PATHS_LONGEST];	/* of this group, "": none, */
	struct proc_id victim;		/* or of this process; pid 0: none */
	uint64_t fetch;			/* bytes */
	unsigned int n_protected;
	struct proc_id protected[SCAN_PROTECTED];
} wish;

static struct group_limit *find_limit(const char *path)
{
	unsigned int i;

	for (i = 0; i < wish.n_limits; i++)
		if (!strcmp(wish.limits[i].path, path))
			return &wish.limits[i];
	return NULL;
}

/* is_over() - has the thread to end, or was another limit of this group requested meanwhile? */
static bool is_over(unsigned int turn)
{
	bool over;

	pthread_mutex_lock(&lock);
	over = wish.turn != turn || wish.forget || find_limit(wish.now.path);
	pthread_mutex_unlock(&lock);
	return over;
}

/* lower() - lower the limit in short steps */
static void lower(unsigned int turn, const struct group_limit *group)
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

/* take_limit() - set the next limit; the caller holds the lock, which is released meanwhile */
static void take_limit(unsigned int turn)
{
	struct group_limit group = wish.limits[--wish.n_limits];

	wish.now = group;
	wish.forget = false;
	pthread_mutex_unlock(&lock);
	lower(turn, &group);
	pthread_mutex_lock(&lock);
	/* The group was given up between is_over() and the write. */
	if (wish.forget)
		cgroup_set(group.path, "memory.high", group.cap);
	wish.now.path[0] = '\0';
}

/* push_victim() - push the victim's next addresses, whether they are in memory or not */
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

/* take_push() - push the next part; the caller holds the lock, which is released meanwhile */
static void take_push(void)
{
	uint64_t most = wish.victim.pid ? VICTIM_BYTES : PUSH_BYTES;
	uint64_t bytes = wish.push < most ? wish.push : most;
	struct proc_id victim = wish.victim;
	char path[PATHS_LONGEST];
	int err = 0;

	strcpy(path, wish.pushed);
	wish.push -= bytes;
	pthread_mutex_unlock(&lock);
	if (victim.pid)
		push_victim(victim);
	else if (path[0])
		err = cgroup_reclaim(path, bytes, 200);
	if (err)
		log_debug("%s was not pushed out: %s", path, strerror(-err));
	pthread_mutex_lock(&lock);
}

/* take_fetch() - bring pages back; the caller holds the lock, which is released meanwhile */
static void take_fetch(void)
{
	struct proc_id protected[SCAN_PROTECTED];
	unsigned int i, n = wish.n_protected;
	uint64_t bytes = wish.fetch;

	memcpy(protected, wish.protected, sizeof(protected));
	wish.fetch = 0;
	pthread_mutex_unlock(&lock);
	for (i = 0; i < n; i++) {
		int64_t done = push_fetch(protected[i], bytes);

		if (done < 0)
			log_debug("%d: not brought back: %s", protected[i].pid,
				  strerror((int)-done));
		else
			bytes -= (uint64_t)done < bytes ? (uint64_t)done : bytes;
	}
	pthread_mutex_lock(&lock);
}

static void *work(void *arg)
{
	unsigned int turn = (unsigned int)(uintptr_t)arg;

	pthread_mutex_lock(&lock);
	wish.tid = sys_gettid();
	sys_nice(wish.tid, 19);
	aside_start();
	while (wish.turn == turn) {
		if (wish.n_limits)
			take_limit(turn);
		else if (wish.fetch)
			take_fetch();
		else if (wish.push)
			take_push();
		else
			pthread_cond_wait(&wake, &lock);
	}
	pthread_mutex_unlock(&lock);
	return NULL;
}

/**
 * reclaim_start() - start the thread
 *
 * Return: 0, or a negative errno.
 */
int reclaim_start(void)
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
 * reclaim_limit() - set memory.high of a group
 * @limit: the group and its limit; its memory.high must be in the list of changes
 */
void reclaim_limit(const struct group_limit *limit)
{
	struct group_limit *wanted;

	pthread_mutex_lock(&lock);
	wanted = find_limit(limit->path);
	if (!wanted && wish.n_limits < OTHERS_MAX)
		wanted = &wish.limits[wish.n_limits++];
	if (wanted)
		*wanted = *limit;
	pthread_cond_signal(&wake);
	pthread_mutex_unlock(&lock);
}

/**
 * reclaim_forget() - cancel limits and pushes of a group, before its memory.high is put back
 * @path: the group
 */
void reclaim_forget(const char *path)
{
	struct group_limit *wanted;

	pthread_mutex_lock(&lock);
	wanted = find_limit(path);
	if (wanted)
		*wanted = wish.limits[--wish.n_limits];
	wish.forget |= !strcmp(wish.now.path, path);
	if (!strcmp(wish.pushed, path))
		wish.push = 0;
	pthread_mutex_unlock(&lock);
}

/**
 * reclaim_push() - push memory of the others out
 * @bytes: how much
 * @group: of this group, or NULL
 * @victim: of this process instead; pid 0: of the group
 */
void reclaim_push(uint64_t bytes, const char *group, struct proc_id victim)
{
	pthread_mutex_lock(&lock);
	wish.push = bytes;
	strcpy(wish.pushed, group ? group : "");
	wish.victim = victim;
	pthread_cond_signal(&wake);
	pthread_mutex_unlock(&lock);
}

/**
 * reclaim_fetch() - bring the protected programs' pages back
 * @bytes: addresses of each at most
 * @scan: the last pass over the processes
 */
void reclaim_fetch(uint64_t bytes, const struct scan *scan)
{
	pthread_mutex_lock(&lock);
	wish.fetch = bytes;
	wish.n_protected = scan->n_protected;
	memcpy(wish.protected, scan->protected, sizeof(wish.protected));
	pthread_cond_signal(&wake);
	pthread_mutex_unlock(&lock);
}

/**
 * reclaim_stop() - end the thread, before undo_all()
 *
 * No other program can delay this: it kills the child that the thread waits for.
 */
void reclaim_stop(void)
{
	struct timespec end;

	if (!wish.running)
		return;
	aside_stop();
	pthread_mutex_lock(&lock);
	wish.turn++;
	/* latd waits for the end of the thread now, so raise its priority. */
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
