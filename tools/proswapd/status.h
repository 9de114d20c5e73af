/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state as text: for proswapctl, for --once, and a line of CSV a look.
 */
#ifndef PROSWAPD_STATUS_H
#define PROSWAPD_STATUS_H

#include <stddef.h>
#include "config.h"

void status_text(char *text, size_t size, const struct config *config);
void status_answer(char *request, char *reply, const struct config *config);
int status_trace_open(const char *path);
void status_trace(uint32_t now_ms);
void status_trace_close(void);

#endif
