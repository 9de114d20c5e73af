/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Values of a command line's options, with their limits. A function that gives false has said on
 * standard error what is wrong, and what to give instead.
 */
#ifndef POLICY_OPTION_H
#define POLICY_OPTION_H

#include <stdbool.h>
#include <stdint.h>

/* Statuses of the programs. */
#define STATUS_FAILED	1
#define STATUS_USAGE	2

/* More than any time that an option may have. */
#define OPTION_YEAR_US (UINT64_C(366) * 86400 * 1000000)

bool option_number(uint64_t *value, const char *name, const char *text, unsigned int scale,
		   uint64_t min, uint64_t max);
bool option_seconds(uint64_t *us, const char *name, const char *text, uint64_t min_us);
bool option_percent(unsigned int *percent, const char *name, const char *text);
bool option_size(uint64_t *bytes, const char *name, const char *text, uint64_t min, uint64_t max);
bool option_choice(unsigned int *choice, const char *name, const char *text,
		   const char *const *names, unsigned int n);
bool option_text(const char **where, const char *text);
bool option_flag(bool *flag);
bool option_unknown(const char *text);
void option_show(const char *text) __attribute__((noreturn));

#endif
