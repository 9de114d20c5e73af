/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The heap of the process, which all its Lua states use: it opens with the first object, or by
 * marvin.open() before, and closes after the last state.
 */
#ifndef SESSION_H
#define SESSION_H

#include "marvin.h"

void session_join(void);
void session_leave(void);
int session_open(const struct marvin_options *options);
int session_need(void);

#endif
