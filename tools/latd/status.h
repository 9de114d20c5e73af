/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What "latdctl" is told, and "latd --once" prints: lines of "key: value".
 */
#ifndef LATD_STATUS_H
#define LATD_STATUS_H

#include "config.h"
#include "rule.h"
#include "scan.h"

int status_text(char *text, size_t size, const struct config *config, const struct rule *rule,
		const struct sample *sample, const struct scan *scan);
void status_print(const struct config *config, const struct rule *rule,
		  const struct sample *sample, const struct scan *scan);
void status_answer(char *request, char *reply, const struct config *config,
		   const struct rule *rule, const struct sample *sample,
		   const struct scan *scan);

#endif
