/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How the memory that all of the others may have is divided between their groups. PURE.
 */
#ifndef LATD_LEVEL_H
#define LATD_LEVEL_H

#include <stdint.h>

uint64_t level_of(const uint64_t *have, unsigned int n, uint64_t total);
uint64_t level_cover(const uint64_t *have, unsigned int n, unsigned int permille);

#endif
