// SPDX-License-Identifier: GPL-2.0
/*
 * Both ends of a control socket: the daemon serves one client at a time, a client asks once.
 */
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include "control.h"
#include "sys.h"

/* The daemon drops a client that has not sent its request by then. A guess. */
#define CLIENT_MS 100
/* A dead daemon has closed its socket by then: a guess, as its last thread may have to wait. */
#define CLEAN_TRIES 10
#define CLEAN_WAIT_US 20000

/* open_socket() - returns a descriptor, and the address of the path; or a negative errno */
static int open_socket(const char *path, int flags, struct sockaddr_un *addr)
{
	int fd;

	*addr = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (strlen(path) >= sizeof(addr->sun_path))
		return -ENAMETOOLONG;
	strcpy(addr->sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
	return fd < 0 ? -errno : fd;
}

/* is_other_file() - connect() fails alike for a socket without a daemon and for any other file */
static bool is_other_file(const char *path)
{
	struct stat stat;

	return !lstat(path, &stat) && !S_ISSOCK(stat.st_mode);
}

/**
 * control_open() - make the socket, for root alone
 * @path: its name; the socket of a daemon that has died is replaced
 *
 * Return: a descriptor to poll for POLLIN; -EADDRINUSE: a daemon answers there; -EEXIST: it is no
 * socket; or another negative errno.
 */
int control_open(const char *path)
{
	struct sockaddr_un addr;
	int err, fd = open_socket(path, SOCK_NONBLOCK, &addr);
	mode_t mask;

	if (fd < 0)
		return fd;
	/* A daemon that answers keeps its socket. */
	if (connect(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0) {
		close(fd);
		return -EADDRINUSE;
	}
	if (is_other_file(path)) {
		close(fd);
		return -EEXIST;
	}
	unlink(path);
	mask = umask(0177);
	err = bind(fd, (struct sockaddr *)&addr, sizeof(addr)) || listen(fd, 4) ? -errno : 0;
	umask(mask);
	if (!err)
		return fd;
	close(fd);
	return err;
}

/* clean() - remove a socket that no process serves; false: a daemon answers there */
static bool clean(const char *path)
{
	struct sockaddr_un addr;
	int fd = open_socket(path, SOCK_NONBLOCK, &addr);
	bool answers;

	if (fd < 0)
		return true;
	answers = !connect(fd, (struct sockaddr *)&addr, sizeof(addr));
	if (!answers && errno == ECONNREFUSED && !is_other_file(path))
		unlink(path);
	close(fd);
	return !answers;
}

/**
 * control_clean() - remove the socket of a daemon that has died, not the socket of a living one
 * @path: its name
 *
 * A thread of low priority can keep the files of a dead daemon open for some milliseconds.
 */
void control_clean(const char *path)
{
	unsigned int tries;

	for (tries = 0; tries < CLEAN_TRIES && !clean(path); tries++)
		usleep(CLEAN_WAIT_US);
}

static ssize_t receive(int fd, char *text, size_t size)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	uint64_t begun_us = sys_now_us(), since_us;
	size_t have = 0;

	while (have < size - 1 && (since_us = sys_now_us() - begun_us) < CLIENT_MS * 1000 &&
	       poll(&ready, 1, CLIENT_MS - (int)(since_us / 1000)) == 1) {
		ssize_t n = read(fd, text + have, size - 1 - have);

		if (n <= 0)
			break;
		have += (size_t)n;
		text[have] = '\0';
		if (strchr(text, '\n'))
			return (ssize_t)strcspn(text, "\n");
	}
	return -EINVAL;
}

/**
 * control_serve() - answer one client
 * @fd: of control_open(), readable
 * @handler: gets the request without its newline
 * @arg: for @handler
 */
void control_serve(int fd, control_fn handler, void *arg)
{
	static char request[CONTROL_REQUEST], reply[CONTROL_REPLY];
	int client = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct ucred peer;
	socklen_t len = sizeof(peer);
	ssize_t n;

	if (client < 0)
		return;
	if (getsockopt(client, SOL_SOCKET, SO_PEERCRED, &peer, &len) || peer.uid != geteuid()) {
		strcpy(reply, "error the socket is root's\n");
	} else {
		n = receive(client, request, sizeof(request));
		if (n < 0) {
			snprintf(reply, sizeof(reply),
				 "error a request is one line of at most %d characters\n",
				 CONTROL_REQUEST - 2);
		} else {
			request[n] = '\0';
			reply[0] = '\0';
			handler(request, reply, arg);
		}
	}
	/* If the reply does not fit into the socket's buffer, drop the client, and do not wait. */
	if (send(client, reply, strlen(reply), MSG_NOSIGNAL) < 0)
		shutdown(client, SHUT_RDWR);
	close(client);
}

/**
 * control_close() - remove the socket
 * @fd: of control_open(), or negative
 * @path: its name
 */
void control_close(int fd, const char *path)
{
	if (fd < 0)
		return;
	close(fd);
	unlink(path);
}

/**
 * control_ask() - the client's side
 * @path: the socket
 * @request: a line, without a newline
 * @reply: the answer
 * @size: of @reply in bytes
 *
 * Return: 0; -ECONNREFUSED or -ENOENT, if no daemon runs; or another negative errno.
 */
int control_ask(const char *path, const char *request, char *reply, size_t size)
{
	struct sockaddr_un addr;
	char line[CONTROL_REQUEST + 1];
	size_t have = 0;
	int fd, err = 0;
	ssize_t n;

	n = snprintf(line, sizeof(line), "%s\n", request);
	if (n < 0 || (size_t)n >= sizeof(line))
		return -EMSGSIZE;
	fd = open_socket(path, 0, &addr);
	if (fd < 0)
		return fd;
	if (connect(fd, (struct sockaddr *)&addr, sizeof(addr)) ||
	    send(fd, line, (size_t)n, MSG_NOSIGNAL) < 0)
		err = -errno;
	while (!err && have < size - 1 && (n = read(fd, reply + have, size - 1 - have)) > 0)
		have += (size_t)n;
	reply[have] = '\0';
	close(fd);
	return err || have ? err : -EPIPE;
}
