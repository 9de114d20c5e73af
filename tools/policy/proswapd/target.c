// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "aside.h"
#include "cgroup.h"
#include "domains.h"
#include "guard.h"
#include "log.h"
#include "monitor.h"
#include "pages.h"
#include "sample.h"
#include "share.h"
#include "target.h"

/* Mappings come and go; what is new is seen within that time. */
#define LAYOUT_MS 1000

static struct target targets[TARGETS];
/* Nothing is allocated while it runs; what is not used of this is not in memory. */
static struct chunk pool[TARGETS][LAYOUT_CHUNKS];
static struct chunk scratch[LAYOUT_CHUNKS];
static bool full_said;

static struct target *find(struct proc_id id)
{
	unsigned int i;

	for (i = 0; i < TARGETS; i++)
		if (targets[i].id.pid == id.pid && targets[i].id.start == id.start)
			return &targets[i];
	return NULL;
}

static bool is_meant(const struct config *config, const struct candidate *process)
{
	if (who_untouchable(process) || who_is_never(&config->never, process))
		return false;
	return who_is_nobody(&config->touch) || who_is_to_touch(&config->touch, process);
}

static int begin(struct target *target, const struct candidate *process)
{
	unsigned int slot = (unsigned int)(target - targets);
	int err;

	memset(target, 0, sizeof(*target));
	target->slot = slot;
	target->chunks = pool[slot];
	err = domains_find(process->cgroup);
	if (err >= 0) {
		target->domain = (unsigned int)err;
		err = monitor_watch((struct proc_id){ process->stat.pid, process->stat.start });
	}
	if (err < 0)
		return err;
	target->id = (struct proc_id){ process->stat.pid, process->stat.start };
	memcpy(target->name, process->stat.comm, sizeof(target->name) - 1);
	target->user = process->uid;
	rhythm_init(&target->rhythm);
	log_debug("%s[%d]: looked at", target->name, target->id.pid);
	return 0;
}

/* place() - a free one, or that of a user who has more of them */
static struct target *place(uid_t newcomer)
{
	static const struct proc_id none;
	struct target *target = find(none);
	uid_t users[TARGETS];
	unsigned int i;
	int yields;

	if (target)
		return target;
	for (i = 0; i < TARGETS; i++)
		users[i] = targets[i].user;
	yields = share_yields(users, TARGETS, newcomer);
	if (yields < 0)
		return NULL;
	target_drop(&targets[yields]);
	return &targets[yields];
}

static int try_process(pid_t pid, void *arg)
{
	const struct config *config = arg;
	struct candidate process;
	struct target *target;
	struct proc_id id;
	int err;

	if (pid == getpid() || pid == guard_pid() || who_read(pid, &process) ||
	    !is_meant(config, &process) ||
	    process.stat.rss * sys_page_size() < (uint64_t)config->least_mib << 20)
		return 0;
	id = (struct proc_id){ pid, process.stat.start };
	if (find(id) || aside_barred(id))
		return 0;
	target = place(process.uid);
	if (!target && !full_said) {
		full_said = true;
		log_warn("more than %d programs: the others are left to the kernel; name those that matter in [programs]",
			 TARGETS);
	}
	if (!target)
		return 0;
	err = begin(target, &process);
	if (err && err != -ESRCH)
		log_debug("%s[%d]: not looked at: %s", process.stat.comm, pid, strerror(-err));
	return 0;
}

/**
 * target_scan() - look for programs that began
 * @config: which are meant
 */
void target_scan(const struct config *config)
{
	unsigned int i;

	for (i = 0; i < TARGETS; i++)
		if (targets[i].id.pid && !proc_alive(targets[i].id))
			target_drop(&targets[i]);
	sys_each_pid(try_process, (void *)config);
}

/**
 * target_each() - call a function for each process; it may drop it
 * @fn: the function
 * @arg: for @fn
 */
void target_each(target_fn fn, void *arg)
{
	unsigned int i;

	for (i = 0; i < TARGETS; i++)
		if (targets[i].id.pid)
			fn(&targets[i], arg);
}

/**
 * target_count() - how many there are
 */
unsigned int target_count(void)
{
	unsigned int i, n = 0;

	for (i = 0; i < TARGETS; i++)
		n += !!targets[i].id.pid;
	return n;
}

/* read_layout() - what is known of a range stays, if it begins where one did */
static int read_layout(struct target *target, uint32_t now_ms)
{
	static struct layout before;
	int err;

	before = target->layout;
	err = pages_layout(target->id, &target->layout);
	target->layout_ms = now_ms;
	if (err || layout_same(&before, &target->layout))
		return err;
	memcpy(scratch, target->chunks, before.n_chunks * sizeof(scratch[0]));
	layout_keep(&target->layout, &before, target->chunks, scratch,
		    sizeof(scratch[0]));
	if (target->layout.lost && !before.lost)
		log_warn("%s[%d]: of its memory %llu MiB are too much, and left to the kernel",
			 target->name, target->id.pid,
			 (unsigned long long)target->layout.lost >> 20);
	return 0;
}

struct glance {
	struct target *target;
	uint32_t now_ms;
	uint32_t came_nr;		/* the last chunk that came in, and one more */
};

static bool is_due(uint32_t nr, void *arg)
{
	const struct glance *glance = arg;
	const struct target *target = glance->target;
	const struct rhythm *rhythm = &target->rhythm;

	/* Programs go on to what comes next. */
	if (glance->came_nr && nr - glance->came_nr < 2)
		return true;
	return chunk_due(&target->chunks[nr], glance->now_ms,
			 rhythm->state == RHYTHM_ACT ? rhythm->period_ms : 0,
			 rhythm_tick_ms(rhythm));
}

/*
 * is_sign() - does the time between two uses tell of the period? Not where it was in memory for the
 * most of it, and may have been needed meanwhile.
 */
static bool is_sign(const struct target *target, const struct chunk_news *news)
{
	if (!target->rhythm.period_ms)
		return sample_shows(news);
	return news->gap_ms && (!news->out_ms || news->out_ms > news->gap_ms / 2);
}

static void look_chunk(uint32_t nr, uint32_t in, uint32_t out, void *arg)
{
	struct glance *glance = arg;
	struct target *target = glance->target;
	struct range *range = (struct range *)layout_range(&target->layout, nr);
	struct chunk_news news;

	chunk_look(&target->chunks[nr], in, out, glance->now_ms, target->rhythm.period_ms, &news);
	target->came += news.came;
	if (news.came)
		glance->came_nr = nr + 1;
	if (is_sign(target, &news))
		period_add(&target->rhythm.uses, news.gap_ms * 1000ull);
	range->again += news.again;
	target->again += news.again;
}

/**
 * target_look() - read the page table
 * @target: the process
 * @now_ms: the time
 *
 * Return: 0, or a negative errno: then it has ended, most of the time.
 */
int target_look(struct target *target, uint32_t now_ms)
{
	struct glance glance = { target, now_ms, 0 };
	int err = 0;

	target->came = 0;
	if (!target->layout.n || now_ms - target->layout_ms >= LAYOUT_MS)
		err = read_layout(target, now_ms);
	if (!err)
		err = pages_each(target->id, &target->layout, is_due, look_chunk, &glance);
	return err;
}

/**
 * target_worked() - what it has done since it was asked last
 * @target: the process
 *
 * Return: clock ticks that it spent in its own code; 0, if it has ended.
 */
uint64_t target_worked(struct target *target)
{
	uint64_t before = target->work;
	struct proc_stat stat;

	if (proc_read(target->id.pid, &stat) || stat.start != target->id.start ||
	    stat.utime < before)
		return 0;
	target->work = stat.utime;
	return before ? stat.utime - before : 0;
}

/**
 * target_drop() - it is not looked at any more
 * @target: the process
 */
void target_drop(struct target *target)
{
	log_debug("%s[%d]: no longer looked at", target->name, target->id.pid);
	monitor_unwatch(target->id.pid);
	memset(target->chunks, 0, target->layout.n_chunks * sizeof(target->chunks[0]));
	memset(target, 0, sizeof(*target));
}

/**
 * target_drop_all() - none is looked at any more
 */
void target_drop_all(void)
{
	unsigned int i;

	for (i = 0; i < TARGETS; i++)
		if (targets[i].id.pid)
			target_drop(&targets[i]);
}
