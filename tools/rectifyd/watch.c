// SPDX-License-Identifier: GPL-2.0
/*
 * Looks at the control groups of the apps when inotify tells of a change: of files in an app's
 * group, or of groups that come and go. Kernels without inotify, or without room for another watch,
 * are looked at four times a second instead.
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
	bool settles;			/* a change was told, and more may come */
	uint32_t due_ms;		/* time of the next look */
} events = { .fd = -1 };

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

/**
 * watch_open() - forget which groups there were; look at once
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

/* has_changed() - all changes until now are taken */
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
	/* Changes from here on are told anew. */
	has_changed();
	events.settles = false;
	events.due_ms = now_ms + (events.fd < 0 ? WATCH_MS : WATCH_IDLE_MS);
	return 0;
}

/* follow() - be told of changes in a directory from now on */
static void follow(const char *path)
{
	char whole[2 * SYS_PATH];

	if (events.fd < 0 || snprintf(whole, sizeof(whole), "%s%s", sys_root(), path) < 0 ||
	    inotify_add_watch(events.fd, whole, IN_MODIFY | IN_CREATE | IN_DELETE) >= 0)
		return;
	/* A group may be gone again. Else its changes are not told: look by time. */
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
 * look_at_group() - without these files it is no app, or none any more. The app may go
 * meanwhile: so the file that says that it is still there is read last.
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
	/* A group without the controller has no such file. */
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
	/* First the events, then the look: nothing is missed between. */
	follow(path);
	return !sys_each_entry(path, look_at_group, &looks);
}
