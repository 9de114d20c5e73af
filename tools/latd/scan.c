// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "aside.h"
#include "guard.h"
#include "scan.h"
#include "share.h"

/* By the control tool, beside the configuration. */
static struct proc_id added[SCAN_PROTECTED];

struct pass {
	const struct config *config;
	struct scan *scan;
	struct scan before;		/* who was protected */
	scan_fn fn;
	void *arg;
};

static struct proc_id *find_added(struct proc_id id)
{
	size_t i;

	for (i = 0; i < SCAN_PROTECTED; i++) {
		if (added[i].pid == id.pid && added[i].start == id.start)
			return &added[i];
	}
	return NULL;
}

/* forget_ended() - those that have ended take no places */
static void forget_ended(void)
{
	size_t i;

	for (i = 0; i < SCAN_PROTECTED; i++) {
		if (added[i].pid && !proc_alive(added[i]))
			added[i] = (struct proc_id){ 0, 0 };
	}
}

/**
 * scan_protect() - protect a process, though the configuration does not name it
 * @pid: the process
 *
 * Return: 0; -ESRCH, if there is none; -EPERM for a thread of the kernel or the first process;
 * -ENOSPC, if there are too many.
 */
int scan_protect(pid_t pid)
{
	static const struct proc_id none;
	struct proc_stat stat;
	struct proc_id *place;
	int err = proc_read(pid, &stat);

	if (err)
		return err;
	if (stat.flags & PROC_KTHREAD || pid == 1)
		return -EPERM;
	if (find_added((struct proc_id){ pid, stat.start }))
		return 0;
	forget_ended();
	place = find_added(none);
	if (!place)
		return -ENOSPC;
	*place = (struct proc_id){ pid, stat.start };
	return 0;
}

/**
 * scan_release() - end what scan_protect() began
 * @pid: the process
 *
 * Return: 0, or -ESRCH, if it was not protected by name of its id.
 */
int scan_release(pid_t pid)
{
	size_t i;

	for (i = 0; i < SCAN_PROTECTED; i++) {
		if (pid && added[i].pid == pid) {
			added[i] = (struct proc_id){ 0, 0 };
			return 0;
		}
	}
	return -ESRCH;
}

/* note_protected() - true, if there is a place */
static bool note_protected(struct scan *scan, struct proc_id id, uid_t user)
{
	int place = (int)scan->n_protected;

	if (place == SCAN_PROTECTED) {
		scan->n_lost++;
		place = share_yields(scan->users, SCAN_PROTECTED, user);
		if (place < 0)
			return false;
	} else {
		scan->n_protected++;
	}
	scan->protected[place] = id;
	scan->users[place] = user;
	return true;
}

static bool is_own(pid_t pid)
{
	return pid == getpid() || pid == guard_pid() || pid == aside_pid();
}

/* is_foreign() - it has a protected name or unit, but its user does not count */
static bool is_foreign(const struct config *config, pid_t pid, const struct candidate *process)
{
	return !is_own(pid) && !who_untouchable(process) &&
	       who_is_of_other(&config->protect.who, process);
}

/* note_foreign() - one for each user: it may be that the configuration lacks the user */
static void note_foreign(struct scan *scan, const struct candidate *process)
{
	struct foreign *foreign;
	unsigned int i;

	for (i = 0; i < scan->n_foreign; i++)
		if (scan->foreign[i].user == process->uid)
			return;
	if (scan->n_foreign == SCAN_FOREIGN)
		return;
	foreign = &scan->foreign[scan->n_foreign++];
	foreign->pid = process->stat.pid;
	foreign->user = process->uid;
	strcpy(foreign->name, process->stat.comm);
}

/*
 * weight() - how good a victim it is: a score as the kernel computes it (fs/proc/base.c, since
 * Linux 5.9) without a raised oom_score_adj, which is a part of it. Every user can raise that of a
 * small program, and so have it stopped and ended in place of a large one.
 */
static int64_t weight(pid_t pid, uint64_t score)
{
	int64_t weight = (int64_t)score * 3 / 2;
	char text[32];
	int raised = proc_oom_adj(pid, text, sizeof(text)) ? 0 : atoi(text);

	return raised > 0 ? weight - raised : weight;
}

/* prefer() - the one with more weight is the victim */
static void prefer(struct victim *victim, const struct victim *other)
{
	if (!victim->id.pid || other->weight > victim->weight)
		*victim = *other;
}

static void note_other(struct scan *scan, const struct candidate *process, bool held)
{
	struct victim other = { .id = { process->stat.pid, process->stat.start } };

	scan->n_others++;
	if (!held) {
		scan->n_loose++;
		scan->loose_bytes += proc_anonymous(process->stat.pid);
	}
	if (proc_oom_score(process->stat.pid, &other.score))
		return;
	other.weight = weight(process->stat.pid, other.score);
	strcpy(other.name, process->stat.comm);
	prefer(&scan->victim, &other);
	if (!held)
		prefer(&scan->loose, &other);
}

/* is_child() - of one of these, which still is there */
static bool is_child(const struct scan *scan, const struct candidate *process)
{
	unsigned int i;

	for (i = 0; i < scan->n_protected; i++)
		if (scan->protected[i].pid == process->stat.ppid)
			return proc_alive(scan->protected[i]);
	return false;
}

/*
 * role_now() - also of a process that latdctl has named; latd and its children are left alone
 */
static enum role role_now(const struct config *config, pid_t pid, const struct candidate *process)
{
	if (is_own(pid))
		return ROLE_LEFT;
	/* scan_protect() has refused threads of the kernel, and the first process. */
	if (!parse_has_ended(&process->stat) &&
	    find_added((struct proc_id){ pid, process->stat.start }))
		return ROLE_PROTECTED;
	return role_of(config, process);
}

/* is_offspring() - a protected program has forked it, and nothing else is said of it */
static bool is_offspring(const struct config *config, const struct scan *scan,
			 const struct candidate *process)
{
	return config->protect.children && is_child(scan, process) && !is_own(process->stat.pid) &&
	       !who_untouchable(process) && !who_is_never(&config->others.never, process);
}

/**
 * scan_one() - look at one process
 * @config: who is who
 * @scan: of the last pass: who is protected
 * @pid: the process
 * @fn: called, if it is there
 * @arg: for @fn
 */
void scan_one(const struct config *config, const struct scan *scan, pid_t pid, scan_fn fn,
	      void *arg)
{
	struct candidate process;
	enum role role;

	if (who_read(pid, &process))
		return;
	role = role_now(config, pid, &process);
	if (role != ROLE_PROTECTED && is_offspring(config, scan, &process))
		role = ROLE_PROTECTED;
	fn(role, &process, arg);
}

static int scan_entry(pid_t pid, void *arg)
{
	const struct pass *pass = arg;
	struct candidate process;
	enum role role;
	bool held;

	if (who_read(pid, &process))
		return 0;
	role = role_now(pass->config, pid, &process);
	/* Parents come before their children, unless the ids have begun anew. */
	if (role != ROLE_PROTECTED && (is_offspring(pass->config, pass->scan, &process) ||
				       is_offspring(pass->config, &pass->before, &process)))
		role = ROLE_PROTECTED;
	if (role == ROLE_PROTECTED &&
	    !note_protected(pass->scan, (struct proc_id){ pid, process.stat.start }, process.uid))
		role = ROLE_LEFT;
	held = pass->fn && pass->fn(role, &process, pass->arg);
	if (role == ROLE_OTHER)
		note_other(pass->scan, &process, held);
	if (role != ROLE_PROTECTED && is_foreign(pass->config, pid, &process))
		note_foreign(pass->scan, &process);
	return 0;
}

/**
 * scan_all() - look at all processes
 * @config: who is who
 * @scan: in: of the last pass; out: of this pass
 * @fn: called for each, or NULL
 * @arg: for @fn
 *
 * Return: 0, or a negative errno.
 */
int scan_all(const struct config *config, struct scan *scan, scan_fn fn, void *arg)
{
	struct pass pass = { config, scan, *scan, fn, arg };
	uint64_t bytes;
	int err;

	memset(scan, 0, sizeof(*scan));
	err = sys_each_pid(scan_entry, &pass);
	if (scan->loose.id.pid && proc_swapped(scan->loose.id.pid, &bytes) >= 0)
		scan->loose_bytes += bytes;
	return err;
}
