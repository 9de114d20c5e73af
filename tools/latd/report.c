// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>
#include "report.h"

/* Of a look at most: a program cannot make latd work all the time. */
#define READ_BYTES 4096

static int fd = -1;
static uid_t writer;
static char name[256];
static char text[READ_BYTES + 1];
static size_t have;			/* of it: a line without its end */

/* let_write() - by an access control list, because another owner would need CAP_CHOWN */
static int let_write(const char *path, uid_t user)
{
	const struct {
		uint32_t version;
		struct {
			uint16_t tag;
			uint16_t perm;
			uint32_t id;
		} entries[5];
	} list = { 2, {
		{ 0x01, 6, UINT32_MAX },	/* the owner */
		{ 0x02, 2, user },
		{ 0x04, 0, UINT32_MAX },	/* the group */
		{ 0x10, 2, UINT32_MAX },	/* the mask */
		{ 0x20, 0, UINT32_MAX },	/* all others */
	} };

	return setxattr(path, "system.posix_acl_access", &list, sizeof(list), 0) ? -errno : 0;
}

/**
 * report_open() - make the FIFO
 * @path: its name; one that was left is replaced
 * @user: who may write to it beside root
 *
 * Return: 0; or a negative errno: if the FIFO is there all the same, only root may write.
 */
int report_open(const char *path, uid_t user)
{
	int err = 0;

	/* A program that has it open would be killed by SIGPIPE, if it were made anew. */
	if (fd >= 0 && user == writer && !strcmp(path, name))
		return 0;
	report_close();
	writer = user;
	if (strlen(path) >= sizeof(name))
		return -ENAMETOOLONG;
	unlink(path);
	/* The directory is root's: no other user can put a file there. */
	if (mkfifo(path, 0600))
		return -errno;
	strcpy(name, path);
	if (user)
		err = let_write(path, user);
	/* Also to write: so it does not end when a writer does. */
	fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
	if (fd >= 0)
		return err;
	err = -errno;
	report_close();
	return err;
}

/**
 * report_read() - read the new lines
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
		/* No line is that long, and none has a zero byte. */
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
