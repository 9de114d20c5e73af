// SPDX-License-Identifier: GPL-2.0
/*
 * How a heap tells marvind of itself, and what marvind asks of it. The socket of marvind is the
 * test's own.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include "harness.h"
#include "../marvin.h"
#include "../register.h"

#define SPACE ((void *)0x7f0000001000)
#define HELLO "marvin 2 a_name_that_is_ 7f0000001000 8388608 4096"

static char dir[64], path[96];
/* Of marvind. */
static int door = -1, caller = -1;
static struct registration reg;
static struct marvin_stats stats = MARVIN_STATS;

static bool has_sockets(void)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);

	if (fd < 0) {
		tap_note("no sockets (CONFIG_UNIX): left out");
		return false;
	}
	close(fd);
	return true;
}

static void make_dir(void)
{
	strcpy(dir, "/tmp/marvin-reg.XXXXXX");
	expect(!!mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/reg", dir);
	setenv("MARVIN_REGISTER", path, 1);
}

static void remove_dir(void)
{
	expect_eq(rmdir(dir), 0);
}

/* open_door() - marvind begins; @n: of programs that wait */
static void open_door(int n)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	door = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	strcpy(address.sun_path, path);
	expect_eq(bind(door, (struct sockaddr *)&address, sizeof(address)), 0);
	expect_eq(listen(door, n), 0);
}

static void shut_caller(void)
{
	if (caller >= 0)
		close(caller);
	caller = -1;
}

/* shut_door() - marvind ends */
static void shut_door(void)
{
	shut_caller();
	close(door);
	unlink(path);
}

static void begin(void)
{
	register_begin(&reg, "a name that is far too long", SPACE, 8 << 20, 4096);
}

/* comes() - has a heap connected? Its connection is the caller's from now on */
static bool comes(void)
{
	struct ucred peer = { 0 };
	socklen_t size = sizeof(peer);

	shut_caller();
	caller = accept4(door, NULL, NULL, SOCK_CLOEXEC);
	if (caller < 0)
		return false;
	expect_eq(getsockopt(caller, SOL_SOCKET, SO_PEERCRED, &peer, &size), 0);
	expect_eq(peer.pid, getpid());
	return true;
}

/* says() - is this the next packet? "": nothing comes; NULL: the connection has ended */
static bool says(const char *wanted)
{
	char text[300] = "";
	ssize_t n = recv(caller, text, sizeof(text) - 1, MSG_DONTWAIT);

	if (!wanted)
		return !n;
	if (!wanted[0])
		return n < 0 && errno == EAGAIN;
	if (n > 0 && !strcmp(text, wanted))
		return true;
	tap_note("\"%s\"", text);
	return false;
}

static void asks(const char *text)
{
	expect_eq(send(caller, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

/* read_is() - what register_read() gives next */
static bool read_is(enum request request, u64 seq, u64 bytes)
{
	uint64_t got_seq, got_bytes;

	return expect_eq(register_read(&reg, &got_seq, &got_bytes), request) &&
	       expect_eq(got_seq, seq) && expect_eq(got_bytes, bytes);
}

/* starts() - a heap that is registered */
static void starts(void)
{
	make_dir();
	open_door(8);
	begin();
	expect(register_try(&reg));
	expect(comes());
	expect(says(HELLO));
}

static void ends(void)
{
	register_end(&reg);
	expect(!register_try(&reg));
	shut_door();
	remove_dir();
}

static void test_hello(void)
{
	if (!has_sockets())
		return;
	starts();
	/* Once. */
	expect(register_try(&reg));
	expect(says(""));
	expect(register_fd(&reg) >= 0);
	register_end(&reg);
	expect(says(NULL));
	expect_eq(register_fd(&reg), -1);
	expect(!register_try(&reg));
	expect(!comes());
	begin();
	register_begin(&reg, "", SPACE, 1, 1);
	expect(register_try(&reg) && comes());
	expect(says("marvin 2 _ 7f0000001000 1 1"));
	ends();
}

static void test_without(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	char name[200] = "/";
	int fd;

	if (!has_sockets())
		return;
	make_dir();
	begin();
	expect(!register_try(&reg));
	expect(read_is(REQUEST_NONE, 0, 0));
	register_tell(&reg, 1, &stats);
	/* marvind begins later than the program. The answer was to another one. */
	open_door(8);
	expect(register_try(&reg) && comes() && says(HELLO) && says(""));
	register_end(&reg);
	shut_door();
	/* Something else is there. */
	expect_eq(mkdir(path, 0755), 0);
	begin();
	expect(!register_try(&reg));
	expect_eq(rmdir(path), 0);
	/* The socket of an older marvind. */
	strcpy(address.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	expect(!bind(fd, (struct sockaddr *)&address, sizeof(address)) && !listen(fd, 1));
	expect(!register_try(&reg));
	close(fd);
	unlink(path);
	/* The name is too long for the address of a socket. */
	memset(name + 1, 'x', 150);
	setenv("MARVIN_REGISTER", name, 1);
	begin();
	expect(!register_try(&reg));
	register_end(&reg);
	remove_dir();
}

/* At each tick the heap looks whether marvind has ended, or does not want it. */
static void test_ended(void)
{
	if (!has_sockets())
		return;
	starts();
	/* Not wanted. */
	shut_caller();
	expect(read_is(REQUEST_NONE, 0, 0));
	expect(register_try(&reg) && comes() && says(HELLO));
	/* Ended, and begun anew. */
	shut_door();
	expect(!register_try(&reg));
	open_door(8);
	expect(register_try(&reg) && comes() && says(HELLO));
	/* Ended while the heap waits to be heard. */
	shut_caller();
	expect(register_try(&reg));
	shut_door();
	expect(!register_try(&reg));
	open_door(8);
	expect(register_try(&reg) && comes() && says(HELLO));
	/* A packet that finds no one. */
	shut_door();
	register_tell(&reg, 5, &stats);
	expect_eq(register_fd(&reg), -1);
	open_door(8);
	expect(register_try(&reg) && comes() && says(HELLO) && says(""));
	ends();
}

/* dial() - to fill the queue */
static int dial(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	strcpy(address.sun_path, path);
	if (!connect(fd, (struct sockaddr *)&address, sizeof(address)))
		return fd;
	close(fd);
	return -1;
}

/* A marvind that does not come to accept anything does not hold the program up. */
static void test_full(void)
{
	int fds[16], n = 0;

	if (!has_sockets())
		return;
	make_dir();
	open_door(1);
	while (n < 16 && (fds[n] = dial()) >= 0)
		n++;
	expect(n < 16);
	alarm(20);
	begin();
	expect(!register_try(&reg));
	while (n--) {
		shut_caller();
		caller = accept(door, NULL, NULL);
		close(fds[n]);
	}
	expect(!comes());
	expect(register_try(&reg) && comes() && says(HELLO));
	alarm(0);
	ends();
}

static void test_requests(void)
{
	static const char *const wrong[] = {
		"", "bg", "bg ", "bg x", "later 1", "bg 1 2 3", "bg 1x", "bg 1 2x", "drop",
		"0123456789012345678901234567890123456789012345678901234567890123456789", "bg\n1",
	};
	unsigned int i;

	if (!has_sockets())
		return;
	starts();
	expect(read_is(REQUEST_NONE, 0, 0));
	asks("bg 1");
	asks("drop 2 18446744073709551615");
	asks("fg 3");
	asks("fetch 4");
	expect(read_is(REQUEST_BG, 1, 0));
	expect(read_is(REQUEST_DROP, 2, UINT64_MAX));
	expect(read_is(REQUEST_FG, 3, 0));
	expect(read_is(REQUEST_FETCH, 4, 0));
	expect(read_is(REQUEST_NONE, 0, 0));
	for (i = 1; i < ARRAY_SIZE(wrong); i++) {
		asks(wrong[i]);
		if (i == 10) /* A line's end is a blank as others are. */
			expect(read_is(REQUEST_BG, 1, 0));
		else if (!read_is(REQUEST_NONE, 0, 0))
			tap_note("\"%s\"", wrong[i]);
	}
	expect(register_try(&reg));
	ends();
}

/* A heap in the background comes to the foreground when marvind ends. */
static void test_front(void)
{
	if (!has_sockets())
		return;
	starts();
	asks("bg 7");
	expect(read_is(REQUEST_BG, 7, 0));
	shut_caller();
	/* The end is not lost if register_try() is called first. */
	expect(!register_try(&reg));
	expect(read_is(REQUEST_FG, 0, 0));
	expect(read_is(REQUEST_NONE, 0, 0));
	expect(register_try(&reg) && comes() && says(HELLO));
	/* A heap that is in the foreground already stays there. */
	asks("bg 8");
	asks("fg 9");
	shut_caller();
	expect(read_is(REQUEST_BG, 8, 0));
	expect(read_is(REQUEST_FG, 9, 0));
	expect(read_is(REQUEST_NONE, 0, 0));
	ends();
}

static void test_tell(void)
{
	if (!has_sockets())
		return;
	starts();
	stats = (struct marvin_stats){ .objects = 1, .bytes = 2, .unsaved = 3, .saved = 4,
				       .given = 5, .loads = 6, .dropped = UINT64_MAX };
	register_tell(&reg, 0, &stats);
	expect(says("stat 0 1 2 3 4 5 6 18446744073709551615"));
	/* A heap that ticks all the time does not talk all the time; but it answers. */
	register_tell(&reg, 0, &stats);
	expect(says(""));
	register_tell(&reg, 9, &stats);
	expect(says("stat 9 1 2 3 4 5 6 18446744073709551615"));
	register_tell(&reg, 10, &stats);
	expect(says("stat 10 1 2 3 4 5 6 18446744073709551615"));
	usleep(600000);
	register_tell(&reg, 0, &stats);
	expect(says("stat 0 1 2 3 4 5 6 18446744073709551615"));
	ends();
}

/* A marvind that does not read: nothing waits, and an answer comes later. */
static void test_deaf(void)
{
	char text[300];
	unsigned int i;

	if (!has_sockets())
		return;
	starts();
	alarm(20);
	for (i = 1; i <= 5000; i++)
		register_tell(&reg, i, &stats);
	while (recv(caller, text, sizeof(text), MSG_DONTWAIT) > 0)
		;
	memset(&stats, 0, sizeof(stats));
	register_tell(&reg, 0, &stats);
	expect(says("stat 5000 0 0 0 0 0 0 0"));
	register_tell(&reg, 0, &stats);
	expect(says(""));
	alarm(0);
	ends();
}

/* inherited() - descriptors that are left after exec() */
static unsigned int inherited(void)
{
	unsigned int n = 0;
	int fd, flags;

	for (fd = 0; fd < 1024; fd++) {
		flags = fcntl(fd, F_GETFD);
		n += flags >= 0 && !(flags & FD_CLOEXEC);
	}
	return n;
}

static void test_fork(void)
{
	unsigned int before = inherited();
	struct ucred peer = { 0 };
	socklen_t size = sizeof(peer);
	int status, up[2];
	pid_t pid;
	char byte;

	if (!has_sockets())
		return;
	starts();
	expect_eq(inherited(), before);
	asks("bg 1");
	expect(read_is(REQUEST_BG, 1, 0));
	expect(!pipe(up));
	pid = fork();
	if (!pid) {
		register_forked(&reg);
		if (register_fd(&reg) != -1 || !read_is(REQUEST_FG, 0, 0) || !register_try(&reg))
			_exit(1);
		_exit(read(up[0], &byte, 1) == 1 ? 0 : 2);
	}
	/* The parent's is still there, and the child has one of its own. */
	asks("drop 2 4096");
	expect(read_is(REQUEST_DROP, 2, 4096));
	expect(says(""));
	shut_caller();
	while ((caller = accept(door, NULL, NULL)) < 0 && errno == EAGAIN)
		usleep(1000);
	expect_eq(getsockopt(caller, SOL_SOCKET, SO_PEERCRED, &peer, &size), 0);
	expect_eq(peer.pid, pid);
	expect(says(HELLO));
	expect_eq(write(up[1], "e", 1), 1);
	expect_eq(waitpid(pid, &status, 0), pid);
	expect_eq(status, 0);
	close(up[0]);
	close(up[1]);
	ends();
}

/* A program may close all its descriptors, and open others: those are not the library's. */
static void test_closed(void)
{
	int fd, other, ends_of[2];
	char byte = 0;

	if (!has_sockets())
		return;
	starts();
	fd = register_fd(&reg);
	other = open("/dev/null", O_RDONLY | O_CLOEXEC);
	expect_eq(dup2(other, fd), fd);
	expect_eq(register_fd(&reg), -1);
	expect(read_is(REQUEST_NONE, 0, 0));
	expect(register_try(&reg) && comes() && says(HELLO));
	expect(fcntl(fd, F_GETFD) >= 0);
	close(fd);
	close(other);
	/* Another socket: its bytes are the program's, and none of the library's come there. */
	fd = register_fd(&reg);
	expect_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends_of), 0);
	expect_eq(dup2(ends_of[0], fd), fd);
	expect_eq(write(ends_of[1], "b", 1), 1);
	register_tell(&reg, 1, &stats);
	expect(read_is(REQUEST_NONE, 0, 0));
	expect(register_try(&reg));
	expect(recv(fd, &byte, 1, MSG_DONTWAIT) == 1 && byte == 'b');
	expect(recv(ends_of[1], &byte, 1, MSG_DONTWAIT) < 0);
	expect(comes() && says(HELLO));
	register_end(&reg);
	expect(fcntl(fd, F_GETFD) >= 0);
	close(fd);
	close(ends_of[0]);
	close(ends_of[1]);
	/* The same at the end. */
	begin();
	expect(register_try(&reg) && comes() && says(HELLO));
	fd = register_fd(&reg);
	close(fd);
	expect_eq(open("/dev/null", O_RDONLY), fd);
	ends();
	expect(fcntl(fd, F_GETFD) >= 0);
	close(fd);
}

static const struct tap_case cases[] = {
	{ "the first packet", test_hello },
	{ "no socket", test_without },
	{ "marvind ends", test_ended },
	{ "the queue is full", test_full },
	{ "requests", test_requests },
	{ "the background ends with marvind", test_front },
	{ "what the heap tells", test_tell },
	{ "marvind does not read", test_deaf },
	{ "a fork", test_fork },
	{ "the program closes the connection", test_closed },
};

int main(int argc, char **argv)
{
	return tap_main("register", cases, ARRAY_SIZE(cases), argc, argv);
}
