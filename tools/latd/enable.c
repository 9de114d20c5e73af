// SPDX-License-Identifier: GPL-2.0

#include <stdio.h>
#include <string.h>
#include "cgroup.h"
#include "conf.h"
#include "enable.h"
#include "log.h"
#include "undo.h"

/**
 * enable_below() - a controller for the groups below one, and as before when latd goes
 * @group: the group
 * @controller: "memory" or "cpu"
 *
 * Return: 0, or a negative errno.
 */
int enable_below(const char *group, const char *controller)
{
	char path[SYS_PATH], text[256], on[32], off[32];
	ssize_t n;
	int err = cgroup_file(path, group, "cgroup.subtree_control");

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

/**
 * enable_above() - a controller for a group, in all groups above it
 * @group: the group
 * @controller: "memory" or "cpu"
 *
 * Where that is refused, as in a group with processes of its own, the controller is not there.
 */
void enable_above(const char *group, const char *controller)
{
	char above[SYS_PATH];
	const char *slash = group;
	int err = enable_below("/", controller);

	while (!err && (slash = strchr(slash + 1, '/'))) {
		snprintf(above, sizeof(above), "%.*s", (int)(slash - group), group);
		err = enable_below(above, controller);
	}
	if (err)
		log_debug("%s: no %s controller: %s", group, controller, strerror(-err));
}
