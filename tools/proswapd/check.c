// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "cgroup.h"
#include "check.h"
#include "cost.h"
#include "damon.h"
#include "knobs.h"
#include "monitor.h"
#include "space.h"
#include "sys.h"

static void line(const char *what, bool there, const char *yes, const char *no)
{
	printf("%-24s %-4s %s\n", what, there ? "yes" : "no", there ? yes : no);
}

static bool check_swap(void)
{
	struct space space;
	char text[160];
	uint64_t ns = cost_swap_ns();

	if (space_read(&space) || !space.total) {
		line("swap", false, "", "pages have nowhere to go: swapon");
		return false;
	}
	snprintf(text, sizeof(text), "%llu MiB, %llu in use", (unsigned long long)space.total >> 20,
		 (unsigned long long)space.used >> 20);
	line("swap", true, text, "");
	if (ns)
		printf("%-24s      %llu us a page\n", "  a read", (unsigned long long)ns / 1000);
	return true;
}

/**
 * check_print() - say what this kernel offers, and what would be used
 * @config: what is wanted
 *
 * Return: 0, if it works here; or -EOPNOTSUPP.
 */
int check_print(const struct config *config)
{
	struct utsname name;
	int pidfd = sys_pidfd_open(getpid());
	ssize_t advises = pidfd < 0 ? pidfd : sys_process_madvise(pidfd, NULL, 0, 21);
	bool works;

	uname(&name);
	printf("%-24s      %s\n", "kernel", name.release);
	works = monitor_check();
	line("process_madvise", advises >= 0, "pages are moved by it", "needed: Linux 5.10");
	line("DAMON", damon_there(), "accesses in mode paper", "accesses are scanned in mode paper");
	line("cgroup v2", !cgroup_find(), cgroup_mount(),
	     "the memory of the system counts, and no limit of a group");
	line("fault_around_bytes", sys_writable("/sys/kernel/debug/fault_around_bytes"),
	     "mode paper sets it", "mode paper leaves it: debugfs is not mounted");
	line("root", geteuid() == 0, "", "needed");
	check_swap();
	if (pidfd >= 0)
		close(pidfd);
	works = works && advises >= 0;
	printf("%-24s      %s\n%s\n", "mode", config_modes[config->mode],
	       works ? "It works here." : "It does not work here.");
	return works ? 0 : -EOPNOTSUPP;
}
