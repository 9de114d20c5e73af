// SPDX-License-Identifier: GPL-2.0
/*
 * How a program tells marvind of itself, and what marvind asks of it. The socket of marvind is the
 * test's own.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include "harness.h"
#include "marvin.h"
#include "../heap.h"

int __real_madvise(void *addr, size_t bytes, int advice);
int __wrap_madvise(void *addr, size_t bytes, int advice);

int __wrap_madvise(void *addr, size_t bytes, int advice)
{
	return __real_madvise(addr, bytes, advice == MADV_FREE ? MADV_DONTNEED : advice);
}

static char dir[64], path[96];
/* Of marvind. */
static int door = -1, caller = -1;

static bool has_sockets(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

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

	door = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
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

static bool begin_with(struct marvin_options options)
{
	options.store = "/var/tmp/";
	options.space = 8 << 20;
	options.objects = 100;
	options.foreground_ms = 60000;
	return expect_eq(marvin_open(&options), 0);
}

static bool begin(void)
{
	return begin_with((struct marvin_options){ .no_thread = true });
}

/* comes() - has a program connected? Its connection is the caller's from now on */
static bool comes(void)
{
	struct ucred peer = { 0 };
	socklen_t size = sizeof(peer);

	shut_caller();
	caller = accept(door, NULL, NULL);
	if (caller < 0)
		return false;
	expect_eq(getsockopt(caller, SOL_SOCKET, SO_PEERCRED, &peer, &size), 0);
	expect_eq(peer.pid, getpid());
	return true;
}

/* says() - the number that it has sent; -1: none */
static int says(void)
{
	char text[32] = "", expected[32];
	ssize_t n = recv(caller, text, sizeof(text) - 1, MSG_DONTWAIT);
	int fd = n > 0 ? atoi(text) : -1;

	snprintf(expected, sizeof(expected), "%d\n", fd);
	return strcmp(text, expected) ? -1 : fd;
}

/* is_shut() - by the program */
static bool is_shut(void)
{
	struct pollfd ready = { caller, POLLIN, 0 };

	return poll(&ready, 1, 0) == 1 && ready.revents & POLLHUP;
}

static void test_line(void)
{
	struct stat st;

	if (!has_sockets())
		return;
	make_dir();
	open_door(8);
	begin();
	if (expect(comes()))
		expect_eq(says(), marvin_heap.table_fd);
	expect_eq(fstat(marvin_heap.table_fd, &st), 0);
	expect_eq(fcntl(marvin_heap.table_fd, F_GET_SEALS) & (F_SEAL_SHRINK | F_SEAL_GROW),
		  F_SEAL_SHRINK | F_SEAL_GROW);
	/* Once. */
	marvin_tick(10);
	marvin_tick(10);
	expect_eq(says(), -1);
	expect(!is_shut());
	expect_eq(marvin_close(), 0);
	expect(is_shut());
	expect(!comes());
	shut_door();
	remove_dir();
}

static void test_without(void)
{
	char name[200] = "/";

	if (!has_sockets())
		return;
	make_dir();
	begin();
	marvin_tick(10);
	/* marvind begins later than the program. */
	open_door(8);
	marvin_tick(10);
	if (expect(comes()))
		expect_eq(says(), marvin_heap.table_fd);
	expect_eq(marvin_close(), 0);
	shut_door();
	/* Something else is there. */
	expect_eq(mkdir(path, 0755), 0);
	begin();
	marvin_tick(10);
	expect_eq(marvin_close(), 0);
	expect_eq(rmdir(path), 0);
	/* The name is too long for the address of a socket. */
	memset(name + 1, 'x', 150);
	setenv("MARVIN_REGISTER", name, 1);
	begin();
	marvin_tick(10);
	expect_eq(marvin_close(), 0);
	remove_dir();
}

/* Once a tick the program looks whether marvind has ended, or does not want it. */
static void test_ended(void)
{
	if (!has_sockets())
		return;
	make_dir();
	open_door(8);
	begin();
	expect(comes());
	/* Not wanted: it tries again at the next tick, and not before. */
	shut_caller();
	expect(!comes());
	marvin_tick(10);
	if (expect(comes()))
		expect_eq(says(), marvin_heap.table_fd);
	/* Ended, and begun anew. */
	shut_door();
	marvin_tick(10);
	open_door(8);
	marvin_tick(10);
	if (expect(comes()))
		expect_eq(says(), marvin_heap.table_fd);
	/* Ended, while the program waits to be heard. */
	shut_caller();
	marvin_tick(10);
	shut_door();
	marvin_tick(10);
	open_door(8);
	marvin_tick(10);
	expect(comes());
	expect_eq(marvin_close(), 0);
	shut_door();
	remove_dir();
}

/* dial() - to fill the queue */
static int dial(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

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
	marvin_tick(10);
	while (n--) {
		shut_caller();
		caller = accept(door, NULL, NULL);
		close(fds[n]);
	}
	expect(!comes());
	marvin_tick(10);
	if (expect(comes()))
		expect_eq(says(), marvin_heap.table_fd);
	alarm(0);
	expect_eq(marvin_close(), 0);
	shut_door();
	remove_dir();
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
	int status, ends[2], up[2];
	pid_t pid;
	char byte;

	if (!has_sockets())
		return;
	make_dir();
	open_door(8);
	begin();
	expect_eq(inherited(), before);
	expect(comes());
	expect(!pipe(ends) && !pipe(up));
	pid = fork();
	if (!pid) {
		marvin_tick(10);
		close(ends[1]);
		if (write(up[1], "u", 1) != 1)
			_exit(3);
		/* Until the parent has closed its heap. */
		if (read(ends[0], &byte, 1))
			_exit(1);
		_exit(marvin_close() ? 2 : 0);
	}
	close(ends[0]);
	expect_eq(read(up[0], &byte, 1), 1);
	close(up[0]);
	close(up[1]);
	expect_eq(says(), marvin_heap.table_fd);
	marvin_tick(10);
	/* The child has neither a connection of its own nor the parent's. */
	expect(!is_shut());
	expect_eq(marvin_close(), 0);
	expect(is_shut());
	expect(!comes());
	close(ends[1]);
	expect_eq(waitpid(pid, &status, 0), pid);
	expect_eq(status, 0);
	expect(!comes());
	shut_door();
	remove_dir();
}

/* connection_of() - the descriptor whose other end the caller is: the only socket with no name */
static int connection_of(void)
{
	struct sockaddr_un address;
	socklen_t size;
	int fd;

	for (fd = 3; fd < 1024; fd++) {
		size = sizeof(address);
		memset(&address, 0, sizeof(address));
		if (!getpeername(fd, (struct sockaddr *)&address, &size) &&
		    !strcmp(address.sun_path, path))
			return fd;
	}
	return -1;
}

/* A program may close all its descriptors, and open others: those are not the library's. */
static void test_closed(void)
{
	int fd, other, ends[2];
	char byte = 0;

	if (!has_sockets())
		return;
	make_dir();
	open_door(8);
	begin();
	expect(comes());
	fd = connection_of();
	if (!expect(fd >= 0))
		return;
	close(fd);
	other = open("/dev/null", O_RDONLY);
	expect_eq(dup2(other, fd), fd);
	marvin_tick(10);
	expect(fcntl(fd, F_GETFD) >= 0);
	if (expect(comes()))
		expect_eq(says(), marvin_heap.table_fd);
	close(fd);
	close(other);
	/* Another socket: its bytes are the program's. */
	fd = connection_of();
	expect_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	close(fd);
	expect_eq(dup2(ends[0], fd), fd);
	expect_eq(write(ends[1], "b", 1), 1);
	marvin_tick(10);
	expect(recv(fd, &byte, 1, MSG_DONTWAIT) == 1 && byte == 'b');
	close(ends[0]);
	expect_eq(marvin_close(), 0);
	close(ends[1]);
	shut_door();
	remove_dir();
}

static marvin_ref given(void)
{
	marvin_ref ref = marvin_new(100000);
	unsigned int i;

	marvin_enter();
	memset(marvin_write(ref), 5, 100000);
	marvin_leave();
	for (i = 0; i < 5; i++)
		marvin_tick(1000);
	expect(heap_word(0) & ENTRY_LAZY);
	return ref;
}

static void test_fetch(void)
{
	struct marvin_stats stats;
	marvin_ref ref;

	make_dir();
	begin();
	ref = given();
	atomic_store(&marvin_heap.table->request, REQUEST_FETCH);
	marvin_tick(10);
	marvin_stats(&stats);
	expect_eq(stats.loaded, 1);
	expect_eq(atomic_load(&marvin_heap.table->request), 0);
	/* An unknown request is cleared, and has no effect. */
	atomic_store(&marvin_heap.table->request, 0x80000000U);
	marvin_tick(10);
	expect_eq(atomic_load(&marvin_heap.table->request), 0);
	marvin_free(ref);
	expect_eq(marvin_close(), 0);
	remove_dir();
}

/* The thread looks in its nap, too, which takes a minute here. */
static void test_thread(void)
{
	struct marvin_stats stats;
	unsigned int tries = 100;
	marvin_ref ref;

	make_dir();
	begin_with((struct marvin_options){ .no_thread = false });
	ref = given();
	atomic_store(&marvin_heap.table->request, REQUEST_FETCH);
	do {
		usleep(100000);
		marvin_stats(&stats);
	} while (!stats.loaded && --tries);
	expect_eq(stats.loaded, 1);
	marvin_free(ref);
	expect_eq(marvin_close(), 0);
	remove_dir();
}

static const struct tap_case cases[] = {
	{ "the line", test_line },
	{ "no socket", test_without },
	{ "marvind ends", test_ended },
	{ "the queue is full", test_full },
	{ "a fork", test_fork },
	{ "the program closes the connection", test_closed },
	{ "a request", test_fetch },
	{ "a request while the thread naps", test_thread },
};

int main(int argc, char **argv)
{
	return tap_main("register", cases, ARRAY_SIZE(cases), argc, argv);
}
