/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Takes memory of a program that cannot answer, because it is stopped or its control group is
 * frozen. Given memory goes without I/O, all other memory goes to the swap, if there is one.
 * The kernel keeps the bytes right, so marvind tells the program nothing.
 */
#ifndef MARVIND_OUTSIDE_H
#define MARVIND_OUTSIDE_H

#include <stdbool.h>
#include <stdint.h>
#include "registry.h"

bool outside_is_stopped(const struct program *program);
uint64_t outside_take(struct program *program, uint64_t bytes, uint64_t until_us);

#endif
