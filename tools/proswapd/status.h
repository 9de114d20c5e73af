/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state for people and scripts: the requests of proswapctl, and a line of CSV a look.
 */
#ifndef PROSWAPD_STATUS_H
#define PROSWAPD_STATUS_H

#include "verb.h"

extern const struct control_verb status_verbs[];

int status_trace_open(const char *path);
void status_trace(uint32_t now_ms);
void status_trace_close(void);

#endif
