/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Figures as people read them. PURE: numbers in, texts out, without floating point.
 */
#ifndef HUMAN_H
#define HUMAN_H

#include <stddef.h>
#include <stdint.h>

/* Buffer size for each of these functions. */
#define HUMAN_TEXT 32

const char *human_number(uint64_t value, char *text);
const char *human_size(uint64_t bytes, char *text);
const char *human_time(uint64_t ns, char *text);
const char *human_ratio(uint64_t part, uint64_t whole, char *text);
const char *human_percent(uint64_t part, uint64_t whole, char *text);
uint64_t human_share(uint64_t amount, uint64_t part, uint64_t whole);

#endif
