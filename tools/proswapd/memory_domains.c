// SPDX-License-Identifier: GPL-2.0
/*
 * How much of a memory is free, and how much has to be: what came in of late, three times. The list
 * of the memories whose processes are looked at; and whether the system swaps at all.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "cgroup.h"
#include "memory_domains.h"
#include "parse.h"
#include "sys.h"

/* At least 1 MiB is free: a burst before the next look, a guess. */
#define LEAST_BYTES (1024 * 1024)

static struct domain domains[DOMAINS];
static unsigned int users[DOMAINS];
static unsigned int n_domains;

/* low_bytes() - below that the kernel takes memory back by itself */
static uint64_t low_bytes(void)
{
	uint64_t kib = 0;

	/* The low watermark is a quarter above the lowest one. */
	if (sys_read_u64("/proc/sys/vm/min_free_kbytes", &kib))
		return LEAST_BYTES;
	return kib * 5 / 4 << 10;
}

static int system_look(struct domain *domain)
{
	char text[4096];
	uint64_t total, free_kib, files;

	if (sys_read("/proc/meminfo", text, sizeof(text)) <= 0 ||
	    !parse_key(text, "MemTotal", &total) || !parse_key(text, "MemFree", &free_kib) ||
	    !parse_key(text, "Inactive(file)", &files))
		return -EIO;
	domain->limit = (total << 10) - low_bytes();
	domain->used = (total - free_kib - files) << 10;
	return 0;
}

/**
 * domain_find() - the nearest limit of a control group
 * @domain: filled in
 * @group: of the process; "" without groups
 *
 * Return: 0, or a negative errno.
 */
int domain_find(struct domain *domain, const char *group)
{
	char above[256], *slash;
	uint64_t limit;

	memset(domain, 0, sizeof(*domain));
	snprintf(above, sizeof(above), "%s", cgroup_mount()[0] ? group : "");
	while (above[0] && strcmp(above, "/")) {
		if (!cgroup_get(above, "memory.max", &limit) && limit != UINT64_MAX) {
			snprintf(domain->group, sizeof(domain->group), "%s", above);
			break;
		}
		slash = strrchr(above, '/');
		*slash = '\0';
	}
	return domain_look(domain);
}

/**
 * domain_look() - how much is used?
 * @domain: of domain_find()
 *
 * Return: 0; or a negative errno, as when the group is gone.
 */
int domain_look(struct domain *domain)
{
	uint64_t used, files = 0;
	int err;

	if (!domain->group[0])
		return system_look(domain);
	err = cgroup_get(domain->group, "memory.max", &domain->limit);
	if (!err)
		err = cgroup_get(domain->group, "memory.current", &used);
	if (!err)
		err = cgroup_stat(domain->group, "inactive_file", &files);
	if (err)
		return err;
	domain->used = used > files ? used - files : 0;
	return 0;
}

/**
 * domain_looked() - all its processes have been looked at, and their pages counted
 * @domain: the domain
 *
 * The rate rises at once and falls slowly: a frame begins with a burst.
 */
void domain_looked(struct domain *domain)
{
	domain->rate -= domain->rate / 4;
	if (domain->came > domain->rate)
		domain->rate = domain->came;
	domain->came = 0;
}

/**
 * domain_room() - the free pages
 * @domain: the domain
 * @page_bytes: of a page
 */
uint32_t domain_room(const struct domain *domain, uint64_t page_bytes)
{
	return domain->limit > domain->used ?
	       (uint32_t)((domain->limit - domain->used) / page_bytes) : 0;
}

/**
 * domain_want() - how many pages have to go, so that the next look finds some free
 * @domain: the domain
 * @more_pages: pages that have to be free beyond that
 * @page_bytes: of a page
 *
 * Return: pages.
 */
uint32_t domain_want(const struct domain *domain, uint32_t more_pages, uint64_t page_bytes)
{
	uint64_t spare = (domain->rate * 3ull + more_pages) * page_bytes;
	uint64_t have = domain->limit > domain->used ? domain->limit - domain->used : 0;

	if (spare < LEAST_BYTES)
		spare = LEAST_BYTES;
	if (spare > domain->limit / 4)
		spare = domain->limit / 4;
	return have < spare ? (uint32_t)((spare - have) / page_bytes) : 0;
}

/**
 * domains_find() - the memory that a process in a control group shares with others
 * @group: the group, "" without
 *
 * The process belongs to it until domains_leave().
 *
 * Return: its number; -ENOSPC, if there are too many; or another negative errno.
 */
int domains_find(const char *group)
{
	struct domain domain;
	unsigned int i;
	int err = domain_find(&domain, group);

	if (err)
		return err;
	for (i = 0; i < n_domains; i++)
		if (!strcmp(domains[i].group, domain.group)) {
			users[i]++;
			return (int)i;
		}
	/* Keep the trial of a group without processes while there is room. */
	for (i = 0; i < n_domains && (n_domains < DOMAINS || users[i]); i++)
		;
	if (i == DOMAINS)
		return -ENOSPC;
	domains[i] = domain;
	users[i] = 1;
	if (i == n_domains)
		n_domains++;
	return (int)i;
}

/**
 * domains_leave() - a process does not belong to it any more
 * @nr: of domains_find()
 */
void domains_leave(unsigned int nr)
{
	if (users[nr])
		users[nr]--;
}

/**
 * domains_get() - one of them
 * @nr: of domains_find()
 *
 * Return: it; NULL, if no memory has that number.
 */
struct domain *domains_get(unsigned int nr)
{
	return nr < n_domains ? &domains[nr] : NULL;
}

/**
 * domains_forget() - forget all, before a new search for processes
 */
void domains_forget(void)
{
	n_domains = 0;
}

/**
 * traffic_since() - were pages swapped in or out?
 * @last: their number at the last call, 0 at first; updated
 *
 * Return: true also if /proc/vmstat does not tell.
 */
bool traffic_since(uint64_t *last)
{
	/* Linux 6.12 has 6 KiB of it. */
	static char text[16384];
	uint64_t in, out, before = *last;

	if (sys_read("/proc/vmstat", text, sizeof(text)) <= 0 ||
	    !parse_key(text, "pswpin", &in) || !parse_key(text, "pswpout", &out))
		return true;
	*last = in + out;
	return *last != before;
}
