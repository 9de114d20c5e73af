// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "cgroup.h"
#include "check.h"
#include "cost.h"
#include "space.h"
#include "sys.h"

static void line(const char *what, bool there, const char *yes, const char *no)
{
	printf("%-24s %-4s %s\n", what, there ? "yes" : "no", there ? yes : no);
}

static void check_swap(void)
{
	uint64_t ns = cost_swap_ns();
	struct space space;
	char text[160];

	if (space_read(&space) || !space.total) {
		line("swap", false, "", "pages have nowhere to go: swapon");
		return;
	}
	snprintf(text, sizeof(text), "%llu MiB, %llu in use", (unsigned long long)space.total >> 20,
		 (unsigned long long)space.used >> 20);
	line("swap", true, text, "");
	if (ns)
		printf("%-24s      %llu us a page\n", "  a read", (unsigned long long)ns / 1000);
}

static void check_files(void)
{
	struct cost_reads reads, none = { 0 };

	if (!cost_file_reads(&reads) && reads.pages)
		printf("%-24s      %llu us a page, of %llu MiB\n", "reads of files",
		       (unsigned long long)cost_page_ns(&none, &reads) / 1000,
		       (unsigned long long)reads.pages >> 8);
}

static bool has_sockets(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/**
 * check_told() - can it learn which app is in front?
 * @config: what is wanted
 *
 * Return: false, if the kernel has no sockets for rectifyctl, and it cannot or shall not look at
 * control groups.
 */
bool check_told(const struct config *config)
{
	return has_sockets() || (config->watch && !cgroup_find());
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
	bool maps = sys_exists("/proc/self/pagemap");
	bool works = advises >= 0 && maps && check_told(config);

	uname(&name);
	printf("%-24s      %s\n", "kernel", name.release);
	line("page tables", maps, "what comes back is needed", "needed: CONFIG_PROC_PAGE_MONITOR");
	line("process_madvise", advises >= 0, "pages are moved by it", "needed: Linux 5.10");
	line("cgroup v2", !cgroup_find(), cgroup_mount(), "apps are known by their names only");
	line("sockets", has_sockets(), "rectifyctl tells of switches",
	     "needed: CONFIG_UNIX, or cgroup v2 and apps.watch = yes");
	line("refaults", sys_exists("/proc/vmstat"), "files and swap are weighed",
	     "needed: CONFIG_VM_EVENT_COUNTERS");
	line("root", geteuid() == 0, "", "needed");
	check_files();
	check_swap();
	if (pidfd >= 0)
		close(pidfd);
	printf("%-24s      %s\n%s\n", "mode", config_modes[config->mode],
	       works ? "It works here." : "It does not work here.");
	return works ? 0 : -EOPNOTSUPP;
}
