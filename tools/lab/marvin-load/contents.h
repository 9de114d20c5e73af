/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Contents that follow from a number; a third is random, as in real programs. Contents of two
 * numbers have no eight bytes in common. PURE.
 */
#ifndef LOAD_CONTENTS_H
#define LOAD_CONTENTS_H

#include <stddef.h>
#include <stdint.h>

void contents_fill(void *data, size_t bytes, uint64_t number);
size_t contents_wrong(const void *data, size_t bytes, uint64_t number);
size_t contents_not_zero(const void *data, size_t bytes);

#endif
