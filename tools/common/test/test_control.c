// SPDX-License-Identifier: GPL-2.0
/*
 * The control socket, with clients of all kinds.
 */
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include "control.h"
#include "tree.h"

/* On a busy machine: the longest time to wait for a silent client. */
#define PATIENCE_MS 1000

static char path[sizeof(tree) + 16];
static int server = -1;
static char asked[CONTROL_REQUEST];
static unsigned int calls;

static void answer(char *request, char *reply, void *arg)
{
	calls += *(unsigned int *)arg;
	strcpy(asked, request);
	if (!strcmp(request, "big")) {
		memset(reply, 'b', CONTROL_REPLY - 1);
		reply[CONTROL_REPLY - 1] = '\0';
	} else {
		snprintf(reply, CONTROL_REPLY, "ok\n%s\n", request);
	}
}

static void serve_once(void)
{
	struct pollfd ready = { .fd = server, .events = POLLIN };
	unsigned int one = 1;

	if (expect_eq(poll(&ready, 1, 10000), 1))
		control_serve(server, answer, &one);
}

static void begin(void)
{
	tree_make();
	calls = 0;
	strcpy(asked, "(nothing)");
	snprintf(path, sizeof(path), "%s/socket", tree);
	server = control_open(path);
	expect(server >= 0);
}

static void end(void)
{
	control_close(server, path);
	expect(access(path, F_OK));
	tree_remove();
}

static int dial(void)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%.100s", path);
	expect_eq(connect(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	return fd;
}

/* said() - send @data as a client; returns the reply */
static const char *said(const void *data, size_t bytes)
{
	static char reply[CONTROL_REPLY + 1];
	size_t have = 0;
	int fd = dial();
	ssize_t n;

	expect_eq(send(fd, data, bytes, MSG_NOSIGNAL), (ssize_t)bytes);
	serve_once();
	do {
		n = read(fd, reply + have, sizeof(reply) - 1 - have);
		have += n > 0 ? n : 0;
	} while (n > 0);
	reply[have] = '\0';
	close(fd);
	return reply;
}

/* in_background() - run a client in another process, while this one serves */
static pid_t in_background(void (*fn)(void))
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid) {
		alarm(CHILD_SECONDS);
		fn();
		fflush(NULL);
		_exit(tap.bad ? 1 : 0);
	}
	return pid;
}

static void joined(pid_t pid)
{
	int status;

	expect_eq(waitpid(pid, &status, 0), pid);
	expect(WIFEXITED(status) && !WEXITSTATUS(status));
}

static void ask_two(void)
{
	static char reply[CONTROL_REPLY];
	char little[8];

	expect_eq(control_ask(path, "status", reply, sizeof(reply)), 0);
	expect_text(reply, "ok\nstatus\n");
	expect_eq(control_ask(path, "protect 12", reply, sizeof(reply)), 0);
	expect_text(reply, "ok\nprotect 12\n");
	expect_eq(control_ask(path, "", reply, sizeof(reply)), 0);
	expect_text(reply, "ok\n\n");
	expect_eq(control_ask(path, "big", reply, sizeof(reply)), 0);
	expect_eq(strlen(reply), CONTROL_REPLY - 1);
	expect_eq(control_ask(path, "status", little, sizeof(little)), 0);
	expect_text(little, "ok\nstat");
}

static void test_ask(void)
{
	pid_t client;
	int i;

	begin();
	client = in_background(ask_two);
	for (i = 0; i < 5; i++)
		serve_once();
	joined(client);
	expect_eq(calls, 5);
	expect_text(asked, "status");
	end();
}

/* The socket of a daemon whose last thread is still about to end. */
static void test_late_end(void)
{
	pid_t pid;

	begin();
	pid = fork();
	if (!pid) {
		usleep(50000);
		_exit(0);
	}
	close(server);
	control_clean(path);
	expect(access(path, F_OK));
	expect_eq(waitpid(pid, NULL, 0), pid);
	tree_remove();
}

/* A file that is no socket stays, whatever it is. */
static void test_other_file(void)
{
	struct stat stat;
	int fd;

	tree_make();
	snprintf(path, sizeof(path), "%s/socket", tree);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	expect(fd >= 0);
	close(fd);
	expect_eq(control_open(path), -EEXIST);
	control_clean(path);
	expect(!lstat(path, &stat) && S_ISREG(stat.st_mode));
	unlink(path);
	expect_eq(symlink("nowhere", path), 0);
	expect_eq(control_open(path), -EEXIST);
	control_clean(path);
	expect(!lstat(path, &stat) && S_ISLNK(stat.st_mode));
	tree_remove();
}

static void test_open(void)
{
	char reply[64], longer[256];
	struct stat st;

	begin();
	expect_eq(stat(path, &st), 0);
	expect(S_ISSOCK(st.st_mode));
	expect_eq(st.st_mode & 0777, 0600);
	expect(fcntl(server, F_GETFD) & FD_CLOEXEC);
	/* A living daemon keeps its socket, and sees just a client that has gone. */
	expect_eq(control_open(path), -EADDRINUSE);
	serve_once();
	expect_text(said("still here\n", 11), "ok\nstill here\n");
	/* A daemon that was killed leaves its socket behind. */
	close(server);
	expect_eq(control_ask(path, "status", reply, sizeof(reply)), -ECONNREFUSED);
	server = control_open(path);
	expect(server >= 0);
	expect_text(said("again\n", 6), "ok\nagain\n");
	end();
	expect_eq(control_ask(path, "status", reply, sizeof(reply)), -ENOENT);
	memset(longer, 'l', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	expect_eq(control_open(longer), -ENAMETOOLONG);
	expect_eq(control_ask(longer, "status", reply, sizeof(reply)), -ENAMETOOLONG);
	expect(control_open("/no/such/directory/socket") < 0);
	control_close(-1, "/no/such/socket");
}

static void test_overlong(void)
{
	char line[1024];

	begin();
	memset(line, 'r', sizeof(line));
	line[CONTROL_REQUEST - 2] = '\n';
	said(line, CONTROL_REQUEST - 1);
	expect_eq(calls, 1);
	expect_eq(strlen(asked), CONTROL_REQUEST - 2);
	line[CONTROL_REQUEST - 2] = 'r';
	line[sizeof(line) - 1] = '\n';
	expect_text(said(line, sizeof(line)),
		    "error a request is one line of at most 254 characters\n");
	line[CONTROL_REQUEST - 1] = '\n';
	expect_text(said(line, CONTROL_REQUEST),
		    "error a request is one line of at most 254 characters\n");
	expect_eq(calls, 1);
	expect_text(said("next\n", 5), "ok\nnext\n");
	end();
}

static void ask_overlong_child(void)
{
	char request[2 * CONTROL_REQUEST], reply[128] = "";
	int err;

	memset(request, 'r', sizeof(request));
	request[sizeof(request) - 1] = '\0';
	err = control_ask(path, request, reply, sizeof(reply));
	if (!err)
		expect(!strncmp(reply, "error ", 6));
}

static void ask_overlong(void)
{
	in_child(ask_overlong_child);
}

/* control_ask() with a request that is too long: no read behind its buffer (ASan). */
static void test_ask_overlong(void)
{
	struct pollfd ready = { .fd = -1, .events = POLLIN };
	unsigned int one = 1;
	pid_t client;

	begin();
	client = in_background(ask_overlong);
	ready.fd = server;
	/* control_ask() may refuse it by itself, without a connection. */
	if (poll(&ready, 1, PATIENCE_MS) == 1)
		control_serve(server, answer, &one);
	joined(client);
	end();
}

static void test_not_a_line(void)
{
	static const char zero[] = "status\0more\n";

	begin();
	expect(!strncmp(said("status", 6), "error ", 6));
	expect(!strncmp(said("", 0), "error ", 6));
	expect(!strncmp(said(zero, sizeof(zero) - 1), "error ", 6));
	expect_eq(calls, 0);
	expect_text(said("one\ntwo\n", 8), "ok\none\n");
	expect_eq(calls, 1);
	end();
}

static void test_silent(void)
{
	u64 begun;
	int fd;

	begin();
	fd = dial();
	begun = now_ms();
	serve_once();
	expect(now_ms() - begun < PATIENCE_MS);
	close(fd);
	/* A client that has gone already. */
	fd = dial();
	expect_eq(send(fd, "status\n", 7, MSG_NOSIGNAL), 7);
	close(fd);
	serve_once();
	close(dial());
	serve_once();
	expect_text(said("next\n", 5), "ok\nnext\n");
	/* Without a client control_serve() does not wait. */
	begun = now_ms();
	control_serve(server, answer, &calls);
	expect(now_ms() - begun < PATIENCE_MS);
	end();
}

static void drip(void)
{
	int fd = dial(), i;

	for (i = 0; i < 30 && send(fd, "d", 1, MSG_NOSIGNAL) == 1; i++)
		sleep_ms(50);
	close(fd);
}

/* A client that sends a letter now and then keeps the daemon no longer than a silent one. */
static void test_dripping(void)
{
	pid_t client;
	u64 begun;

	begin();
	client = in_background(drip);
	begun = now_ms();
	serve_once();
	if (!expect(now_ms() - begun < PATIENCE_MS))
		tap_note("it took %llu ms", now_ms() - begun);
	joined(client);
	end();
}

static void ask_as_nobody(void)
{
	char reply[64] = "";

	if (setgid(65534) || setuid(65534))
		return;
	/* A client that is refused before it has sent sees a closed socket. */
	if (!control_ask(path, "status", reply, sizeof(reply)))
		expect_text(reply, "error the socket is root's\n");
}

static void test_foreign(void)
{
	pid_t client;

	if (geteuid() != 0)
		return;
	begin();
	expect_eq(chmod(tree, 0755) || chmod(path, 0777), 0);
	client = in_background(ask_as_nobody);
	serve_once();
	joined(client);
	expect_eq(calls, 0);
	end();
}

static const struct tap_case cases[] = {
	{ "the socket is made for one user, anew after a crash, and removed", test_open },
	{ "another file in its place stays", test_other_file },
	{ "a daemon that is late to close it", test_late_end },
	{ "clients in a row", test_ask },
	{ "a request that is too long", test_overlong },
	{ "a request that is too long, the client's side", test_ask_overlong },
	{ "a request that is no line", test_not_a_line },
	{ "a client that sends nothing, or has gone", test_silent },
	{ "a client that sends a letter now and then", test_dripping },
	{ "another user", test_foreign },
};

int main(int argc, char **argv)
{
	return tap_main("control", cases, ARRAY_SIZE(cases), argc, argv);
}
