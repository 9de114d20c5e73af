// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include "heap.h"
#include "register.h"

#define heap marvin_heap

/* The socket, as it was called when the heap was opened: getenv() is not for all threads. */
static struct sockaddr_un address;
static int connection = -1;

/**
 * register_begin() - where the socket would be
 *
 * A program that is setuid takes no other socket from its caller.
 *
 * Context: one thread, when the heap is opened.
 */
void register_begin(void)
{
	const char *wanted = secure_getenv("MARVIN_REGISTER");

	connection = -1;
	if (!wanted || !wanted[0])
		wanted = REGISTER_SOCKET;
	memset(&address, 0, sizeof(address));
	address.sun_family = AF_UNIX;
	/* A name that is too long disables the registration. */
	if (strlen(wanted) < sizeof(address.sun_path))
		strcpy(address.sun_path, wanted);
}

/* hang_up() - marvind has ended, or does not want this program */
static void hang_up(void)
{
	if (connection >= 0)
		close(connection);
	connection = -1;
}

/* is_there() - marvind says nothing: what can be read is the end */
static bool is_there(void)
{
	char text[16];
	ssize_t n;

	if (connection < 0)
		return false;
	n = recv(connection, text, sizeof(text), MSG_PEEK | MSG_DONTWAIT);
	if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)))
		return true;
	/* The program has closed all its descriptors: this number may be another file by now. */
	if (n < 0 && (errno == EBADF || errno == ENOTSOCK))
		connection = -1;
	hang_up();
	return false;
}

/**
 * register_try() - register, unless marvind knows of the program
 *
 * If no marvind runs, call this again later: a marvind may start after the program, or restart. A
 * failure is no error, because the kernel reclaims the given pages without marvind, too.
 *
 * Context: one thread at a time; never waits.
 *
 * Return: is there a connection?
 */
bool register_try(void)
{
	char text[16];
	int n;

	if (!address.sun_path[0] || heap.forked || heap.store.fd < 0)
		return false;
	if (is_there())
		return true;
	connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (connection < 0)
		return false;
	n = snprintf(text, sizeof(text), "%d\n", heap.table_fd);
	if (connect(connection, (struct sockaddr *)&address, sizeof(address)) ||
	    send(connection, text, (size_t)n, MSG_NOSIGNAL) != n)
		hang_up();
	return connection >= 0;
}

/**
 * register_forked() - in the child, which has no table of its own: the connection is the parent's
 */
void register_forked(void)
{
	hang_up();
	address.sun_path[0] = '\0';
}

/**
 * register_end() - before the heap is closed
 */
void register_end(void)
{
	hang_up();
	address.sun_path[0] = '\0';
}
