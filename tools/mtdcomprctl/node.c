// SPDX-License-Identifier: GPL-2.0

#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>
#include "node.h"
#include "sys.h"

/* Time for udev to make the file after an attach; without udev and devtmpfs we make it. */
#define WAIT_MS 2000
#define STEP_MS 20

/* numbers() - read the disk's device numbers from /sys */
static int numbers(const struct device *device, dev_t *dev)
{
	char file[SYS_PATH], text[32], *end;
	unsigned int major, minor;

	snprintf(file, sizeof(file), "/sys/block/%s/dev", device->disk);
	if (sys_read(file, text, sizeof(text)) <= 0)
		return -ENODEV;
	major = (unsigned int)strtoul(text, &end, 10);
	if (end == text || *end != ':')
		return -EINVAL;
	minor = (unsigned int)strtoul(end + 1, NULL, 10);
	*dev = makedev(major, minor);
	return 0;
}

static bool is_disk(const char *path, dev_t dev)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISBLK(st.st_mode) && st.st_rdev == dev;
}

/* make() - make the file; first remove a stale one, which would lead to another disk */
static int make(const char *path, dev_t dev)
{
	if (unlink(path) && errno != ENOENT)
		return -errno;
	return mknod(path, S_IFBLK | 0600, dev) ? -errno : 0;
}

/**
 * node_there() - wait for the disk's file in /dev, or make it
 * @device: the device
 * @path: filled in
 * @size: of @path in bytes
 *
 * Device numbers change, so a file with the numbers of another disk is replaced.
 *
 * Return: true on success; else an error message was printed.
 */
bool node_there(const struct device *device, char *path, size_t size)
{
	struct timespec step = { 0, STEP_MS * 1000000L };
	unsigned int ms;
	dev_t dev = 0;
	int err;

	if (!device->disk[0]) {
		warnx("%s: the kernel has refused its block device: see dmesg", device->name);
		return false;
	}
	err = numbers(device, &dev);
	snprintf(path, size, "/dev/%s", device->disk);
	for (ms = 0; ms < WAIT_MS && !err; ms += STEP_MS) {
		if (is_disk(path, dev))
			return true;
		nanosleep(&step, NULL);
	}
	if (!err)
		err = make(path, dev);
	if (err)
		warnx("%s: it is not there, and cannot be made: %s", path, strerror(-err));
	return !err;
}
