// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "log.h"
#include "oom.h"
#include "undo.h"

#define FILE_NAME "oom_score_adj"
/*
 * Processes may fork while all are looked at; those that keep on doing so wait for the next scan.
 */
#define PASSES 3

/* inherited() - what a process would have from its parent, had that never been protected */
static void inherited(pid_t parent, char *text, size_t size)
{
	struct proc_stat stat;

	if (!proc_read(parent, &stat) &&
	    (!undo_read_proc((struct proc_id){ parent, stat.start }, FILE_NAME, text, size) ||
	     (!proc_oom_adj(parent, text, size) && strcmp(text, OOM_MARK) && parent != 1)))
		return;
	/* Its parent has ended. */
	if (!undo_read_same(FILE_NAME, text, size))
		snprintf(text, size, "0");
}

/**
 * oom_protect() - keep a process from the OOM killer, until it is let go or latd ends
 * @id: the process
 * @parent: the id of its parent
 *
 * Return: 0, also if it is kept from it already; -ENOSPC, if there are too many; or another
 * negative errno.
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
		return undo_write_proc(id, FILE_NAME, OOM_MARK, NULL);
	if (!undo_read_proc(id, FILE_NAME, back, sizeof(back)))
		return 0;
	/* It is there from its parent. */
	inherited(parent, back, sizeof(back));
	return undo_write_proc(id, FILE_NAME, OOM_MARK, back);
}

struct tidy {
	const struct scan *scan;
	bool strays;			/* only processes that have inherited the value */
	unsigned int found;
};

static bool is_protected(const struct scan *scan, struct proc_id id)
{
	unsigned int i;

	for (i = 0; scan && i < scan->n_protected; i++)
		if (scan->protected[i].pid == id.pid && scan->protected[i].start == id.start)
			return true;
	return false;
}

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
	stray = undo_read_proc(id, FILE_NAME, text, sizeof(text));
	if (stray != tidy->strays || is_protected(tidy->scan, id))
		return 0;
	tidy->found++;
	if (stray) {
		inherited(stat.ppid, text, sizeof(text));
		snprintf(path, sizeof(path), "/proc/%d/" FILE_NAME, pid);
		err = sys_write(path, text);
	} else {
		err = undo_rewrite_proc(id, FILE_NAME);
	}
	if (err && err != -ESRCH && err != -ENOENT)
		log_debug("%s[%d]: " FILE_NAME " stays: %s", stat.comm, pid, strerror(-err));
	return 0;
}

/**
 * oom_tidy() - give processes that are not protected their own oom_score_adj back
 * @scan: the protected processes; NULL: none, and undo_all() cares for those on the list
 */
void oom_tidy(const struct scan *scan)
{
	struct tidy tidy = { scan, true, 1 };
	unsigned int passes;

	/* First, because they learn their own value from the list. */
	for (passes = 0; passes < PASSES && tidy.found; passes++) {
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
 * Before, the list still has the values of parents; after, processes may have been forked
 * meanwhile.
 */
void oom_clean(void)
{
	oom_tidy(NULL);
}
