/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which processes are meant: by name, control group, unit or user. PURE but for who_check() and
 * who_read().
 *
 * Every user can choose the name of a process, and of a group below the user's own group. So where
 * a match is an advantage (protected, never touched), a unit is a group that lies in slices only,
 * because a manager that runs as root has made that group. A name counts for processes of root, of
 * the users in the list, and in the unit NAME.service.
 */
#ifndef POLICY_WHO_H
#define POLICY_WHO_H

#include <stdbool.h>
#include <sys/types.h>
#include "parse.h"
#include "sys.h"

#define WHO_LIST 512

/*
 * Lists of words. The users in the list are those whose names and units count. If no name and no
 * unit is listed, and in the lists of processes that are never touched, all processes of such a
 * user match.
 */
struct who {
	char name[WHO_LIST];
	char cgroup[WHO_LIST];
	char unit[WHO_LIST];
	char user[WHO_LIST];		/* numbers */
};

/* What is known of a process. */
struct candidate {
	struct proc_stat stat;
	char cgroup[SYS_PATH];		/* "" where it has none, or it is not known */
	uid_t uid;			/* the real user */
	bool unknown;			/* its group or its user could not be read */
};

bool who_is(const struct who *who, const struct candidate *process);
bool who_is_to_touch(const struct who *who, const struct candidate *process);
bool who_is_of_other(const struct who *who, const struct candidate *process);
bool who_is_never(const struct who *who, const struct candidate *process);
bool who_is_nobody(const struct who *who);
bool who_untouchable(const struct candidate *process);
int who_read(pid_t pid, struct candidate *process);
int who_check(struct who *who, const char *where, char *message);

#endif
