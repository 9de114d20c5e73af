/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The brake: who makes objects faster than others can be saved waits, when there is hardly any memory
 * left. Otherwise somebody would be killed for it.
 */
#ifndef MARVIN_BRAKE_H
#define MARVIN_BRAKE_H

#include <stddef.h>

/* So long it waits at most. */
extern unsigned int brake_limit_ms;

void brake(size_t bytes);

#endif
