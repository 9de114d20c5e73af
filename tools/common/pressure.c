// SPDX-License-Identifier: GPL-2.0
/*
 * Pressure stall information, of the system or of a control group: how long programs have waited
 * for memory since the last look. Triggers let the kernel wake the reader.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "pressure.h"
#include "sys.h"

/**
 * pressure_open() - begin to look at a pressure file
 * @path: PRESSURE_MEMORY, or memory.pressure of a control group
 *
 * Return: 0; -ENOENT or -EOPNOTSUPP without pressure stall information; or another negative errno.
 */
int pressure_open(struct pressure *pressure, const char *path)
{
	struct pressure_delta delta;
	int err;

	memset(pressure, 0, sizeof(*pressure));
	pressure->trigger_fd = -1;
	pressure->fd = sys_open(path, O_RDONLY);
	if (pressure->fd < 0)
		return pressure->fd;
	err = pressure_read(pressure, &delta);
	if (err)
		pressure_close(pressure);
	return err;
}

/**
 * pressure_trigger() - ask the kernel for an event
 * @stall_us: the event comes when some programs have waited for so long,
 * @window_us: within so much time. Before Linux 6.5 at least 500 ms, later 50 ms; or -EINVAL
 */
int pressure_trigger(struct pressure *pressure, const char *path, unsigned int stall_us,
		     unsigned int window_us)
{
	char text[64];
	int fd, n;

	fd = sys_open(path, O_RDWR | O_NONBLOCK);
	if (fd < 0)
		return fd;
	n = snprintf(text, sizeof(text), "some %u %u", stall_us, window_us);
	/* With its zero byte: the kernel overwrites the last one. */
	if (write(fd, text, (size_t)n + 1) < 0) {
		int err = -errno;

		close(fd);
		return err;
	}
	pressure->trigger_fd = fd;
	return 0;
}

/** pressure_read() - how long programs have waited since the last look */
int pressure_read(struct pressure *pressure, struct pressure_delta *delta)
{
	char text[512];
	ssize_t n = sys_reread(pressure->fd, text, sizeof(text));
	int err = n < 0 ? (int)n : parse_psi(text, &delta->now);

	if (err)
		return err;
	delta->some_us = delta->now.some.total - pressure->some_us;
	delta->full_us = delta->now.full.total - pressure->full_us;
	pressure->some_us = delta->now.some.total;
	pressure->full_us = delta->now.full.total;
	return 0;
}

/** pressure_close() - end looking */
void pressure_close(struct pressure *pressure)
{
	if (pressure->fd >= 0)
		close(pressure->fd);
	if (pressure->trigger_fd >= 0)
		close(pressure->trigger_fd);
	pressure->fd = -1;
	pressure->trigger_fd = -1;
}
