// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include "door.h"
#include "log.h"
#include "undo.h"

/* Linux 6.16 and later refuse descriptors for us. */
#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS 83
#endif

#define BACKLOG 128
/*
 * Connections that are kept at a time; with more, no program can register any more. Most systems
 * give a user 1,024 or 4,096 descriptors on the way.
 */
#define KEPT 16384

static struct {
	int fd;
	unsigned int n_kept;
	int kept[KEPT];
} door = { .fd = -1 };

/* remove_old() - only a socket that a daemon of this user has left */
static int remove_old(const char *path, const struct sockaddr_un *addr, int fd)
{
	struct stat st;

	if (lstat(path, &st))
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISSOCK(st.st_mode) || st.st_uid != geteuid())
		return -EEXIST;
	/* EAGAIN is a daemon that has much to do, EPROTOTYPE a socket of another kind. */
	if (!connect(fd, (const struct sockaddr *)addr, sizeof(*addr)) || errno != ECONNREFUSED)
		return -EADDRINUSE;
	return unlink(path) ? -errno : 0;
}

static int listen_at(int fd, const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	const int zero = 0, one = 1;
	mode_t mask;
	int err;

	if (strlen(path) >= sizeof(addr.sun_path))
		return -ENAMETOOLONG;
	strcpy(addr.sun_path, path);
	err = remove_old(path, &addr, fd);
	if (err)
		return err;
	setsockopt(fd, SOL_SOCKET, SO_PASSRIGHTS, &zero, sizeof(zero));
	/* Connections inherit it, so a packet right after accept4() says who sent it, too. */
	setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &one, sizeof(one));
	/* Every user may connect. */
	mask = umask(0111);
	err = bind(fd, (struct sockaddr *)&addr, sizeof(addr)) || listen(fd, BACKLOG) ? -errno : 0;
	umask(mask);
	return err;
}

/**
 * door_open() - make the socket
 * @path: its name
 *
 * Return: 0; -EADDRINUSE: a daemon answers there; -EEXIST: another kind of file has this name, or a
 * socket of another user; or another negative errno.
 */
int door_open(const char *path)
{
	struct rlimit files = { 0, 0 };
	int err;

	/* Kept connections need descriptors. */
	if (!getrlimit(RLIMIT_NOFILE, &files)) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	door.fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (door.fd < 0)
		return -errno;
	err = listen_at(door.fd, path);
	if (err) {
		close(door.fd);
		door.fd = -1;
	}
	return err;
}

/**
 * door_fd() - what to poll for POLLIN
 */
int door_fd(void)
{
	return door.fd;
}

/**
 * door_accept() - the next program that has connected
 * @caller: filled in; door_shut() is needed
 *
 * Return: 0; -EAGAIN: no program waits; -EUSERS: KEPT connections are kept; -EMFILE, -ENFILE: no
 * descriptor is left for now; or another negative errno.
 */
int door_accept(struct caller *caller)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);
	const int one = 1;

	if (door.n_kept == KEPT)
		return -EUSERS;
	caller->fd = accept4(door.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (caller->fd < 0)
		return -errno;
	/* With each packet comes who sent it: so an empty one is not taken for the end. */
	if (setsockopt(caller->fd, SOL_SOCKET, SO_PASSCRED, &one, sizeof(one)) ||
	    getsockopt(caller->fd, SOL_SOCKET, SO_PEERCRED, &peer, &len)) {
		int err = -errno;

		door_shut(caller);
		return err;
	}
	caller->pid = peer.pid;
	caller->user = peer.uid;
	return 0;
}

/* is_from() - has the process itself sent it, or another one that has got its connection? */
static bool is_from(const struct caller *caller, struct msghdr *message)
{
	struct cmsghdr *part = CMSG_FIRSTHDR(message);
	struct ucred sender;

	if (!part || part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_CREDENTIALS)
		return false;
	memcpy(&sender, CMSG_DATA(part), sizeof(sender));
	return sender.pid == caller->pid;
}

/**
 * door_read() - the next packet of a program
 * @caller: which one
 * @text: where to; a longer packet is cut off
 * @size: of @text in bytes
 *
 * Return: bytes; 0: it has closed the connection; -EAGAIN: nothing yet; -EBADMSG: there is a
 * descriptor in the queue, and nothing was taken from it; -ENODATA: the packet was empty; -EPERM:
 * another process has sent it; or another negative errno.
 */
ssize_t door_read(const struct caller *caller, char *text, size_t size)
{
	char control[CMSG_SPACE(sizeof(struct ucred))] __attribute__((aligned(8)));
	struct iovec data = { text, size };
	struct msghdr message = {
		.msg_iov = &data, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	bool own;
	ssize_t n;

	/* Without room for it a descriptor is not installed; and a look takes nothing. */
	n = recvmsg(caller->fd, &message, MSG_PEEK | MSG_DONTWAIT);
	if (n < 0)
		return -errno;
	if (message.msg_flags & MSG_CTRUNC)
		return -EBADMSG;
	if (!n && !message.msg_controllen)
		return 0;
	own = is_from(caller, &message);
	n = recv(caller->fd, text, size, MSG_DONTWAIT);
	return !n ? -ENODATA : own || n < 0 ? n : -EPERM;
}

/* is_empty() - take all packets in the queue; false, if a descriptor comes with the next one */
static bool is_empty(const struct caller *caller)
{
	char text[64];
	ssize_t n;

	while ((n = door_read(caller, text, sizeof(text))) > 0 || n == -ENODATA ||
	       n == -EPERM)
		;
	return n != -EBADMSG;
}

/**
 * door_shut() - the end of a connection
 * @caller: of door_accept()
 */
void door_shut(const struct caller *caller)
{
	/* From here on nothing more gets into the queue. */
	shutdown(caller->fd, SHUT_RDWR);
	if (is_empty(caller)) {
		close(caller->fd);
		return;
	}
	if (!door.n_kept)
		log_warn("user %u, process %d: sends descriptors, whose close may never return: such connections are kept",
			 caller->user, (int)caller->pid);
	door.kept[door.n_kept++] = caller->fd;
}

static bool is_kept(int fd)
{
	unsigned int i;

	for (i = 0; i < door.n_kept; i++)
		if (door.kept[i] == fd)
			return true;
	return false;
}

/* close_others() - all descriptors but the kept ones, the socket, and one more */
static void close_others(int fd)
{
	int other, highest = door.fd;
	unsigned int i;

	for (i = 0; i < door.n_kept; i++)
		highest = door.kept[i] > highest ? door.kept[i] : highest;
	/* Few have a higher number: they were opened since, and nearly all are closed by now. */
	for (other = 3; other < highest + 64; other++)
		if (other != fd && other != door.fd && !is_kept(other))
			close(other);
}

/*
 * leave_kept() - to a child, whose end closes them, which may take for ever. The child has nothing
 * else of the daemon's, and ends after the daemon.
 */
static void leave_kept(void)
{
	unsigned int i;
	int ends[2];
	char byte;

	if (pipe(ends))
		return;
	if (!fork()) {
		undo_leave();
		close_others(ends[0]);
		_exit(read(ends[0], &byte, 1) < 0);
	}
	for (i = 0; i < door.n_kept; i++)
		close(door.kept[i]);
	close(door.fd);
	close(ends[0]);
}

/**
 * door_close() - the end of the socket
 * @path: its name
 */
void door_close(const char *path)
{
	struct caller caller;

	if (door.fd < 0)
		return;
	unlink(path);
	while (!door_accept(&caller))
		door_shut(&caller);
	if (door.n_kept)
		leave_kept();
	else
		close(door.fd);
	door.n_kept = 0;
	door.fd = -1;
}
