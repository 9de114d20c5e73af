/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which processes are meant: by name, control group, unit or user. PURE but for who_check() and
 * who_read().
 */
#ifndef POLICY_WHO_H
#define POLICY_WHO_H

#include <stdbool.h>
#include <sys/types.h>
#include "parse.h"
#include "sys.h"

#define WHO_LIST 512

/* Processes: one that is in any of the lists is meant. */
struct who {
	char name[WHO_LIST];
	char cgroup[WHO_LIST];
	char unit[WHO_LIST];
	char user[WHO_LIST];
};

/* What is known of a process. */
struct candidate {
	struct proc_stat stat;
	char cgroup[SYS_PATH];		/* "" where it has none, or it is not known */
	uid_t uid;
	bool unknown;			/* its group or its user could not be read */
};

bool who_is(const struct who *who, const struct candidate *process);
bool who_may_be(const struct who *who, const struct candidate *process);
bool who_is_nobody(const struct who *who);
bool who_untouchable(const struct candidate *process);
int who_read(pid_t pid, struct candidate *process);
int who_check(struct who *who, const char *where, char *message);

#endif
