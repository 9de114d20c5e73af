/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A pass over all processes finds protected processes, others, and the best victim.
 */
#ifndef LATD_PROCESSES_H
#define LATD_PROCESSES_H

#include <stdbool.h>
#include "config.h"
#include "proc.h"
#include "who.h"

/*
 * Protected processes at a time. Further ones are not protected, which is logged. Users share the
 * places (share.h). Guess: several times as many as a device or a server has to protect.
 */
#define SCAN_PROTECTED 64

/* Users that are named in the log because their programs only seem to be protected. Guess. */
#define SCAN_FOREIGN 8

enum role {
	ROLE_OTHER,			/* may be touched */
	ROLE_PROTECTED,
	ROLE_LEFT,			/* neither */
};

/* A program with a protected name or unit whose user does not count. */
struct foreign {
	pid_t pid;
	uid_t user;
	char name[64];
};

/* A process of the others; pid 0: none. */
struct victim {
	struct proc_id id;
	char name[64];
	uint64_t score;			/* oom_score */
	int64_t weight;			/* the score without a raised oom_score_adj */
};

/* Results of a pass. */
struct scan {
	unsigned int n_protected;
	struct proc_id protected[SCAN_PROTECTED];
	uid_t users[SCAN_PROTECTED];	/* of the protected processes */
	unsigned int n_others;
	unsigned int n_loose;		/* others that are in no group of the others */
	uint64_t loose_bytes;		/* their memory, and the swap of the largest */
	struct victim victim;		/* the highest weight of the others, */
	struct victim loose;		/* and of those in no group */
	unsigned int n_lost;		/* protected processes that found no place */
	unsigned int n_foreign;
	struct foreign foreign[SCAN_FOREIGN];
};

/* Called for each process during the pass; returns whether a group of the others holds it. */
typedef bool (*scan_fn)(enum role role, const struct candidate *process, void *arg);

enum role role_of(const struct config *config, const struct candidate *process);
int scan_protect(pid_t pid);
int scan_release(pid_t pid);
bool scan_protects(const struct scan *scan, struct proc_id id);
void scan_one(const struct config *config, const struct scan *scan, pid_t pid, scan_fn fn,
	      void *arg);
int scan_all(const struct config *config, struct scan *scan, scan_fn fn, void *arg);

#endif
