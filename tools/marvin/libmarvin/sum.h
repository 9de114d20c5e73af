/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sums that tell a page from its copy in the store. XXH3 is no cryptographic hash: an attacker
 * that knows its secret can make two pages with the same sum. A program often gets its bytes from
 * others. If one such page were written over the other, it would count as saved, and the old bytes
 * would come back. So each process has a random secret. Its children have the same.
 */
#ifndef MARVIN_SUM_H
#define MARVIN_SUM_H

#include <stddef.h>
#include <stdint.h>

void sum_begin(void);
uint64_t sum_of(const void *page, size_t bytes);

#endif
