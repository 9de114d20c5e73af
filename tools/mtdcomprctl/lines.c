// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "lines.h"
#include "sys.h"

/* Bytes per read(). */
#define LINES_READ 1024

/* Bytes read but not yet returned. Not stdio, which would allocate memory. */
struct reader {
	int fd;
	size_t at;
	size_t have;
	char buf[LINES_READ];
};

/* next_char() - the next character; -1 at the end, or another negative errno */
static int next_char(struct reader *reader)
{
	ssize_t n;

	if (reader->at == reader->have) {
		do {
			n = read(reader->fd, reader->buf, sizeof(reader->buf));
		} while (n < 0 && errno == EINTR);
		if (n <= 0)
			return n ? -errno - 1 : -1;
		reader->at = 0;
		reader->have = (size_t)n;
	}
	return (unsigned char)reader->buf[reader->at++];
}

/*
 * next_line() - returns 1, 0 at the end, or a negative errno
 *
 * The rest of a line that is too long is dropped. Read as a line of its own it could be forged,
 * because users choose the names of FUSE mounts.
 */
static int next_line(struct reader *reader, char *line)
{
	size_t n = 0;
	int c;

	while ((c = next_char(reader)) >= 0 && c != '\n')
		if (n < LINES_MAX - 1)
			line[n++] = (char)c;
	line[n] = '\0';
	if (c < -1)
		return c + 1;
	return n || c == '\n';
}

/**
 * lines_each() - call a function for each line of a file
 * @path: the file
 * @fn: takes the line without its newline, may change it; false stops the loop
 * @arg: for @fn
 *
 * Return: 0, or a negative errno.
 */
int lines_each(const char *path, bool (*fn)(char *line, void *arg), void *arg)
{
	struct reader reader = { .fd = sys_open(path, O_RDONLY) };
	char line[LINES_MAX];
	int ret;

	if (reader.fd < 0)
		return reader.fd;
	do {
		ret = next_line(&reader, line);
	} while (ret > 0 && fn(line, arg));
	close(reader.fd);
	return ret < 0 ? ret : 0;
}

/**
 * lines_word() - cut off the next word
 * @rest: the rest of the line; moved past the word
 *
 * Return: the word, "" at the end of the line.
 */
char *lines_word(char **rest)
{
	char *word = *rest + strspn(*rest, " \t"), *end = word + strcspn(word, " \t");

	*rest = *end ? end + 1 : end;
	*end = '\0';
	return word;
}

/**
 * lines_mount() - parse a line of /proc/self/mountinfo
 * @line: the line, gets changed
 * @where: set to the directory, with the kernel's escapes
 *
 * The name in /proc/self/mounts proves nothing, because users choose it for their FUSE file
 * systems. The numbers come from the kernel.
 *
 * Return: the numbers of block device or MTD, "MAJOR:MINOR"; major 0: neither.
 */
const char *lines_mount(char *line, const char **where)
{
	const char *disk;

	lines_word(&line);
	lines_word(&line);
	disk = lines_word(&line);
	lines_word(&line);
	*where = lines_word(&line);
	return disk;
}
