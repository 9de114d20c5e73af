// SPDX-License-Identifier: GPL-2.0
/*
 * latd's part of --check: control groups and their controllers, and the processes that the
 * configuration names.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "cgroup.h"
#include "check.h"
#include "pressure.h"
#include "probe.h"
#include "processes.h"
#include "sys.h"

/** check_trigger() - does the kernel wake a reader of the pressure? */
bool check_trigger(const void *config, char *text)
{
	struct pressure pressure;
	bool there;

	(void)config;
	(void)text;
	if (pressure_open(&pressure, PRESSURE_MEMORY))
		return false;
	there = !pressure_trigger(&pressure, PRESSURE_MEMORY, 10000, 500000);
	pressure_close(&pressure);
	return there;
}

static bool has_controller(const char *name)
{
	char path[SYS_PATH], controllers[256] = "";

	if (!cgroup_file(path, "/", "cgroup.controllers"))
		sys_read(path, controllers, sizeof(controllers));
	controllers[strcspn(controllers, "\n")] = '\0';
	return conf_list_has(controllers, name);
}

static bool has_memory(const void *config, char *text)
{
	(void)config;
	(void)text;
	return has_controller("memory");
}

static bool has_cpu(const void *config, char *text)
{
	(void)config;
	(void)text;
	return has_controller("cpu");
}

static bool has_reclaim(const void *config, char *text)
{
	(void)config;
	(void)text;
	return cgroup_has("/", "memory.reclaim");
}

/** check_groups() - print the kernel's control groups; false, if the mode needs more than these */
bool check_groups(const void *config, char *text)
{
	static const struct probe mount[] = {
		{ "cgroup v2", probe_cgroup, "",
		  "mount -t cgroup2 none /sys/fs/cgroup; or the others are stopped by signals",
		  true },
		{ .there = NULL },
	}, controllers[] = {
		{ "  memory controller", has_memory, "memory.min keeps pages, memory.high limits",
		  "boot with cgroup_no_v1=memory, or CONFIG_MEMCG is off", true },
		{ "  cpu controller", has_cpu, "weights", "no weights", false },
		{ "  memory.reclaim", has_reclaim, "the others' memory is pushed out",
		  "Linux 5.19 has it; pages go when they must", false },
		{ .there = NULL },
	};
	const struct config *wanted = config;
	bool works = probe_lines(mount, config) && probe_lines(controllers, config);

	(void)text;
	if (wanted->mode == MODE_AUTO && !works)
		printf("It will use signals, and not keep pages.\n");
	return works || !config_needs_groups(wanted);
}

/** check_pidfd() - has the kernel pidfds, so that a signal cannot hit a process that got the id? */
bool check_pidfd(const void *config, char *text)
{
	int fd = sys_pidfd_open(getpid());

	(void)config;
	(void)text;
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

struct search {
	const char *name;		/* of the list */
	bool found;			/* a process has this name */
	struct proc_stat like;		/* a process whose name begins so; pid 0: none */
};

static int try_process(pid_t pid, void *arg)
{
	struct search *search = arg;
	struct proc_stat stat;

	if (proc_read(pid, &stat) || stat.flags & PROC_KTHREAD || pid == getpid())
		return 0;
	search->found = !strcmp(stat.comm, search->name);
	if (!search->like.pid && !strncmp(stat.comm, search->name, strlen(search->name)))
		search->like = stat;
	return search->found;
}

/**
 * check_names() - find names of [protect] that are just the beginning of a process's name
 * @config: the configuration
 * @say: called for each such name
 *
 * A program whose name is "redis" may still come, so this is no error.
 */
void check_names(const struct config *config,
		 void (*say)(const char *name, const char *like, pid_t pid))
{
	const char *list = config->protect.who.name;
	char name[WHO_LIST];
	int n;

	for (; sscanf(list, "%511s%n", name, &n) == 1; list += n) {
		struct search search = { .name = name };

		/* Skip names of one letter: many names begin with it. */
		if (name[1])
			sys_each_pid(try_process, &search);
		if (!search.found && search.like.pid)
			say(name, search.like.comm, search.like.pid);
	}
}

static void print_name(const char *name, const char *like, pid_t pid)
{
	printf("%-24s %-4s no process is called %s; %s[%d] is running: is it meant?\n", "", "no",
	       name, like, pid);
}

/** check_processes() - print protected processes, and processes that only seem to be protected */
bool check_processes(const void *config, char *text)
{
	struct scan scan = { 0 };
	unsigned int i;

	(void)text;
	scan_all(config, &scan, NULL, NULL);
	printf("%-24s %-4u %s\n", "protected processes", scan.n_protected,
	       scan.n_protected ? "" : "none of these names, groups, units and users is there now");
	check_names(config, print_name);
	for (i = 0; i < scan.n_foreign; i++)
		printf("%-24s %-4s %s[%d] of user %u is not protected: set user = %u in [protect]\n",
		       "", "no", scan.foreign[i].name, scan.foreign[i].pid, scan.foreign[i].user,
		       scan.foreign[i].user);
	printf("%-24s %-4u\n", "others", scan.n_others);
	return true;
}
