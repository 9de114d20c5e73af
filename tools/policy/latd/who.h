/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which processes are meant: who is protected, and who may be touched. PURE but for who_check().
 */
#ifndef LATD_WHO_H
#define LATD_WHO_H

#include <stdbool.h>
#include <sys/types.h>
#include "config.h"
#include "parse.h"

/* What is known of a process. */
struct candidate {
	struct proc_stat stat;
	char cgroup[256];		/* "" where it is not known */
	uid_t uid;
};

enum role {
	ROLE_OTHER,			/* may be touched */
	ROLE_PROTECTED,
	ROLE_LEFT,			/* neither */
};

bool who_is(const struct who *who, const struct candidate *process);
enum role who_role(const struct config *config, const struct candidate *process);
int who_check(struct who *who, const char *where, char *message);

#endif
