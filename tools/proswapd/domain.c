// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "cgroup.h"
#include "domain.h"
#include "parse.h"
#include "sys.h"

/* Free at least: what a burst takes before the next look. */
#define LEAST_BYTES (1024 * 1024)

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
 * domain_looked() - all its processes have been looked at, and what came in was counted
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
 * domain_want() - how many pages are to go, so that the next look finds some free
 * @domain: the domain
 * @more_pages: to be free beyond that
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
