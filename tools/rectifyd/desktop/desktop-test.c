// SPDX-License-Identifier: GPL-2.0
/*
 * desktop-test [SEED]: tests of the watchers' code that needs no display, as TAP.
 * desktop-test serve SOCKET: a daemon that prints each request; it refuses apps whose names begin
 * with "un".
 */
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "control.h"
#include "front.h"
#include "sys.h"

#define STEPS 200000

static int number, failures;

static void result(bool good, const char *what)
{
	printf("%sok %d - %s\n", good ? "" : "not ", ++number, what);
	failures += !good;
}

/* is_next() - is @want the next request ("fg a", "bg a"), none (""), or the wait in ms ("200")? */
static bool is_next(const struct front *front, uint64_t now_ms, const char *want)
{
	struct front_request request;
	char got[80] = "";
	int wait_ms = front_next(front, now_ms, &request);

	if (!wait_ms)
		snprintf(got, sizeof(got), "%s %s", request.verb, request.name);
	else if (wait_ms > 0)
		snprintf(got, sizeof(got), "%d", wait_ms);
	if (strcmp(got, want))
		printf("# \"%s\" instead of \"%s\"\n", got, want);
	return !strcmp(got, want);
}

/* answers() - check that @want is the next request, and give it this answer */
static bool answers(struct front *front, uint64_t now_ms, const char *want,
		    enum front_answer answer)
{
	struct front_request request;
	bool good = is_next(front, now_ms, want);

	if (good && !front_next(front, now_ms, &request))
		front_answer(front, &request, answer);
	return good;
}

static void test_switches(void)
{
	struct front front = { .want = "" };
	bool good = is_next(&front, 0, "");

	front_event(&front, "a", 1000);
	good = good && answers(&front, 1000, "fg a", FRONT_DONE) && is_next(&front, 1000, "");
	front_event(&front, "a", 1100);
	result(good && is_next(&front, 9000, ""), "front: an app is told once");
	front_event(&front, "b", 1200);
	good = answers(&front, 1200, "fg b", FRONT_DONE);
	front_event(&front, "a", 1201);
	result(good && answers(&front, 1201, "fg a", FRONT_DONE) && is_next(&front, 1300, ""),
	       "front: each switch is told, at once");
	front_event(&front, "b", 1400);
	front_event(&front, "a", 1400);
	result(is_next(&front, 1400, ""), "front: there and back again is no switch");
}

static void test_none(void)
{
	struct front front = { .want = "" };
	bool good;

	front_event(&front, "", 0);
	good = is_next(&front, 5000, "");
	front_event(&front, "a", 6000);
	good = good && answers(&front, 6000, "fg a", FRONT_DONE);
	front_event(&front, "", 7000);
	good = good && is_next(&front, 7000, "200") && is_next(&front, 7199, "1");
	front_event(&front, "", 7199);
	good = good && answers(&front, 7200, "bg a", FRONT_DONE) && is_next(&front, 9000, "");
	result(good, "front: an empty front is told when it lasts");
	front_event(&front, "a", 9000);
	good = answers(&front, 9000, "fg a", FRONT_DONE);
	front_event(&front, "", 9100);
	front_event(&front, "b", 9299);
	good = good && answers(&front, 9299, "fg b", FRONT_DONE);
	front_event(&front, "", 9300);
	front_event(&front, "b", 9400);
	result(good && is_next(&front, 9999, ""), "front: a moment without an app is not told");
}

static void test_refused(void)
{
	struct front front = { .want = "" };
	bool good;

	front_event(&front, "a", 0);
	good = answers(&front, 0, "fg a", FRONT_DONE);
	front_event(&front, "panel", 10);
	good = good && answers(&front, 10, "fg panel", FRONT_REFUSED) &&
	       answers(&front, 10, "bg a", FRONT_DONE) && is_next(&front, 9000, "");
	result(good, "front: if the daemon refuses the new app, the last one goes to the back");
	front_event(&front, "a", 9000);
	good = answers(&front, 9000, "fg a", FRONT_DONE);
	front_event(&front, "panel", 9010);
	result(good && is_next(&front, 9010, "fg panel"), "front: a refused app is tried again");
	front_event(&front, "", 9020);
	result(answers(&front, 9220, "bg a", FRONT_REFUSED) && is_next(&front, 9999, ""),
	       "front: an app that is gone is told once");
}

static void test_nobody(void)
{
	struct front front = { .want = "" };
	bool good;

	front_event(&front, "a", 0);
	good = answers(&front, 0, "fg a", FRONT_NOBODY) && is_next(&front, 9000, "");
	front_event(&front, "", 9000);
	good = good && is_next(&front, 9300, "");
	front_event(&front, "a", 9400);
	result(good && answers(&front, 9400, "fg a", FRONT_DONE) && is_next(&front, 9400, ""),
	       "front: without a daemon, the next switch is the next try");
	front_event(&front, "b", 9500);
	good = answers(&front, 9500, "fg b", FRONT_NOBODY) && is_next(&front, 9900, "");
	front_event(&front, "a", 9900);
	result(good && is_next(&front, 9900, "fg a"), "front: a new daemon knows no app in front");
}

/* The screen goes on while a command runs. */
static void test_late(void)
{
	struct front front = { .want = "" };
	struct front_request request;
	bool good;

	front_event(&front, "a", 0);
	good = !front_next(&front, 0, &request);
	front_event(&front, "b", 10);
	front_answer(&front, &request, FRONT_DONE);
	good = good && answers(&front, 20, "fg b", FRONT_DONE);
	front_event(&front, "c", 30);
	good = good && !front_next(&front, 30, &request);
	front_event(&front, "d", 40);
	front_answer(&front, &request, FRONT_REFUSED);
	result(good && answers(&front, 50, "fg d", FRONT_DONE) && is_next(&front, 60, ""),
	       "front: an answer that comes after the next switch");
}

static uint32_t random_below(uint32_t n)
{
	return (uint32_t)random() % n;
}

/* Apps of the random test: its daemon knows a to d, and refuses the others. */
static const char *const names[] = { "", "a", "b", "c", "d", "x", "y" };

static bool is_known(const char *name)
{
	return name[0] >= 'a' && name[0] <= 'd';
}

/* tell() - send all due requests; returns how many, and changes the daemon's app in front */
static unsigned int tell(struct front *front, uint64_t now_ms, bool alive, char *daemon)
{
	struct front_request request;
	enum front_answer got;
	unsigned int n;

	for (n = 0; n < 3 && !front_next(front, now_ms, &request); n++) {
		got = !alive ? FRONT_NOBODY : is_known(request.name) ? FRONT_DONE : FRONT_REFUSED;
		if (got == FRONT_DONE)
			strcpy(daemon, request.verb[0] == 'f' ? request.name : "");
		front_answer(front, &request, got);
	}
	return n;
}

/*
 * Random switches. A daemon that stays always has the screen's app in front. A daemon that ends and
 * forgets all has it again after the next switch to an app.
 */
static bool try_random(bool stays)
{
	struct front front = { .want = "" };
	char daemon[FRONT_NAME] = "";
	uint64_t now_ms = 0;
	unsigned int step;

	for (step = 0; step < STEPS; step++) {
		const char *screen = names[random_below(7)];
		bool alive = stays || random_below(8), is_switch = strcmp(screen, front.want);

		if (!stays && !random_below(16))
			daemon[0] = '\0';
		now_ms += random_below(300);
		front_event(&front, screen, now_ms);
		if (tell(&front, now_ms + FRONT_SETTLE_MS, alive, daemon) > 2)
			return false;
		if (stays && strcmp(daemon, is_known(screen) ? screen : ""))
			return false;
		if (alive && is_switch && is_known(screen) && strcmp(daemon, screen))
			return false;
	}
	return true;
}

static void test_random(unsigned int seed)
{
	srandom(seed);
	result(try_random(true), "front: the daemon has the screen's app in front");
	result(try_random(false), "front: so does a restarted daemon, after the next switch");
}

static bool is_id(const struct name_maps *maps, const char *id, const char *want)
{
	char name[FRONT_NAME] = "";
	bool good = name_of_id(maps, id, name);

	return want ? good && !strcmp(name, want) : !good;
}

static void test_ids(void)
{
	struct name_maps maps = { .n = 0 };
	char text[80];
	bool good;

	result(is_id(&maps, "foot", "foot") && is_id(&maps, "org.gnome.Maps", "org.gnome.Maps"),
	       "name: without a map it is the app_id");
	good = !is_id(&maps, "/system.slice/sshd.service", "/") && is_id(&maps, "/a", NULL) &&
	       is_id(&maps, "../sshd", NULL) && is_id(&maps, "..", NULL) &&
	       is_id(&maps, "a/b", NULL) && is_id(&maps, "1", NULL) && is_id(&maps, "+17", NULL) &&
	       is_id(&maps, "-s", NULL) && is_id(&maps, "a b", NULL) &&
	       is_id(&maps, "a\nb", NULL) && is_id(&maps, "\xc3\xa4", NULL) &&
	       is_id(&maps, "", NULL) && is_id(&maps, "7zip", "7zip");
	result(good, "name: a window cannot name other groups, processes, options or lines");
	memset(text, 'x', sizeof(text));
	text[61] = '\0';
	good = is_id(&maps, text, NULL);
	text[60] = '\0';
	result(good && is_id(&maps, text, text), "name: of 60 characters at most");
	good = name_add_map(&maps, "foot=foot.scope") && name_add_map(&maps, "My App=/apps/my") &&
	       name_add_map(&maps, "foo=1") && name_add_map(&maps, "foot=other");
	result(good && is_id(&maps, "foot", "foot.scope") && is_id(&maps, "My App", "/apps/my") &&
	       is_id(&maps, "foo", "1") && is_id(&maps, "fo", "fo") &&
	       is_id(&maps, "foott", "foott"),
	       "name: of several maps the first one counts");
}

static void test_map_words(void)
{
	struct name_maps maps = { .n = 0 };
	bool good;
	int i;

	good = !name_add_map(&maps, "foot") && !name_add_map(&maps, "=a") &&
	       !name_add_map(&maps, "a=") && !name_add_map(&maps, "a=-s") &&
	       !name_add_map(&maps, "a=b c") && !maps.n;
	for (i = 0; i < NAME_MAPS; i++)
		good = good && name_add_map(&maps, "a=b");
	result(good && !name_add_map(&maps, "a=b") && maps.n == NAME_MAPS,
	       "name: wrong maps, and too many maps");
}

static bool is_group(const char *path, const char *group, const char *want)
{
	char name[FRONT_NAME] = "";
	bool good = name_in_group(path, group, name);

	return want ? good && !strcmp(name, want) : !good;
}

static void test_groups(void)
{
	static const char slice[] = "/user.slice/user-1000.slice/user@1000.service/app.slice";
	char path[128];

	snprintf(path, sizeof(path), "%s/app-foot-17.scope", slice);
	result(is_group("/apps/mail", "/apps", "mail") &&
	       is_group("/apps/mail", "/apps/", "mail") &&
	       is_group(path, slice, "app-foot-17.scope") && is_group("/mail", "/", "mail"),
	       "name: a control group's last part");
	result(is_group("/apps/mail/tab", "/apps", "mail/tab"),
	       "name: a group below an app's group is another app");
	result(is_group("/apps", "/apps", NULL) && is_group("/apps2/mail", "/apps", NULL) &&
	       is_group("/", "/apps", NULL) && is_group("/", "/", NULL) &&
	       is_group("/x/apps/mail", "/apps", NULL) && is_group("/apps/a b", "/apps", NULL),
	       "name: not below the group of the apps");
}

/* put() - write a file below @root, in a directory that exists */
static void put(const char *root, const char *path, const char *text)
{
	char full[256];
	FILE *file;

	snprintf(full, sizeof(full), "%s%s", root, path);
	file = fopen(full, "w");
	if (!file || fputs(text, file) < 0 || fclose(file)) {
		printf("Bail out! cannot write %s: %s\n", full, strerror(errno));
		exit(1);
	}
}

static bool is_pid(pid_t pid, const char *group, const char *want)
{
	char name[FRONT_NAME] = "";
	bool good = name_of_pid(pid, group, name);

	return want ? good && !strcmp(name, want) : !good;
}

/* In a directory that stands for /proc. */
static void test_pids(void)
{
	char root[] = "/tmp/desktop-test-XXXXXX", text[128];
	static const char *const paths[] = {
		"/proc/4711/cgroup", "/proc/4711/status", "/proc/4712/status", "/proc/4711",
		"/proc/4712", "/proc", "",
	};
	unsigned int i;

	if (!mkdtemp(root)) {
		printf("Bail out! no directory: %s\n", strerror(errno));
		exit(1);
	}
	for (i = 6; i-- > 3;) {
		snprintf(text, sizeof(text), "%s%s", root, paths[i]);
		mkdir(text, 0700);
	}
	put(root, paths[0], "1:memory:/other\n0::/apps/mail\n");
	snprintf(text, sizeof(text), "Name:\tmail\nUid:\t%u\t%u\t%u\t%u\n", getuid(), getuid(),
		 getuid(), getuid());
	put(root, paths[1], text);
	snprintf(text, sizeof(text), "Name:\tx\nUid:\t%u\t%u\t%u\t%u\n", getuid() + 1, getuid() + 1,
		 getuid() + 1, getuid() + 1);
	put(root, paths[2], text);
	sys_set_root(root);
	result(is_pid(4711, "/apps", "mail") && is_pid(4711, "/games", "4711") &&
	       is_pid(4711, "", "4711"), "name: of a process: its group's, else its id");
	result(is_pid(4713, "/apps", NULL) && is_pid(0, "/apps", NULL) &&
	       is_pid(1, "/apps", NULL) && is_pid(-1, "/apps", NULL),
	       "name: of a process that is not there");
	result(is_pid(4712, "/apps", getuid() ? NULL : "4712"), "name: of another user's process");
	sys_set_root("");
	for (i = 0; i < 7; i++) {
		snprintf(text, sizeof(text), "%s%s", root, paths[i]);
		remove(text);
	}
}

/* change() - what a compositor tells of a window */
static void change(struct toplevels *all, struct toplevel *toplevel, bool active)
{
	toplevel->active = active;
	toplevel_done(all, toplevel);
}

static void test_toplevels(void)
{
	struct toplevels all = { .front = NULL };
	struct toplevel a = { .app_id = "" }, b = { .app_id = "" };
	char text[TOPLEVEL_ID + 1];
	bool good;

	toplevel_app_id(&a, "a");
	toplevel_app_id(&b, "b");
	good = !strcmp(toplevel_front(&all), "");
	change(&all, &a, true);
	good = good && !strcmp(toplevel_front(&all), "a");
	change(&all, &b, true);
	change(&all, &a, false);
	good = good && !strcmp(toplevel_front(&all), "b");
	change(&all, &b, false);
	good = good && !strcmp(toplevel_front(&all), "");
	change(&all, &a, true);
	result(good && !strcmp(toplevel_front(&all), "a"),
	       "toplevel: whether the old one or the new one is told of first");
	change(&all, &b, true);
	/* A change of its title. */
	change(&all, &a, true);
	result(!strcmp(toplevel_front(&all), "b"), "toplevel: the last one that became active");
	toplevel_closed(&all, &a);
	good = !strcmp(toplevel_front(&all), "b");
	toplevel_closed(&all, &b);
	result(good && !strcmp(toplevel_front(&all), ""), "toplevel: closed");
	memset(text, 'x', TOPLEVEL_ID);
	text[TOPLEVEL_ID] = '\0';
	toplevel_app_id(&a, text);
	good = !a.app_id[0];
	text[TOPLEVEL_ID - 1] = '\0';
	toplevel_app_id(&a, text);
	result(good && !strcmp(a.app_id, text), "toplevel: an app_id that is too long is none");
}

static void answer(char *request, char *reply, void *arg)
{
	(void)arg;
	printf("%s\n", request);
	fflush(stdout);
	if (strncmp(request, "fg un", 5))
		strcpy(reply, "ok\n");
	else
		snprintf(reply, CONTROL_REPLY, "error no app %.60s\n", request + 3);
}

static int serve(const char *path)
{
	int fd = control_open(path);
	struct pollfd ready = { .fd = fd, .events = POLLIN };

	if (fd < 0) {
		fprintf(stderr, "desktop-test: %s: %s\n", path, strerror(-fd));
		return 1;
	}
	printf("ready\n");
	fflush(stdout);
	while (poll(&ready, 1, -1) == 1)
		control_serve(fd, answer, NULL);
	return 1;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "serve"))
		return serve(argv[2]);
	test_switches();
	test_none();
	test_refused();
	test_nobody();
	test_late();
	test_random(argc > 1 ? (unsigned int)strtoul(argv[1], NULL, 10) : 1);
	test_ids();
	test_map_words();
	test_groups();
	test_pids();
	test_toplevels();
	printf("1..%d\n", number);
	return failures ? 1 : 0;
}
