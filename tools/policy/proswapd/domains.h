/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The memories that processes share, by number.
 */
#ifndef PROSWAPD_DOMAINS_H
#define PROSWAPD_DOMAINS_H

#include "domain.h"

#define DOMAINS 8

int domains_find(const char *group);
struct domain *domains_get(unsigned int nr);
void domains_forget(void);

#endif
