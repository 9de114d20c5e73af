/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Is memory short? Then objects grow older sooner.
 */
#ifndef MARVIN_SHORTAGE_H
#define MARVIN_SHORTAGE_H

#include <stdbool.h>

bool shortage_in(const char *meminfo);
bool shortage(void);

#endif
