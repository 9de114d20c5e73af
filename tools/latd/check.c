// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "cgroup.h"
#include "check.h"
#include "pressure.h"
#include "scan.h"
#include "space.h"
#include "sys.h"

static void line(const char *what, bool there, const char *yes, const char *no)
{
	printf("%-24s %-4s %s\n", what, there ? "yes" : "no", there ? yes : no);
}

static bool check_pressure(void)
{
	struct pressure pressure;
	int err = pressure_open(&pressure, PRESSURE_MEMORY);

	line("pressure", !err, "", "needed: CONFIG_PSI, and psi=1 where it is off by default");
	if (err)
		return false;
	err = pressure_trigger(&pressure, PRESSURE_MEMORY, 10000, 500000);
	line("pressure trigger", !err, "reacts at once", "polling alone, or no privilege");
	pressure_close(&pressure);
	return true;
}

static bool check_groups(void)
{
	char path[SYS_PATH], text[256] = "";
	bool there = !cgroup_find(), memory;

	line("cgroup v2", there, cgroup_mount(),
	     "mount -t cgroup2 none /sys/fs/cgroup; or the others are stopped by signals");
	if (!there)
		return false;
	if (!cgroup_file(path, "/", "cgroup.controllers"))
		sys_read(path, text, sizeof(text));
	text[strcspn(text, "\n")] = '\0';
	memory = conf_list_has(text, "memory");
	line("  memory controller", memory, "memory.min keeps pages, memory.high limits",
	     "boot with cgroup_no_v1=memory, or CONFIG_MEMCG is off");
	line("  cpu controller", conf_list_has(text, "cpu"), "weights", "no weights");
	line("  memory.reclaim", cgroup_has("/", "memory.reclaim"),
	     "the others' memory is pushed out", "Linux 5.19 has it; pages go when they must");
	return memory;
}

static void check_swap(void)
{
	struct space space;
	char text[160];

	if (space_read(&space) || !space.total) {
		line("swap", false, "", "the others' pages have nowhere to go: swapon");
		return;
	}
	snprintf(text, sizeof(text), "%llu MiB, %llu in use, room for %llu at the present ratio",
		 (unsigned long long)space.total >> 20, (unsigned long long)space.used >> 20,
		 (unsigned long long)space.left >> 20);
	line("swap", true, text, "");
}

struct search {
	const char *name;		/* of the list */
	bool found;			/* a program has it */
	struct proc_stat like;		/* pid 0: none has a name that begins so */
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
 * check_names() - is a name of [protect] that of no process, but the beginning of another one's?
 * @config: what is wanted
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

		/* Many names begin with some letter. */
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

/**
 * check_print() - say what this kernel offers, and what would be used
 * @config: what is wanted
 *
 * Return: 0, if the mode works here; or -EOPNOTSUPP.
 */
int check_print(const struct config *config)
{
	bool must = config->mode == MODE_FREEZE || config->mode == MODE_CGROUP ||
		    config->mode == MODE_GROW;
	struct utsname name;
	struct scan scan;
	unsigned int i;
	bool pressure, groups;
	int fd = sys_pidfd_open(getpid());

	uname(&name);
	printf("%-24s %-4s %s\n", "kernel", "", name.release);
	pressure = check_pressure();
	groups = check_groups();
	line("pidfd", fd >= 0, "", "needed: Linux 5.3");
	line("root", geteuid() == 0, "", "needed, or CAP_SYS_PTRACE, KILL, SYS_RESOURCE, SYS_NICE, IPC_LOCK, DAC_OVERRIDE");
	check_swap();
	scan_all(config, &scan, NULL, NULL);
	printf("%-24s %-4u %s\n", "protected processes", scan.n_protected,
	       scan.n_protected ? "" : "none of these names, groups, units and users is there now");
	check_names(config, print_name);
	for (i = 0; i < scan.n_foreign; i++)
		printf("%-24s %-4s %s[%d] of user %u is not protected: set user = %u in [protect]\n",
		       "", "no", scan.foreign[i].name, scan.foreign[i].pid, scan.foreign[i].user,
		       scan.foreign[i].user);
	printf("%-24s %-4u\n", "others", scan.n_others);
	printf("%-24s %-4s %s\n", "mode", "", config_modes[config->mode]);
	if (fd >= 0)
		close(fd);
	if (!pressure || fd < 0 || (must && !groups)) {
		printf("This mode does not work here: see what is needed above.\n");
		return -EOPNOTSUPP;
	}
	if (config->mode == MODE_AUTO && !groups)
		printf("It will use signals, and not keep pages.\n");
	return 0;
}
