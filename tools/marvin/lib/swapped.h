/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether the kernel has put memory of this process into the swap, by /proc/self/pagemap.
 */
#ifndef MARVIN_SWAPPED_H
#define MARVIN_SWAPPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int swapped_open(void);
bool swapped(int fd, const void *data, size_t pages, size_t page);
bool swapped_most(const uint64_t *flags, size_t n);

#endif
