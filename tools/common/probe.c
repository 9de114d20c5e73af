// SPDX-License-Identifier: GPL-2.0
/*
 * Features of the kernel. The questions that several daemons ask are here; a daemon's table may
 * have others, which it asks itself.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
#include "cgroup.h"
#include "cost.h"
#include "pressure.h"
#include "probe.h"
#include "space.h"
#include "sys.h"

/**
 * probe_lines() - print a line for each
 * @probes: the table; the last one has no @there
 * @config: for them
 *
 * Return: true, if all that is needed is there.
 */
bool probe_lines(const struct probe *probes, const void *config)
{
	const struct probe *probe;
	bool works = true;

	for (probe = probes; probe->there; probe++) {
		char text[PROBE_TEXT] = "";
		bool there = probe->there(config, text);
		const char *say = there ? text[0] ? text : probe->yes : probe->no;

		if (probe->name && say)
			printf("%-24s %-4s %s\n", probe->name, there ? "yes" : "no", say);
		works = works && (there || !probe->needed);
	}
	return works;
}

/** probe_process_madvise() - can pages of other processes be moved? */
bool probe_process_madvise(const void *config, char *text)
{
	int pidfd = sys_pidfd_open(getpid());
	bool there = pidfd >= 0 && sys_process_madvise(pidfd, NULL, 0, MADV_PAGEOUT) >= 0;

	(void)config;
	(void)text;
	if (pidfd >= 0)
		close(pidfd);
	return there;
}

/** probe_cgroup() - is version 2 mounted, and where? */
bool probe_cgroup(const void *config, char *text)
{
	bool there = !cgroup_find();

	(void)config;
	snprintf(text, PROBE_TEXT, "%.*s", PROBE_TEXT - 1, there ? cgroup_mount() : "");
	return there;
}

/** probe_pressure() - is there pressure stall information? */
bool probe_pressure(const void *config, char *text)
{
	struct pressure pressure;
	bool there = !pressure_open(&pressure, PRESSURE_MEMORY);

	(void)config;
	(void)text;
	if (there)
		pressure_close(&pressure);
	return there;
}

/** probe_pagemap() - can page tables be read? */
bool probe_pagemap(const void *config, char *text)
{
	(void)config;
	(void)text;
	return sys_exists("/proc/self/pagemap");
}

/** probe_swap() - how much swap there is, and how much of it is in use */
bool probe_swap(const void *config, char *text)
{
	struct space space;

	(void)config;
	if (space_read(&space) || !space.total)
		return false;
	snprintf(text, PROBE_TEXT,
		 "%llu MiB, %llu in use, room for %llu at the present ratio",
		 (unsigned long long)space.total >> 20, (unsigned long long)space.used >> 20,
		 (unsigned long long)space.left >> 20);
	return true;
}

/** probe_swap_read() - what a read of a page takes, where that is known */
bool probe_swap_read(const void *config, char *text)
{
	uint64_t ns = cost_swap_ns();

	(void)config;
	snprintf(text, PROBE_TEXT, "%llu us a page", (unsigned long long)ns / 1000);
	return ns;
}

/** probe_file_read() - what a read of a page of a file has taken so far */
bool probe_file_read(const void *config, char *text)
{
	struct cost_reads reads, none = { 0 };

	(void)config;
	if (cost_file_reads(&reads) || !reads.pages)
		return false;
	snprintf(text, PROBE_TEXT, "%llu us a page, of %llu MiB",
		 (unsigned long long)cost_page_ns(&none, &reads) / 1000,
		 (unsigned long long)reads.pages >> 8);
	return true;
}

/** probe_sockets() - has the kernel sockets of the kind that packets need? */
bool probe_sockets(const void *config, char *text)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	(void)config;
	(void)text;
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/** probe_root() - is it started by root? */
bool probe_root(const void *config, char *text)
{
	(void)config;
	(void)text;
	return geteuid() == 0;
}
