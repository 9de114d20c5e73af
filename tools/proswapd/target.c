// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "access.h"
#include "aside.h"
#include "cgroup.h"
#include "contest.h"
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
/* Processes that have swap activity, and no place. */
static unsigned int waiting;
static bool waiting_said;

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

static int begin(struct target *target, const struct candidate *process, uint32_t now_ms,
		 bool swaps)
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
		if (err)
			domains_leave(target->domain);
	}
	if (err < 0)
		return err;
	target->id = (struct proc_id){ process->stat.pid, process->stat.start };
	memcpy(target->name, process->stat.comm, sizeof(target->name) - 1);
	target->user = process->uid;
	rhythm_init(&target->rhythm);
	activity_begin(&target->activity, &process->stat, now_ms, swaps);
	log_debug("%s[%d]: looked at", target->name, target->id.pid);
	return 0;
}

/* give_up() - it loses its place, and comes after others from then on */
static struct target *give_up(struct target *target, uint32_t now_ms)
{
	contest_tried(target->id.pid, target->id.start, now_ms);
	target_drop(target);
	return target;
}

static bool is_periodic(const struct target *target)
{
	return rhythm_watched(&target->rhythm) || target->window.periodic;
}

/* place() - a free place, or one that its process gives up, or of a user with more places */
static struct target *place(uid_t newcomer, uint32_t now_ms)
{
	static const struct proc_id none;
	struct target *target = find(none);
	uid_t users[TARGETS];
	unsigned int i;
	int yields;

	if (target)
		return target;
	for (i = 0; i < TARGETS; i++) {
		if (activity_yields(&targets[i].activity, now_ms, is_periodic(&targets[i])))
			return give_up(&targets[i], now_ms);
		users[i] = targets[i].user;
	}
	yields = share_yields(users, TARGETS, newcomer);
	return yields < 0 ? NULL : give_up(&targets[yields], now_ms);
}

/* A scan for candidates. */
struct scan {
	const struct config *config;
	uint32_t now_ms;
	bool free;			/* there is a free place */
	struct contest contest;
};

/* looks_anyway() - is a program a candidate even if the swap has none of its pages? */
static bool looks_anyway(const struct config *config)
{
	return config->mode == MODE_PAPER || config->automatic.trim;
}

/* offer() - of most processes no more than one file is read */
static int offer(pid_t pid, void *arg)
{
	struct scan *scan = arg;
	struct contest_entry entry;
	struct proc_stat stat;
	uint64_t did;

	if (pid == getpid() || pid == guard_pid() || proc_read(pid, &stat) ||
	    stat.flags & PROC_KTHREAD ||
	    stat.vsize < (uint64_t)scan->config->least_mib << 20 ||
	    find((struct proc_id){ pid, stat.start }))
		return 0;
	did = stat.majflt;
	if (looks_anyway(scan->config))
		did += stat.utime + stat.stime + 1;
	contest_news(&entry, &stat, did);
	if ((entry.score || scan->free) && !proc_uid(pid, &entry.user))
		contest_add(&scan->contest, &entry);
	return 0;
}

/* is_meant_and_large() - is it a candidate? @swapped: bytes that it has in the swap */
static bool is_meant_and_large(const struct config *config, const struct candidate *process,
			       uint64_t *swapped)
{
	return is_meant(config, process) && !proc_swapped(process->stat.pid, swapped) &&
	       *swapped + process->stat.rss * sys_page_size() >=
	       (uint64_t)config->least_mib << 20;
}

/* try_process() - does it get a place? false: it waits */
static bool try_process(const struct scan *scan, const struct contest_entry *entry)
{
	static const struct proc_id none;
	const struct config *config = scan->config;
	struct proc_id id = { entry->pid, entry->start };
	struct candidate process;
	struct target *target;
	uint64_t swapped;
	bool swaps;
	int err;

	if (aside_barred(id) || who_read(id.pid, &process) || process.stat.start != id.start)
		return true;
	if (!is_meant_and_large(config, &process, &swapped)) {
		contest_tried(id.pid, id.start, scan->now_ms);
		return true;
	}
	/* Others fill free places only. */
	swaps = entry->score && (swapped || looks_anyway(config));
	target = swaps ? place(process.uid, scan->now_ms) : find(none);
	if (!target)
		return !swaps;
	err = begin(target, &process, scan->now_ms, swaps);
	if (err && err != -ESRCH)
		log_debug("%s[%d]: not looked at: %s", process.stat.comm, id.pid, strerror(-err));
	return true;
}

/**
 * target_scan() - look for programs that ended, began, or swap of late
 * @config: which are meant
 * @now_ms: the time
 * @all: also for those that swap
 */
void target_scan(const struct config *config, uint32_t now_ms, bool all)
{
	static struct scan scan;
	unsigned int i;

	for (i = 0; i < TARGETS; i++)
		if (targets[i].id.pid && !proc_alive(targets[i].id))
			target_drop(&targets[i]);
	if (!all)
		return;
	scan.config = config;
	scan.now_ms = now_ms;
	scan.free = target_count() < TARGETS;
	contest_begin(&scan.contest);
	sys_each_pid(offer, &scan);
	waiting = scan.contest.waiting;
	/* Also behind one that waits: its user may have too many places, and the next one's not. */
	for (i = 0; i < scan.contest.n; i++)
		if (try_process(&scan, &scan.contest.best[i]))
			waiting -= scan.contest.best[i].of_late;
	if (waiting && !waiting_said)
		log_info("more than %d programs swap: the others wait for a place; name those that matter in [programs]",
			 TARGETS);
	waiting_said |= waiting > 0;
}

/**
 * target_waiting() - how many processes had swap activity up to the last scan, and have no place
 */
unsigned int target_waiting(void)
{
	return waiting;
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
 * most of it, or stayed for longer than a period: it may have been needed meanwhile.
 */
static bool is_sign(const struct target *target, const struct chunk_news *news)
{
	uint32_t period_ms = target->rhythm.period_ms;

	if (!period_ms)
		return sample_shows(news);
	return news->gap_ms && (!news->out_ms || news->out_ms > news->gap_ms / 2) &&
	       news->kept_ms <= period_ms + period_ms / 4;
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
 * @target: the process; its activity is updated
 * @now_ms: the time
 *
 * Return: clock ticks of user time; 0, if it has ended.
 */
uint64_t target_worked(struct target *target, uint32_t now_ms)
{
	struct proc_stat stat;

	if (proc_read(target->id.pid, &stat) || stat.start != target->id.start)
		return 0;
	return activity_take(&target->activity, &stat, now_ms);
}

/**
 * target_drop() - it is not looked at any more
 * @target: the process
 */
void target_drop(struct target *target)
{
	log_debug("%s[%d]: no longer looked at", target->name, target->id.pid);
	monitor_unwatch(target->id.pid);
	access_leave(target->slot);
	domains_leave(target->domain);
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
