// SPDX-License-Identifier: GPL-2.0
/*
 * Which app is in front, by its control group: the rule with apps in any order; the group's files
 * as Linux 6.1 writes them, missing files, wrong contents, cgroup v1, and apps that end meanwhile.
 */
#include <poll.h>
#include <sys/resource.h>
#include "cgroup.h"
#include "tree.h"
#include "watch.h"

#define CG "/sys/fs/cgroup"
#define RUNS "populated 1\nfrozen 0\n"
#define LEFT "populated 0\nfrozen 0\n"
/* A removed group is renamed to this. */
#define GONE CG "/gone"

static struct config config;

static void add(struct watch *watch, const char *name, bool frozen, u64 weight)
{
	watch_score(watch, name, frozen, weight);
}

static bool is_front(const struct watch *watch, const char *want)
{
	const char *name = watch_front(watch);

	return name ? !strcmp(name, want) : !*want;
}

static void test_rule(void)
{
	struct watch watch = { 0 };

	expect(is_front(&watch, ""));
	add(&watch, "frozen", true, 10000);
	expect(is_front(&watch, ""));
	add(&watch, "one", false, 100);
	expect(is_front(&watch, "one"));
	add(&watch, "less", false, 99);
	expect(is_front(&watch, "one"));
	add(&watch, "two", false, 100);
	expect(is_front(&watch, ""));
	add(&watch, "frozen", true, 10000);
	expect(is_front(&watch, ""));
	add(&watch, "three", false, 101);
	expect(is_front(&watch, "three"));
	add(&watch, "two", false, 100);
	expect(is_front(&watch, "three"));
	/* With cpu.idle set the weight is 0: such an app is not in front. */
	memset(&watch, 0, sizeof(watch));
	add(&watch, "idle", false, 0);
	expect(is_front(&watch, ""));
	add(&watch, "one", false, 1);
	expect(is_front(&watch, "one"));
}

/* An app whose name is too long is skipped, and does not change the state. */
static void test_names(void)
{
	char name[sizeof(((struct watch *)NULL)->name) + 1];
	struct watch watch = { 0 };

	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	add(&watch, name, false, 100);
	expect(is_front(&watch, ""));
	expect_eq(watch.score, 0);
	name[sizeof(name) - 2] = '\0';
	add(&watch, name, false, 100);
	expect(is_front(&watch, name));
}

/* In any order: the front app is the only one with the highest weight that is not frozen. */
static void test_orders(void)
{
	unsigned int round, i;

	for (round = 0; round < 20000; round++) {
		u32 n = random_below(6), most = 0, have = 0;
		struct watch watch = { 0 };
		char best[2] = "";

		for (i = 0; i < n; i++) {
			char name[2] = { (char)('a' + i), '\0' };
			u32 weight = 1 + random_below(4);
			bool frozen = random_below(3) == 0;

			add(&watch, name, frozen, weight);
			if (frozen || weight < most)
				continue;
			have = weight == most ? have + 1 : 1;
			most = weight;
			strcpy(best, name);
		}
		if (!expect(is_front(&watch, have == 1 ? best : "")))
			tap_note("round %u: %u apps, %u with %u", round, n, have, most);
	}
}

static void put(const char *app, const char *file, const char *text)
{
	char path[1024];

	snprintf(path, sizeof(path), CG "/apps/%s/%s", app, file);
	if (text)
		tree_put(path, text);
	else
		remove(tree_path(path));
}

/* put_app() - a group with some of the files of Linux 6.1, also files that watch.c does not read */
static void put_app(const char *app, const char *events, const char *freeze, const char *weight)
{
	put(app, "cgroup.procs", "4711\n");
	put(app, "cgroup.type", "domain\n");
	put(app, "cgroup.events", events);
	put(app, "cgroup.freeze", freeze);
	put(app, "cpu.weight", weight);
	put(app, "cpu.weight.nice", "0\n");
	put(app, "memory.current", "8192\n");
}

static void put_mounts(const char *text)
{
	tree_put("/proc/self/mounts", text);
	cgroup_find();
}

/* begin() - two running apps with equal weights, so that neither is in front */
static void begin(void)
{
	tree_make();
	put_mounts("proc /proc proc rw 0 0\ncgroup2 " CG " cgroup2 rw,nosuid 0 0\n");
	memset(&config, 0, sizeof(config));
	strcpy(config.group, "/apps");
	tree_put(CG "/apps/cgroup.procs", "");
	tree_put(CG "/apps/cgroup.events", RUNS);
	tree_put(CG "/apps/cgroup.freeze", "0\n");
	tree_put(CG "/apps/cpu.weight", "100\n");
	put_app("one", RUNS, "0\n", "100\n");
	put_app("two", RUNS, "0\n", "100\n");
}

static void shows(const char *want, const char *file, int line)
{
	struct watch watch;
	const char *name;

	tap_expect(watch_look(&config, &watch), file, line, "there are groups to look at");
	name = watch_front(&watch);
	tap_expect_text(name ? name : "", want, file, line);
}

/* "": no app is in front. */
#define expect_front(want) shows(want, __FILE__, __LINE__)

static void test_weights(void)
{
	begin();
	expect_front("");
	put("one", "cpu.weight", "101\n");
	expect_front("one");
	put("two", "cpu.weight", "10000\n");
	expect_front("two");
	put("one", "cpu.weight", "10000\n");
	expect_front("");
	put("one", "cpu.weight", "1\n");
	put("two", "cpu.weight", "0\n");
	expect_front("one");
	tree_remove();
}

static void test_frozen(void)
{
	begin();
	put("one", "cgroup.freeze", "1\n");
	expect_front("two");
	put("one", "cpu.weight", "10000\n");
	expect_front("two");
	put("two", "cgroup.freeze", "1\n");
	expect_front("");
	put("one", "cgroup.freeze", "0\n");
	expect_front("one");
	tree_remove();
}

/* After an app has ended, its group stays until it is removed. */
static void test_left(void)
{
	begin();
	put("one", "cgroup.events", LEFT);
	put("one", "cpu.weight", "10000\n");
	expect_front("two");
	put("two", "cgroup.events", LEFT);
	expect_front("");
	put("one", "cgroup.events", "frozen 0\npopulated 1\n");
	expect_front("one");
	tree_remove();
}

/* Without the cpu controller cpu.weight is missing. A group without another file is no app. */
static void test_missing(void)
{
	static const char *const files[] = { "cgroup.events", "cgroup.freeze" };
	unsigned int i;

	begin();
	put("one", "cpu.weight", NULL);
	expect_front("");
	put("two", "cpu.weight", NULL);
	expect_front("");
	put("one", "cgroup.freeze", "1\n");
	expect_front("two");
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		begin();
		put("one", "cpu.weight", "10000\n");
		put("one", files[i], NULL);
		expect_front("two");
		put("two", files[i], NULL);
		expect_front("");
	}
	tree_remove();
}

/* If one file of an app has a wrong content, the app is skipped. */
static void test_garbage(void)
{
	static const char *const numbers[] = {
		"", "\n", " ", "-1\n", "+5\n", "0x10\n", "9 9\n", "10000x\n", "10000\n\n",
		"99999999999999999999999\n",
		"0000000000000000000000000000000000000000000000000000000000000010000\n",
	};
	static const char *const events[] = {
		"", "\n", "populated", "populated ", "populated 1", "populated 0", "populated x\n",
		"populated -1\n", "opulated 1\n", "populated1\n", " populated 1\n", "frozen 0\n",
		"populated 99999999999999999999999\n",
	};
	unsigned int i;

	begin();
	put("one", "cpu.weight", "10000\n");
	for (i = 0; i < ARRAY_SIZE(events); i++) {
		put("one", "cgroup.events", events[i]);
		expect_front("two");
	}
	put("one", "cgroup.events", RUNS);
	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		put("one", "cgroup.freeze", numbers[i]);
		put("one", "cpu.weight", "10000\n");
		expect_front("two");
		put("one", "cgroup.freeze", "0\n");
		put("one", "cpu.weight", numbers[i]);
		expect_front("two");
	}
	put("one", "cpu.weight", "10000\n");
	expect_front("one");
	tree_remove();
}

/* Files of random bytes: no read behind their end (ASan), and the name in front is a group's. */
static void test_bytes(void)
{
	static const char *const files[] = { "cgroup.events", "cgroup.freeze", "cpu.weight" };
	static const char likely[] = "populated 10\n";
	char bytes[600], path[1024];
	unsigned int i, j;

	begin();
	for (i = 0; i < (quick() ? 200 : 2000); i++) {
		const char *file = files[random_below(ARRAY_SIZE(files))];
		u32 n = random_below(sizeof(bytes));
		struct watch watch;
		const char *name;

		for (j = 0; j < n; j++)
			bytes[j] = random_below(2) ? likely[random_below(13)] : (char)random_u64();
		snprintf(path, sizeof(path), CG "/apps/one/%s", file);
		/* Remove first: some file systems flush at once when a file is overwritten. */
		remove(tree_path(path));
		tree_put_bytes(path, bytes, n);
		expect(watch_look(&config, &watch));
		name = watch_front(&watch);
		expect(!name || !strcmp(name, "one") || !strcmp(name, "two"));
	}
	tree_remove();
}

static void test_no_apps(void)
{
	char name[256];

	begin();
	put("two", "cpu.weight", "200\n");
	/* A file, an empty directory, and a link to itself. */
	tree_put(CG "/apps/file", "1\n");
	tree_mkdir(CG "/apps/empty");
	if (symlink("loop", tree_path(CG "/apps/loop")))
		expect(false);
	memset(name, 'n', 255);
	name[255] = '\0';
	put_app(name, RUNS, "0\n", "10000\n");
	expect_front("two");
	put_app("a b c%s", RUNS, "0\n", "300\n");
	expect_front("a b c%s");
	/* A name with an escape sequence of terminals is skipped. */
	put_app("a\033[2J", RUNS, "0\n", "350\n");
	expect_front("a b c%s");
	put_app("app-org.gnome.Terminal-4711.scope", RUNS, "0\n", "400\n");
	expect_front("app-org.gnome.Terminal-4711.scope");
	/* Paths become longer than the buffer, though the group is the same. */
	memset(config.group, '/', sizeof(config.group) - 1);
	strcpy(config.group + sizeof(config.group) - 5, "apps");
	expect_front("app-org.gnome.Terminal-4711.scope");
	tree_remove();
}

static void test_where(void)
{
	struct watch watch;

	begin();
	put("two", "cpu.weight", "200\n");
	strcpy(config.group, "/apps/");
	expect_front("two");
	put_app("one/inner", RUNS, "0\n", "300\n");
	strcpy(config.group, "/apps/one");
	expect_front("inner");
	strcpy(config.group, "/");
	expect_front("apps");
	strcpy(config.group, "/none");
	expect(!watch_look(&config, &watch));
	config.group[0] = '\0';
	expect(!watch_look(&config, &watch));
	tree_remove();
}

/* Only cgroup v2 counts; v1 has other files in other places. */
static void test_version_1(void)
{
	struct watch watch;

	begin();
	put_mounts("cgroup " CG " cgroup rw,freezer,cpu 0 0\n");
	expect(!watch_look(&config, &watch));
	put_mounts("");
	expect(!watch_look(&config, &watch));
	/* v1 and v2 together, as in systemd's hybrid mode. */
	put_mounts("cgroup /v1 cgroup rw,freezer,cpu 0 0\ncgroup2 " CG " cgroup2 rw 0 0\n");
	tree_put("/v1/apps/one/freezer.state", "FROZEN\n");
	tree_put("/v1/apps/one/cpu.shares", "2\n");
	tree_put("/v1/apps/two/freezer.state", "THAWED\n");
	tree_put("/v1/apps/two/cpu.shares", "1024\n");
	put("one", "freezer.state", "FROZEN\n");
	put("one", "cpu.shares", "2\n");
	expect_front("");
	tree_remove();
}

static void test_gone(void)
{
	struct watch watch;

	begin();
	put("two", "cpu.weight", "200\n");
	expect_front("two");
	expect_eq(rename(tree_path(CG "/apps/two"), tree_path(GONE)), 0);
	expect_front("one");
	expect_eq(rename(tree_path(CG "/apps/one"), tree_path(CG "/gone1")), 0);
	expect_front("");
	/* The app of the last look is forgotten. */
	expect_eq(rename(tree_path(CG "/apps"), tree_path(CG "/gone2")), 0);
	expect(!watch_look(&config, &watch));
	expect(is_front(&watch, ""));
	tree_remove();
}

/* leave() - the file is a pipe, so a reader waits for this child, which first removes the app */
static void leave(const char *file, const char *text)
{
	char path[1024];
	int fd;

	alarm(CHILD_SECONDS);
	snprintf(path, sizeof(path), CG "/apps/one/%s", file);
	fd = open(tree_path(path), O_WRONLY);
	if (fd < 0 || rename(tree_path(CG "/apps/one"), tree_path(GONE)) ||
	    write(fd, text, strlen(text)) < 0)
		_exit(1);
	_exit(0);
}

/* A frozen app ends after one of its files was opened: it never counts as running. */
static void test_going(void)
{
	static const char *const files[][2] = {
		{ "cgroup.events", RUNS }, { "cgroup.freeze", "1\n" }, { "cpu.weight", "10000\n" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		char path[1024];
		int status;
		pid_t pid;

		begin();
		put_app("one", RUNS, "1\n", "10000\n");
		put("one", files[i][0], NULL);
		snprintf(path, sizeof(path), CG "/apps/one/%s", files[i][0]);
		expect_eq(mkfifo(tree_path(path), 0600), 0);
		fflush(NULL);
		pid = fork();
		if (!pid)
			leave(files[i][0], files[i][1]);
		alarm(CHILD_SECONDS);
		expect_front("two");
		alarm(0);
		expect(waitpid(pid, &status, 0) == pid && status == 0);
	}
	tree_remove();
}

static bool watch_due(u32 now_ms)
{
	return !watch_wait_ms(now_ms);
}

/* due_at() - at @now_ms a look is due, and sees @want in front */
static void due_at(u32 now_ms, const char *want)
{
	expect(watch_due(now_ms));
	expect_front(want);
}

static bool is_told(void)
{
	struct pollfd ready = { .fd = watch_fd(), .events = POLLIN };

	return ready.fd >= 0 && poll(&ready, 1, 0) == 1;
}

/* told() - inotify reports a change at once, and the look follows WATCH_SETTLE_MS later */
static void told(u32 now_ms, const char *want, const char *file, int line)
{
	bool ok = is_told() && !watch_due(now_ms) && watch_fd() < 0;

	ok = ok && watch_wait_ms(now_ms) == WATCH_SETTLE_MS && WATCH_SETTLE_MS < WATCH_MS;
	tap_expect(ok && !watch_due(now_ms + WATCH_SETTLE_MS - 1), file, line, "it settles");
	tap_expect(watch_due(now_ms + WATCH_SETTLE_MS), file, line, "it is due");
	shows(want, file, line);
	tap_expect(watch_wait_ms(now_ms + WATCH_SETTLE_MS) == WATCH_IDLE_MS && !is_told(), file, line,
		   "nothing is left");
}

#define expect_told(now_ms, want) told(now_ms, want, __FILE__, __LINE__)

static void test_events(void)
{
	begin();
	watch_open();
	due_at(1, "");
	expect(!is_told());
	expect(!watch_due(WATCH_IDLE_MS));
	expect_eq(watch_wait_ms(WATCH_IDLE_MS), 1);
	due_at(1 + WATCH_IDLE_MS, "");
	put("one", "cpu.weight", "200\n");
	expect_told(2000, "one");
	put("one", "cgroup.freeze", "1\n");
	put("two", "cpu.weight", "300\n");
	expect_told(3000, "two");
	put("two", "cgroup.events", LEFT);
	expect_told(4000, "");
	/* A new group; its changes are seen from then on. */
	put_app("three", RUNS, "0\n", "100\n");
	expect_told(5000, "three");
	put("three", "cgroup.freeze", "1\n");
	expect_told(6000, "");
	/* A change within WATCH_SETTLE_MS causes no second look. */
	put("three", "cgroup.freeze", "0\n");
	expect(!watch_due(7000));
	put("three", "cpu.weight", "400\n");
	due_at(7000 + WATCH_SETTLE_MS, "three");
	expect(!is_told());
	/* A look itself causes no event. The clock wraps. */
	watch_open();
	due_at(UINT32_MAX - 10, "three");
	expect(!watch_due(100));
	due_at(WATCH_IDLE_MS, "three");
	tree_remove();
}

/* Without a descriptor for inotify: a look every quarter of a second. */
static void test_no_events(void)
{
	struct rlimit none, before;

	begin();
	expect_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = before;
	none.rlim_cur = 0;
	watch_open();
	due_at(1, "");
	/* watch_open() closes the old descriptor, and gets no new one. */
	expect_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	watch_open();
	expect_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
	expect_eq(watch_fd(), -1);
	due_at(1, "");
	put("one", "cpu.weight", "200\n");
	expect(!watch_due(WATCH_MS));
	expect_eq(watch_wait_ms(WATCH_MS), 1);
	due_at(1 + WATCH_MS, "one");
	tree_remove();
}

static const struct tap_case cases[] = {
	{ "which app is in front", test_rule },
	{ "names that fit", test_names },
	{ "apps in any order", test_orders },
	{ "weights", test_weights },
	{ "frozen", test_frozen },
	{ "groups whose app has ended", test_left },
	{ "files that are missing", test_missing },
	{ "files with a wrong content", test_garbage },
	{ "random bytes", test_bytes },
	{ "directories that are no app", test_no_apps },
	{ "the path of the groups", test_where },
	{ "cgroup v1", test_version_1 },
	{ "apps that are gone", test_gone },
	{ "an app that ends during a look", test_going },
	{ "changes by inotify", test_events },
	{ "without inotify", test_no_events },
};

int main(int argc, char **argv)
{
	return tap_main("watch", cases, ARRAY_SIZE(cases), argc, argv);
}
