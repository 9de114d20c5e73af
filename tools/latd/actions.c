// SPDX-License-Identifier: GPL-2.0
/*
 * Carries out acts. The thread of reclaim.h does acts that take the kernel long. All changes are in
 * the list of undo.h.
 *
 * Children inherit the oom_score_adj of a program. So protected programs get a value that no other
 * program sets, and latd finds all processes that have inherited it.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "actions.h"
#include "aside.h"
#include "groups.h"
#include "log.h"
#include "reclaim.h"
#include "undo.h"

#define VM "/proc/sys/vm/"
#define OOM_FILE "oom_score_adj"

/* The guardian waits longer than stop_max: latd itself continues at the look after it. Guess. */
#define LATE_MS 1000
/* As in the thesis. */
#define THESIS_SWAPPINESS 90
#define THESIS_BACKGROUND_RATIO 2
#define THESIS_DIRTY_RATIO 100
/* Processes may fork during a pass, so repeat it; the next scan finds later ones. */
#define OOM_PASSES 3

static const struct {
	const char *name;
	enum log_level level;
} kinds[] = {
	[ACT_DIRTY] = { "dirty pages are written back early", LOG_LEVEL_INFO },
	[ACT_DIRTY_BACK] = { "dirty pages as before", LOG_LEVEL_INFO },
	[ACT_STOP] = { "stopped", LOG_LEVEL_INFO },
	[ACT_CONT] = { "go on", LOG_LEVEL_INFO },
	[ACT_PUSH] = { "pushed out", LOG_LEVEL_DEBUG },
	[ACT_FETCH] = { "brought back", LOG_LEVEL_INFO },
	[ACT_LIMIT] = { "limited", LOG_LEVEL_DEBUG },
	[ACT_TERM] = { "told to end", LOG_LEVEL_WARN },
	[ACT_KILL] = { "killed", LOG_LEVEL_WARN },
};

struct act_counts act_counts;

/* The program that was told to end; pid 0: none. */
static struct proc_id told;

static int set_knob(const char *path, uint64_t value)
{
	int err = undo_write_u64(path, value);

	if (err)
		log_warn("%s could not be set: %s", path, strerror(-err));
	return err;
}

/** act_told() - is there a program that was told to end, and has not? */
bool act_told(void)
{
	return told.pid && proc_alive(told);
}

static int act_cont(void)
{
	int err = others_freeze(false), stopped = undo_cont_all();

	return err ? err : stopped;
}

/**
 * act_limit() - set the limit of all others together
 * @bytes: UINT64_MAX: no limit
 */
void act_limit(uint64_t bytes)
{
	others_divide(bytes, reclaim_limit);
}

/**
 * act_setup() - set swappiness, watermarks and the guardian's limit of a stop; undo other settings
 * @config: the configuration
 *
 * Return: 0, or the negative errno of the last setting that failed.
 */
int act_setup(const struct config *config)
{
	static const char *const knobs[] = {
		VM "swappiness", VM "overcommit_memory", VM "watermark_scale_factor",
		VM "dirty_background_ratio", VM "dirty_ratio",
	};
	bool thesis = config->mode == MODE_SYSCTL || config->mode == MODE_SIGNAL;
	unsigned int swappiness = config->knobs.swappiness;
	int err = 0;
	size_t i;

	for (i = 0; i < sizeof(knobs) / sizeof(knobs[0]); i++)
		undo_rewrite(knobs[i]);
	act_cont();
	act_limit(UINT64_MAX);
	undo_hold_most(config->others.stop_max_ms + LATE_MS);
	/* As in the thesis, unless the configuration says otherwise. */
	if (swappiness > 200 && (thesis || config->mode == MODE_CGROUP))
		swappiness = THESIS_SWAPPINESS;
	if (swappiness <= 200)
		err = set_knob(VM "swappiness", swappiness);
	if (thesis && set_knob(VM "overcommit_memory", 0))
		err = -EIO;
	if (config->mode == MODE_AUTO && config->knobs.watermark &&
	    set_knob(VM "watermark_scale_factor", config->knobs.watermark))
		err = -EIO;
	return err;
}

static int act_dirty(bool on)
{
	int err;

	if (!on) {
		err = undo_rewrite(VM "dirty_ratio");
		return undo_rewrite(VM "dirty_background_ratio") ? -EIO : err;
	}
	err = set_knob(VM "dirty_background_ratio", THESIS_BACKGROUND_RATIO);
	return set_knob(VM "dirty_ratio", THESIS_DIRTY_RATIO) ? -EIO : err;
}

static int act_stop(const struct config *config, const struct scan *scan)
{
	int err = 0, stopped = 0;

	if (config->mode == MODE_SIGNAL)
		return undo_stop(scan->victim.id);
	err = others_freeze(true);
	if (scan->loose.id.pid)
		stopped = undo_stop(scan->loose.id);
	return err ? err : stopped;
}

/* act_term() - signal the victim, and continue all programs: a stopped one could not end */
static int act_term(const struct scan *scan)
{
	int err;

	told = scan->victim.id;
	err = proc_signal(told, SIGTERM);
	act_cont();
	return err;
}

/* release_memory() - free the memory of a killed victim, because its end may take long */
static int64_t release_memory(void *arg)
{
	const struct proc_id *victim = arg;
	int fd = proc_open(*victim);

	return fd < 0 ? fd : sys_process_mrelease(fd);
}

static int act_kill(void)
{
	int err = told.pid ? proc_signal(told, SIGKILL) : -ESRCH;

	/* If this fails, the memory is freed later, when the victim has ended. */
	if (!err)
		aside_leave(release_memory, &told);
	act_cont();
	told.pid = 0;
	return err;
}

/* act_push() - push a group, or the largest process if most memory is in no group */
static void act_push(uint64_t bytes, const struct scan *scan)
{
	static const struct proc_id none;
	uint64_t held;

	others_read(&held);
	reclaim_push(bytes, others_largest(), scan->loose_bytes > held ? scan->loose.id : none);
}

static int perform(const struct config *config, const struct act *act, const struct scan *scan)
{
	switch (act->kind) {
	case ACT_DIRTY:
	case ACT_DIRTY_BACK:
		return act_dirty(act->kind == ACT_DIRTY);
	case ACT_STOP:
		act_counts.stops++;
		return act_stop(config, scan);
	case ACT_CONT:
		return act_cont();
	case ACT_PUSH:
		act_counts.pushes++;
		act_push(act->bytes, scan);
		return 0;
	case ACT_FETCH:
		act_counts.fetches++;
		reclaim_fetch(act->bytes, scan);
		return 0;
	case ACT_LIMIT:
		act_limit(act->bytes);
		return 0;
	case ACT_TERM:
		act_counts.terms++;
		return act_term(scan);
	case ACT_KILL:
		act_counts.kills++;
		return act_kill();
	}
	return -EINVAL;
}

/* subject() - of the log line: the programs that the act concerns */
static void subject(const struct config *config, const struct act *act, const struct scan *scan,
		    char *text, size_t size)
{
	bool one = act->kind == ACT_TERM ||
		   (act->kind == ACT_STOP && (!others_count() || config->mode == MODE_SIGNAL));

	if (act->kind == ACT_KILL)
		snprintf(text, size, "process %d", told.pid);
	else if (one)
		snprintf(text, size, "%s[%d] (oom_score %llu)", scan->victim.name,
			 scan->victim.id.pid, (unsigned long long)scan->victim.score);
	else if (act->kind == ACT_FETCH)
		snprintf(text, size, "%u protected processes", scan->n_protected);
	else if (act->kind == ACT_DIRTY || act->kind == ACT_DIRTY_BACK)
		snprintf(text, size, "all");
	else
		snprintf(text, size, "%u others", scan->n_others);
}

/* describe() - the log line, kept for the status; the caller logs it */
static void describe(const struct config *config, const struct act *act, const struct scan *scan)
{
	char whom[128], much[48] = "";

	subject(config, act, scan, whom, sizeof(whom));
	if (act->bytes == UINT64_MAX)
		snprintf(much, sizeof(much), " to nothing");
	else if (act->bytes)
		snprintf(much, sizeof(much), " to %llu KiB", (unsigned long long)act->bytes >> 10);
	snprintf(act_counts.last, sizeof(act_counts.last), "%s: %s%s: %s %llu %s", whom,
		 kinds[act->kind].name, much, act->figure, (unsigned long long)act->value,
		 act->unit);
}

/**
 * act_plan() - do what a plan says
 * @config: the configuration
 * @plan: the acts
 * @scan: the last pass over the processes
 * @dry_run: only log it
 */
void act_plan(const struct config *config, const struct plan *plan, const struct scan *scan,
	      bool dry_run)
{
	unsigned int i;

	aside_left();
	for (i = 0; i < plan->n; i++) {
		const struct act *act = &plan->acts[i];
		int err = 0;

		/* Describe it before the act, because a kill forgets its process. */
		describe(config, act, scan);
		if (!dry_run)
			err = perform(config, act, scan);
		/* A process that has just ended cannot be killed, which is as good. */
		if (err && act->kind != ACT_KILL)
			log_error("%s: failed: %s", act_counts.last, strerror(-err));
		else
			log_line(kinds[act->kind].level, "%s%s", dry_run ? "dry run: " : "",
				 act_counts.last);
	}
}

/* inherited() - the value that a process would have inherited, had its parent not been protected */
static void inherited(pid_t parent, char *text, size_t size)
{
	struct proc_stat stat;

	if (!proc_read(parent, &stat) &&
	    (!undo_read_proc((struct proc_id){ parent, stat.start }, OOM_FILE, text, size) ||
	     (!proc_oom_adj(parent, text, size) && strcmp(text, OOM_MARK) && parent != 1)))
		return;
	/* The parent has ended: use the old value of any process on the list, or 0. */
	if (!undo_read_same(OOM_FILE, text, size))
		snprintf(text, size, "0");
}

/**
 * oom_protect() - protect a process from the OOM killer, until oom_tidy() or the end of latd
 * @id: the process
 * @parent: the id of its parent
 *
 * Return: 0, also if it is protected already; -ENOSPC, if there are too many; or another negative
 * errno.
 */
int oom_protect(struct proc_id id, pid_t parent)
{
	char text[32], back[32];
	int err = proc_oom_adj(id.pid, text, sizeof(text));

	if (err)
		return err;
	if (atoi(text) < atoi(OOM_MARK))
		return 0;
	if (strcmp(text, OOM_MARK))
		return undo_write_proc(id, OOM_FILE, OOM_MARK, NULL);
	if (!undo_read_proc(id, OOM_FILE, back, sizeof(back)))
		return 0;
	/* The process has inherited the value from a protected parent. */
	inherited(parent, back, sizeof(back));
	return undo_write_proc(id, OOM_FILE, OOM_MARK, back);
}

struct tidy {
	const struct scan *scan;
	bool strays;			/* only processes that have inherited the value */
	unsigned int found;
};

static int tidy_one(pid_t pid, void *arg)
{
	struct tidy *tidy = arg;
	char text[32], path[64];
	struct proc_stat stat;
	struct proc_id id;
	bool stray;
	int err;

	if (proc_oom_adj(pid, text, sizeof(text)) || strcmp(text, OOM_MARK) ||
	    proc_read(pid, &stat))
		return 0;
	id = (struct proc_id){ pid, stat.start };
	stray = undo_read_proc(id, OOM_FILE, text, sizeof(text));
	if (stray != tidy->strays || (tidy->scan && scan_protects(tidy->scan, id)))
		return 0;
	tidy->found++;
	if (stray) {
		inherited(stat.ppid, text, sizeof(text));
		snprintf(path, sizeof(path), "/proc/%d/" OOM_FILE, pid);
		err = sys_write(path, text);
	} else {
		err = undo_rewrite_proc(id, OOM_FILE);
	}
	if (err && err != -ESRCH && err != -ENOENT)
		log_debug("%s[%d]: " OOM_FILE " stays: %s", stat.comm, pid, strerror(-err));
	return 0;
}

/**
 * oom_tidy() - give unprotected processes their own oom_score_adj back
 * @scan: the protected processes; NULL: none, and undo_all() handles processes on the list
 */
void oom_tidy(const struct scan *scan)
{
	struct tidy tidy = { scan, true, 1 };
	unsigned int passes;

	/* Processes that inherited the value come first: they get their own from the list. */
	for (passes = 0; passes < OOM_PASSES && tidy.found; passes++) {
		tidy.found = 0;
		sys_each_pid(tidy_one, &tidy);
	}
	tidy.strays = false;
	if (scan)
		sys_each_pid(tidy_one, &tidy);
}

/**
 * oom_clean() - oom_tidy() for the guardian, before undo_all() and after it
 *
 * Before, because the list still has the values of parents; after, because processes may have been
 * forked meanwhile.
 */
void oom_clean(void)
{
	oom_tidy(NULL);
}
