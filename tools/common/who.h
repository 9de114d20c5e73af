/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMMON_WHO_H
#define COMMON_WHO_H

#include <stdbool.h>
#include <sys/types.h>
#include "conf.h"
#include "parse.h"
#include "sys.h"

/* Bytes of a list, with a zero byte: as INI_LINE. */
#define WHO_LIST 512

/* Programs of root that no daemon touches: a system without one of them cannot be used. */
#define WHO_SYSTEM \
	"init systemd systemd-journal systemd-udevd systemd-logind dbus-daemon sshd dropbear " \
	"syslogd klogd udevd ubusd procd netifd getty agetty login watchdog"

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

/* The four keys of the lists @lists_. @names_ and @units_ are their defaults. */
#define WHO_KEYS(section_, prefix_, lists_, names_, units_, help_) \
	{ CONF_KEY(section_, prefix_ "name", LIST, lists_.name), .preset = names_, \
	  .help = help_ ": names of programs, as in /proc/PID/comm, at most 15 characters" }, \
	{ CONF_KEY(section_, prefix_ "cgroup", LIST, lists_.cgroup), \
	  .help = "The same by control group, and all below it, such as /work/camera" }, \
	{ CONF_KEY(section_, prefix_ "unit", LIST, lists_.unit), .preset = units_, \
	  .help = "The same by unit of systemd, such as camera.service" }, \
	{ CONF_KEY(section_, prefix_ "user", LIST, lists_.user), \
	  .help = "The same by name or number of the user" }

/* A process, as far as the lists need it. */
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
