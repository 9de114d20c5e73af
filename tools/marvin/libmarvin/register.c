// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include "marvin.h"
#include "register.h"

/* marvind shows 15 bytes of a name, as the kernel does of a program's. */
#define NAME 15
/*
 * Between two packets that answer nothing. marvind drops a program that sends more than 100 a
 * second, and a program may call marvin_tick() as often as it likes.
 */
#define TELL_MS 500

/* put_name() - as one word */
static void put_name(char *to, const char *from)
{
	size_t i;

	for (i = 0; i < NAME && from[i]; i++)
		to[i] = from[i] > ' ' && from[i] < 127 ? from[i] : '_';
	if (!i)
		to[i++] = '_';
	to[i] = '\0';
}

/**
 * register_begin() - where the socket would be, and what the heap is
 * @registration: filled in
 * @name: of the program or its heap, for marvinctl
 * @space: where the heap begins
 * @bytes: of its addresses
 * @page: bytes of a page
 *
 * The environment is read here only, because getenv() is not for all threads. A setuid program
 * takes no other socket from its caller.
 *
 * Context: when the heap is opened.
 */
void register_begin(struct registration *registration, const char *name, const void *space,
		    uint64_t bytes, size_t page)
{
	const char *wanted = secure_getenv("MARVIN_REGISTER");
	char word[NAME + 1];

	memset(registration, 0, sizeof(*registration));
	registration->fd = -1;
	if (!wanted || !wanted[0])
		wanted = REGISTER_SOCKET;
	/* A name that is too long for an address disables the registration. */
	if (strlen(wanted) < sizeof(registration->path))
		strcpy(registration->path, wanted);
	put_name(word, name);
	snprintf(registration->hello, sizeof(registration->hello),
		 "marvin 2 %s %" PRIxPTR " %" PRIu64 " %zu", word, (uintptr_t)space, bytes, page);
}

/* is_ours() - is the descriptor still this connection? The program may have closed all it has */
static bool is_ours(struct registration *registration)
{
	struct stat st;

	if (registration->fd < 0)
		return false;
	if (!fstat(registration->fd, &st) && S_ISSOCK(st.st_mode) &&
	    st.st_dev == registration->dev && st.st_ino == registration->ino)
		return true;
	/* Not ours to close. */
	registration->fd = -1;
	return false;
}

static void hang_up(struct registration *registration)
{
	if (is_ours(registration))
		close(registration->fd);
	registration->fd = -1;
	registration->answer = 0;
}

/* send_text() - a packet; false: it was not sent, and the connection may have ended */
static bool send_text(struct registration *registration, const char *text)
{
	if (send(registration->fd, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT) >= 0)
		return true;
	if (errno != EAGAIN && errno != EINTR && errno != ENOBUFS && errno != ENOMEM)
		hang_up(registration);
	return false;
}

/* has_ended() - has marvind closed the connection? */
static bool has_ended(struct registration *registration)
{
	char byte;
	ssize_t n;

	if (!is_ours(registration))
		return true;
	n = recv(registration->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
	return !n || (n < 0 && errno != EAGAIN && errno != EINTR);
}

/* dial() - a new connection; false without a marvind */
static bool dial(struct registration *registration)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct stat st;

	registration->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (registration->fd < 0)
		return false;
	memcpy(address.sun_path, registration->path, sizeof(registration->path));
	if (fstat(registration->fd, &st)) {
		close(registration->fd);
		registration->fd = -1;
		return false;
	}
	registration->dev = st.st_dev;
	registration->ino = st.st_ino;
	registration->told_ms = 0;
	if (connect(registration->fd, (struct sockaddr *)&address, sizeof(address)) ||
	    !send_text(registration, registration->hello)) {
		hang_up(registration);
		return false;
	}
	return true;
}

/**
 * register_try() - register, unless marvind knows of the heap
 * @registration: of register_begin()
 *
 * Call it at each tick, after register_read(): a marvind may start after the program, or restart.
 * A failure is no error, because the kernel takes given memory without marvind, too.
 *
 * Return: is there a connection?
 */
bool register_try(struct registration *registration)
{
	if (!registration->path[0])
		return false;
	if (!has_ended(registration))
		return true;
	/* First the caller has to hear of the end, by register_read(). */
	if (registration->background)
		return false;
	hang_up(registration);
	return dial(registration);
}

/* parse() - a packet of marvind's; REQUEST_NONE: of a later marvind, or none at all */
static enum request parse(const char *text, uint64_t *seq, uint64_t *bytes)
{
	static const struct { const char *word; enum request request; } words[] = {
		{ "bg", REQUEST_BG },
		{ "fg", REQUEST_FG },
		{ "drop", REQUEST_DROP },
		{ "fetch", REQUEST_FETCH },
	};
	uint64_t number = 0, amount = 0;
	char word[8] = "";
	unsigned int i;
	int end = 0;

	if (sscanf(text, "%7s %" SCNu64 "%n %" SCNu64 "%n", word, &number, &end, &amount, &end) < 2)
		return REQUEST_NONE;
	if (text[end])
		return REQUEST_NONE;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(word, words[i].word)) {
			*seq = number;
			*bytes = amount;
			return words[i].request;
		}
	return REQUEST_NONE;
}

/**
 * register_read() - what marvind asks for
 * @registration: of register_begin()
 * @seq: the request's number, for register_tell(); 0: marvind waits for no answer
 * @bytes: of REQUEST_DROP
 *
 * Call it again until it is REQUEST_NONE. The end of the connection is a REQUEST_FG for a heap in
 * the background.
 *
 * Return: the request.
 */
enum request register_read(struct registration *registration, uint64_t *seq, uint64_t *bytes)
{
	enum request request;
	char text[64];
	ssize_t n;

	*seq = 0;
	*bytes = 0;
	while (is_ours(registration)) {
		n = recv(registration->fd, text, sizeof(text) - 1, MSG_DONTWAIT);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return REQUEST_NONE;
		if (n <= 0) {
			hang_up(registration);
			break;
		}
		text[n] = '\0';
		request = parse(text, seq, bytes);
		if (request == REQUEST_BG || request == REQUEST_FG)
			registration->background = request == REQUEST_BG;
		if (request != REQUEST_NONE)
			return request;
	}
	if (!registration->background)
		return REQUEST_NONE;
	registration->background = false;
	return REQUEST_FG;
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/**
 * register_tell() - what the heap has now
 * @registration: of register_begin()
 * @seq: the request that was done; 0: none
 * @stats: of marvin_stats()
 *
 * Without a request it does nothing for TELL_MS after the last one. If the socket has no room for
 * an answer, the next call sends it.
 *
 * Return: was it sent?
 */
bool register_tell(struct registration *registration, uint64_t seq,
		   const struct marvin_stats *stats)
{
	uint64_t ms = now_ms();
	char text[256];

	if (seq)
		registration->answer = seq;
	if (!is_ours(registration) || (!registration->answer && registration->told_ms &&
				       ms - registration->told_ms < TELL_MS))
		return false;
	snprintf(text, sizeof(text),
		 "stat %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
		 " %" PRIu64 " %" PRIu64,
		 registration->answer, stats->objects, stats->bytes, stats->unsaved, stats->saved,
		 stats->given, stats->loads, stats->dropped);
	if (!send_text(registration, text))
		return false;
	registration->answer = 0;
	registration->told_ms = ms;
	return true;
}

/**
 * register_fd() - what to poll for POLLIN
 * @registration: of register_begin()
 *
 * Return: the descriptor; -1 without a connection. It may be another one after register_try().
 */
int register_fd(struct registration *registration)
{
	return is_ours(registration) ? registration->fd : -1;
}

/**
 * register_forked() - in the child: the connection is the parent's
 * @registration: of the parent
 *
 * The child's heap may register anew. If the parent is in the background, register_read() is a
 * REQUEST_FG first.
 */
void register_forked(struct registration *registration)
{
	hang_up(registration);
}

/**
 * register_end() - before the heap is closed
 * @registration: of register_begin(); register_try() does nothing from now on
 */
void register_end(struct registration *registration)
{
	hang_up(registration);
	registration->path[0] = '\0';
	registration->background = false;
}
