/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Control groups. Where a manager such as systemd has put programs into groups, latd uses these.
 * latd also makes two groups, and moves processes of the root group into them as soon as they
 * start, because memory that a process has already stays charged to its old group.
 */
#ifndef LATD_GROUPS_H
#define LATD_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "config.h"
#include "processes.h"
#include "reclaim.h"

#define GROUP_APP "/latd.protected"
#define GROUP_OTHERS "/latd.others"

/*
 * Groups of protected programs, with the groups above them. Programs in further groups are
 * protected, but their memory is not kept. Guess: some 8 programs, each in a unit in two slices.
 */
#define KEPT_MAX 24
/* Bytes of the paths of groups that are left alone: a few dozen groups. Guess. */
#define PATHS_BYTES (16U << 10)

/* A set of groups; all zeroes: empty. */
struct paths {
	size_t used;
	bool crowded;			/* too many groups: the set is not known */
	char text[PATHS_BYTES];		/* one after the other, each with its zero byte */
};

void paths_add(struct paths *paths, const char *path);
bool paths_same(const struct paths *one, const struct paths *other);
bool paths_top(const struct paths *paths, const char *path, char top[PATHS_LONGEST]);

bool kept_update(void);
bool kept_stalled(uint64_t *some_us);
int kept_list(char *text, size_t size);

unsigned int others_count(void);
bool others_read(uint64_t *bytes);
const char *others_largest(void);
void others_divide(uint64_t total, void (*set)(const struct group_limit *limit));
int others_freeze(bool freeze);

int group_setup(const struct config *config, uint64_t total_bytes);
void group_pass_begin(void);
bool group_place(enum role role, const struct candidate *process);
bool group_pass_end(void);
bool group_place_new(enum role role, const struct candidate *process);
void group_remove(void);

#endif
