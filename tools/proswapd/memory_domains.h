/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The memories that processes share: a process belongs to the nearest control group with a limit,
 * or to the system. Each has a number, knows how much of it is free, and has a trial of its own.
 */
#ifndef PROSWAPD_MEMORY_DOMAINS_H
#define PROSWAPD_MEMORY_DOMAINS_H

#include <stdbool.h>
#include <stdint.h>
#include "trial.h"

/* As many as processes: each can have its own. */
#define DOMAINS 16

struct domain {
	char group[256];		/* "": the system */
	uint64_t limit;			/* bytes */
	uint64_t used;			/* bytes, without inactive files: the kernel drops these */
	uint32_t came;			/* pages that came in since the last look */
	uint32_t rate;			/* pages that come in from look to look, of late */
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
