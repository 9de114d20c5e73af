// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "cgroup.h"
#include "parse.h"
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

/* is_there() - a group that an app has left stays for a while */
static bool is_there(const char *group)
{
	char path[SYS_PATH], text[256];
	uint64_t populated;

	return !cgroup_file(path, group, "cgroup.events") &&
	       sys_read(path, text, sizeof(text)) > 0 &&
	       parse_key(text, "populated", &populated) && populated;
}

/* is_printable() - users make groups, whose names are shown: others are no apps */
static bool is_printable(const char *name)
{
	for (; *name; name++)
		if ((unsigned char)*name < ' ' || *name == 127)
			return false;
	return true;
}

/*
 * look() - at one group; what cannot be read is no app, or none any more. The app may go meanwhile:
 * what says that it is still there is read last.
 */
static int look(const char *name, void *arg)
{
	const struct look *look = arg;
	uint64_t frozen, weight;
	char group[SYS_PATH];
	int n = snprintf(group, sizeof(group), "%s/%s", look->config->group, name), err;

	if (n < 0 || n >= (int)sizeof(group) || !is_printable(name) ||
	    cgroup_get(group, "cgroup.freeze", &frozen))
		return 0;
	err = cgroup_get(group, "cpu.weight", &weight);
	/* Without the controller there is no such file. */
	if (err == -ENOENT)
		weight = WEIGHT;
	else if (err)
		return 0;
	if (is_there(group))
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
