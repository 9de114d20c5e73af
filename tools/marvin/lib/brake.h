/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The brake: a thread that makes objects faster than the saver saves them has to wait while hardly
 * any memory is left. Otherwise the kernel would kill a program.
 */
#ifndef MARVIN_BRAKE_H
#define MARVIN_BRAKE_H

#include <stddef.h>

/* It waits at most this long for each mebibyte. */
extern unsigned int brake_limit_ms;

void brake(size_t bytes);
void brake_less(size_t bytes);

#endif
