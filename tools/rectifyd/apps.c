// SPDX-License-Identifier: GPL-2.0
/*
 * The tables of apps and of their processes. An app is found by its control group, else by a
 * process id or the name of a program; its processes are searched anew at each use, because they
 * come and go. All memory is static, since nothing may be allocated while memory is short.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "apps.h"
#include "aside.h"
#include "cgroup.h"
#include "guard.h"
#include "log.h"
#include "share.h"
#include "who.h"

static struct app apps[APPS];
static struct member members[MEMBERS];
/* Static memory that is never touched takes no pages. */
static struct usage pool[MEMBERS][LAYOUT_CHUNKS];
static bool full_said;

/**
 * app_group() - the control group of an app
 * @config: where apps are
 * @name: of the app
 * @group: filled in
 * @size: of @group in bytes
 *
 * Return: false, if it has none.
 */
bool app_group(const struct config *config, const char *name, char *group, size_t size)
{
	bool whole = name[0] == '/';
	int n = snprintf(group, size, "%s%s%s", whole ? "" : config->group, whole ? "" : "/", name);

	return n > 0 && (size_t)n < size && (whole || config->group[0]) &&
	       cgroup_mount()[0] && cgroup_has(group, "cgroup.procs");
}

/* free_app() - find a free place, or free the place of the app that left the front longest ago */
static struct app *free_app(void)
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

static void forget_member(struct member *member)
{
	memset(member->usage, 0, member->layout.n_chunks * sizeof(member->usage[0]));
	memset(member, 0, sizeof(*member));
}

/* forget_members() - free processes of an app or of all; @unfound: those that the search missed */
static void forget_members(const struct app *app, bool unfound)
{
	struct member *member = NULL;

	while ((member = app_next_member(app, member)))
		if (!unfound || !member->found)
			forget_member(member);
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

static struct member *find_member(struct proc_id id)
{
	unsigned int i;

	for (i = 0; i < MEMBERS; i++)
		if (members[i].id.pid == id.pid && members[i].id.start == id.start)
			return &members[i];
	return NULL;
}

/* free_member() - find a free place, or free a place of the user with the most places */
static struct member *free_member(uid_t newcomer)
{
	static const struct proc_id none;
	struct member *member = find_member(none);
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
	forget_member(&members[yields]);
	return &members[yields];
}

static void add_member(struct search *search, const struct candidate *process)
{
	struct proc_id id = { process->stat.pid, process->stat.start };
	struct member *member = find_member(id);

	if (!member) {
		member = free_member(process->uid);
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
		add_member(search, &process);
	return 0;
}

static int try_named(pid_t pid, void *arg)
{
	struct candidate process;

	if (who_read(pid, &process) || !is_named(arg, &process))
		return 0;
	return try_process(pid, arg);
}

/* search_processes() - count the processes of an app; with @app they become its members */
static unsigned int search_processes(const struct config *config, struct app *app, const char *name)
{
	struct search search = { config, app, name, 0 };
	char group[SYS_PATH];

	if (app_group(config, name, group, sizeof(group)))
		cgroup_each_pid(group, try_process, &search);
	else
		sys_each_pid(try_named, &search);
	return search.found;
}

/**
 * app_find() - an app by its name
 * @config: where apps are
 * @name: a control group, below the configured one if it has no "/" at its begin; or a process id,
 *	or the name of a program
 * @found: the app; added, if it was not known
 *
 * Return: 0; -ENAMETOOLONG; or -ESRCH: it has no process that may be touched.
 */
int app_find(const struct config *config, const char *name, struct app **found)
{
	if (!name[0] || strlen(name) >= APP_NAME)
		return -ENAMETOOLONG;
	for (*found = app_next(NULL); *found; *found = app_next(*found))
		if (!strcmp((*found)->name, name))
			return 0;
	if (!search_processes(config, NULL, name))
		return -ESRCH;
	*found = free_app();
	forget_members(*found, false);
	memset(*found, 0, sizeof(**found));
	strcpy((*found)->name, name);
	return 0;
}

/**
 * app_search() - look for the processes of an app
 * @config: where apps are
 * @app: the app
 */
void app_search(const struct config *config, struct app *app)
{
	struct member *member = NULL;

	while ((member = app_next_member(app, member)))
		member->found = false;
	search_processes(config, app, app->name);
	/* The other processes have ended, have left the app, or must no longer be touched. */
	forget_members(app, true);
}

/**
 * app_next() - the next app
 * @app: the one before; NULL: the first
 *
 * Return: NULL after the last one.
 */
struct app *app_next(struct app *app)
{
	app = app ? app + 1 : apps;
	while (app < apps + APPS && !app->name[0])
		app++;
	return app < apps + APPS ? app : NULL;
}

/**
 * app_next_member() - the next process of an app
 * @app: the app; NULL: all apps
 * @member: the one before; NULL: the first
 *
 * Return: NULL after the last one.
 */
struct member *app_next_member(const struct app *app, struct member *member)
{
	member = member ? member + 1 : members;
	while (member < members + MEMBERS && (!member->id.pid || (app && member->app != app)))
		member++;
	return member < members + MEMBERS ? member : NULL;
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
 * app_forget_all() - forget all apps and their processes
 */
void app_forget_all(void)
{
	forget_members(NULL, false);
	memset(apps, 0, sizeof(apps));
}
