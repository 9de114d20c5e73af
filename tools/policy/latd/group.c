// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "cgroup.h"
#include "group.h"
#include "log.h"
#include "undo.h"

static struct {
	bool made;			/* ours are there */
	bool arrange;
	bool weights;
	uint64_t kept;			/* bytes of memory.min; 0: the mode does not keep any */
	unsigned int app_weight;
	char app[SYS_PATH];		/* "" until a protected program is in a group */
	char others[SYS_PATH];		/* "" without a group of the others */
} groups;

/* enable() - a controller for the groups below the root, and as before when latd goes */
static int enable(const char *controller)
{
	char path[SYS_PATH], text[256], on[32], off[32];
	ssize_t n;
	int err = cgroup_file(path, "/", "cgroup.subtree_control");

	if (err)
		return err;
	n = sys_read(path, text, sizeof(text));
	if (n < 0)
		return (int)n;
	text[strcspn(text, "\n")] = '\0';
	if (conf_list_has(text, controller))
		return 0;
	snprintf(on, sizeof(on), "+%s", controller);
	snprintf(off, sizeof(off), "-%s", controller);
	return undo_write_back(path, on, off);
}

static int set(const char *group, const char *file, uint64_t value)
{
	char path[SYS_PATH];
	int err = cgroup_file(path, group, file);

	if (!err)
		err = undo_write_u64(path, value);
	if (err)
		log_warn("%s of %s was refused: %s", file, group, strerror(-err));
	return err;
}

/* keep() - the memory of a group; a guarantee below one that has none is worth nothing */
static void keep(const char *group)
{
	char above[SYS_PATH], *slash;

	if (!groups.kept)
		return;
	snprintf(above, sizeof(above), "%s", group);
	while (above[0] && strcmp(above, "/")) {
		set(above, "memory.low", groups.kept);
		set(above, "memory.min", groups.kept);
		slash = strrchr(above, '/');
		*slash = '\0';
	}
}

/* use_app() - the first group in which a protected program is */
static void use_app(const char *group)
{
	if (groups.app[0] || !cgroup_has(group, "memory.min"))
		return;
	snprintf(groups.app, sizeof(groups.app), "%s", group);
	keep(group);
	if (groups.weights)
		set(group, "cpu.weight", groups.app_weight);
	log_info("the protected programs' group is %s", group);
}

/* use_others() - ours, or the first that the configuration names */
static int use_others(const struct config *config)
{
	char named[256] = "";

	if (sscanf(config->others.touch.cgroup, "%255s", named) != 1 && !groups.made)
		return -ENOENT;
	snprintf(groups.others, sizeof(groups.others), "%s", named[0] ? named : GROUP_OTHERS);
	if (!cgroup_has(groups.others, "memory.high")) {
		log_warn("%s: no such group, or without the memory controller", groups.others);
		groups.others[0] = '\0';
		return -ENOENT;
	}
	if (groups.weights)
		set(groups.others, "cpu.weight", config->others.cpu_weight);
	/* Written down now: the thread that sets limits later does not touch the list. */
	return set(groups.others, "memory.high", UINT64_MAX);
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
	int err = cgroup_mount()[0] ? enable("memory") : -ENOENT;

	memset(&groups, 0, sizeof(groups));
	if (!err && config->protect.arrange)
		err = make_ours();
	if (err) {
		group_remove();
		return err;
	}
	groups.arrange = config->protect.arrange;
	if (config->mode == MODE_AUTO || config->mode == MODE_FREEZE)
		groups.kept = total_bytes / 1000 * config->protect.memory;
	if (config->mode == MODE_AUTO) {
		groups.app_weight = config->protect.cpu_weight;
		err = groups.app_weight ? enable("cpu") : -ENOENT;
		groups.weights = !err;
		if (groups.app_weight && err)
			log_info("no processor weights: %s", strerror(-err));
	}
	err = use_others(config);
	if (err && config->mode != MODE_AUTO)
		return err;
	return 0;
}

/**
 * group_app() - the group of the protected programs
 *
 * Return: its path, or NULL while none of them is in one.
 */
const char *group_app(void)
{
	return groups.app[0] ? groups.app : NULL;
}

/**
 * group_others() - the group of the others
 *
 * Return: its path, or NULL without one.
 */
const char *group_others(void)
{
	return groups.others[0] ? groups.others : NULL;
}

/* is_free() - nobody else has put it there */
static bool is_free(const char *group)
{
	return !strcmp(group, "/") || !strcmp(group, GROUP_APP) || !strcmp(group, GROUP_OTHERS);
}

/**
 * group_arrange() - put a process where it belongs; a function for scan_all()
 * @role: the process's
 * @process: the process
 * @arg: ignored
 */
void group_arrange(enum role role, const struct candidate *process, void *arg)
{
	const char *to = role == ROLE_PROTECTED ? GROUP_APP : GROUP_OTHERS;
	int err = 0;

	(void)arg;
	if (!process->cgroup[0])
		return;
	if (role == ROLE_PROTECTED && !is_free(process->cgroup)) {
		use_app(process->cgroup);
		return;
	}
	if (!groups.made || !groups.arrange || !is_free(process->cgroup))
		return;
	if (role == ROLE_PROTECTED)
		use_app(GROUP_APP);
	if (strcmp(process->cgroup, to))
		err = cgroup_move(process->stat.pid, to);
	else
		return;
	/* If its first thread has ended, the kernel tells the old group, and each scan moves it. */
	if (!err)
		log_line(process->stat.state == 'Z' ? LOG_LEVEL_DEBUG : LOG_LEVEL_INFO,
			 "%s[%d] is now in %s", process->stat.comm, process->stat.pid, to);
	else if (err != -ESRCH)
		log_debug("%s[%d] cannot be moved to %s: %s", process->stat.comm,
			  process->stat.pid, to, strerror(-err));
}

/**
 * group_freeze() - freeze the others' group, or let it go on
 * @freeze: freeze
 *
 * Return: 0, or a negative errno.
 */
int group_freeze(bool freeze)
{
	char path[SYS_PATH];
	int err = group_others() ? cgroup_file(path, groups.others, "cgroup.freeze") : -ENOENT;

	if (err)
		return err;
	return freeze ? undo_write(path, "1") : undo_rewrite(path);
}

/**
 * group_remove() - remove the groups; their processes go where they came from
 */
void group_remove(void)
{
	memset(&groups, 0, sizeof(groups));
	undo_remove_group(GROUP_OTHERS);
	undo_remove_group(GROUP_APP);
}
