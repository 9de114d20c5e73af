// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "app.h"
#include "aside.h"
#include "cgroup.h"
#include "guard.h"
#include "log.h"
#include "pages.h"
#include "share.h"
#include "who.h"

/* Mappings come and go: what was read so long ago is read again. */
#define LAYOUT_MS 50

static struct app apps[APPS];
static struct member members[MEMBERS];
/* Nothing is allocated while it runs; what is not used of this is not in memory. */
static struct usage pool[MEMBERS][LAYOUT_CHUNKS];
static struct usage scratch[LAYOUT_CHUNKS];
static bool full_said;

/* group_of() - the control group of an app; false, if it has none */
static bool group_of(const struct config *config, const char *name, char *group, size_t size)
{
	int n = snprintf(group, size, "%s%s%s", name[0] == '/' ? "" : config->group,
			 name[0] == '/' ? "" : "/", name);

	return n > 0 && (size_t)n < size && (name[0] == '/' || config->group[0]) &&
	       cgroup_mount()[0] && cgroup_has(group, "cgroup.procs");
}

static struct app *place(void)
{
	struct app *oldest = NULL;
	unsigned int i;

	for (i = 0; i < APPS; i++) {
		if (!apps[i].name[0])
			return &apps[i];
		if (!apps[i].front && (!oldest || apps[i].since_ms - oldest->since_ms > INT32_MAX))
			oldest = &apps[i];
	}
	return oldest;
}

static void drop(struct member *member)
{
	memset(member->usage, 0, member->layout.n_chunks * sizeof(member->usage[0]));
	memset(member, 0, sizeof(*member));
}

static void drop_all(struct app *app)
{
	unsigned int i;

	for (i = 0; i < MEMBERS; i++)
		if (members[i].id.pid && members[i].app == app)
			drop(&members[i]);
}

struct search {
	const struct config *config;
	struct app *app;
	const char *name;
	unsigned int found;
};

static bool is_named(const struct search *search, const struct candidate *process)
{
	char *end;
	long pid = strtol(search->name, &end, 10);

	if (!*end && end != search->name)
		return process->stat.pid == pid;
	return !strcmp(process->stat.comm, search->name);
}

/* known() - the place of a process; NULL, if it has none */
static struct member *known(struct proc_id id)
{
	unsigned int i;

	for (i = 0; i < MEMBERS; i++)
		if (members[i].id.pid == id.pid && members[i].id.start == id.start)
			return &members[i];
	return NULL;
}

/* room() - a free place, or that of a user who has more of them */
static struct member *room(uid_t newcomer)
{
	static const struct proc_id none;
	struct member *member = known(none);
	uid_t users[MEMBERS];
	unsigned int i;
	int yields;

	if (member)
		return member;
	if (!full_said)
		log_warn("more than %d processes: the others are left to the kernel", MEMBERS);
	full_said = true;
	for (i = 0; i < MEMBERS; i++)
		users[i] = members[i].user;
	yields = share_yields(users, MEMBERS, newcomer);
	if (yields < 0)
		return NULL;
	drop(&members[yields]);
	return &members[yields];
}

static void add(struct search *search, const struct candidate *process)
{
	struct proc_id id = { process->stat.pid, process->stat.start };
	struct member *member = known(id);

	if (!member) {
		member = room(process->uid);
		if (!member)
			return;
		memset(member, 0, sizeof(*member));
		member->usage = pool[member - members];
		member->user = process->uid;
		member->id = id;
	}
	member->app = search->app;
	member->found = true;
}

static int try_process(pid_t pid, void *arg)
{
	struct search *search = arg;
	struct candidate process;

	if (pid == getpid() || pid == guard_pid() || who_read(pid, &process) ||
	    who_untouchable(&process) || who_is_never(&search->config->never, &process) ||
	    aside_barred((struct proc_id){ pid, process.stat.start }))
		return 0;
	search->found++;
	if (search->app)
		add(search, &process);
	return 0;
}

static int try_named(pid_t pid, void *arg)
{
	struct candidate process;

	if (who_read(pid, &process) || !is_named(arg, &process))
		return 0;
	return try_process(pid, arg);
}

/* search() - the processes of an app; they become members, if it has a place */
static unsigned int search(const struct config *config, struct app *app, const char *name)
{
	struct search search = { config, app, name, 0 };
	char group[SYS_PATH];

	if (group_of(config, name, group, sizeof(group)))
		cgroup_each_pid(group, try_process, &search);
	else
		sys_each_pid(try_named, &search);
	return search.found;
}

/**
 * app_find() - an app by its name
 * @config: where apps are
 * @name: a control group with "/", or below that of the configuration; or the id or the name of
 *	processes
 * @found: the app, which is made if it was not known
 *
 * Return: 0; -ENAMETOOLONG; or -ESRCH, if there is no process of it that may be touched.
 */
int app_find(const struct config *config, const char *name, struct app **found)
{
	unsigned int i;

	if (!name[0] || strlen(name) >= APP_NAME)
		return -ENAMETOOLONG;
	for (i = 0; i < APPS; i++) {
		if (!strcmp(apps[i].name, name)) {
			*found = &apps[i];
			return 0;
		}
	}
	if (!search(config, NULL, name))
		return -ESRCH;
	*found = place();
	drop_all(*found);
	memset(*found, 0, sizeof(**found));
	strcpy((*found)->name, name);
	return 0;
}

/**
 * app_members() - look for the processes of an app
 * @config: where apps are
 * @app: the app
 */
void app_members(const struct config *config, struct app *app)
{
	unsigned int i;

	for (i = 0; i < MEMBERS; i++)
		members[i].found = false;
	search(config, app, app->name);
	/* The others have ended, have left the app, or may not be touched any more. */
	for (i = 0; i < MEMBERS; i++)
		if (members[i].id.pid && members[i].app == app && !members[i].found)
			drop(&members[i]);
}

static void search_again(struct app *app, void *arg)
{
	app_members(arg, app);
}

/**
 * app_search_all() - look for the processes of all apps: others may be touched now
 * @config: where apps are
 */
void app_search_all(const struct config *config)
{
	app_each(search_again, (void *)config);
}

/**
 * app_each() - call a function for each app
 * @fn: the function
 * @arg: for @fn
 */
void app_each(app_fn fn, void *arg)
{
	unsigned int i;

	for (i = 0; i < APPS; i++)
		if (apps[i].name[0])
			fn(&apps[i], arg);
}

/**
 * app_each_member() - call a function for each process of an app
 * @app: the app
 * @fn: the function
 * @arg: for @fn
 */
void app_each_member(struct app *app, member_fn fn, void *arg)
{
	unsigned int i;

	for (i = 0; i < MEMBERS; i++)
		if (members[i].id.pid && members[i].app == app)
			fn(&members[i], arg);
}

/**
 * app_member() - a process by its number
 * @nr: from 0 on
 *
 * Return: it, whose pid is 0 where the place is free; NULL behind the last one.
 */
struct member *app_member(unsigned int nr)
{
	return nr < MEMBERS ? &members[nr] : NULL;
}

/**
 * app_group() - the control group of an app
 * @config: where apps are
 * @app: the app
 * @group: where to
 * @size: of @group in bytes
 *
 * Return: false, if it has none.
 */
bool app_group(const struct config *config, const struct app *app, char *group, size_t size)
{
	return group_of(config, app->name, group, size);
}

/**
 * app_number() - which place an app has
 * @app: the app
 *
 * Return: below APPS.
 */
unsigned int app_number(const struct app *app)
{
	return (unsigned int)(app - apps);
}

/**
 * app_layout() - where a process has its memory by now
 * @member: the process; what is known of its memory goes along
 * @now_ms: the time
 *
 * Return: 0, or a negative errno, as when it has ended.
 */
int app_layout(struct member *member, uint32_t now_ms)
{
	static struct layout before;
	int err;

	if (member->layout_ms && now_ms - member->layout_ms < LAYOUT_MS)
		return 0;
	before = member->layout;
	err = pages_layout(member->id, &member->layout);
	if (err)
		return err;
	member->layout_ms = now_ms;
	if (layout_same(&before, &member->layout))
		return 0;
	memcpy(scratch, member->usage, before.n_chunks * sizeof(scratch[0]));
	layout_keep(&member->layout, &before, member->usage, scratch, sizeof(scratch[0]));
	return 0;
}

/**
 * app_forget_all() - none is known any more
 */
void app_forget_all(void)
{
	unsigned int i;

	for (i = 0; i < MEMBERS; i++)
		if (members[i].id.pid)
			drop(&members[i]);
	memset(apps, 0, sizeof(apps));
}
