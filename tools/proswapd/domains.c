// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <string.h>
#include "domains.h"

static struct domain domains[DOMAINS];
static unsigned int users[DOMAINS];
static unsigned int n_domains;

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
