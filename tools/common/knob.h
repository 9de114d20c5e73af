/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files of /proc/sys that several daemons, and mtdcomprctl, may set at the same time. They share a
 * registry, <directory of their lists>/mtdcompr.knobs: for each file the value before the first
 * one, and what each one wants. In whatever order they start and end, the newest wish that is left
 * holds, and after the last one the first value. A value that none of them has written is the
 * administrator's: it stays, and earlier wishes are forgotten.
 */
#ifndef COMMON_KNOB_H
#define COMMON_KNOB_H

#include <stdbool.h>

void knob_open(const char *list);
bool knob_is_shared(const char *path);
int knob_set(const char *path, const char *text);
int knob_reset(const char *path);

#endif
