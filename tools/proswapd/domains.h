/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The memories that processes share, by number.
 */
#ifndef PROSWAPD_DOMAINS_H
#define PROSWAPD_DOMAINS_H

#include "domain.h"

/* As many as processes: each can have its own. */
#define DOMAINS 16

int domains_find(const char *group);
void domains_leave(unsigned int nr);
struct domain *domains_get(unsigned int nr);
void domains_forget(void);

#endif
