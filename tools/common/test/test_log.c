// SPDX-License-Identifier: GPL-2.0
/*
 * Lines go to /dev/log, also if the log daemon was restarted, or started later than the daemon.
 */
#include <errno.h>
#include <sys/socket.h>
#include <sys/un.h>
#include "log.h"
#include "tree.h"

/* log_daemon() - open a log daemon's socket */
static int log_daemon(void)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", tree_path("/dev/log"));
	unlink(addr.sun_path);
	expect_eq(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	return fd;
}

/* logged() - is @want the next line of the log? */
static bool logged(int fd, const char *want)
{
	char text[256] = "", line[256];

	snprintf(line, sizeof(line), "<30>app[%d]: %s", getpid(), want);
	if (recv(fd, text, sizeof(text) - 1, 0) >= 0 && !strcmp(text, line))
		return true;
	tap_note("\"%s\" instead of \"%s\"", text, line);
	return false;
}

static void restart(void)
{
	int fd = log_daemon();

	expect_eq(log_open("app", true, LOG_LEVEL_INFO), 0);
	log_info("one");
	expect(logged(fd, "one"));
	close(fd);
	log_info("lost");
	fd = log_daemon();
	log_info("two");
	expect(logged(fd, "two"));
	close(fd);
	/* No line was logged while the log daemon was away. */
	fd = log_daemon();
	log_info("three");
	expect(logged(fd, "three"));
	log_info("four");
	expect(logged(fd, "four"));
}

static void late(void)
{
	int fd;

	expect_eq(log_open("app", true, LOG_LEVEL_INFO), -ENOENT);
	log_info("lost");
	fd = log_daemon();
	log_info("one");
	expect(logged(fd, "one"));
}

static void run(void (*fn)(void))
{
	tree_make();
	tree_mkdir("/dev");
	in_child(fn);
	tree_remove();
}

static void test_restart(void)
{
	run(restart);
}

static void test_late(void)
{
	run(late);
}

static const struct tap_case cases[] = {
	{ "the log daemon is started again", test_restart },
	{ "the log daemon comes later", test_late },
};

int main(int argc, char **argv)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	/* Lines that cannot be sent go to standard error: do not show them. */
	if (null >= 0)
		dup2(null, STDERR_FILENO);
	return tap_main("log", cases, ARRAY_SIZE(cases), argc, argv);
}
