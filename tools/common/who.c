// SPDX-License-Identifier: GPL-2.0
/*
 * Lists of processes: by name, control group, unit or user. PURE without who_check() and
 * who_read().
 *
 * Every user can choose the name of a process, and of a group below the user's own group. So where
 * a match is an advantage (protected, never touched), a unit is a group that lies in slices only,
 * because a manager that runs as root has made that group. A name counts for processes of root, of
 * the users in the list, and in the unit NAME.service.
 */
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cgroup.h"
#include "conf.h"
#include "proc.h"
#include "who.h"

/* in_groups() - is a group one of the list, or below one? */
static bool in_groups(const char *list, const char *group)
{
	char name[WHO_LIST];
	int n;

	while (sscanf(list, "%511s%n", name, &n) == 1) {
		if (cgroup_below(group, name))
			return true;
		list += n;
	}
	return false;
}

/*
 * in_units() - does the path of a group contain a unit of the list?
 * @anywhere: also below a group that is no slice, which its user may manage
 */
static bool in_units(const char *list, const char *group, bool anywhere)
{
	char part[256];
	int n;

	for (; *group; group += n) {
		n = 0;
		if (*group == '/')
			group++;
		if (sscanf(group, "%255[^/]%n", part, &n) != 1)
			break;
		if (conf_list_has(list, part))
			return true;
		if (!anywhere && !parse_ends_with(part, ".slice"))
			break;
	}
	return false;
}

static bool in_users(const struct who *who, const struct candidate *process)
{
	char uid[16];

	snprintf(uid, sizeof(uid), "%u", process->uid);
	return conf_list_has(who->user, uid);
}

static bool in_lists(const struct who *who, const struct candidate *process, bool name_counts,
		     bool unit_anywhere)
{
	const char *group = process->cgroup;

	if (name_counts && conf_list_has(who->name, process->stat.comm))
		return true;
	if (!who->name[0] && !who->unit[0] && in_users(who, process))
		return true;
	return group[0] && (in_groups(who->cgroup, group) ||
			    in_units(who->unit, group, unit_anywhere));
}

/*
 * in_own_unit() - is it in the service of its own name? Only a manager that runs as root makes
 * services in slices, also for other users.
 */
static bool in_own_unit(const struct candidate *process)
{
	char unit[sizeof(process->stat.comm) + sizeof(".service")];

	snprintf(unit, sizeof(unit), "%s.service", process->stat.comm);
	return !strpbrk(process->stat.comm, " /") && in_units(unit, process->cgroup, false);
}

/** who_is() - is a process of protected lists, by something that its user cannot choose? */
bool who_is(const struct who *who, const struct candidate *process)
{
	bool listed = in_users(who, process);
	bool counts = !process->uid || listed ||
		      (who->name[0] && process->cgroup[0] && in_own_unit(process));

	return in_lists(who, process, counts, listed);
}

/** who_is_to_touch() - is a process of lists that may be touched, by whatever it calls itself? */
bool who_is_to_touch(const struct who *who, const struct candidate *process)
{
	bool any = !who->user[0] || in_users(who, process);

	return in_lists(who, process, any, any);
}

/** who_is_of_other() - has it a name or unit of protected lists, but a user that does not count? */
bool who_is_of_other(const struct who *who, const struct candidate *process)
{
	return !who_is(who, process) && in_lists(who, process, true, true);
}

/**
 * who_is_never() - is a process never touched, or can that not be told?
 * @who: the lists; here a user in the list means all processes of the user
 */
bool who_is_never(const struct who *who, const struct candidate *process)
{
	return in_users(who, process) || in_lists(who, process, !process->uid, false) ||
	       (process->unknown && (who->cgroup[0] || who->unit[0] || who->user[0]));
}

/** who_is_nobody() - are the lists empty? */
bool who_is_nobody(const struct who *who)
{
	return !who->name[0] && !who->cgroup[0] && !who->unit[0] && !who->user[0];
}

static const char daemons[] =
	"latd proswapd rectifyd marvind guardian aside latdctl proswapctl rectifyctl marvinctl";

/*
 * is_daemon() - is it one of our daemons, its guardian, its helper (aside.h) or its control tool?
 * The name counts because it runs as root: the real user of a setuid program is its caller.
 */
static bool is_daemon(const struct candidate *process)
{
	return !process->uid && conf_list_has(daemons, process->stat.comm);
}

/** who_untouchable() - is it a thread of the kernel, the first process, a zombie or our daemon? */
bool who_untouchable(const struct candidate *process)
{
	return process->stat.flags & PROC_KTHREAD || process->stat.pid == 1 ||
	       parse_has_ended(&process->stat) || is_daemon(process);
}

/** who_read() - read a process; -ESRCH. A part that cannot be read matches nothing in who_is() */
int who_read(pid_t pid, struct candidate *process)
{
	int err = proc_read(pid, &process->stat);

	if (err)
		return err;
	process->cgroup[0] = '\0';
	process->uid = (uid_t)-1;
	process->unknown = false;
	if (process->stat.flags & PROC_KTHREAD)
		return 0;
	err = proc_cgroup(pid, process->cgroup, sizeof(process->cgroup));
	/*
	 * A kernel without control groups of version 2 has none. Linux 6.1, for instance, does not
	 * tell a path of 4096 characters. Every user can make such groups below a group that is
	 * delegated to him, and they are no unit's.
	 */
	process->unknown = (err && err != -ENOENT && err != -ENAMETOOLONG) ||
			   proc_uid(pid, &process->uid);
	return 0;
}

/* is_printable() - what the kernel says of a name has "_" for every other character */
static bool is_printable(const char *name)
{
	for (; *name; name++)
		if (*name <= ' ' || *name >= 127)
			return false;
	return true;
}

/*
 * check_word() - can a word of the list @key match a process? A list has blanks between its words
 * and nothing else: a word with a comma at its end or in quotes, or the # of a comment, matches
 * nothing. The kernel keeps 15 characters of a program's name. A group's name begins with "/".
 */
static int check_word(const char *word, const char *where, const char *key, char *message)
{
	char last = word[strlen(word) - 1];
	bool name = !strcmp(key, "name");

	if (strchr("\"'#;,", word[0]) || strchr("\"',;", last))
		snprintf(message, CONF_MESSAGE,
			 "%s%s: \"%.200s\" fits nobody: put blanks between words, no commas, no quotes, and a comment into a line of its own",
			 where, key, word);
	else if (name && strlen(word) > 15)
		snprintf(message, CONF_MESSAGE,
			 "%sname = %.200s: the kernel keeps 15 characters: \"%.15s\"", where, word,
			 word);
	else if (name && !is_printable(word))
		snprintf(message, CONF_MESSAGE,
			 "%sname: only names of printable ASCII characters can be told", where);
	else if (!strcmp(key, "cgroup") && word[0] != '/')
		snprintf(message, CONF_MESSAGE,
			 "%scgroup = %.200s: give its path from \"/\" on, as in /proc/PID/cgroup",
			 where, word);
	else
		return 0;
	return -EINVAL;
}

static int check_words(const char *list, const char *where, const char *key, char *message)
{
	char word[WHO_LIST];
	int n, err = 0;

	for (; !err && sscanf(list, "%511s%n", word, &n) == 1; list += n)
		err = check_word(word, where, key, message);
	return err;
}

/**
 * who_check() - see whether there can be such processes; turn names of users into numbers
 * @who: its list of users is rewritten
 * @where: the beginning of the keys' names, for @message
 * @message: CONF_MESSAGE bytes for the reason of an error
 *
 * Context: may allocate; when the configuration is read.
 *
 * Return: 0, -EINVAL or -ENOENT.
 */
int who_check(struct who *who, const char *where, char *message)
{
	char list[WHO_LIST] = "", name[64];
	const char *at = who->user;
	size_t have = 0;
	int n, err;

	err = check_words(who->name, where, "name", message) ?:
	      check_words(who->cgroup, where, "cgroup", message) ?:
	      check_words(who->unit, where, "unit", message) ?:
	      check_words(who->user, where, "user", message);
	if (err)
		return err;
	while (sscanf(at, "%63s%n", name, &n) == 1) {
		const struct passwd *user = getpwnam(name);
		char *end;
		unsigned long uid = strtoul(name, &end, 10);

		if (user) {
			uid = user->pw_uid;
		} else if (*end || name[0] < '0' || name[0] > '9' || uid >= UINT32_MAX) {
			snprintf(message, CONF_MESSAGE, "%suser = %s: there is no such user", where,
				 name);
			return -ENOENT;
		}
		have += (size_t)snprintf(list + have, sizeof(list) - have, "%s%lu",
					 have ? " " : "", uid);
		if (have >= sizeof(list)) {
			snprintf(message, CONF_MESSAGE, "%suser: too many", where);
			return -ENOENT;
		}
		at += n;
	}
	memset(who->user, 0, sizeof(who->user));
	memcpy(who->user, list, have);
	return 0;
}
