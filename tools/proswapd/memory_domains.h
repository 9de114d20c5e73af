/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory domains: the processes of a control group with a limit share this limit, all others share
 * the system's memory. A domain has a number, its free memory, and a trial of its own.
 */
#ifndef PROSWAPD_MEMORY_DOMAINS_H
#define PROSWAPD_MEMORY_DOMAINS_H

#include <stdbool.h>
#include <stdint.h>
#include "trial.h"

/* As many as programs, because each can have a domain of its own. */
#define DOMAINS 16

struct domain {
	char group[256];		/* "": the system */
	uint64_t limit;			/* bytes */
	uint64_t used;			/* bytes, without inactive files: the kernel drops these */
	uint32_t came;			/* pages that came in since the last look */
	uint32_t rate;			/* recent rate: pages that come in per look */
	uint32_t period_ms;		/* the longest of its processes */
	uint64_t work;			/* user time of its processes, in clock ticks */
	bool due;			/* a sample of it can be over: read the work */
	struct trial trial;
};

int domain_find(struct domain *domain, const char *group);
int domain_look(struct domain *domain);
void domain_looked(struct domain *domain);
uint32_t domain_room(const struct domain *domain, uint64_t page_bytes);
uint32_t domain_want(const struct domain *domain, uint32_t more_pages, uint64_t page_bytes);

int domains_find(const char *group);
void domains_leave(unsigned int nr);
struct domain *domains_get(unsigned int nr);
void domains_forget(void);

bool traffic_since(uint64_t *last);

#endif
