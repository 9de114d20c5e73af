/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The groups of the others. Each is the topmost group without protected programs and without
 * programs that are never touched, in it and below it: a whole slice, a unit inside a shared slice,
 * or the group that latd makes. They are limited and frozen together.
 */
#ifndef LATD_OTHERS_H
#define LATD_OTHERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "paths.h"
#include "slow.h"

/* More are left out, and their programs stopped by signals. Users share the places (share.h). */
#define OTHERS_MAX SLOW_GROUPS

void others_setup(unsigned int weight);
void others_begin(void);
bool others_note(const char *path, uid_t user);
bool others_drop(const char *path);
void others_end(void);
unsigned int others_count(void);
bool others_read(uint64_t *bytes);
const char *others_largest(void);
unsigned int others_divide(uint64_t total, struct slow_group *limits);
unsigned int others_list(struct slow_group *limits);
int others_freeze(void);
int others_thaw(void);
void others_close(void);

#endif
