// SPDX-License-Identifier: GPL-2.0
/*
 * role_of(): which processes are protected, may be touched, or are left alone, by the lists of the
 * configuration; and the checks of these lists.
 */
#include <errno.h>
#include "harness.h"
#include "processes.h"

static struct config config;
static char message[CONF_MESSAGE];

static void begin(void)
{
	conf_presets(config_keys, &config);
	memset(&config.others.never, 0, sizeof(config.others.never));
	strcpy(message, "none");
}

static void set(const char *option)
{
	if (conf_set_option(config_keys, &config, option, message)) {
		tap.bad++;
		tap_note("%s", message);
	}
}

static struct candidate process(const char *name, const char *cgroup, uid_t uid)
{
	struct candidate candidate = { .stat = { .pid = 500, .state = 'S' }, .uid = uid };

	snprintf(candidate.stat.comm, sizeof(candidate.stat.comm), "%s", name);
	snprintf(candidate.cgroup, sizeof(candidate.cgroup), "%s", cgroup);
	return candidate;
}

static enum role role_for(const char *name, const char *cgroup, uid_t uid)
{
	struct candidate candidate = process(name, cgroup, uid);

	return role_of(&config, &candidate);
}

static void test_names(void)
{
	begin();
	set("protect.name=app server");
	set("others.never_name=sshd");
	expect_eq(role_for("app", "/", 0), ROLE_PROTECTED);
	expect_eq(role_for("server", "/", 0), ROLE_PROTECTED);
	expect_eq(role_for("sshd", "/", 0), ROLE_LEFT);
	expect_eq(role_for("hog", "/", 0), ROLE_OTHER);
	expect_eq(role_for("ap", "/", 0), ROLE_OTHER);
	expect_eq(role_for("apps", "/", 0), ROLE_OTHER);
	expect_eq(role_for("app server", "/", 0), ROLE_OTHER);
	expect_eq(role_for("", "/", 0), ROLE_OTHER);
	/* [protect] wins over the lists of [others]. */
	set("others.never_name=app");
	set("others.touch_name=app");
	expect_eq(role_for("app", "/", 0), ROLE_PROTECTED);
	/* With names in touch_name all other names are left alone. */
	set("others.touch_name=hog sshd");
	expect_eq(role_for("hog", "/", 0), ROLE_OTHER);
	expect_eq(role_for("hogs", "/", 0), ROLE_LEFT);
	expect_eq(role_for("sshd", "/", 0), ROLE_LEFT);
}

static void test_defaults(void)
{
	conf_presets(config_keys, &config);
	set("protect.name=app");
	expect_eq(role_for("systemd", "/", 0), ROLE_LEFT);
	expect_eq(role_for("sshd", "/", 0), ROLE_LEFT);
	expect_eq(role_for("watchdog", "/", 0), ROLE_LEFT);
	expect_eq(role_for("hog", "/", 0), ROLE_OTHER);
	expect_eq(config_check(&config, message), 0);
}

/*
 * Our own daemons and tools run by root are left alone, even if the lists name them. A user's
 * program with such a name is not.
 */
static void test_daemons(void)
{
	static const char *const names[] = { "latd", "proswapd", "rectifyd", "marvind", "guardian",
					     "aside", "latdctl", "proswapctl" };
	unsigned int i;

	begin();
	set("protect.name=app latd");
	set("others.touch_name=hog latd proswapd rectifyd marvind guardian aside latdctl proswapctl");
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		expect_eq(role_for(names[i], "/latd.others", 0), ROLE_LEFT);
		expect_eq(role_for(names[i], "/", 1000), ROLE_OTHER);
	}
	expect_eq(role_for("lat", "/", 0), ROLE_LEFT);
	begin();
	set("protect.name=app");
	expect_eq(role_for("marvin", "/", 0), ROLE_OTHER);
}

static void test_left_alone(void)
{
	struct candidate one = process("hog", "/", 0);

	begin();
	set("protect.user=1000");
	set("others.touch_name=hog");
	expect_eq(role_of(&config, &one), ROLE_OTHER);
	one.stat.pid = 1;
	expect_eq(role_of(&config, &one), ROLE_LEFT);
	one.stat.pid = 500;
	one.stat.state = 'Z';
	expect_eq(role_of(&config, &one), ROLE_LEFT);
	one.stat.state = 'X';
	expect_eq(role_of(&config, &one), ROLE_LEFT);
	one.stat.state = 'T';
	expect_eq(role_of(&config, &one), ROLE_OTHER);
	one.stat.flags = 0x4208040 | PROC_KTHREAD;
	expect_eq(role_of(&config, &one), ROLE_LEFT);
	/* Kernel threads and the first process are not protected, either. */
	one.uid = 1000;
	expect_eq(role_of(&config, &one), ROLE_LEFT);
	one.stat.flags = 0;
	expect_eq(role_of(&config, &one), ROLE_PROTECTED);
	one.stat.pid = 1;
	expect_eq(role_of(&config, &one), ROLE_LEFT);
}

static void test_groups(void)
{
	begin();
	set("protect.cgroup=/a /deep/er");
	set("others.never_cgroup=/never");
	expect_eq(role_for("x", "/a", 0), ROLE_PROTECTED);
	expect_eq(role_for("x", "/a/b", 0), ROLE_PROTECTED);
	expect_eq(role_for("x", "/a/b/c", 0), ROLE_PROTECTED);
	expect_eq(role_for("x", "/ab", 0), ROLE_OTHER);
	expect_eq(role_for("x", "/", 0), ROLE_OTHER);
	expect_eq(role_for("x", "/b/a", 0), ROLE_OTHER);
	expect_eq(role_for("x", "/deep", 0), ROLE_OTHER);
	expect_eq(role_for("x", "/deep/er", 0), ROLE_PROTECTED);
	expect_eq(role_for("x", "/deep/er/est", 0), ROLE_PROTECTED);
	expect_eq(role_for("x", "/never", 0), ROLE_LEFT);
	expect_eq(role_for("x", "/never/ever", 0), ROLE_LEFT);
	expect_eq(role_for("x", "/nevermore", 0), ROLE_OTHER);
	expect_eq(role_for("x", "", 0), ROLE_OTHER);
	begin();
	set("protect.cgroup=/");
	expect_eq(role_for("x", "/any", 0), ROLE_PROTECTED);
	expect_eq(role_for("x", "/", 0), ROLE_PROTECTED);
	expect_eq(role_for("x", "", 0), ROLE_OTHER);
}

/* A slash at the end of a group, as many would write it, does not matter. */
static void test_groups_slash(void)
{
	begin();
	set("protect.cgroup=/a/");
	set("others.never_cgroup=/never/");
	expect_eq(role_for("x", "/a/b", 0), ROLE_PROTECTED);
	expect_eq(role_for("x", "/a", 0), ROLE_PROTECTED);
	expect_eq(role_for("x", "/ab", 0), ROLE_OTHER);
	expect_eq(role_for("x", "/never/ever", 0), ROLE_LEFT);
}

/* A process whose group or user cannot be read may be one that is never touched: leave it alone. */
static void test_unknown(void)
{
	struct candidate one = process("x", "", (uid_t)-1);

	one.unknown = true;
	begin();
	expect_eq(role_of(&config, &one), ROLE_OTHER);
	set("others.never_name=y");
	expect_eq(role_of(&config, &one), ROLE_OTHER);
	set("others.never_cgroup=/never");
	expect_eq(role_of(&config, &one), ROLE_LEFT);
	begin();
	set("others.never_unit=ssh.service");
	expect_eq(role_of(&config, &one), ROLE_LEFT);
	begin();
	set("others.never_user=1000");
	expect_eq(role_of(&config, &one), ROLE_LEFT);
	/* This process is not protected. */
	begin();
	set("protect.cgroup=/a");
	expect_eq(role_of(&config, &one), ROLE_OTHER);
}

/* A group has to begin with a slash. */
static void test_groups_bad(void)
{
	begin();
	set("others.never_cgroup=/a b");
	expect_eq(who_check(&config.others.never, "[others] never_", message), -EINVAL);
	expect(!strcmp(message,
		       "[others] never_cgroup = b: give its path from \"/\" on, as in /proc/PID/cgroup"));
	begin();
	set("others.never_cgroup=/a /b/c");
	expect_eq(who_check(&config.others.never, "[others] never_", message), 0);
}

static void test_groups_long(void)
{
	char group[400], option[450];

	memset(group, 'a', sizeof(group));
	group[0] = '/';
	group[200] = '/';
	group[sizeof(group) - 1] = '\0';
	begin();
	snprintf(option, sizeof(option), "others.never_cgroup=%s", group);
	set(option);
	expect_eq(role_for("x", group, 0), ROLE_LEFT);
	group[300] = '\0';
	expect_eq(role_for("x", group, 0), ROLE_OTHER);
}

static void test_units(void)
{
	begin();
	set("protect.unit=app.service user@1000.service");
	set("others.never_unit=ssh.service");
	expect_eq(role_for("x", "/system.slice/app.service", 0), ROLE_PROTECTED);
	expect_eq(role_for("x", "/system.slice/app.service/child", 0), ROLE_PROTECTED);
	expect_eq(role_for("x", "/app.service", 0), ROLE_PROTECTED);
	expect_eq(role_for("x", "/system.slice/myapp.service", 0), ROLE_OTHER);
	expect_eq(role_for("x", "/system.slice/app.service2", 0), ROLE_OTHER);
	expect_eq(role_for("x", "/user.slice/user-1000.slice/user@1000.service/app.slice/x.scope", 0),
		  ROLE_PROTECTED);
	expect_eq(role_for("x", "/system.slice/ssh.service", 0), ROLE_LEFT);
	expect_eq(role_for("x", "/system.slice", 0), ROLE_OTHER);
	expect_eq(role_for("x", "/", 0), ROLE_OTHER);
	expect_eq(role_for("x", "", 0), ROLE_OTHER);
	expect_eq(role_for("x", "/system.slice//app.service", 0), ROLE_OTHER);
}

/* Users can choose the names of their programs and of their own groups, so these do not count. */
static void test_other_users(void)
{
	static const char own[] = "/user.slice/user-1000.slice/user@1000.service/app.slice/app.service";
	struct candidate one = process("app", "/", 1000);

	begin();
	set("protect.name=app");
	set("others.never_name=sshd");
	expect_eq(role_for("app", "/", 0), ROLE_PROTECTED);
	expect_eq(role_for("app", "/", 1000), ROLE_OTHER);
	expect(who_is_of_other(&config.protect.who, &one));
	expect_eq(role_for("sshd", "/", 0), ROLE_LEFT);
	expect_eq(role_for("sshd", "/", 1000), ROLE_OTHER);
	set("others.never_user=1002");
	expect_eq(role_for("any", "/", 1002), ROLE_LEFT);
	expect_eq(role_for("sshd", "/", 1000), ROLE_OTHER);
	/* With [protect] user, names of root's and of this user's programs count. */
	set("protect.user=1000");
	expect_eq(role_for("app", "/", 1000), ROLE_PROTECTED);
	expect_eq(role_for("app", "/", 0), ROLE_PROTECTED);
	expect_eq(role_for("app", "/", 1001), ROLE_OTHER);
	expect_eq(role_for("other", "/", 1000), ROLE_OTHER);
	expect(!who_is_of_other(&config.protect.who, &one));
	begin();
	set("protect.unit=app.service");
	expect_eq(role_for("x", "/system.slice/app.service", 1000), ROLE_PROTECTED);
	expect_eq(role_for("x", own, 1000), ROLE_OTHER);
	expect_eq(role_for("x", "/system.slice/evil.service/app.service", 1000), ROLE_OTHER);
	set("protect.user=1000");
	expect_eq(role_for("x", own, 1000), ROLE_PROTECTED);
	expect_eq(role_for("x", own, 1001), ROLE_OTHER);
	/* touch_name is no advantage for a program, so it counts for all users. */
	begin();
	set("protect.user=7");
	set("others.touch_name=hog");
	expect_eq(role_for("hog", "/", 1000), ROLE_OTHER);
	expect_eq(role_for("hog", "/", 7), ROLE_PROTECTED);
	set("others.touch_user=1001");
	expect_eq(role_for("hog", "/", 1000), ROLE_LEFT);
	expect_eq(role_for("hog", "/", 1001), ROLE_OTHER);
}

/* A program of another user counts if root's manager runs it in the unit of the same name. */
static void test_own_unit(void)
{
	begin();
	set("protect.name=app other");
	expect_eq(role_for("app", "/system.slice/app.service", 105), ROLE_PROTECTED);
	expect_eq(role_for("app", "/system.slice/app.service/sub", 105), ROLE_PROTECTED);
	expect_eq(role_for("app", "/system.slice/system-app.slice/app.service", 105),
		  ROLE_PROTECTED);
	expect_eq(role_for("x", "/system.slice/app.service", 105), ROLE_OTHER);
	expect_eq(role_for("app", "/system.slice/other.service", 105), ROLE_OTHER);
	expect_eq(role_for("app", "/system.slice/evil.service/app.service", 105), ROLE_OTHER);
	expect_eq(role_for("app", "/user.slice/user-1000.slice/user@1000.service/app.service", 1000),
		  ROLE_OTHER);
	expect_eq(role_for("app", "/user.slice/user-1000.slice/session-1.scope", 1000), ROLE_OTHER);
	begin();
	set("protect.name=a/b");
	expect_eq(role_for("a/b", "/system.slice/a/b.service", 105), ROLE_OTHER);
}

static int users(const char *text)
{
	begin();
	snprintf(config.protect.who.user, sizeof(config.protect.who.user), "%s", text);
	return who_check(&config.protect.who, "[protect] ", message);
}

static void test_users(void)
{
	expect_eq(users("root 1000 4294967294"), 0);
	expect(!strcmp(config.protect.who.user, "0 1000 4294967294"));
	expect_eq(role_for("x", "/", 0), ROLE_PROTECTED);
	expect_eq(role_for("x", "/", 1000), ROLE_PROTECTED);
	expect_eq(role_for("x", "/", 4294967294U), ROLE_PROTECTED);
	expect_eq(role_for("x", "/", 100), ROLE_OTHER);
	expect_eq(role_for("x", "/", 10000), ROLE_OTHER);
	expect_eq(role_for("x", "/", -1), ROLE_OTHER);
	expect_eq(users(""), 0);
	expect(!strcmp(config.protect.who.user, ""));
	expect_eq(users("root no-such-user"), -ENOENT);
	expect(!strcmp(message, "[protect] user = no-such-user: there is no such user"));
}

/* Wrong numbers of users are refused. */
static void test_users_bad(void)
{
	expect_eq(users("-1"), -ENOENT);
	expect_eq(users("+5"), -ENOENT);
	expect_eq(users("4294967296"), -ENOENT);
	expect_eq(users("99999999999999999999999"), -ENOENT);
	/* (uid_t)-1 stands for an unknown user. */
	expect_eq(users("4294967295"), -ENOENT);
}

/* A list with very many wrong words gives an error with a message. */
static void test_users_many(void)
{
	char list[WHO_LIST] = "";
	unsigned int i;

	for (i = 0; i < 100; i++)
		strcat(list, "-1 ");
	expect(users(list) < 0);
	expect(strcmp(message, "none"));
}

/* The kernel cuts names to 15 characters, so longer ones in lists are refused. */
static void test_long_names(void)
{
	begin();
	set("others.never_name=a fifteen-letters b");
	expect_eq(who_check(&config.others.never, "[others] never_", message), 0);
	set("others.never_name=sixteen--letters");
	expect_eq(who_check(&config.others.never, "[others] never_", message), -EINVAL);
	expect(!strcmp(message,
		       "[others] never_name = sixteen--letters: the kernel keeps 15 characters: \"sixteen--letter\""));
	conf_presets(config_keys, &config);
	expect_eq(who_check(&config.others.never, "", message), 0);
}

/* unfit() - check that a list is refused because of @word */
static void unfit(const char *option, const char *key, const char *word)
{
	char want[256];

	begin();
	set(option);
	snprintf(want, sizeof(want), "[protect] %s: \"%s\" fits nobody: ", key, word);
	expect_eq(who_check(&config.protect.who, "[protect] ", message), -EINVAL);
	if (!expect(!strncmp(message, want, strlen(want))))
		tap_note("%s", message);
}

static void test_words_that_fit_nobody(void)
{
	unfit("protect.name=redis-server, nginx", "name", "redis-server,");
	unfit("protect.name=\"redis-server\"", "name", "\"redis-server\"");
	unfit("protect.name='nginx'", "name", "'nginx'");
	unfit("protect.name=redis-server # mine", "name", "#");
	unfit("protect.name=redis-server #mine", "name", "#mine");
	unfit("protect.unit=a.service; b.service", "unit", "a.service;");
	unfit("protect.cgroup=\"/work\"", "cgroup", "\"/work\"");
	unfit("protect.user=redis # the server", "user", "#");
	begin();
	set("protect.name=a,b o'clock a#b");
	set("protect.cgroup=/a,b/c#d");
	expect_eq(who_check(&config.protect.who, "[protect] ", message), 0);
}

static void test_config(void)
{
	begin();
	expect_eq(config_check(&config, message), -EDESTADDRREQ);
	expect(strstr(message, "nobody is protected"));
	set("protect.unit=app.service");
	expect_eq(config_check(&config, message), 0);
	set("protect.memory=95");
	set("others.reserve=3");
	expect_eq(config_check(&config, message), 0);
	set("others.reserve=3.1");
	expect_eq(config_check(&config, message), -EINVAL);
	expect(strstr(message, "less than 2 %"));
	/* An amount in bytes; the others keep their part of the memory. */
	set("others.reserve=4");
	set("protect.memory=95");
	set("protect.memory=80MiB");
	expect_eq(config_check(&config, message), 0);
	expect_eq(config_kept(&config, 112 << 20), 80 << 20);
	expect_eq(config_kept(&config, 64000), 64 * (980 - 40));
	set("protect.memory=70");
	expect_eq(config_kept(&config, 2000), 1400);
	set("latd.log=error");
	expect_eq(conf_level(config.log), 3);
	set("latd.log=debug");
	expect_eq(conf_level(config.log), 7);
}

/* Each preset value is within the range of its key. */
static void test_config_presets(void)
{
	const struct conf_key *key;

	conf_presets(config_keys, &config);
	for (key = config_keys; key->name; key++) {
		unsigned int value;

		if (key->type != CONF_UINT && key->type != CONF_PERMILLE &&
		    key->type != CONF_AMOUNT)
			continue;
		value = *(unsigned int *)((char *)&config + key->offset);
		if (!expect(value >= key->min && value <= key->max))
			tap_note("%s.%s", key->section, key->name);
	}
	for (key = config_keys; key->name; key++)
		expect(key->type != CONF_LIST || key->size == WHO_LIST);
}

static const char *const some_names[] = { "app", "ap", "hog", "sshd", "a", "init", "" };
static const char *const some_groups[] = {
	"/", "/a", "/ab", "/a/b", "/a/b/c", "/b", "/b/a", "/s/x.service", "/s/x.service/y", "",
};

static const char *const some_units[] = { "x.service", "x.scope", "a", "y" };
static const char *const some_users[] = { "0", "100", "1000", "10" };

#define PICK(list) (list)[random_below(ARRAY_SIZE(list))]

static void add(char *list, const char *word)
{
	if (random_below(4))
		return;
	if (*list && *word)
		strcat(list, " ");
	strcat(list, word);
}

static void random_who(struct who *who)
{
	unsigned int i, n = random_below(3);

	memset(who, 0, sizeof(*who));
	for (i = 0; i < n; i++) {
		add(who->name, PICK(some_names));
		add(who->cgroup, PICK(some_groups));
		add(who->unit, PICK(some_units));
		add(who->user, PICK(some_users));
	}
}

/* has() - is the word in the list? A simple second implementation. */
static bool has(const char *list, const char *word)
{
	char spaced[WHO_LIST + 2], want[300];

	snprintf(spaced, sizeof(spaced), " %s ", list);
	snprintf(want, sizeof(want), " %s ", word);
	return *word && strstr(spaced, want);
}

/* above() - is the group or one of its parents in the list? */
static bool above(const char *list, const char *group)
{
	char path[300];

	if (*group && has(list, "/"))
		return true;
	snprintf(path, sizeof(path), "%s", group);
	while (*path) {
		if (has(list, path))
			return true;
		*strrchr(path, '/') = '\0';
	}
	return false;
}

static bool part_in(const char *list, const char *group)
{
	char path[SYS_PATH], *part, *rest;

	snprintf(path, sizeof(path), "%s", group);
	for (part = strtok_r(path, "/", &rest); part; part = strtok_r(NULL, "/", &rest)) {
		if (has(list, part))
			return true;
	}
	return false;
}

/* unit_in() - is a part of the path in the list, with only slices above it? */
static bool unit_in(const char *list, const char *group)
{
	char path[SYS_PATH], *part, *rest;

	snprintf(path, sizeof(path), "%s", group);
	for (part = strtok_r(path, "/", &rest); part; part = strtok_r(NULL, "/", &rest)) {
		if (has(list, part))
			return true;
		if (strlen(part) < 6 || strcmp(part + strlen(part) - 6, ".slice"))
			return false;
	}
	return false;
}

static bool meant(const struct who *who, const struct candidate *one, bool to_touch)
{
	char uid[16], service[80];

	snprintf(uid, sizeof(uid), "%u", one->uid);
	if (to_touch && who->user[0] && !has(who->user, uid))
		return above(who->cgroup, one->cgroup) || unit_in(who->unit, one->cgroup);
	if (has(who->user, uid) || (to_touch && !who->user[0]))
		return has(who->name, one->stat.comm) || part_in(who->unit, one->cgroup) ||
		       above(who->cgroup, one->cgroup) ||
		       (!who->name[0] && !who->unit[0] && has(who->user, uid));
	snprintf(service, sizeof(service), "%s.service", one->stat.comm);
	return ((!one->uid || unit_in(service, one->cgroup)) && has(who->name, one->stat.comm)) ||
	       above(who->cgroup, one->cgroup) || unit_in(who->unit, one->cgroup);
}

static bool never(const struct who *who, const struct candidate *one)
{
	char uid[16];

	snprintf(uid, sizeof(uid), "%u", one->uid);
	return has(who->user, uid) || (!one->uid && has(who->name, one->stat.comm)) ||
	       above(who->cgroup, one->cgroup) || unit_in(who->unit, one->cgroup);
}

static bool empty(const struct who *who)
{
	return !who->name[0] && !who->cgroup[0] && !who->unit[0] && !who->user[0];
}

static struct candidate random_process(void)
{
	struct candidate one = process(PICK(some_names), PICK(some_groups),
				       atoi(PICK(some_users)));

	one.stat.pid = 1 + random_below(5);
	one.stat.state = "SRDTZXI"[random_below(7)];
	one.stat.flags = random_below(8) ? 0x400000 : 0x400000 | PROC_KTHREAD;
	return one;
}

/* Random processes and lists, against the second implementation above. */
static void test_random(void)
{
	unsigned int rounds = tap_env("QUICK", 0) ? 5000 : 50000, i;

	for (i = 0; i < rounds && tap.bad < 3; i++) {
		struct candidate one = random_process();
		bool left = one.stat.pid == 1 || one.stat.state == 'Z' || one.stat.state == 'X' ||
			    one.stat.flags & PROC_KTHREAD;
		enum role role, want;

		begin();
		random_who(&config.protect.who);
		random_who(&config.others.never);
		random_who(&config.others.touch);
		role = role_of(&config, &one);
		expect(role != ROLE_OTHER || !left);
		expect(role != ROLE_OTHER || !meant(&config.protect.who, &one, false));
		expect(role != ROLE_OTHER || !never(&config.others.never, &one));
		if (left)
			want = ROLE_LEFT;
		else if (meant(&config.protect.who, &one, false))
			want = ROLE_PROTECTED;
		else if (never(&config.others.never, &one))
			want = ROLE_LEFT;
		else
			want = empty(&config.others.touch) || meant(&config.others.touch, &one, true) ?
			       ROLE_OTHER : ROLE_LEFT;
		if (!expect_eq(role, want))
			tap_note("%s[%d] %c in \"%s\" of %u", one.stat.comm, one.stat.pid,
				 one.stat.state, one.cgroup, one.uid);
	}
}

static const struct tap_case cases[] = {
	{ "names", test_names },
	{ "the preset lists", test_defaults },
	{ "kernel threads, the first process, zombies", test_left_alone },
	{ "the daemons leave each other alone", test_daemons },
	{ "groups", test_groups },
	{ "groups with a slash at the end", test_groups_slash },
	{ "groups and users that cannot be read", test_unknown },
	{ "groups without a slash at the beginning", test_groups_bad },
	{ "groups with long names", test_groups_long },
	{ "units", test_units },
	{ "names and units of other users", test_other_users },
	{ "a service that runs as another user", test_own_unit },
	{ "users by name and number", test_users },
	{ "wrong users", test_users_bad },
	{ "very many wrong users", test_users_many },
	{ "names that are too long", test_long_names },
	{ "words that fit no process", test_words_that_fit_nobody },
	{ "configurations that make no sense", test_config },
	{ "the preset configuration", test_config_presets },
	{ "random processes and lists", test_random },
};

int main(int argc, char **argv)
{
	return tap_main("who", cases, ARRAY_SIZE(cases), argc, argv);
}
