// SPDX-License-Identifier: GPL-2.0
/*
 * Passes over the processes. The configuration tells the role of each; "latdctl protect" adds
 * protected processes, and so does a protected process that forks. latd, its guardian and the child
 * for dangerous calls (aside.h) are left alone.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "aside.h"
#include "guard.h"
#include "processes.h"
#include "share.h"

/* Processes protected by the control tool. */
static struct proc_id added[SCAN_PROTECTED];

struct pass {
	const struct config *config;
	struct scan *scan;
	struct scan before;		/* the last pass */
	scan_fn fn;
	void *arg;
};

/**
 * role_of() - what may be done with a process. PURE.
 * @config: the configuration
 * @process: the process
 *
 * Processes of who_untouchable() are left alone whatever the configuration says.
 */
enum role role_of(const struct config *config, const struct candidate *process)
{
	const struct config_others *others = &config->others;

	if (who_untouchable(process))
		return ROLE_LEFT;
	if (who_is(&config->protect.who, process))
		return ROLE_PROTECTED;
	if (who_is_never(&others->never, process))
		return ROLE_LEFT;
	if (who_is_nobody(&others->touch) || who_is_to_touch(&others->touch, process))
		return ROLE_OTHER;
	return ROLE_LEFT;
}

static bool is_same(struct proc_id one, struct proc_id other)
{
	return one.pid == other.pid && one.start == other.start;
}

static struct proc_id *find_added(struct proc_id id)
{
	size_t i;

	for (i = 0; i < SCAN_PROTECTED; i++)
		if (is_same(added[i], id))
			return &added[i];
	return NULL;
}

/* forget_ended() - free the places of processes that have ended */
static void forget_ended(void)
{
	size_t i;

	for (i = 0; i < SCAN_PROTECTED; i++)
		if (added[i].pid && !proc_alive(added[i]))
			added[i] = (struct proc_id){ 0, 0 };
}

/**
 * scan_protect() - protect a process, though the configuration does not name it
 * @pid: the process
 *
 * Return: 0; -ESRCH, if it does not exist; -EPERM for a thread of the kernel or the first process;
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
 * Return: 0, or -ESRCH, if scan_protect() does not protect it.
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

/**
 * scan_protects() - was a process protected in a pass?
 * @scan: the pass
 * @id: the process
 */
bool scan_protects(const struct scan *scan, struct proc_id id)
{
	unsigned int i;

	for (i = 0; i < scan->n_protected; i++)
		if (is_same(scan->protected[i], id))
			return true;
	return false;
}

/* note_protected() - add a protected process; false, if all places are taken */
static bool note_protected(struct scan *scan, const struct candidate *process)
{
	int place = (int)scan->n_protected;

	if (place == SCAN_PROTECTED) {
		scan->n_lost++;
		place = share_yields(scan->users, SCAN_PROTECTED, process->uid);
		if (place < 0)
			return false;
	} else {
		scan->n_protected++;
	}
	scan->protected[place] = (struct proc_id){ process->stat.pid, process->stat.start };
	scan->users[place] = process->uid;
	return true;
}

static bool is_own(pid_t pid)
{
	return pid == getpid() || pid == guard_pid() || pid == aside_pid();
}

/* note_foreign() - note one program of each user that the configuration may lack */
static void note_foreign(const struct config *config, struct scan *scan,
			 const struct candidate *process)
{
	struct foreign *foreign;
	unsigned int i;

	if (is_own(process->stat.pid) || who_untouchable(process) ||
	    !who_is_of_other(&config->protect.who, process))
		return;
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
 * victim_weight() - oom_score as the kernel computes it (fs/proc/base.c, since Linux 5.9), without
 * the part of a raised oom_score_adj. Every user can raise the oom_score_adj of a small program,
 * and would save a large one from stops by that.
 */
static int64_t victim_weight(pid_t pid, uint64_t score)
{
	int64_t weight = (int64_t)score * 3 / 2;
	char text[32];
	int raised = proc_oom_adj(pid, text, sizeof(text)) ? 0 : atoi(text);

	return raised > 0 ? weight - raised : weight;
}

/* prefer() - the process with the higher weight gets the victim */
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
	other.weight = victim_weight(process->stat.pid, other.score);
	strcpy(other.name, process->stat.comm);
	prefer(&scan->victim, &other);
	if (!held)
		prefer(&scan->loose, &other);
}

/* is_child() - is it a child of a protected process that still exists? */
static bool is_child(const struct scan *scan, const struct candidate *process)
{
	unsigned int i;

	for (i = 0; i < scan->n_protected; i++)
		if (scan->protected[i].pid == process->stat.ppid)
			return proc_alive(scan->protected[i]);
	return false;
}

/* role_now() - @scan and @before tell which processes are protected */
static enum role role_now(const struct config *config, const struct scan *scan,
			  const struct scan *before, const struct candidate *process)
{
	struct proc_id id = { process->stat.pid, process->stat.start };
	enum role role;

	if (is_own(id.pid))
		return ROLE_LEFT;
	/* scan_protect() has refused kernel threads and the first process. */
	if (!parse_has_ended(&process->stat) && find_added(id))
		return ROLE_PROTECTED;
	role = role_of(config, process);
	/* A parent comes before its children, unless the ids have wrapped. */
	if (role != ROLE_PROTECTED && config->protect.children &&
	    (is_child(scan, process) || is_child(before, process)) &&
	    !who_untouchable(process) && !who_is_never(&config->others.never, process))
		return ROLE_PROTECTED;
	return role;
}

/**
 * scan_one() - look at one process
 * @config: the configuration
 * @scan: the last pass
 * @pid: the process
 * @fn: called, if it is there
 * @arg: for @fn
 */
void scan_one(const struct config *config, const struct scan *scan, pid_t pid, scan_fn fn,
	      void *arg)
{
	struct candidate process;

	if (!who_read(pid, &process))
		fn(role_now(config, scan, scan, &process), &process, arg);
}

static int scan_entry(pid_t pid, void *arg)
{
	const struct pass *pass = arg;
	struct candidate process;
	enum role role;
	bool held;

	if (who_read(pid, &process))
		return 0;
	role = role_now(pass->config, pass->scan, &pass->before, &process);
	if (role == ROLE_PROTECTED && !note_protected(pass->scan, &process))
		role = ROLE_LEFT;
	held = pass->fn && pass->fn(role, &process, pass->arg);
	if (role == ROLE_OTHER)
		note_other(pass->scan, &process, held);
	if (role != ROLE_PROTECTED)
		note_foreign(pass->config, pass->scan, &process);
	return 0;
}

/**
 * scan_all() - look at all processes
 * @config: the configuration
 * @scan: in: the last pass; out: this pass
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
