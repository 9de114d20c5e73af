// SPDX-License-Identifier: GPL-2.0
/*
 * Looks at the control groups of the apps after a change that inotify reports: of files in an app's
 * group, or of groups that come and go. Without inotify, or room for another watch, it looks four
 * times a second.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>
#include "cgroup.h"
#include "parse.h"
#include "watch.h"

/* The kernel's default. */
#define WEIGHT 100

static struct {
	int fd;				/* of inotify; negative: look by time */
	bool settles;			/* a change was reported, and more may follow */
	uint32_t due_ms;		/* time of the next look */
} events = { .fd = -1 };

/**
 * watch_score() - compare one app with the best one so far
 * @watch: the best one so far; all zeroes at first
 * @name: the app; skipped, if the name is too long
 * @frozen: is its group frozen?
 * @weight: its weight of the processor
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
 * watch_front() - the app in front
 * @watch: after watch_score() for all apps
 *
 * Return: its name; NULL, if no app is in front, or several have the highest weight.
 */
const char *watch_front(const struct watch *watch)
{
	return watch->name[0] && watch->alone ? watch->name : NULL;
}

/**
 * watch_open() - forget all groups, and make a look due at once
 */
void watch_open(void)
{
	if (events.fd >= 0)
		close(events.fd);
	events.fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	events.settles = false;
	events.due_ms = 0;
}

/**
 * watch_fd() - a descriptor that is readable after a change
 *
 * Return: negative without inotify, and while a change settles.
 */
int watch_fd(void)
{
	return events.settles ? -1 : events.fd;
}

/* has_changed() - was there a change? Reads all events so far. */
static bool has_changed(void)
{
	char text[4096];
	bool changed = false;

	while (events.fd >= 0 && read(events.fd, text, sizeof(text)) > 0)
		changed = true;
	return changed;
}

/**
 * watch_wait_ms() - the time until the next watch_look(), if nothing changes
 * @now_ms: the time
 *
 * Return: milliseconds; 0: look now, and ask again.
 */
uint32_t watch_wait_ms(uint32_t now_ms)
{
	if (!events.settles && has_changed()) {
		events.settles = true;
		events.due_ms = now_ms + WATCH_SETTLE_MS;
	}
	if (events.due_ms && (int32_t)(now_ms - events.due_ms) < 0)
		return events.due_ms - now_ms;
	/* Changes from here on give new events. */
	has_changed();
	events.settles = false;
	events.due_ms = now_ms + (events.fd < 0 ? WATCH_MS : WATCH_IDLE_MS);
	return 0;
}

/* follow() - get events of changes in a directory from now on */
static void follow(const char *path)
{
	char whole[2 * SYS_PATH];

	if (events.fd < 0 || snprintf(whole, sizeof(whole), "%s%s", sys_root(), path) < 0 ||
	    inotify_add_watch(events.fd, whole, IN_MODIFY | IN_CREATE | IN_DELETE) >= 0)
		return;
	/* The group may be gone again. Any other error means no events: look by time. */
	if (errno == ENOENT || errno == ELOOP)
		return;
	close(events.fd);
	events.fd = -1;
	events.due_ms -= WATCH_IDLE_MS - WATCH_MS;
}

struct group_look {
	const struct config *config;
	struct watch *watch;
};

/* is_there() - has the group any process? It stays for a while after the app has ended. */
static bool is_there(const char *group)
{
	char path[SYS_PATH], text[256];
	uint64_t populated;

	return !cgroup_file(path, group, "cgroup.events") &&
	       sys_read(path, text, sizeof(text)) > 0 &&
	       parse_key(text, "populated", &populated) && populated;
}

/* is_printable() - users choose names of groups, and names are shown: skip unprintable ones */
static bool is_printable(const char *name)
{
	for (; *name; name++)
		if ((unsigned char)*name < ' ' || *name == 127)
			return false;
	return true;
}

/*
 * look_at_group() - a group without these files is no app. The app may end meanwhile, so the file
 * that tells whether it still runs is read last.
 */
static int look_at_group(const char *name, void *arg)
{
	const struct group_look *look = arg;
	uint64_t frozen, weight;
	char group[SYS_PATH], path[SYS_PATH];
	int n = snprintf(group, sizeof(group), "%s/%s", look->config->group, name), err;

	if (n < 0 || n >= (int)sizeof(group) || !is_printable(name) ||
	    !cgroup_has(group, "cgroup.freeze") || cgroup_file(path, group, ""))
		return 0;
	follow(path);
	if (cgroup_get(group, "cgroup.freeze", &frozen))
		return 0;
	err = cgroup_get(group, "cpu.weight", &weight);
	/* A group without the cpu controller has no such file. */
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
	struct group_look looks = { config, watch };
	char path[SYS_PATH];

	memset(watch, 0, sizeof(*watch));
	if (!cgroup_mount()[0] || !config->group[0] || cgroup_file(path, config->group, ""))
		return false;
	/* Ask for events before the look, so that no change in between is missed. */
	follow(path);
	return !sys_each_entry(path, look_at_group, &looks);
}
