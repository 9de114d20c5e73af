// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "mapfile.h"
#include "parse.h"
#include "sys.h"

/* smaps_rollup is there since Linux 4.14; smaps costs some times as much. */
static const char *name = "smaps_rollup";

/* Add all lines that are complete, and move the rest to the beginning. */
static size_t add_lines(struct smaps *smaps, char *buf, size_t len)
{
	char *line = buf, *end;

	while ((end = memchr(line, '\n', len - (size_t)(line - buf)))) {
		*end = '\0';
		smaps_add(smaps, line);
		line = end + 1;
	}
	len -= (size_t)(line - buf);
	memmove(buf, line, len);
	return len;
}

static int read_all(int fd, struct smaps *smaps)
{
	/* A line has a path of up to 4095 bytes and less than 100 others. */
	static char buf[16384];
	size_t have = 0;
	ssize_t n;

	for (;;) {
		n = read(fd, buf + have, sizeof(buf) - have);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : 0;
		have = add_lines(smaps, buf, have + (size_t)n);
		if (have == sizeof(buf))
			return -EINVAL;
	}
}

/**
 * mapfile_name() - the file that is read
 *
 * Return: its name in /proc/PID.
 */
const char *mapfile_name(void)
{
	return name;
}

/**
 * mapfile_read() - read the sums of a process
 * @target: the process
 * @smaps: the sums
 *
 * Return: 0; -ESRCH, if the process has no memory any more; or another negative errno.
 */
int mapfile_read(const struct target *target, struct smaps *smaps)
{
	char path[64];
	int fd, err;

	memset(smaps, 0, sizeof(*smaps));
	err = target_path(target, name, path, sizeof(path));
	if (err)
		return err;
	fd = sys_open(path, O_RDONLY);
	if (fd == -ENOENT && strcmp(name, "smaps")) {
		name = "smaps";
		return mapfile_read(target, smaps);
	}
	if (fd < 0)
		return fd == -ENOENT ? -ESRCH : fd;
	err = read_all(fd, smaps);
	close(fd);
	return !err && !smaps->mappings ? -ESRCH : err;
}
