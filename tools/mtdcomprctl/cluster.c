// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "cluster.h"
#include "sys.h"

#define KNOB "/proc/sys/vm/page-cluster"

static void file_path(char *path, size_t size)
{
	snprintf(path, size, "%s%s", sys_root(), CLUSTER_FILE);
}

/* saved() - what it was, and what it was set to; false: it was not set here */
static bool saved(uint64_t *before, uint64_t *set)
{
	char text[64], *rest;

	if (sys_read(CLUSTER_FILE, text, sizeof(text)) <= 0)
		return false;
	*before = strtoull(text, &rest, 10);
	*set = strtoull(rest, &rest, 10);
	return rest > text && *rest == '\n';
}

static int forget(void)
{
	char path[2 * SYS_PATH];

	file_path(path, sizeof(path));
	return unlink(path) ? -errno : 0;
}

static int save(uint64_t before, uint64_t set)
{
	char path[2 * SYS_PATH], text[64];
	int fd, err = 0, n;

	file_path(path, sizeof(path));
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		return -errno;
	n = snprintf(text, sizeof(text), "%llu %llu\n", (unsigned long long)before,
		     (unsigned long long)set);
	if (write(fd, text, (size_t)n) != n)
		err = -EIO;
	close(fd);
	if (err)
		forget();
	return err;
}

/**
 * cluster_set() - set it, and keep what it was
 * @wanted: 0 to CLUSTER_MAX, or CLUSTER_KEEP, which changes nothing
 *
 * Return: 0, or a negative errno; nothing is changed then.
 */
int cluster_set(int wanted)
{
	uint64_t now, before, set;
	bool again;
	int err;

	if (wanted == CLUSTER_KEEP)
		return 0;
	err = sys_read_u64(KNOB, &now);
	if (err || now == (uint64_t)wanted)
		return err;
	/* What was set here is not what it was before. */
	again = saved(&before, &set) && now == set;
	if (!again)
		before = now;
	err = save(before, (uint64_t)wanted);
	if (err)
		return err;
	err = sys_write_u64(KNOB, (uint64_t)wanted);
	if (err && again)
		save(before, set);
	else if (err)
		forget();
	return err;
}

/**
 * cluster_restore() - set it to what it was
 *
 * It is left as it is if somebody else has changed it since.
 *
 * Return: 0, or a negative errno.
 */
int cluster_restore(void)
{
	uint64_t before, set, now;
	int err = 0;

	if (!sys_exists(CLUSTER_FILE))
		return 0;
	if (saved(&before, &set) && !sys_read_u64(KNOB, &now) && now == set)
		err = sys_write_u64(KNOB, before);
	return err ? err : forget();
}
