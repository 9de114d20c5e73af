// SPDX-License-Identifier: GPL-2.0
/*
 * A daemon's reply to any request consists of lines. The first one is "ok" or an error; if the
 * request begins with "json", the rest of the reply is JSON.
 *
 * The first byte of the input selects the daemon, the second one its state; the request follows.
 */
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>
#include "answer.h"
#include "control.h"
#include "json_check.h"

static char root[256];

static int rm_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	return remove(path);
}

static void remove_tree(void)
{
	nftw(root, rm_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* put() - write a file of the tree, and make its directories */
static void put(const char *path, const char *text)
{
	char full[512], *at;
	int fd;

	snprintf(full, sizeof(full), "%s%s", root, path);
	for (at = full + strlen(root) + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		mkdir(full, 0755);
		*at = '/';
	}
	fd = open(full, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		fuzz_die("can't write %s", full);
	close(fd);
}

/* put_groups() - groups with limits, for proswapd; one has a name that a hostile user may choose */
static void put_groups(void)
{
	static const char *const groups[] = { "/g0", "/g1 a\033[1m\nb: 1" };
	char path[128];
	unsigned int i;

	put("/proc/self/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n");
	put("/sys/fs/cgroup/apps/one/cgroup.procs", "100\n");
	put("/sys/fs/cgroup/apps/empty/cgroup.procs", "");
	for (i = 0; i < ARRAY_SIZE(groups); i++) {
		snprintf(path, sizeof(path), "/sys/fs/cgroup%s/memory.max", groups[i]);
		put(path, "1048576\n");
		snprintf(path, sizeof(path), "/sys/fs/cgroup%s/memory.current", groups[i]);
		put(path, "4096\n");
		snprintf(path, sizeof(path), "/sys/fs/cgroup%s/memory.stat", groups[i]);
		put(path, "inactive_file 0\n");
	}
}

/* make_tree() - two processes of users, one of them in a control group, and a kernel thread */
static void make_tree(void)
{
	static const struct { int pid; const char *comm, *group; unsigned int flags; } all[] = {
		{ 100, "app", "/apps/one", 0 },
		{ 101, "two words) R\033[1m", "/user.slice", 0 },
		{ 2, "kthreadd", "/", 0x208040 },
	};
	const char *tmp = getenv("TMPDIR");
	char path[64], text[512];
	unsigned int i;

	snprintf(root, sizeof(root), "%.200s/policy-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(root))
		fuzz_die("no temporary directory: %s", root);
	atexit(remove_tree);
	put_groups();
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		snprintf(path, sizeof(path), "/proc/%d/stat", all[i].pid);
		snprintf(text, sizeof(text),
			 "%d (%s) S 1 1 1 0 -1 %u 0 0 0 0 0 0 0 0 20 0 1 0 %d 4096000 100 1 1\n",
			 all[i].pid, all[i].comm, all[i].flags, all[i].pid);
		put(path, text);
		snprintf(path, sizeof(path), "/proc/%d/cgroup", all[i].pid);
		snprintf(text, sizeof(text), "0::%s\n", all[i].group);
		put(path, text);
		snprintf(path, sizeof(path), "/proc/%d/status", all[i].pid);
		put(path, "Name:\tx\nUid:\t1000\t1000\t1000\t1000\n");
		snprintf(path, sizeof(path), "/proc/%d/maps", all[i].pid);
		put(path, "100000-200000 rw-p 00000000 00:00 0 \n");
		snprintf(path, sizeof(path), "/proc/%d/pagemap", all[i].pid);
		put(path, "");
	}
}

static const answer_fn daemons[] = {
	answer_latd, answer_proswapd, answer_rectifyd, answer_marvind,
};

/* check_lines() - no control characters in a reply "ok"; an error may repeat the request */
static void check_lines(const char *reply)
{
	for (; *reply; reply++)
		must_be(*reply == '\n' || (unsigned char)*reply >= ' ');
}

int fuzz_one(const u8 *data, size_t bytes)
{
	struct input in = { data, bytes };
	u8 daemon = take(&in) % ARRAY_SIZE(daemons), state = take(&in);
	char request[CONTROL_REQUEST], *reply;
	size_t len;

	if (!root[0])
		make_tree();
	len = in.left < sizeof(request) - 1 ? in.left : sizeof(request) - 1;
	memcpy(request, in.at, len);
	request[len] = '\0';
	/* control_serve() cuts the line like this. */
	request[strcspn(request, "\n")] = '\0';
	reply = malloc(CONTROL_REPLY);
	if (!reply)
		abort();
	memset(reply, 0x5a, CONTROL_REPLY);
	reply[0] = '\0';
	daemons[daemon](state, request, reply, root);
	must_be(memchr(reply, 0, CONTROL_REPLY));
	must_be(!strncmp(reply, "ok\n", 3) || !strncmp(reply, "error ", 6));
	must_be(reply[strlen(reply) - 1] == '\n');
	if (reply[0] == 'o')
		check_lines(reply);
	if (reply[0] == 'o' && !strncmp(request, "json ", 5))
		must_be(json_is_right(reply + 3));
	free(reply);
	return 0;
}
