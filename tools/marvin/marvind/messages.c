// SPDX-License-Identifier: GPL-2.0
/*
 * The socket where programs register, and the packets that they send, which may be anything. Every
 * user may connect; the kernel tells the process and the user.
 *
 * A hostile program can send a descriptor, for instance of a file whose last close waits for a FUSE
 * server that never answers. So the daemon does not receive a packet that comes with a descriptor,
 * and does not close a connection that has a descriptor in its queue. The daemon keeps the
 * connection until it ends, and then leaves it to a child process that may wait. The kernel limits
 * how many descriptors of a user are in queues (RLIMIT_NOFILE), and so how many connections are
 * kept.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include "log.h"
#include "messages.h"
#include "sys.h"
#include "undo.h"

/* Linux 6.16 and later refuse descriptors for us. */
#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS 83
#endif

/* Connections that wait for accept4(). A turn of the loop accepts 64; twice that is a guess. */
#define BACKLOG 128
/*
 * Connections that are kept at a time; with more, no program can register any more. Most systems
 * allow a user 1,024 or 4,096 descriptors in queues: so it takes four such users or more.
 */
#define KEPT 16384

/* The largest number that every reader of JSON reads exactly. */
#define MOST (1ULL << 53)

static struct {
	int fd;
	unsigned int n_kept;
	int kept[KEPT + 2];		/* and two more for leave_kept() */
} listener = { .fd = -1 };

/* word() - the next word, which begins at *@at; returns its length, 0 at the end */
static size_t word(const char **at, const char **begin)
{
	size_t len = strcspn(*at, " ");

	*begin = *at;
	*at += len;
	/* A single blank, which does not end the text. */
	if (**at == ' ' && (*at)[1])
		++*at;
	return len;
}

/* number() - the next word; false: it is not a number of this base, or too large */
static bool number(const char **at, int base, uint64_t *n)
{
	const char *begin;
	size_t len = word(at, &begin);

	errno = 0;
	*n = strtoull(begin, NULL, base);
	return len && !errno &&
	       strspn(begin, base == 16 ? "0123456789abcdef" : "0123456789") == len;
}

static bool is_word(const char **at, const char *wanted)
{
	const char *begin;
	size_t len = word(at, &begin);

	return len == strlen(wanted) && !memcmp(begin, wanted, len);
}

/* take_name() - the name becomes a value in a line of key=value for marvinctl */
static bool take_name(const char **at, char *name)
{
	const char *begin;
	size_t len = word(at, &begin), i;

	if (!len || len >= MESSAGE_NAME)
		return false;
	for (i = 0; i < len; i++)
		name[i] = begin[i] > ' ' && begin[i] < 127 && begin[i] != '=' ? begin[i] : '_';
	name[i] = '\0';
	return true;
}

/**
 * message_heap() - the first packet of a program
 * @text: "marvin 2 NAME SPACE BYTES PAGE"
 * @page_bytes: size of a page of this machine
 * @heap: filled in
 *
 * PURE.
 *
 * Return: false, if the packet is something else, or no process can have such a heap.
 */
bool message_heap(const char *text, size_t page_bytes, struct heap *heap)
{
	uint64_t page, end;

	if (!is_word(&text, "marvin") || !is_word(&text, "2") || !take_name(&text, heap->name) ||
	    !number(&text, 16, &heap->space) || !number(&text, 10, &heap->bytes) ||
	    !number(&text, 10, &page) || *text)
		return false;
	return page == page_bytes && !(heap->space % page) && !(heap->bytes % page) &&
	       heap->bytes && !__builtin_add_overflow(heap->space, heap->bytes, &end) &&
	       end <= SIZE_MAX;
}

/**
 * message_told() - a later packet
 * @text: "stat SEQ OBJECTS BYTES UNSAVED SAVED GIVEN LOADS DROPPED"
 * @heap: of the program
 * @told: filled in
 *
 * PURE.
 *
 * Return: false, if the packet is something else.
 */
bool message_told(const char *text, const struct heap *heap, struct told *told)
{
	uint64_t *const numbers[] = {
		&told->seq, &told->objects, &told->bytes, &told->unsaved, &told->saved,
		&told->given, &told->loads, &told->dropped,
	};
	uint64_t *const sizes[] = { &told->bytes, &told->unsaved, &told->saved, &told->given };
	unsigned int i;

	if (!is_word(&text, "stat"))
		return false;
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (!number(&text, 10, numbers[i]) || *numbers[i] > MOST)
			return false;
	/* The program counts while other threads of it work: a size may be a little too large. */
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (*sizes[i] > heap->bytes)
			*sizes[i] = heap->bytes;
	return !*text;
}

/* remove_old() - remove a socket that an ended daemon of this user has left, nothing else */
static int remove_old(const char *path, const struct sockaddr_un *addr, int fd)
{
	struct stat st;

	if (lstat(path, &st))
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISSOCK(st.st_mode) || st.st_uid != geteuid())
		return -EEXIST;
	/* EAGAIN: its daemon is busy; EPROTOTYPE: a socket of another kind. */
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
	/* A connection inherits it: so packets before accept4() name their sender, too. */
	setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &one, sizeof(one));
	/* Every user may connect. */
	mask = umask(0111);
	err = bind(fd, (struct sockaddr *)&addr, sizeof(addr)) || listen(fd, BACKLOG) ? -errno : 0;
	umask(mask);
	return err;
}

/**
 * messages_open() - make the socket
 * @path: its name
 *
 * Return: its descriptor; -EADDRINUSE: a daemon answers there; -EEXIST: another kind of file has
 * this name, or a socket of another user; or another negative errno.
 */
int messages_open(const char *path)
{
	struct rlimit files = { 0, 0 };
	int err;

	/* Kept connections need descriptors. */
	if (!getrlimit(RLIMIT_NOFILE, &files)) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	listener.fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (listener.fd < 0)
		return -errno;
	err = listen_at(listener.fd, path);
	if (!err)
		return listener.fd;
	close(listener.fd);
	listener.fd = -1;
	return err;
}

/**
 * messages_accept() - the next program that has connected
 * @caller: filled in; messages_shut() is needed
 *
 * Return: 0; -EAGAIN: no program waits; -EUSERS: KEPT connections are kept; -EMFILE, -ENFILE: the
 * daemon or the system has no free descriptor now; or another negative errno.
 */
int messages_accept(struct caller *caller)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);
	const int one = 1;

	if (listener.n_kept == KEPT)
		return -EUSERS;
	caller->fd = accept4(listener.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (caller->fd < 0)
		return -errno;
	/* Each packet comes with its sender: so an empty packet differs from the end. */
	if (setsockopt(caller->fd, SOL_SOCKET, SO_PASSCRED, &one, sizeof(one)) ||
	    getsockopt(caller->fd, SOL_SOCKET, SO_PEERCRED, &peer, &len)) {
		int err = -errno;

		messages_shut(caller);
		return err;
	}
	caller->pid = peer.pid;
	caller->user = peer.uid;
	return 0;
}

/* is_from() - has the caller sent it? Another process may have its connection, too */
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
 * messages_read() - the next packet of a program
 * @caller: its connection
 * @text: buffer; a longer packet is cut off
 * @size: of @text in bytes
 *
 * Return: bytes; 0: the program has closed the connection; -EAGAIN: nothing yet; -EBADMSG: a
 * descriptor is in the queue, which stays as it was; -ENODATA: the packet was empty; -EPERM: it is
 * from another process; or another negative errno.
 */
ssize_t messages_read(const struct caller *caller, char *text, size_t size)
{
	char control[CMSG_SPACE(sizeof(struct ucred))] __attribute__((aligned(8)));
	struct iovec data = { text, size };
	struct msghdr message = {
		.msg_iov = &data, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	bool own;
	ssize_t n;

	/* Without room in @control the kernel installs no descriptor; MSG_PEEK takes nothing. */
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

/* is_empty() - take all packets from the queue; false, if the next one comes with a descriptor */
static bool is_empty(const struct caller *caller)
{
	char text[64];
	ssize_t n;

	do {
		n = messages_read(caller, text, sizeof(text));
	} while (n > 0 || n == -ENODATA || n == -EPERM);
	return n != -EBADMSG;
}

/**
 * messages_shut() - the end of a connection
 * @caller: of messages_accept()
 */
void messages_shut(const struct caller *caller)
{
	/* From here on nothing more gets into the queue. */
	shutdown(caller->fd, SHUT_RDWR);
	if (is_empty(caller)) {
		close(caller->fd);
		return;
	}
	if (!listener.n_kept)
		log_warn("user %u, process %d: sends descriptors, whose close may never return: such connections are kept",
			 caller->user, (int)caller->pid);
	listener.kept[listener.n_kept++] = caller->fd;
}

/*
 * leave_kept() - leave the kept connections to a child: its end closes them, which may take for
 * ever. The child has nothing else of the daemon's, and ends after the daemon.
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
		/* Connections that were not accepted yet may have descriptors, too. */
		listener.kept[listener.n_kept] = listener.fd;
		listener.kept[listener.n_kept + 1] = ends[0];
		sys_close_all_but(listener.kept, listener.n_kept + 2);
		_exit(read(ends[0], &byte, 1) < 0);
	}
	for (i = 0; i < listener.n_kept; i++)
		close(listener.kept[i]);
	close(listener.fd);
	close(ends[0]);
}

/**
 * messages_close() - the end of the socket
 * @path: its name
 */
void messages_close(const char *path)
{
	struct caller caller;

	if (listener.fd < 0)
		return;
	unlink(path);
	while (!messages_accept(&caller))
		messages_shut(&caller);
	if (listener.n_kept)
		leave_kept();
	else
		close(listener.fd);
	listener.n_kept = 0;
	listener.fd = -1;
}
