// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <string.h>
#include "domains.h"

static struct domain domains[DOMAINS];
static unsigned int n_domains;

/**
 * domains_find() - the memory that a process in a control group shares with others
 * @group: the group, "" without
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
		if (!strcmp(domains[i].group, domain.group))
			return (int)i;
	/* A group that is gone has no processes. */
	for (i = 0; i < n_domains && !domain_look(&domains[i]); i++)
		;
	if (i == DOMAINS)
		return -ENOSPC;
	domains[i] = domain;
	if (i == n_domains)
		n_domains++;
	return (int)i;
}

/**
 * domains_get() - one of them
 * @nr: of domains_find()
 *
 * Return: it; NULL, if there is none of that number.
 */
struct domain *domains_get(unsigned int nr)
{
	return nr < n_domains ? &domains[nr] : NULL;
}

/**
 * domains_forget() - there are none; before the processes are looked for anew
 */
void domains_forget(void)
{
	n_domains = 0;
}
