/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One pass over all processes: who is protected, and the best victim of the others.
 */
#ifndef LATD_SCAN_H
#define LATD_SCAN_H

#include <stdbool.h>
#include "config.h"
#include "proc.h"
#include "role.h"

/*
 * Protected processes at a time; more are left to themselves, and that is logged. Users share the
 * places (share.h).
 */
#define SCAN_PROTECTED 64

/* Users whose programs have a protected name or unit, but who do not count; more are left out. */
#define SCAN_FOREIGN 8

/* A program of such a user. */
struct foreign {
	pid_t pid;
	uid_t user;
	char name[64];
};

/* One of the others; without one, pid is 0. */
struct victim {
	struct proc_id id;
	char name[64];
	uint64_t score;			/* oom_score */
	int64_t weight;			/* of the score, without what its user may add */
};

/* What a pass found. */
struct scan {
	unsigned int n_protected;
	struct proc_id protected[SCAN_PROTECTED];
	uid_t users[SCAN_PROTECTED];	/* of the protected ones */
	unsigned int n_others;
	unsigned int n_loose;		/* of these, those that no group of the others holds */
	uint64_t loose_bytes;		/* these have in memory, and the largest in swap */
	struct victim victim;		/* the highest weight of all */
	struct victim loose;		/* and of those in no group */
	unsigned int n_lost;		/* protected, but there was no room for them */
	unsigned int n_foreign;
	struct foreign foreign[SCAN_FOREIGN];
};

/* Called for each process during the pass; returns whether a group of the others holds it. */
typedef bool (*scan_fn)(enum role role, const struct candidate *process, void *arg);

/* Processes that "latdctl protect" has named. */
int scan_protect(pid_t pid);
int scan_release(pid_t pid);

void scan_one(const struct config *config, const struct scan *scan, pid_t pid, scan_fn fn,
	      void *arg);
int scan_all(const struct config *config, struct scan *scan, scan_fn fn, void *arg);

#endif
