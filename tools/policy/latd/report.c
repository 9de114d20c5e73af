// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "report.h"

/* Of a look at most, so that nobody makes latd work all the time. */
#define READ_BYTES 4096

static int fd = -1;
static char name[256];
static char text[READ_BYTES + 1];
static size_t have;			/* of it: a line without its end */

/**
 * report_open() - make the FIFO
 * @path: its name; one that was left is replaced
 * @user: who may write to it beside root
 *
 * Return: 0, or a negative errno.
 */
int report_open(const char *path, uid_t user)
{
	int err = 0;

	report_close();
	if (strlen(path) >= sizeof(name))
		return -ENAMETOOLONG;
	unlink(path);
	/* The directory is root's: nobody else can put something there. */
	if (mkfifo(path, 0600) || (user && lchown(path, user, (gid_t)-1)))
		return -errno;
	strcpy(name, path);
	/* Also to write: so it does not end when a writer does. */
	fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		err = -errno;
	if (err)
		report_close();
	return err;
}

/**
 * report_read() - what has come since the last look
 * @slo: is added to
 * @now_us: the time
 */
void report_read(struct slo *slo, uint64_t now_us)
{
	ssize_t n = fd < 0 ? -1 : read(fd, text + have, READ_BYTES - have);
	char *end;

	if (n <= 0)
		return;
	have += (size_t)n;
	text[have] = '\0';
	end = strrchr(text, '\n');
	if (end) {
		*end++ = '\0';
		slo_report(slo, text, now_us);
		have -= (size_t)(end - text);
		memmove(text, end, have);
	} else if (have == READ_BYTES || strlen(text) < have) {
		/* No line that anybody means. */
		have = 0;
	}
}

/**
 * report_close() - remove the FIFO
 */
void report_close(void)
{
	if (fd >= 0)
		close(fd);
	if (name[0])
		unlink(name);
	fd = -1;
	name[0] = '\0';
	have = 0;
}
