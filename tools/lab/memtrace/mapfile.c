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

static int add_line(const char *line, void *arg)
{
	if (line)
		smaps_add(arg, line);
	return 0;
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
	err = sys_each_line(fd, add_line, smaps);
	close(fd);
	return !err && !smaps->mappings ? -ESRCH : err;
}
