/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The file of a network's weights: a header of one block, then 16-bit numbers of this machine's
 * byte order.
 */
#ifndef MEMLOAD_WEIGHTS_H
#define MEMLOAD_WEIGHTS_H

#include <stddef.h>
#include <stdint.h>
#include "inferopt.h"

struct weights {
	int16_t *numbers;
	size_t n;
};

int weights_make(const char *path, uint64_t size, uint64_t seed);
int weights_load(const char *path, enum weights_map how, bool writable, struct weights *weights);

#endif
