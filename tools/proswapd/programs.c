// SPDX-License-Identifier: GPL-2.0
/*
 * A scan of all processes lets those that swap compete for places that are free or given up. A look
 * reads the page table of a program and updates its chunks.
 */
#include <assert.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "aside.h"
#include "damon.h"
#include "guard.h"
#include "log.h"
#include "memory_domains.h"
#include "monitor.h"
#include "pages.h"
#include "programs.h"
#include "share.h"

/* Mappings come and go: read the layout once a second, a guess. */
#define LAYOUT_MS 1000
/* A process that did not run for 2 s, or two periods, sleeps: a guess. */
#define SLEEPS_MS 2000
/* Without a major fault, or without a period, for a minute, it gives up its place: a guess. */
#define YIELDS_MS 60000

static_assert(DOMAINS >= PROGRAMS && MONITOR_WATCHED >= PROGRAMS, "each program has a place there");

static struct program programs[PROGRAMS];
/* Static, so that no allocation can fail; the kernel gives memory to the used part only. */
static struct chunk pool[PROGRAMS][LAYOUT_CHUNKS];
static struct chunk scratch[LAYOUT_CHUNKS];
/* Processes that have swap activity, and no place. */
static unsigned int waiting;
static bool waiting_said;

/**
 * activity_begin() - a process gets a place
 * @activity: filled in
 * @stat: the process
 * @now_ms: the time
 * @swaps: false: it has the place only until another process needs that
 */
void activity_begin(struct activity *activity, const struct proc_stat *stat, uint32_t now_ms,
		    bool swaps)
{
	uint32_t since_ms = swaps ? now_ms : now_ms - YIELDS_MS;

	*activity = (struct activity){
		.user = stat->utime, .ran = stat->utime + stat->stime, .faults = stat->majflt,
		.placed_ms = since_ms, .ran_ms = now_ms, .swapped_ms = since_ms,
	};
}

/**
 * activity_take() - account the time since the last look
 * @activity: made new
 * @stat: the process
 * @now_ms: the time
 *
 * Return: clock ticks of user time.
 */
uint64_t activity_take(struct activity *activity, const struct proc_stat *stat, uint32_t now_ms)
{
	uint64_t before = activity->user, ran = stat->utime + stat->stime;

	/* Faults show a process that runs for less than a tick between two looks. */
	if (ran != activity->ran || stat->majflt != activity->faults)
		activity->ran_ms = now_ms;
	if (stat->majflt != activity->faults) {
		/* After a minute without faults it has a minute again to show a period. */
		if (now_ms - activity->swapped_ms >= YIELDS_MS)
			activity->placed_ms = now_ms;
		activity->swapped_ms = now_ms;
	}
	activity->user = stat->utime;
	activity->ran = ran;
	activity->faults = stat->majflt;
	return stat->utime > before ? stat->utime - before : 0;
}

/**
 * activity_sleeps() - has the process not run for so long that its page table need not be read?
 * @activity: of the process
 * @now_ms: the time
 * @period_ms: of the process; 0: not known
 */
bool activity_sleeps(const struct activity *activity, uint32_t now_ms, uint32_t period_ms)
{
	uint32_t ms = 2 * period_ms > SLEEPS_MS ? 2 * period_ms : SLEEPS_MS;

	return now_ms - activity->ran_ms >= ms;
}

/**
 * activity_yields() - does the process give up its place to a process that swaps?
 * @activity: of the process
 * @now_ms: the time
 * @periodic: it has a period, or seems to have one
 */
bool activity_yields(const struct activity *activity, uint32_t now_ms, bool periodic)
{
	return now_ms - activity->swapped_ms >= YIELDS_MS ||
	       (!periodic && now_ms - activity->placed_ms >= YIELDS_MS);
}

/* Two ids with the same remainder share an entry, so each of them looks new in each scan. */
static struct seen {
	uint32_t start;
	uint32_t did;
	uint32_t tried_ms;
	bool known;			/* did is known */
} seen[CONTEST_SEEN];

/**
 * contest_reset() - forget all processes
 */
void contest_reset(void)
{
	memset(seen, 0, sizeof(seen));
}

static struct seen *seen_of(pid_t pid, uint64_t start)
{
	struct seen *entry = &seen[(unsigned int)pid % CONTEST_SEEN];

	if (entry->start != (uint32_t)start)
		*entry = (struct seen){ .start = (uint32_t)start };
	return entry;
}

static bool is_better(const struct contest_entry *one, const struct contest_entry *other)
{
	if (!one->score != !other->score)
		return one->score > 0;
	return one->tried_ms != other->tried_ms ? one->tried_ms < other->tried_ms :
						  one->score > other->score;
}

/**
 * contest_news() - the activity of a process without a place since the last scan
 * @entry: filled in
 * @stat: the process
 * @did: a counter of activity since the start of the process, such as major faults
 */
void contest_news(struct contest_entry *entry, const struct proc_stat *stat, uint64_t did)
{
	struct seen *before = seen_of(stat->pid, stat->start);

	*entry = (struct contest_entry){
		.pid = stat->pid, .start = stat->start, .tried_ms = before->tried_ms,
		.score = (uint32_t)did - before->did,
	};
	entry->of_late = before->known && entry->score;
	before->did = (uint32_t)did;
	before->known = true;
}

/* leaving_entry() - the entry that a new one of this user replaces: the worst of the user or all */
static unsigned int leaving_entry(const struct contest *contest, uid_t user)
{
	unsigned int at, own = 0, worst = 0;

	for (at = 0; at < contest->n; at++) {
		if (contest->best[at].user != user)
			continue;
		own++;
		worst = at;
	}
	if (own == CONTEST_OF_USER)
		return worst;
	return contest->n < PROGRAMS ? contest->n : PROGRAMS - 1;
}

/**
 * contest_add() - add a process without a place, if it belongs to the best
 * @contest: the contest
 * @entry: of contest_news(), with its user
 */
void contest_add(struct contest *contest, const struct contest_entry *entry)
{
	unsigned int at = leaving_entry(contest, entry->user);

	contest->waiting += entry->of_late;
	if (at == contest->n)
		contest->n++;
	else if (!is_better(entry, &contest->best[at]))
		return;
	for (; at && is_better(entry, &contest->best[at - 1]); at--)
		contest->best[at] = contest->best[at - 1];
	contest->best[at] = *entry;
}

/**
 * contest_tried() - note that a process lost its place or is no candidate, so others come first
 * @pid: the process
 * @start: its time of start
 * @now_ms: the time, not 0
 */
void contest_tried(pid_t pid, uint64_t start, uint32_t now_ms)
{
	seen_of(pid, start)->tried_ms = now_ms;
}

/**
 * programs_find() - a process by its id, or a free place; NULL, if it has none
 * @pid: the id; 0: a free place
 */
struct program *programs_find(pid_t pid)
{
	unsigned int i;

	for (i = 0; i < PROGRAMS; i++)
		if (programs[i].id.pid == pid)
			return &programs[i];
	return NULL;
}

static bool is_meant(const struct config *config, const struct candidate *process)
{
	if (who_untouchable(process) || who_is_never(&config->never, process))
		return false;
	return who_is_nobody(&config->touch) || who_is_to_touch(&config->touch, process);
}

static int begin_program(struct program *program, const struct candidate *process, uint32_t now_ms,
			 bool swaps)
{
	struct proc_id id = { process->stat.pid, process->stat.start };
	int err, domain = domains_find(process->cgroup);

	if (domain < 0)
		return domain;
	err = monitor_watch(id);
	if (err) {
		domains_leave((unsigned int)domain);
		return err;
	}
	memset(program, 0, sizeof(*program));
	program->id = id;
	program->slot = (unsigned int)(program - programs);
	program->domain = (unsigned int)domain;
	program->chunks = pool[program->slot];
	memcpy(program->name, process->stat.comm, sizeof(program->name) - 1);
	program->user = process->uid;
	rhythm_init(&program->rhythm);
	activity_begin(&program->activity, &process->stat, now_ms, swaps);
	log_debug("%s[%d]: looked at", program->name, program->id.pid);
	return 0;
}

/* give_up() - take the place of a program; it comes after other programs from then on */
static struct program *give_up(struct program *program, uint32_t now_ms)
{
	contest_tried(program->id.pid, program->id.start, now_ms);
	program_drop(program);
	return program;
}

static bool is_periodic(const struct program *program)
{
	return rhythm_watched(&program->rhythm) || program->window.periodic;
}

/* find_place() - a free place, or one that its process gives up, or of a user with more places */
static struct program *find_place(uid_t newcomer, uint32_t now_ms)
{
	struct program *program = programs_find(0);
	uid_t users[PROGRAMS];
	unsigned int i;
	int yields;

	if (program)
		return program;
	for (i = 0; i < PROGRAMS; i++) {
		if (activity_yields(&programs[i].activity, now_ms, is_periodic(&programs[i])))
			return give_up(&programs[i], now_ms);
		users[i] = programs[i].user;
	}
	yields = share_yields(users, PROGRAMS, newcomer);
	return yields < 0 ? NULL : give_up(&programs[yields], now_ms);
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

/* offer_process() - add a process to the contest; reads just one file of most processes */
static int offer_process(pid_t pid, void *arg)
{
	struct scan *scan = arg;
	struct contest_entry entry;
	struct proc_stat stat;
	uint64_t did;

	if (pid == getpid() || pid == guard_pid() || proc_read(pid, &stat) ||
	    stat.flags & PROC_KTHREAD ||
	    stat.vsize < (uint64_t)scan->config->least_mib << 20 ||
	    programs_find(pid))
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

/* try_process() - give a process a place, if it is a candidate; false: it has to wait */
static bool try_process(const struct scan *scan, const struct contest_entry *entry)
{
	const struct config *config = scan->config;
	struct proc_id id = { entry->pid, entry->start };
	struct candidate process;
	struct program *program;
	uint64_t swapped;
	bool swaps;
	int err;

	if (aside_barred(id) || who_read(id.pid, &process) || process.stat.start != id.start)
		return true;
	if (!is_meant_and_large(config, &process, &swapped)) {
		contest_tried(id.pid, id.start, scan->now_ms);
		return true;
	}
	/* Processes that do not swap get free places only. */
	swaps = entry->score && (swapped || looks_anyway(config));
	program = swaps ? find_place(process.uid, scan->now_ms) : programs_find(0);
	if (!program)
		return !swaps;
	err = begin_program(program, &process, scan->now_ms, swaps);
	if (err && err != -ESRCH)
		log_debug("%s[%d]: not looked at: %s", process.stat.comm, id.pid, strerror(-err));
	return true;
}

/**
 * programs_scan() - free the places of programs that have ended, and find new programs
 * @config: which programs are meant
 * @now_ms: the time
 * @all: find new programs, too
 */
void programs_scan(const struct config *config, uint32_t now_ms, bool all)
{
	static struct scan scan;
	unsigned int i;

	for (i = 0; i < PROGRAMS; i++)
		if (programs[i].id.pid && !proc_alive(programs[i].id))
			program_drop(&programs[i]);
	if (!all)
		return;
	scan.config = config;
	scan.now_ms = now_ms;
	scan.free = programs_count() < PROGRAMS;
	scan.contest = (struct contest){ 0 };
	sys_each_pid(offer_process, &scan);
	waiting = scan.contest.waiting;
	/* Go on after a process that waits: the next one may be of a user with fewer places. */
	for (i = 0; i < scan.contest.n; i++)
		if (try_process(&scan, &scan.contest.best[i]))
			waiting -= scan.contest.best[i].of_late;
	if (waiting && !waiting_said)
		log_info("more than %d programs swap: the others wait for a place; name those that matter in [programs]",
			 PROGRAMS);
	waiting_said |= waiting > 0;
}

/**
 * programs_waiting() - how many processes had swap activity up to the last scan, and have no place
 */
unsigned int programs_waiting(void)
{
	return waiting;
}

/**
 * programs_next() - the next process, by place; it may be dropped before the next call
 * @program: the last one; NULL: the first one
 *
 * Return: NULL at the end.
 */
struct program *programs_next(const struct program *program)
{
	size_t i = program ? (size_t)(program - programs) + 1 : 0;

	while (i < PROGRAMS && !programs[i].id.pid)
		i++;
	return i < PROGRAMS ? &programs[i] : NULL;
}

/**
 * programs_count() - the number of programs with a place
 */
unsigned int programs_count(void)
{
	unsigned int i, n = 0;

	for (i = 0; i < PROGRAMS; i++)
		n += !!programs[i].id.pid;
	return n;
}

/* read_layout() - a range that begins at the same address keeps its chunks */
static int read_layout(struct program *program, uint32_t now_ms)
{
	static struct layout before;
	int err;

	before = program->layout;
	err = pages_layout(program->id, &program->layout);
	program->layout_ms = now_ms;
	if (err || layout_same(&before, &program->layout))
		return err;
	memcpy(scratch, program->chunks, before.n_chunks * sizeof(scratch[0]));
	layout_keep(&program->layout, &before, program->chunks, scratch,
		    sizeof(scratch[0]));
	if (program->layout.lost && !before.lost)
		log_warn("%s[%d]: of its memory %llu MiB are too much, and left to the kernel",
			 program->name, program->id.pid,
			 (unsigned long long)program->layout.lost >> 20);
	return 0;
}

struct glance {
	struct program *program;
	uint32_t now_ms;
	uint32_t came_nr;		/* the last chunk that came in, and one more */
};

static bool is_due(uint32_t nr, void *arg)
{
	const struct glance *glance = arg;
	const struct program *program = glance->program;
	const struct rhythm *rhythm = &program->rhythm;

	/* Programs usually go on to the next chunk. */
	if (glance->came_nr && nr - glance->came_nr < 2)
		return true;
	return chunk_due(&program->chunks[nr], glance->now_ms,
			 rhythm->state == RHYTHM_ACT ? rhythm->period_ms : 0,
			 rhythm_tick_ms(rhythm));
}

/*
 * is_sign() - does the time between two uses show the period? Not if the chunk was in memory for
 * most of that time, or for longer than a period: it may have been needed meanwhile.
 */
static bool is_sign(const struct program *program, const struct chunk_news *news)
{
	uint32_t period_ms = program->rhythm.period_ms;

	if (!period_ms)
		return sample_shows(news);
	return news->gap_ms && (!news->out_ms || news->out_ms > news->gap_ms / 2) &&
	       news->kept_ms <= period_ms + period_ms / 4;
}

static void look_chunk(uint32_t nr, uint32_t in, uint32_t out, void *arg)
{
	struct glance *glance = arg;
	struct program *program = glance->program;
	struct range *range = (struct range *)layout_range(&program->layout, nr);
	struct chunk_news news;

	chunk_look(&program->chunks[nr], in, out, glance->now_ms, program->rhythm.period_ms, &news);
	program->came += news.came;
	if (news.came)
		glance->came_nr = nr + 1;
	if (is_sign(program, &news))
		period_add(&program->rhythm.uses, news.gap_ms * 1000ull);
	range->again += news.again;
	program->again += news.again;
}

/**
 * program_look() - read the page table
 * @program: the process
 * @now_ms: the time
 *
 * Return: 0, or a negative errno; most often the process has ended then.
 */
int program_look(struct program *program, uint32_t now_ms)
{
	struct glance glance = { program, now_ms, 0 };
	int err = 0;

	program->came = 0;
	if (!program->layout.n || now_ms - program->layout_ms >= LAYOUT_MS)
		err = read_layout(program, now_ms);
	if (!err)
		err = pages_each(program->id, &program->layout, is_due, look_chunk, &glance);
	return err;
}

/**
 * program_worked() - the user time of a program since the last call
 * @program: the process; its activity is updated
 * @now_ms: the time
 *
 * Return: clock ticks of user time; 0, if it has ended.
 */
uint64_t program_worked(struct program *program, uint32_t now_ms)
{
	struct proc_stat stat;

	if (proc_read(program->id.pid, &stat) || stat.start != program->id.start)
		return 0;
	return activity_take(&program->activity, &stat, now_ms);
}

/**
 * program_drop() - free the place of a program
 * @program: the process
 */
void program_drop(struct program *program)
{
	log_debug("%s[%d]: no longer looked at", program->name, program->id.pid);
	monitor_unwatch(program->id.pid);
	damon_stop(program->slot);
	domains_leave(program->domain);
	memset(program->chunks, 0, program->layout.n_chunks * sizeof(program->chunks[0]));
	memset(program, 0, sizeof(*program));
}

/**
 * programs_forget() - forget all processes and domains
 */
void programs_forget(void)
{
	unsigned int i;

	for (i = 0; i < PROGRAMS; i++)
		if (programs[i].id.pid)
			program_drop(&programs[i]);
	contest_reset();
	domains_forget();
}
