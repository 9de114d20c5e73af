// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "cgroup.h"
#include "group.h"
#include "log.h"
#include "undo.h"

static bool used;

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
		log_warn("%s of %s could not be set: %s", file, group, strerror(-err));
	return err;
}

/* weights() - who gets the processor when both want it; a kernel without that does without */
static void weights(const struct config *config)
{
	int err;

	if (config->mode != MODE_AUTO || !config->protect.cpu_weight)
		return;
	err = enable("cpu");
	if (err) {
		log_info("no processor weights: %s", strerror(-err));
		return;
	}
	set(GROUP_APP, "cpu.weight", config->protect.cpu_weight);
	set(GROUP_OTHERS, "cpu.weight", config->others.cpu_weight);
}

/**
 * group_setup() - make the groups
 * @config: what is wanted
 * @total_bytes: memory of the system
 *
 * Return: 0; -ENOENT, if there is no version 2, or it has no memory controller, as it is one of
 * version 1's; or another negative errno: then none are used.
 */
int group_setup(const struct config *config, uint64_t total_bytes)
{
	int err = enable("memory");

	if (!err)
		err = undo_make_group(GROUP_APP);
	if (!err)
		err = undo_make_group(GROUP_OTHERS);
	if (!err && !cgroup_has(GROUP_APP, "memory.min"))
		err = -ENOENT;
	if (err) {
		group_remove();
		return err;
	}
	used = true;
	weights(config);
	if (config->mode == MODE_AUTO) {
		uint64_t kept = total_bytes / 1000 * config->protect.memory;

		set(GROUP_APP, "memory.low", kept);
		set(GROUP_APP, "memory.min", kept);
	}
	/* Written down now: the thread that sets limits later does not touch the list. */
	set(GROUP_OTHERS, "memory.high", UINT64_MAX);
	return 0;
}

/**
 * group_used() - are there groups?
 */
bool group_used(void)
{
	return used;
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
	int err;

	(void)arg;
	if (!used || !strcmp(process->cgroup, to))
		return;
	if (strcmp(process->cgroup, "/") && strcmp(process->cgroup, GROUP_APP) &&
	    strcmp(process->cgroup, GROUP_OTHERS))
		return;
	err = cgroup_move(process->stat.pid, to);
	if (!err)
		log_info("%s[%d] is now in %s", process->stat.comm, process->stat.pid, to);
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
	int err = cgroup_file(path, GROUP_OTHERS, "cgroup.freeze");

	if (err)
		return err;
	return freeze ? undo_write(path, "1") : undo_rewrite(path);
}

/**
 * group_remove() - remove the groups; their processes go where they came from
 */
void group_remove(void)
{
	used = false;
	undo_remove_group(GROUP_OTHERS);
	undo_remove_group(GROUP_APP);
}
