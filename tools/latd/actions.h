/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Carries out the acts of a plan, and logs each act with the figure that caused it; protects
 * programs from the kernel's OOM killer.
 */
#ifndef LATD_ACTIONS_H
#define LATD_ACTIONS_H

#include "config.h"
#include "processes.h"
#include "rules.h"

/*
 * oom_score_adj of protected programs. It is as good as -1000, because such a process counts only
 * if it uses more than 99 % of the memory. No other program sets this value: systemd, container
 * engines and kubelets set -1000, -999, -998, -997, -900 and -500.
 */
#define OOM_MARK "-991"

/* Counted since the start, for "latdctl status". */
struct act_counts {
	uint64_t stops;
	uint64_t reaction_us;		/* the longest time from pressure to a stop, at most */
	uint64_t pushes;
	uint64_t fetches;
	uint64_t terms;
	uint64_t kills;
	char last[192];			/* the last act, and why */
};

extern struct act_counts act_counts;

bool act_told(void);
void act_limit(uint64_t bytes);
int act_setup(const struct config *config);
void act_plan(const struct config *config, const struct plan *plan, const struct scan *scan,
	      bool dry_run);

int oom_protect(struct proc_id id, pid_t parent);
void oom_tidy(const struct scan *scan);
void oom_clean(void);

#endif
