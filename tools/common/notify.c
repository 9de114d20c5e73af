// SPDX-License-Identifier: GPL-2.0
/* Tells systemd that the daemon is ready and does not hang, without systemd's library. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include "notify.h"

/** notify() - send "READY=1" or the like to systemd, if it asks for it: see sd_notify(3) */
int notify(const char *state)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	const char *path = getenv("NOTIFY_SOCKET");
	size_t len = path ? strlen(path) : 0;
	int fd, err = 0;

	if (!len)
		return 0;
	if ((path[0] != '/' && path[0] != '@') || len >= sizeof(addr.sun_path))
		return -EINVAL;
	memcpy(addr.sun_path, path, len);
	if (path[0] == '@')
		addr.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (sendto(fd, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&addr,
		   (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len)) < 0)
		err = -errno;
	close(fd);
	return err;
}

/**
 * notify_watchdog() - serve WatchdogSec= of the unit: tells four times within it, if called each
 *	second
 */
void notify_watchdog(uint64_t now_us)
{
	static uint64_t told_us;
	const char *within = getenv("WATCHDOG_USEC");

	if (!within || now_us - told_us < strtoull(within, NULL, 10) / 4)
		return;
	told_us = now_us;
	notify("WATCHDOG=1");
}
