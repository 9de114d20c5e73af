/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state as text, and the requests of latdctl.
 */
#ifndef LATD_STATUS_H
#define LATD_STATUS_H

#include "config.h"
#include "processes.h"
#include "rules.h"

void status_print(const struct config *config, const struct rule *rule,
		  const struct sample *sample, const struct scan *scan);
void status_answer(char *request, char *reply, const struct config *config,
		   const struct rule *rule, const struct sample *sample,
		   const struct scan *scan);

#endif
