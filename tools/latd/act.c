// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include "act.h"
#include "aside.h"
#include "log.h"
#include "others.h"
#include "slow.h"
#include "undo.h"

#define VM "/proc/sys/vm/"
/* Beyond stop_max: latd itself lets the others go on at the look after it. */
#define LATE_MS 1000

struct act_counts act_counts;

/* Who was told to end, until it has. */
static struct proc_id told;

static const char *const names[] = {
	[ACT_DIRTY] = "dirty pages are written back early",
	[ACT_DIRTY_BACK] = "dirty pages as before",
	[ACT_STOP] = "stopped",
	[ACT_CONT] = "go on",
	[ACT_PUSH] = "pushed out",
	[ACT_FETCH] = "brought back",
	[ACT_LIMIT] = "limited",
	[ACT_TERM] = "told to end",
	[ACT_KILL] = "killed",
};

static int knob(const char *path, uint64_t value)
{
	int err = undo_write_u64(path, value);

	if (err)
		log_warn("%s could not be set: %s", path, strerror(-err));
	return err;
}

/**
 * act_told() - is there one who was told to end, and has not?
 */
bool act_told(void)
{
	return told.pid && proc_alive(told);
}

static int cont(void)
{
	int err = others_thaw(), stopped = undo_cont_all();

	return err ? err : stopped;
}

/**
 * act_limit() - what the others may have together
 * @bytes: UINT64_MAX: no limit
 */
void act_limit(uint64_t bytes)
{
	static struct slow_group groups[SLOW_GROUPS];

	slow_limit(groups, others_divide(bytes, groups));
}

/* back() - all knobs as before */
static void back(void)
{
	static const char *const knobs[] = {
		VM "swappiness", VM "overcommit_memory", VM "watermark_scale_factor",
		VM "dirty_background_ratio", VM "dirty_ratio",
	};
	size_t i;

	for (i = 0; i < sizeof(knobs) / sizeof(knobs[0]); i++)
		undo_rewrite(knobs[i]);
}

/**
 * act_setup() - set swappiness and watermarks, and the guardian's limit of a stop; undo the rest
 * @config: what is wanted
 *
 * Return: 0, or a negative errno of the last that could not be set.
 */
int act_setup(const struct config *config)
{
	bool thesis = config->mode == MODE_SYSCTL || config->mode == MODE_SIGNAL;
	unsigned int swappiness = config->knobs.swappiness;
	int err = 0;

	back();
	cont();
	act_limit(UINT64_MAX);
	undo_hold_most(config->others.stop_max_ms + LATE_MS);
	/* What the thesis sets, unless the configuration says otherwise. */
	if (swappiness > 200 && (thesis || config->mode == MODE_CGROUP))
		swappiness = 90;
	if (swappiness <= 200)
		err = knob(VM "swappiness", swappiness);
	if (thesis && knob(VM "overcommit_memory", 0))
		err = -EIO;
	if (config->mode == MODE_AUTO && config->knobs.watermark &&
	    knob(VM "watermark_scale_factor", config->knobs.watermark))
		err = -EIO;
	return err;
}

static int dirty(bool on)
{
	int err;

	if (!on) {
		err = undo_rewrite(VM "dirty_ratio");
		return undo_rewrite(VM "dirty_background_ratio") ? -EIO : err;
	}
	err = knob(VM "dirty_background_ratio", 2);
	return knob(VM "dirty_ratio", 100) ? -EIO : err;
}

static int stop(const struct config *config, const struct scan *scan)
{
	int err = 0, stopped = 0;

	if (config->mode == MODE_SIGNAL)
		return undo_stop(scan->victim.id);
	err = others_freeze();
	if (scan->loose.id.pid)
		stopped = undo_stop(scan->loose.id);
	return err ? err : stopped;
}

/* term() - one that is stopped could not end */
static int term(const struct scan *scan)
{
	int err;

	told = scan->victim.id;
	err = proc_signal(told, SIGTERM);
	cont();
	return err;
}

/* release() - the memory of a victim that was killed, which may be long in coming to its end */
static int64_t release(void *arg)
{
	const struct proc_id *victim = arg;
	int fd = proc_open(*victim);

	return fd < 0 ? fd : sys_process_mrelease(fd);
}

static int kill_told(void)
{
	int err = told.pid ? proc_signal(told, SIGKILL) : -ESRCH;

	/* Without it the memory comes back all the same, but later. */
	if (!err)
		aside_leave(release, &told);
	cont();
	told.pid = 0;
	return err;
}

static void push(uint64_t bytes, const struct scan *scan)
{
	static struct slow_group groups[SLOW_GROUPS];
	static const struct proc_id none;
	uint64_t held;

	/* Where most of their memory is in no group, from the largest process. */
	others_read(&held);
	slow_push(bytes, groups, others_list(groups),
		  scan->loose_bytes > held ? scan->loose.id : none);
}

static int perform(const struct config *config, const struct act *act, const struct scan *scan)
{
	switch (act->kind) {
	case ACT_DIRTY:
		return dirty(true);
	case ACT_DIRTY_BACK:
		return dirty(false);
	case ACT_STOP:
		act_counts.stops++;
		return stop(config, scan);
	case ACT_CONT:
		return cont();
	case ACT_PUSH:
		act_counts.pushes++;
		push(act->bytes, scan);
		return 0;
	case ACT_FETCH:
		act_counts.fetches++;
		slow_fetch(act->bytes, scan);
		return 0;
	case ACT_LIMIT:
		act_limit(act->bytes);
		return 0;
	case ACT_TERM:
		act_counts.terms++;
		return term(scan);
	case ACT_KILL:
		act_counts.kills++;
		return kill_told();
	}
	return -EINVAL;
}

/* subject() - of the log line: whom it is done to */
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

static void say(const struct config *config, const struct act *act, const struct scan *scan,
		bool dry_run, int err)
{
	enum log_level level = act->kind == ACT_LIMIT || act->kind == ACT_PUSH ? LOG_LEVEL_DEBUG :
			       act->kind == ACT_TERM || act->kind == ACT_KILL ? LOG_LEVEL_WARN :
										LOG_LEVEL_INFO;
	char whom[128], much[48] = "";

	subject(config, act, scan, whom, sizeof(whom));
	if (act->bytes == UINT64_MAX)
		snprintf(much, sizeof(much), " to nothing");
	else if (act->bytes)
		snprintf(much, sizeof(much), " to %llu KiB", (unsigned long long)act->bytes >> 10);
	snprintf(act_counts.last, sizeof(act_counts.last), "%s: %s%s: %s %llu %s", whom,
		 names[act->kind], much, act->figure, (unsigned long long)act->value, act->unit);
	if (err)
		log_error("%s: failed: %s", act_counts.last, strerror(-err));
	else
		log_line(level, "%s%s", dry_run ? "dry run: " : "", act_counts.last);
}

/**
 * act_plan() - do what a plan says
 * @config: what is wanted
 * @plan: what to do
 * @scan: whom to
 * @dry_run: only say so
 */
void act_plan(const struct config *config, const struct plan *plan, const struct scan *scan,
	      bool dry_run)
{
	unsigned int i;

	aside_left();
	for (i = 0; i < plan->n; i++) {
		const struct act *act = &plan->acts[i];
		int err = 0;

		if (act->kind == ACT_KILL)
			say(config, act, scan, dry_run, 0);
		if (!dry_run)
			err = perform(config, act, scan);
		if (act->kind != ACT_KILL)
			say(config, act, scan, dry_run, err);
	}
}
