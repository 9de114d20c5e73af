// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "cgroup.h"
#include "enable.h"
#include "group.h"
#include "kept.h"
#include "log.h"
#include "others.h"
#include "undo.h"

/* A program that has taken this much before it came into its group is logged. */
#define CHARGED_ELSEWHERE 0x100000ULL
/* Another program with this part of a protected group's memory is logged, */
#define LARGE_PART 8
/* up to this number. */
#define SAID_MAX 8

static struct {
	bool on;
	bool made;			/* ours are there */
	struct paths apart;		/* groups of those who are not touched: of the last pass, */
	struct paths next;		/* and of the one that goes on */
	unsigned int said;
} groups;

static void remove_ours(void)
{
	groups.made = false;
	undo_remove_group(GROUP_OTHERS);
	undo_remove_group(GROUP_APP);
}

static int make_ours(void)
{
	int err = undo_make_group(GROUP_APP);

	if (!err)
		err = undo_make_group(GROUP_OTHERS);
	if (!err && !cgroup_has(GROUP_APP, "memory.min"))
		err = -ENOENT;
	groups.made = !err;
	return err;
}

/* say_empty() - log groups of the configuration without programs */
static void say_empty(const char *list)
{
	char name[PATHS_LONGEST], path[SYS_PATH], text[256];
	uint64_t populated;
	int n;

	while (sscanf(list, "%255s%n", name, &n) == 1) {
		if (cgroup_file(path, name, "cgroup.events") ||
		    sys_read(path, text, sizeof(text)) <= 0)
			log_warn("%s: there is no such group", name);
		else if (parse_key(text, "populated", &populated) && !populated)
			log_warn("%s: no program is in this group", name);
		list += n;
	}
}

/**
 * group_setup() - make the groups, or find the others'
 * @config: what is wanted
 * @total_bytes: memory of the system
 *
 * Return: 0; -ENOENT, if there is no version 2, or it has no memory controller, as it is one of
 * version 1's; or another negative errno: then none are used.
 */
int group_setup(const struct config *config, uint64_t total_bytes)
{
	bool keeps = config->mode == MODE_AUTO || config->mode == MODE_FREEZE;
	bool weighs = config->mode == MODE_AUTO && config->protect.cpu_weight;
	int err = cgroup_mount()[0] ? enable_below("/", "memory") : -ENOENT, weights;

	if (!err && config->protect.arrange)
		err = make_ours();
	else if (!err)
		remove_ours();
	if (err) {
		group_remove();
		return err;
	}
	weights = weighs ? enable_below("/", "cpu") : 0;
	if (weights)
		log_info("no processor weights: %s", strerror(-weights));
	weighs = weighs && !weights;
	kept_setup(keeps ? config_kept(config, total_bytes) : 0,
		   weighs ? config->protect.cpu_weight : 0);
	others_setup(weighs ? config->others.cpu_weight : 0);
	say_empty(config->others.touch.cgroup);
	groups.on = true;
	return 0;
}

/**
 * group_begin() - a pass over all processes begins
 */
void group_begin(void)
{
	paths_clear(&groups.next);
	kept_begin();
	others_begin();
}

/* is_free() - nobody else has put it there */
static bool is_free(const char *group)
{
	return !strcmp(group, "/") || !strcmp(group, GROUP_APP) || !strcmp(group, GROUP_OTHERS);
}

/* say_moved() - memory that the process has taken before is charged to its former group */
static void say_moved(enum role role, const struct candidate *process, const char *to)
{
	uint64_t bytes = process->stat.rss * sys_page_size();

	/* If its first thread has ended, the kernel tells the old group, and each scan moves it. */
	log_line(process->stat.state == 'Z' ? LOG_LEVEL_DEBUG : LOG_LEVEL_INFO,
		 "%s[%d] is now in %s", process->stat.comm, process->stat.pid, to);
	if (role == ROLE_PROTECTED && bytes >= CHARGED_ELSEWHERE)
		log_warn("%s[%d] has taken up to %llu KiB before latd began: these are not kept; start it again to have all of its memory kept",
			 process->stat.comm, process->stat.pid, (unsigned long long)bytes >> 10);
}

/* arrange() - the group that a process is in from now on */
static const char *arrange(enum role role, const struct candidate *process)
{
	const char *to = role == ROLE_PROTECTED ? GROUP_APP : GROUP_OTHERS;
	int err;

	if (!groups.made || role == ROLE_LEFT || !is_free(process->cgroup) ||
	    !strcmp(process->cgroup, to))
		return process->cgroup;
	err = cgroup_move(process->stat.pid, to);
	if (!err) {
		say_moved(role, process, to);
		return to;
	}
	if (err != -ESRCH)
		log_debug("%s[%d] cannot be moved to %s: %s", process->stat.comm,
			  process->stat.pid, to, strerror(-err));
	return process->cgroup;
}

/* say_shared() - log a large program of the others in a group of protected ones */
static void say_shared(const struct candidate *process, const char *path)
{
	uint64_t bytes = process->stat.rss * sys_page_size(), all = kept_bytes(path);

	if (!kept_share(path) || !all || bytes < all / LARGE_PART || groups.said == SAID_MAX)
		return;
	groups.said++;
	log_warn("%s[%d] is in the group of protected programs, %s, and shares their memory: start it in a group or unit of its own",
		 process->stat.comm, process->stat.pid, path);
}

/* size_in() - of a protected process, in memory and swap; 0 where it does not matter */
static uint64_t size_in(const char *path, const struct candidate *process)
{
	uint64_t bytes = 0;

	if (!kept_shared(path))
		return 0;
	proc_swapped(process->stat.pid, &bytes);
	return bytes + process->stat.rss * sys_page_size();
}

/**
 * group_place() - put a process where it belongs; for each process of a pass
 * @role: the process's
 * @process: the process
 *
 * Return: true, if it is in a group of the others; false, if only signals can stop it.
 */
bool group_place(enum role role, const struct candidate *process)
{
	char group[PATHS_LONGEST];
	const char *path;

	/* Threads of the kernel and those that have ended are in no group that counts. */
	if (!groups.on || !process->cgroup[0] || process->stat.flags & PROC_KTHREAD ||
	    parse_has_ended(&process->stat))
		return false;
	path = arrange(role, process);
	if (role != ROLE_OTHER) {
		paths_add(&groups.next, path);
		if (role == ROLE_PROTECTED && strcmp(path, "/"))
			kept_note(path, size_in(path, process));
		return false;
	}
	/* Only a whole pass shows which groups are left alone. */
	if (groups.apart.used && paths_top(&groups.apart, path, group) &&
	    others_note(group, process->uid))
		return true;
	say_shared(process, path);
	return false;
}

/**
 * group_end() - the pass is over
 *
 * Return: true, if another one is needed: the groups that are left alone are others than before.
 */
bool group_end(void)
{
	bool same = paths_same(&groups.apart, &groups.next);

	if (!groups.on)
		return false;
	if (groups.next.crowded && !groups.apart.crowded)
		log_warn("too many groups have programs that are not touched: the others are stopped by signals");
	groups.apart = groups.next;
	/* First those: their controllers are those of their neighbours, too. */
	kept_end();
	others_end();
	return !same;
}

/**
 * group_born() - the same for a process that has begun, between two passes
 * @role: the process's
 * @process: the process
 *
 * Return: true, if the process is left alone and was in a group of the others: this group is as
 * before latd now, and the next pass divides it.
 */
bool group_born(enum role role, const struct candidate *process)
{
	const char *path;

	if (!groups.on || !process->cgroup[0] || parse_has_ended(&process->stat))
		return false;
	path = arrange(role, process);
	if (role == ROLE_OTHER)
		return false;
	if (role == ROLE_PROTECTED && strcmp(path, "/"))
		kept_note(path, size_in(path, process));
	paths_add(&groups.apart, path);
	return others_drop(path);
}

/**
 * group_remove() - remove the groups; their processes go where they came from
 */
void group_remove(void)
{
	kept_close();
	others_close();
	remove_ours();
	memset(&groups, 0, sizeof(groups));
}
