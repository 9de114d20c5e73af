// SPDX-License-Identifier: GPL-2.0

#include <err.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "message.h"

#define MAGIC UINT32_C(0x50697065)

/* Bytes read, fewer than @size at the end only; or a negative errno. */
static ssize_t read_all(int fd, void *buf, size_t size)
{
	size_t have = 0;
	ssize_t n;

	while (have < size) {
		n = read(fd, (char *)buf + have, size - have);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		have += (size_t)n;
	}
	return (ssize_t)have;
}

/**
 * message_read() - wait for a message
 * @fd: the pipe
 * @message: the message
 * @kind: that it has to be of
 * @size: of such a message in bytes
 *
 * Return: 1; 0, if the pipe was closed; or a negative errno, and the reason was said.
 */
int message_read(int fd, struct message *message, enum message_kind kind, uint16_t size)
{
	ssize_t n = read_all(fd, message, size);

	if (n == 0)
		return 0;
	if (n < 0) {
		warnx("cannot read a message: %s", strerror((int)-n));
		return (int)n;
	}
	if (n != size || message->magic != MAGIC || message->kind != kind ||
	    message->size != size) {
		warnx("not a message of kind %d", (int)kind);
		return -EPROTO;
	}
	return 1;
}

/**
 * message_write() - send a message
 * @fd: the pipe
 * @message: the message; its head is set here
 * @kind: of it
 * @size: of it in bytes
 * @frame: that it tells of
 *
 * Return: 1; 0, if nobody reads the pipe any more; or a negative errno, and the reason was said.
 */
int message_write(int fd, struct message *message, enum message_kind kind, uint16_t size,
		  uint64_t frame)
{
	ssize_t n;

	message->magic = MAGIC;
	message->kind = (uint16_t)kind;
	message->size = size;
	message->frame = frame;
	do {
		n = write(fd, message, size);
	} while (n < 0 && errno == EINTR);
	if (n == size)
		return 1;
	if (n < 0 && errno == EPIPE)
		return 0;
	warn("cannot send a message");
	return n < 0 ? -errno : -EIO;
}
