// SPDX-License-Identifier: GPL-2.0
/*
 * The events of exec() and of new names, from the kernel's process connector. latd moves a process
 * into its control group before the process takes memory, because the kernel never charges memory
 * anew.
 */
#include <errno.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/netlink.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "exec_events.h"

/* A request to the connector: three headers, one behind the other. */
struct request {
	struct nlmsghdr head;
	struct cn_msg message;
	enum proc_cn_mcast_op op;
} __attribute__((packed));

static int listen_to(int fd)
{
	struct request request = {
		.head = { .nlmsg_len = sizeof(request), .nlmsg_type = NLMSG_DONE },
		.message = { .id = { CN_IDX_PROC, CN_VAL_PROC }, .len = sizeof(request.op) },
		.op = PROC_CN_MCAST_LISTEN,
	};

	return send(fd, &request, sizeof(request), 0) < 0 ? -errno : 0;
}

/**
 * exec_events_open() - begin to listen
 *
 * Return: a descriptor to poll for POLLIN; -EPROTONOSUPPORT or -ECONNREFUSED, if the kernel was
 * built without CONFIG_PROC_EVENTS; -EPERM without CAP_NET_ADMIN; or another negative errno.
 */
int exec_events_open(void)
{
	struct sockaddr_nl addr = { .nl_family = AF_NETLINK, .nl_groups = CN_IDX_PROC };
	int fd = socket(PF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_CONNECTOR);
	int err;

	if (fd < 0)
		return -errno;
	err = bind(fd, (struct sockaddr *)&addr, sizeof(addr)) ? -errno : listen_to(fd);
	if (!err)
		return fd;
	close(fd);
	return err;
}

/* event() - a program is another one after exec(), and has another name after prctl() */
static void event(const char *data, size_t len, exec_events_fn fn, void *arg)
{
	struct proc_event event;
	size_t skip = NLMSG_LENGTH(sizeof(struct cn_msg));

	if (len < skip + offsetof(struct proc_event, event_data) + sizeof(event.event_data.exec))
		return;
	memset(&event, 0, sizeof(event));
	memcpy(&event, data + skip, len - skip < sizeof(event) ? len - skip : sizeof(event));
	if (event.what == PROC_EVENT_EXEC)
		fn(event.event_data.exec.process_tgid, arg);
	else if (event.what == PROC_EVENT_COMM)
		fn(event.event_data.comm.process_tgid, arg);
}

/**
 * exec_events_read() - take the events that have come
 * @fd: of exec_events_open()
 * @most: events at most, because a program that changes its name all the time makes them for ever
 * @fn: called with the id of each process that has begun a program, or has another name
 * @arg: for @fn
 *
 * Return: have all events been seen? If not, look at all processes.
 */
bool exec_events_read(int fd, unsigned int most, exec_events_fn fn, void *arg)
{
	char data[1024] __attribute__((aligned(NLMSG_ALIGNTO)));
	bool whole = true;

	while (most) {
		ssize_t n = recv(fd, data, sizeof(data), 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == ENOBUFS) {
			whole = false;
			continue;
		}
		if (n <= 0)
			return whole;
		event(data, (size_t)n, fn, arg);
		most--;
	}
	return false;
}
