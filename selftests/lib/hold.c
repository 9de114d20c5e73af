// SPDX-License-Identifier: GPL-2.0
/*
 * A hostile user without privileges, for the guest's tests of the root daemons:
 *
 *   hold mmap [-m MIB] [-o] [-l] [-n NAME] [-r WHERE]
 *                            holds its own mmap_lock for writing, for ever; -o: its memory is in
 *                            swap; -l: not before the first page of its memory comes or goes, so
 *                            that a process_madvise() that has begun waits, and no read before it;
 *                            -r: it registers with marvind at WHERE and stops itself, so that
 *                            marvind calls process_madvise()
 *   hold socket PATH         sends descriptors to marvind's socket; to close or to discard them
 *                            never returns
 *   hold talk PATH           registers with marvind, claims that it has given nearly all addresses,
 *                            and sends packets without end; and again, when marvind has enough
 *   hold name NAME [-m MIB]  has that name
 *   hold names N NAME        has N children of that name
 *   hold storm SECONDS       changes its name all the time, and ends
 *   hold forks [GROUPDIR]    forks all the time, inside a control group
 *   hold maps PID            probe: reads /proc/PID/maps
 *   hold advise PID          probe: calls process_madvise()
 *   hold as UID COMMAND...   runs COMMAND as that user
 *
 * Each attack prints "ready PID [FD]" once its state is reached, and stays until a signal ends it.
 *
 * The files are on a FUSE file system in a user namespace of the process. The server is a child,
 * and ends as soon as the process begins to exit. Then the kernel aborts all requests, so that
 * nothing waits any more and the guest ends in an orderly way.
 *
 * Calls that wait for a held mmap_lock, on Linux 6.1 and 6.12: reads of maps, smaps, smaps_rollup,
 * numa_maps, pagemap, cmdline and environ in /proc/PID, until SIGKILL; process_madvise(), in
 * state D and also after SIGKILL. stat, statm, status, comm, cgroup, oom_score_adj and the links in
 * fd do not wait. close() of a file whose FUSE_FLUSH has no answer is in state D from the first
 * signal on, and also after SIGKILL.
 *
 * HOLD_TAME=1: "hold mmap" holds nothing, to see that a test passes then.
 *
 * Exit 4: this kernel does not allow the attack. 2: wrong arguments.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/fuse.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef MADV_FREE
#define MADV_FREE 8
#endif
#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif
#ifndef MADV_COLD
#define MADV_COLD 20
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_process_madvise
#define SYS_process_madvise 440
#endif

#define MOUNT_AT	"/tmp"
#define FILE_NODE	2
#define FILE_BYTES	4096
#define FORBIDDEN	4
#define PF_EXITING	4U
#define MUTE(opcode)	(1ULL << (opcode))

static struct {
	const char *name;		/* of the process */
	const char *where;		/* marvind's socket; NULL: do not register */
	size_t mib;
	bool out;			/* push the memory out */
	bool late;			/* lock when another process moves a page */
} wanted;

/* The FUSE server. */
static struct {
	int dev;
	pid_t client;			/* the process that uses the files */
	unsigned int init_flags;	/* of the answer to FUSE_INIT */
	unsigned int open_flags;	/* FOPEN_* of all opens but the first */
	unsigned int opens;		/* opens so far */
	unsigned long long mute;	/* bits: operations that get no answer */
	unsigned int polite;		/* answer everything until this many FUSE_FLUSH have come */
	bool checks;			/* answer until the client's mmap_lock is really held */
	bool tells;			/* print "ready" at the first operation without an answer */
	char ready[160];		/* that line */
	bool *is_mute;			/* shared: an operation without an answer has come */
} server;

/* forbidden() - this kernel does not allow the attack */
static void __attribute__((noreturn, format(printf, 1, 2))) forbidden(const char *format, ...)
{
	int err = errno;
	va_list args;

	fputs("hold: not possible here: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, ": %s\n", strerror(err));
	_exit(FORBIDDEN);
}

static void nap(long ms)
{
	struct timespec time = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&time, NULL);
}

static void __attribute__((noreturn)) stay(void)
{
	for (;;)
		pause();
}

/* say_ready() - by write(): a page fault of stdio's might need a lock that is held */
static void say_ready(const char *line)
{
	size_t len = strlen(line);

	if (write(STDOUT_FILENO, line, len) != (ssize_t)len)
		_exit(1);
}

/* make_ready() - the line: process id, descriptor (-1: none) */
static void make_ready(char *line, size_t size, int fd)
{
	char number[16] = "";

	if (fd >= 0)
		snprintf(number, sizeof(number), " %d", fd);
	snprintf(line, size, "ready %d%s\n", (int)getpid(), number);
}

static void be_ready(int fd)
{
	char line[160];

	make_ready(line, sizeof(line), fd);
	say_ready(line);
}

/* set_name() - any bytes, also control characters */
static void set_name(const char *name)
{
	if (name)
		prctl(PR_SET_NAME, name);
}

/* take_memory() - and touch all of it; NULL for 0 MiB */
static char *take_memory(size_t mib)
{
	char *at;

	if (!mib)
		return NULL;
	at = mmap(NULL, mib << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		forbidden("%zu MiB of memory", mib);
	memset(at, 0x5a, mib << 20);
	return at;
}

/*
 * The packets to marvind
 */

static int connect_to(const char *path)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (strlen(path) >= sizeof(at.sun_path))
		forbidden("%s: the name is too long", path);
	strcpy(at.sun_path, path);
	if (sock < 0 || connect(sock, (struct sockaddr *)&at, sizeof(at)))
		forbidden("%s", path);
	return sock;
}

/*
 * tell_marvind() - register a heap whose memory is all given. This function and hold_talk() know
 * the packets (tools/marvin/libmarvin/register.h). Returns the connection, without which the
 * registration ends; -1: marvind has shut it.
 */
static int tell_marvind(const char *path, unsigned long at, unsigned long bytes)
{
	int sock = connect_to(path), n;
	char text[120];

	n = snprintf(text, sizeof(text), "marvin 2 hold %lx %lu %ld", at, bytes,
		     sysconf(_SC_PAGESIZE));
	if (send(sock, text, (size_t)n, MSG_NOSIGNAL) == n) {
		n = snprintf(text, sizeof(text), "stat 0 1 %lu 0 0 %lu 0 0", bytes, bytes);
		if (send(sock, text, (size_t)n, MSG_NOSIGNAL) == n)
			return sock;
	}
	close(sock);
	return -1;
}

/*
 * The FUSE server
 */

static int read_maps(const char *pid)
{
	char path[300], text[4096];
	int fd;

	snprintf(path, sizeof(path), "/proc/%s/maps", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, text, sizeof(text)) < 0) {
		perror(path);
		return 1;
	}
	return 0;
}

static void reply(const struct fuse_in_header *in, int error, const void *data, size_t bytes)
{
	char buffer[sizeof(struct fuse_out_header) + FILE_BYTES];
	struct fuse_out_header out = {
		.len = (unsigned int)(sizeof(out) + bytes), .error = error, .unique = in->unique,
	};

	memcpy(buffer, &out, sizeof(out));
	if (bytes)
		memcpy(buffer + sizeof(out), data, bytes);
	/* ENOENT: the client has taken the request back. */
	if (write(server.dev, buffer, sizeof(out) + bytes) < 0 && errno != ENOENT)
		_exit(1);
}

static struct fuse_attr attributes(uint64_t node)
{
	struct fuse_attr attr = {
		.ino = node, .nlink = 1, .uid = getuid(), .gid = getgid(), .blksize = 4096,
	};

	attr.mode = node == FILE_NODE ? S_IFREG | 0600 : S_IFDIR | 0755;
	attr.size = node == FILE_NODE ? FILE_BYTES : 0;
	return attr;
}

static void answer_init(const struct fuse_in_header *in)
{
	struct fuse_init_out out = {
		.major = FUSE_KERNEL_VERSION, .minor = 31, .max_readahead = FILE_BYTES,
		.flags = server.init_flags, .max_background = 16, .congestion_threshold = 12,
		.max_write = FILE_BYTES, .time_gran = 1,
	};

	reply(in, 0, &out, sizeof(out));
}

static void answer_lookup(const struct fuse_in_header *in)
{
	struct fuse_entry_out out = {
		.nodeid = FILE_NODE, .generation = 1, .entry_valid = 3600, .attr_valid = 3600,
		.attr = attributes(FILE_NODE),
	};

	reply(in, 0, &out, sizeof(out));
}

static void answer_attr(const struct fuse_in_header *in)
{
	struct fuse_attr_out out = { .attr_valid = 3600, .attr = attributes(in->nodeid) };

	reply(in, 0, &out, sizeof(out));
}

/* answer_open() - with FOPEN_KEEP_CACHE, or the open itself would write the dirty page */
static void answer_open(const struct fuse_in_header *in)
{
	struct fuse_open_out out = { .fh = 1, .open_flags = FOPEN_KEEP_CACHE };

	if (server.opens++)
		out.open_flags |= server.open_flags;
	reply(in, 0, &out, sizeof(out));
}

static void answer_read(const struct fuse_in_header *in, const void *arg)
{
	static const char zeros[FILE_BYTES];
	const struct fuse_read_in *read = arg;
	size_t left = read->offset < FILE_BYTES ? FILE_BYTES - (size_t)read->offset : 0;

	reply(in, 0, zeros, read->size < left ? read->size : left);
}

static void answer_write(const struct fuse_in_header *in, const void *arg)
{
	struct fuse_write_out out = { .size = ((const struct fuse_write_in *)arg)->size };

	reply(in, 0, &out, sizeof(out));
}

/* is_held() - does a read of the client's maps wait? */
static bool is_held(void)
{
	char pid[16];
	pid_t probe;
	int tries;

	snprintf(pid, sizeof(pid), "%d", (int)server.client);
	probe = fork();
	if (!probe)
		_exit(read_maps(pid));
	for (tries = 0; tries < 30; tries++) {
		if (waitpid(probe, NULL, WNOHANG))
			return false;
		nap(10);
	}
	kill(probe, SIGKILL);
	waitpid(probe, NULL, 0);
	return true;
}

/*
 * is_mute() - does this operation get no answer? A kernel's thread may have written the page, so
 * that mmap() has nothing to write: then the client tries again.
 */
static bool is_mute(unsigned int opcode)
{
	if (server.polite) {
		server.polite -= opcode == FUSE_FLUSH;
		return false;
	}
	if (opcode >= 64 || !(server.mute & MUTE(opcode)))
		return false;
	if (server.checks && !is_held())
		return false;
	server.checks = false;
	return true;
}

static void answer(const struct fuse_in_header *in, const void *arg)
{
	if (is_mute(in->opcode)) {
		__atomic_store_n(server.is_mute, true, __ATOMIC_SEQ_CST);
		if (server.tells)
			say_ready(server.ready);
		server.tells = false;
		return;
	}
	switch (in->opcode) {
	case FUSE_INIT:
		answer_init(in);
		break;
	case FUSE_LOOKUP:
		answer_lookup(in);
		break;
	case FUSE_GETATTR:
	case FUSE_SETATTR:
		answer_attr(in);
		break;
	case FUSE_OPEN:
		answer_open(in);
		break;
	case FUSE_READ:
		answer_read(in, arg);
		break;
	case FUSE_WRITE:
		answer_write(in, arg);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break;
	case FUSE_FLUSH:
	case FUSE_RELEASE:
	case FUSE_UNLINK:
	case FUSE_DESTROY:
		reply(in, 0, NULL, 0);
		break;
	default:
		reply(in, -ENOSYS, NULL, 0);
	}
}

/*
 * client_ends() - has the client begun to exit? Its exit may wait for this server before the kernel
 * sends PR_SET_PDEATHSIG or closes a pipe, so look at the flags in /proc.
 */
static bool client_ends(void)
{
	char path[32], text[512], *at;
	unsigned int flags;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)server.client);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return true;
	text[n] = '\0';
	at = strrchr(text, ')');
	return !at || sscanf(at + 1, " %*c %*d %*d %*d %*d %*d %u", &flags) != 1 ||
	       flags & PF_EXITING;
}

/* serve() - the child */
static void __attribute__((noreturn)) serve(void)
{
	static char buffer[FUSE_MIN_READ_BUFFER + FILE_BYTES] __attribute__((aligned(8)));
	struct pollfd poller = { .fd = server.dev, .events = POLLIN };
	const struct fuse_in_header *in = (const void *)buffer;
	ssize_t n;

	prctl(PR_SET_NAME, "hold-server");
	while (!client_ends()) {
		if (poll(&poller, 1, 100) <= 0)
			continue;
		n = read(server.dev, buffer, sizeof(buffer));
		if (n < 0 && (errno == EINTR || errno == ENOENT || errno == EAGAIN))
			continue;
		if (n < (ssize_t)sizeof(*in))
			break;
		answer(in, in + 1);
	}
	_exit(0);
}

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		forbidden("%s", path);
	close(fd);
}

/* own_namespace() - a user namespace; a mount in it needs no privilege */
static void own_namespace(void)
{
	int uid = (int)getuid(), gid = (int)getgid();
	char text[64];

	if (unshare(CLONE_NEWUSER | CLONE_NEWNS))
		forbidden("a user namespace");
	put("/proc/self/setgroups", "deny");
	snprintf(text, sizeof(text), "%d %d 1", uid, uid);
	put("/proc/self/uid_map", text);
	snprintf(text, sizeof(text), "%d %d 1", gid, gid);
	put("/proc/self/gid_map", text);
}

/* mount_fuse() - at MOUNT_AT; a child is the server */
static void mount_fuse(void)
{
	char options[128];
	pid_t pid;

	own_namespace();
	server.is_mute = mmap(NULL, sizeof(*server.is_mute), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (server.is_mute == MAP_FAILED)
		forbidden("shared memory");
	server.client = getpid();
	server.dev = open("/dev/fuse", O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (server.dev < 0)
		forbidden("/dev/fuse");
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=%d,group_id=%d",
		 server.dev, (int)getuid(), (int)getgid());
	if (mount("hold", MOUNT_AT, "fuse", MS_NOSUID | MS_NODEV, options))
		forbidden("a mount of FUSE");
	pid = fork();
	if (pid < 0)
		forbidden("fork");
	if (!pid)
		serve();
	close(server.dev);
}

/* open_file() - all names are the same file */
static int open_file(const char *name)
{
	char path[300];
	int fd;

	snprintf(path, sizeof(path), MOUNT_AT "/%s", name);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		forbidden("%s", path);
	return fd;
}

static char *map_file(int fd)
{
	char *at = mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (at == MAP_FAILED)
		forbidden("a shared mapping of a FUSE file");
	return at;
}

/*
 * The attacks
 */

/*
 * map_direct() - mmap() of a FOPEN_DIRECT_IO file holds the mmap_lock for writing, writes the dirty
 * pages of the file and waits for the server, which does not answer
 */
static void *map_direct(void *arg)
{
	const int *fds = arg;
	char *page = map_file(fds[0]);
	int tries;

	for (tries = 0; tries < 20; tries++) {
		page[0]++;
		munmap(mmap(NULL, FILE_BYTES, PROT_READ, MAP_PRIVATE, fds[1], 0), FILE_BYTES);
	}
	forbidden("mmap() returned: it does not wait for a dirty page");
}

/* split() - into many mappings, so that advice for all of them takes long */
static void split(char *memory, size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), at;

	for (at = 15 * page; at < bytes; at += 16 * page)
		mprotect(memory + at, page, PROT_NONE);
}

/*
 * await_move() - of the first page, in or out. A page in memory is used again and again, so that
 * the kernel does not take it by itself.
 */
static void await_move(char *memory)
{
	unsigned char before, now;
	unsigned int i;

	if (mincore(memory, 1, &before))
		forbidden("mincore()");
	for (i = 1;; i++) {
		mincore(memory, 1, &now);
		if ((now & 1) != (before & 1))
			return;
		if (before & 1 && i % 4096 == 0)
			memory[0] = (char)i;
	}
}

/* stop() - once the lock is held */
static void stop(void)
{
	while (!__atomic_load_n(server.is_mute, __ATOMIC_SEQ_CST) && !wanted.late &&
	       !getenv("HOLD_TAME"))
		nap(10);
	kill(getpid(), SIGSTOP);
}

static void hold_mmap(void)
{
	char *memory = take_memory(wanted.mib);
	static int fds[2];
	pthread_t thread;

	if (wanted.late && memory)
		split(memory, wanted.mib << 20);
	if (wanted.out && madvise(memory, wanted.mib << 20, MADV_PAGEOUT))
		forbidden("MADV_PAGEOUT");
	set_name(wanted.name);
	if (wanted.where && memory &&
	    tell_marvind(wanted.where, (unsigned long)memory, wanted.mib << 20) < 0)
		forbidden("a packet to marvind");
	server.open_flags = FOPEN_DIRECT_IO;
	server.mute = MUTE(FUSE_WRITE);
	server.tells = !wanted.late;
	server.checks = true;
	make_ready(server.ready, sizeof(server.ready), -1);
	mount_fuse();
	fds[0] = open_file("page");
	fds[1] = open_file("page");
	if (wanted.late || getenv("HOLD_TAME"))
		be_ready(-1);
	if (!getenv("HOLD_TAME")) {
		if (wanted.late && memory)
			await_move(memory);
		if (pthread_create(&thread, NULL, map_direct, fds))
			forbidden("a thread");
	}
	if (wanted.where)
		stop();
	stay();
}

/* send_files() - a packet with descriptors */
static void send_files(int sock, const int *fds, size_t n)
{
	char text[16], control[CMSG_SPACE(2 * sizeof(*fds))] = { 0 };
	struct iovec part = { text, (size_t)snprintf(text, sizeof(text), "%d\n", fds[0]) };
	struct msghdr message = {
		.msg_iov = &part, .msg_iovlen = 1, .msg_control = control,
		.msg_controllen = CMSG_SPACE(n * sizeof(*fds)),
	};
	struct cmsghdr *head = CMSG_FIRSTHDR(&message);

	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(n * sizeof(*fds));
	memcpy(CMSG_DATA(head), fds, n * sizeof(*fds));
	if (sendmsg(sock, &message, MSG_NOSIGNAL) < 0)
		forbidden("a descriptor through a socket");
}

/* last_copy() - an open file whose only descriptor is in the queue of a socket, which it returns */
static int last_copy(void)
{
	int pair[2], fd = open_file("page");

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		forbidden("a pair of sockets");
	send_files(pair[0], &fd, 1);
	close(pair[0]);
	close(fd);
	return pair[1];
}

/*
 * start_sync() - a child changes the page, and its munmap() writes the inode for ever, because
 * FUSE_SETATTR gets no answer. Each flush and each last release of the inode waits for the child.
 */
static void start_sync(int fd, int not_its)
{
	pid_t pid = fork();

	if (pid < 0)
		forbidden("fork");
	if (!pid) {
		char *at = map_file(fd);

		close(not_its);
		at[0] = 1;
		munmap(at, FILE_BYTES);
		_exit(0);
	}
	while (!__atomic_load_n(server.is_mute, __ATOMIC_SEQ_CST))
		nap(10);
}

/*
 * hold_socket() - sends two descriptors. close() of the first one waits in its flush. The second
 * one waits in the last release of a file, also if the receiver never takes it out of the message.
 */
static void hold_socket(const char *path)
{
	int fds[2], sock;

	server.init_flags = FUSE_WRITEBACK_CACHE;
	/*
	 * The kernel refuses FUSE_SETATTR by root, who is no user of the namespace. So a child of
	 * this process waits for it, and root for the child.
	 */
	server.mute = MUTE(FUSE_SETATTR) | MUTE(FUSE_FLUSH);
	server.polite = 1;
	mount_fuse();
	fds[1] = last_copy();
	fds[0] = open_file("page");
	start_sync(fds[0], fds[1]);
	sock = connect_to(path);
	send_files(sock, fds, 2);
	close(fds[1]);
	be_ready(fds[0]);
	stay();
}

static void hold_name(const char *name)
{
	set_name(name);
	take_memory(wanted.mib);
	be_ready(-1);
	stay();
}

static void hold_names(unsigned long n, const char *name)
{
	pid_t parent = getpid();

	while (n--) {
		pid_t pid = fork();

		if (pid < 0)
			forbidden("fork");
		if (pid)
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		set_name(name);
		if (getppid() != parent)
			_exit(1);
		stay();
	}
	be_ready(-1);
	stay();
}

static void hold_storm(time_t seconds)
{
	time_t until = time(NULL) + seconds;
	char name[16];
	unsigned int i;

	be_ready(-1);
	for (i = 0; i % 1024 || time(NULL) < until; i++) {
		snprintf(name, sizeof(name), "storm-%u", i % 100000);
		prctl(PR_SET_NAME, name);
	}
}

static void hold_forks(const char *group)
{
	char path[300], text[16];

	if (group) {
		snprintf(path, sizeof(path), "%s/cgroup.procs", group);
		snprintf(text, sizeof(text), "%d", (int)getpid());
		put(path, text);
	}
	be_ready(-1);
	for (;;) {
		pid_t pid = fork();

		if (!pid) {
			nap(5);
			_exit(0);
		}
		nap(1);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
	}
}

/* hold_talk() - of each connection marvind takes some packets in a second, and then shuts it */
static void hold_talk(const char *path)
{
	unsigned long page = (unsigned long)sysconf(_SC_PAGESIZE);
	unsigned long bytes = (~0UL >> 17) / page * page;
	bool ready = false;
	char text[100];
	int n = snprintf(text, sizeof(text), "stat 1 1 1 1 1 %lu 1 1", bytes);

	for (;;) {
		int sock = tell_marvind(path, page, bytes);

		if (sock >= 0 && !ready)
			be_ready(-1);
		ready = ready || sock >= 0;
		while (sock >= 0 && send(sock, text, (size_t)n, MSG_NOSIGNAL) == n)
			;
		close(sock);
		nap(5);
	}
}

/*
 * Probes, run by root
 */

/* advise() - any address, because the kernel takes the lock first */
static int advise(const char *pid)
{
	long page = sysconf(_SC_PAGESIZE);
	struct iovec range = { (void *)page, (size_t)page };
	int pidfd = (int)syscall(SYS_pidfd_open, atoi(pid), 0);

	if (pidfd < 0)
		forbidden("process %s", pid);
	if (syscall(SYS_process_madvise, pidfd, &range, 1, MADV_COLD, 0) < 0 && errno != ENOMEM)
		forbidden("process_madvise()");
	return 0;
}

static int run_as(char **argv)
{
	uid_t uid = (uid_t)strtoul(argv[0], NULL, 0);

	if (setgroups(0, NULL) || setresgid(uid, uid, uid) || setresuid(uid, uid, uid)) {
		perror("hold: to become that user");
		return 1;
	}
	execvp(argv[1], argv + 1);
	perror(argv[1]);
	return 1;
}

static int misuse(void)
{
	fputs("usage: hold mmap [-m MIB] [-o] [-l] [-n NAME] [-r WHERE]\n"
	      "       hold socket PATH | talk PATH | name NAME [-m MIB] | names N NAME\n"
	      "       hold storm SECONDS | forks [GROUPDIR] | maps PID | advise PID\n"
	      "       hold as UID COMMAND...\n", stderr);
	return 2;
}

static bool read_options(int argc, char **argv)
{
	int opt;

	while ((opt = getopt(argc, argv, "lm:n:or:")) != -1) {
		switch (opt) {
		case 'l':
			wanted.late = true;
			break;
		case 'm':
			wanted.mib = strtoul(optarg, NULL, 0);
			break;
		case 'n':
			wanted.name = optarg;
			break;
		case 'o':
			wanted.out = true;
			break;
		case 'r':
			wanted.where = optarg;
			break;
		default:
			return false;
		}
	}
	return true;
}

/* run() - a mode with its arguments; returns only from those that end */
static int run(const char *mode, int n, char **args)
{
	if (!strcmp(mode, "mmap") && n == 0)
		hold_mmap();
	else if (!strcmp(mode, "socket") && n == 1)
		hold_socket(args[0]);
	else if (!strcmp(mode, "talk") && n == 1)
		hold_talk(args[0]);
	else if (!strcmp(mode, "name") && n == 1)
		hold_name(args[0]);
	else if (!strcmp(mode, "names") && n == 2)
		hold_names(strtoul(args[0], NULL, 0), args[1]);
	else if (!strcmp(mode, "storm") && n == 1)
		hold_storm((time_t)strtoul(args[0], NULL, 0));
	else if (!strcmp(mode, "forks") && n <= 1)
		hold_forks(args[0]);
	else if (!strcmp(mode, "maps") && n == 1)
		return read_maps(args[0]);
	else if (!strcmp(mode, "advise") && n == 1)
		return advise(args[0]);
	else
		return misuse();
	return 0;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return misuse();
	/* COMMAND has options of its own. */
	if (!strcmp(argv[1], "as"))
		return argc < 4 ? misuse() : run_as(argv + 2);
	if (!read_options(argc - 1, argv + 1))
		return misuse();
	return run(argv[1], argc - 1 - optind, argv + 1 + optind);
}
