/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Keeps the protected programs from the kernel's OOM killer, and nobody else: what a program forks
 * inherits its oom_score_adj. The value that latd sets is one that nobody else uses, so that it can
 * be found wherever it was inherited to.
 */
#ifndef LATD_OOM_H
#define LATD_OOM_H

#include "scan.h"

/*
 * The kernel kills such a process only where nothing else is left, as with -1000: it would have to
 * use more than 99 % of the memory to count at all. systemd, container engines and kubelets set
 * -1000, -999, -998, -997, -900 and -500.
 */
#define OOM_MARK "-991"

int oom_protect(struct proc_id id, pid_t parent);
void oom_tidy(const struct scan *scan);
void oom_clean(void);

#endif
