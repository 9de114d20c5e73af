/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The memory that a process shares with others: of the nearest control group that has a limit, or
 * of the system; and how much of it is free.
 */
#ifndef PROSWAPD_DOMAIN_H
#define PROSWAPD_DOMAIN_H

#include <stdbool.h>
#include <stdint.h>
#include "trial.h"

struct domain {
	char group[256];		/* "": the system */
	uint64_t limit;			/* bytes */
	uint64_t used;			/* without what is easily given up: inactive files */
	uint32_t came;			/* pages that came in since the last look */
	uint32_t rate;			/* pages that come in from look to look, of late */
	uint32_t period_ms;		/* the longest of its processes */
	uint64_t work;			/* what they have done, in clock ticks of user time */
	bool due;			/* a sample of it can be over: the work is read */
	struct trial trial;
};

int domain_find(struct domain *domain, const char *group);
int domain_look(struct domain *domain);
void domain_looked(struct domain *domain);
uint32_t domain_want(const struct domain *domain, uint32_t more_pages, uint64_t page_bytes);

#endif
