// SPDX-License-Identifier: GPL-2.0

#include <stdio.h>
#include <string.h>
#include "cgroup.h"
#include "watch.h"

/* What a group has that nobody has given another weight. */
#define WEIGHT 100

/**
 * watch_score() - look at one app
 * @watch: all zeroes at first
 * @name: the app; one with a longer name than there is room for is left out
 * @frozen: does its group not run?
 * @weight: of the processor
 */
void watch_score(struct watch *watch, const char *name, bool frozen, uint64_t weight)
{
	if (frozen || strlen(name) >= sizeof(watch->name) || weight < watch->score)
		return;
	watch->alone = weight > watch->score;
	watch->score = weight;
	strcpy(watch->name, name);
}

/**
 * watch_front() - who is in front?
 * @watch: after all apps were looked at
 *
 * Return: its name; NULL, if none is, or several may be.
 */
const char *watch_front(const struct watch *watch)
{
	return watch->name[0] && watch->alone ? watch->name : NULL;
}

struct look {
	const struct config *config;
	struct watch *watch;
};

static int look(const char *name, void *arg)
{
	const struct look *look = arg;
	uint64_t frozen = 0, weight = WEIGHT, populated = 1;
	char group[SYS_PATH], path[SYS_PATH], text[256];
	int n = snprintf(group, sizeof(group), "%s/%s", look->config->group, name);

	if (n < 0 || n >= (int)sizeof(group) || !cgroup_has(group, "cgroup.procs"))
		return 0;
	/* A group that an app has left stays for a while. */
	if (!cgroup_file(path, group, "cgroup.events") && sys_read(path, text, sizeof(text)) > 0)
		parse_key(text, "populated", &populated);
	cgroup_get(group, "cgroup.freeze", &frozen);
	cgroup_get(group, "cpu.weight", &weight);
	if (populated)
		watch_score(look->watch, name, frozen, weight);
	return 0;
}

/**
 * watch_look() - look at all apps
 * @config: where they are
 * @watch: filled in
 *
 * Return: true, if there are any groups to look at.
 */
bool watch_look(const struct config *config, struct watch *watch)
{
	struct look looks = { config, watch };
	char path[SYS_PATH];

	memset(watch, 0, sizeof(*watch));
	return cgroup_mount()[0] && config->group[0] && !cgroup_file(path, config->group, "") &&
	       !sys_each_entry(path, look, &looks);
}
