// SPDX-License-Identifier: GPL-2.0
/*
 * System calls, and all else that uses the memory of a heap without an instruction of the program:
 * while the memory is absent, while it is saved, and while it is pinned. Each case is a process of
 * its own, in three kinds: userfaultfd handles all faults (root); it handles faults of the program
 * only (a user without privileges, if vm.unprivileged_userfaultfd is 0); road signal. If it does
 * not handle the kernel's own faults, a call without a pin fails with EFAULT, or does a part. No
 * bytes are ever wrong, and nothing hangs. With a pin everything works.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "harness.h"
#include "marvin.h"

/* Newer than the headers of Debian 12, or of older ones. */
#ifndef MADV_COLD
#define MADV_COLD 20
#endif
#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif

#define SPACE (64U << 20)
#define BYTES (1U << 18)
#define NOBODY 65534
/* Of a case: one that takes longer hangs. Sanitizers on a busy machine are slow. */
#define SECONDS 100

enum way { ALL, OWN, SIGNAL };

static struct marvin *heap;
static struct marvin_info info;
static uint8_t *object;
static char scratch[] = "/var/tmp/marvin-calls.XXXXXX";

extern char **environ;

static uint8_t byte_of(size_t i, unsigned int seed)
{
	return (uint8_t)(i * 7 + i / 4096 * 3 + seed * 31 + 1);
}

static void fill(uint8_t *at, size_t bytes, unsigned int seed)
{
	size_t i;

	for (i = 0; i < bytes; i++)
		at[i] = byte_of(i, seed);
}

/* is() - bytes of the object, and the same ones counted from @from */
static bool is(const uint8_t *at, size_t from, size_t bytes, unsigned int seed)
{
	size_t i;

	for (i = 0; i < bytes; i++)
		if (at[i] != byte_of(from + i, seed))
			return false;
	return true;
}

static void save(void)
{
	unsigned int i;

	for (i = 0; i < 8; i++)
		marvin_tick(heap, 10000);
}

/* lay_away() - all is saved, and the memory is gone */
static void lay_away(void)
{
	save();
	marvin_drop(heap, UINT64_MAX);
}

static void begin(enum way way)
{
	struct marvin_options options = MARVIN_OPTIONS;

	options.store = "/var/tmp/";
	options.space = SPACE;
	options.road = way == SIGNAL ? MARVIN_ROAD_SIGNAL : MARVIN_ROAD_WP;
	options.no_thread = true;
	if (!expect_eq(marvin_open(&heap, &options), 0))
		exit(1);
	info = (struct marvin_info)MARVIN_INFO;
	marvin_info(heap, &info);
	object = marvin_new(heap, BYTES);
	fill(object, BYTES, 0);
}

/* Calls that use memory: how many bytes, or a negative errno. */

static ssize_t of(ssize_t n)
{
	return n < 0 ? -errno : n;
}

/* is_out() - what a call has read from the object is in a file. Returns what the call returned */
static ssize_t is_out(int fd, ssize_t n)
{
	uint8_t *got = test_alloc(BYTES);

	if (n > 0) {
		expect_eq(pread(fd, got, BYTES, 0), n);
		expect(is(got, 0, (size_t)n, 0));
	}
	free(got);
	close(fd);
	return n;
}

static ssize_t by_write(uint8_t *at, size_t bytes)
{
	int fd = memfd_create("out", MFD_CLOEXEC);

	return is_out(fd, of(write(fd, at, bytes)));
}

static ssize_t by_writev(uint8_t *at, size_t bytes)
{
	struct iovec parts[2] = { { at, bytes / 2 }, { at + bytes / 2, bytes - bytes / 2 } };
	int fd = memfd_create("out", MFD_CLOEXEC);

	return is_out(fd, of(writev(fd, parts, 2)));
}

static int direct_file(void)
{
	char path[] = "/var/tmp/marvin-direct.XXXXXX";
	int fd = mkostemp(path, O_CLOEXEC | O_DIRECT);

	unlink(path);
	return fd;
}

/* With O_DIRECT the device reads the memory. */
static ssize_t by_direct_write(uint8_t *at, size_t bytes)
{
	size_t skip = -(uintptr_t)at % 4096;
	uint8_t *got = test_alloc(BYTES);
	int fd = direct_file();
	ssize_t n;

	n = fd < 0 ? (ssize_t)bytes : of(write(fd, at + skip, (bytes - skip) / 4096 * 4096));
	if (fd >= 0 && n > 0) {
		fcntl(fd, F_SETFL, 0);
		expect_eq(pread(fd, got, BYTES, 0), n);
		expect(is(got, skip, (size_t)n, 0));
	}
	close(fd);
	free(got);
	return n;
}

static ssize_t by_send(uint8_t *at, size_t bytes)
{
	uint8_t *got = test_alloc(BYTES);
	size_t size = 4 * BYTES;
	int fds[2];
	ssize_t n;

	socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds);
	setsockopt(fds[0], SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof(int));
	bytes = bytes < 65536 ? bytes : 65536;
	n = of(send(fds[0], at, bytes, 0));
	if (n > 0) {
		expect_eq(recv(fds[1], got, BYTES, MSG_WAITALL), n);
		expect(is(got, 0, (size_t)n, 0));
	}
	close(fds[0]);
	close(fds[1]);
	free(got);
	return n;
}

/* in_file() - with other bytes than the object has */
static int in_file(int fd)
{
	uint8_t *bytes = test_alloc(BYTES);

	fill(bytes, BYTES, 1);
	expect_eq(pwrite(fd, bytes, BYTES, 0), BYTES);
	free(bytes);
	return fd;
}

static ssize_t by_read(uint8_t *at, size_t bytes)
{
	int fd = in_file(memfd_create("in", MFD_CLOEXEC));
	ssize_t n = of(read(fd, at, bytes));

	close(fd);
	return n;
}

static ssize_t by_readv(uint8_t *at, size_t bytes)
{
	struct iovec parts[2] = { { at, bytes / 2 }, { at + bytes / 2, bytes - bytes / 2 } };
	int fd = in_file(memfd_create("in", MFD_CLOEXEC));
	ssize_t n = of(readv(fd, parts, 2));

	close(fd);
	return n;
}

static ssize_t by_recv(uint8_t *at, size_t bytes)
{
	uint8_t *from = test_alloc(BYTES);
	int fds[2];
	ssize_t n;

	socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds);
	fill(from, BYTES, 1);
	bytes = bytes < 65536 ? bytes : 65536;
	expect_eq(send(fds[0], from, bytes, 0), bytes);
	n = of(recv(fds[1], at, bytes, 0));
	close(fds[0]);
	close(fds[1]);
	free(from);
	return n;
}

/* Of linux/io_uring.h, which cannot be had together with the harness's linux/types.h. */
struct sqe {
	uint8_t opcode, flags;
	uint16_t priority;
	int32_t fd;
	uint64_t at, addr;
	uint32_t len, how;
	uint64_t data;
	uint16_t buffer, personality;
	uint32_t unused[5];
};
struct cqe {
	uint64_t data;
	int32_t res;
	uint32_t flags;
};
struct ring_params {
	uint32_t sq_entries, cq_entries, flags, cpu, idle, features, wq_fd, unused[3];
	struct { uint32_t head, tail, mask, entries, flags, dropped, array, unused[3]; } sq;
	struct { uint32_t head, tail, mask, entries, overflow, cqes, flags, unused[3]; } cq;
};
enum { OP_READ_FIXED = 4, OP_READ = 22, OP_WRITE = 23 };
#define SQE_ASYNC (1U << 4)
#define OFF_SQES 0x10000000
#define SINGLE_MMAP 1U
#define GETEVENTS 1U
#define REGISTER_BUFFERS 0U

struct ring {
	int fd;
	uint8_t *at;
	struct sqe *sqes;
	struct ring_params params;
};

static bool ring_begin(struct ring *ring)
{
	size_t bytes;

	memset(ring, 0, sizeof(*ring));
	ring->fd = (int)syscall(SYS_io_uring_setup, 1, &ring->params);
	if (ring->fd < 0)
		return false;
	bytes = ring->params.cq.cqes + ring->params.cq_entries * sizeof(struct cqe);
	if (bytes < ring->params.sq.array + 4)
		bytes = ring->params.sq.array + 4;
	ring->at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);
	ring->sqes = mmap(NULL, sizeof(*ring->sqes), PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd,
			  OFF_SQES);
	return ring->params.features & SINGLE_MMAP && ring->at != MAP_FAILED &&
	       ring->sqes != MAP_FAILED;
}

/* ring_do() - one request, and wait for it */
static ssize_t ring_do(struct ring *ring, const struct sqe *what)
{
	uint32_t *tail = (uint32_t *)(ring->at + ring->params.sq.tail);
	uint32_t *head = (uint32_t *)(ring->at + ring->params.cq.head);
	struct cqe *cqes = (struct cqe *)(ring->at + ring->params.cq.cqes);
	ssize_t n;

	ring->sqes[0] = *what;
	((uint32_t *)(ring->at + ring->params.sq.array))[0] = 0;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, ring->fd, 1, 1, GETEVENTS, NULL, 0) < 0)
		return -errno;
	n = cqes[*head % ring->params.cq_entries].res;
	__atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
	return n;
}

static ssize_t by_ring(uint8_t *at, size_t bytes, int fd, uint8_t opcode, uint8_t flags)
{
	struct sqe what = { .opcode = opcode, .flags = flags, .fd = fd,
				     .addr = (uintptr_t)at, .len = (uint32_t)bytes };
	struct ring ring;
	ssize_t n = ring_begin(&ring) ? ring_do(&ring, &what) : -ENOSYS;

	close(ring.fd);
	return n;
}

static ssize_t by_ring_write(uint8_t *at, size_t bytes)
{
	int fd = memfd_create("out", MFD_CLOEXEC);

	return is_out(fd, by_ring(at, bytes, fd, OP_WRITE, 0));
}

static ssize_t by_ring_read(uint8_t *at, size_t bytes)
{
	int fd = in_file(memfd_create("in", MFD_CLOEXEC));
	ssize_t n = by_ring(at, bytes, fd, OP_READ, 0);

	close(fd);
	return n;
}

/* In a thread of the kernel. */
static ssize_t by_ring_thread(uint8_t *at, size_t bytes)
{
	int fd = in_file(memfd_create("in", MFD_CLOEXEC));
	ssize_t n = by_ring(at, bytes, fd, OP_READ, SQE_ASYNC);

	close(fd);
	return n;
}

struct call {
	const char *name;
	ssize_t (*run)(uint8_t *at, size_t bytes);
};

static const struct call outs[] = {
	{ "write", by_write }, { "writev", by_writev }, { "write with O_DIRECT", by_direct_write },
	{ "send", by_send }, { "io_uring write", by_ring_write },
};

static const struct call ins[] = {
	{ "read", by_read }, { "readv", by_readv }, { "recv", by_recv },
	{ "io_uring read", by_ring_read }, { "io_uring read in a kernel thread", by_ring_thread },
};

/* is_allowed() - what a call may return: it may do less than all, or EFAULT, only without a pin */
static bool is_allowed(ssize_t n, bool pinned)
{
	if (n == -ENOSYS || n == -EPERM)	/* no io_uring here */
		return true;
	return n > 0 || (n == -EFAULT && !pinned && !info.system_calls);
}

/* try_out() - absent, unless it is pinned */
static void try_out(const struct call *call, bool pinned)
{
	unsigned int bad = tap.bad;
	ssize_t n;

	lay_away();
	if (pinned)
		expect_eq(marvin_pin(heap, object, BYTES), 0);
	n = call->run(object, BYTES);
	expect(is_allowed(n, pinned));
	if (pinned)
		marvin_unpin(heap, object, BYTES);
	expect(is(object, 0, BYTES, 0));
	if (tap.bad != bad)
		tap_note("%s, %s: %zd", call->name, pinned ? "pinned" : "absent", n);
}

/* try_in() - absent, saved, or pinned */
static void try_in(const struct call *call, bool absent, bool pinned)
{
	unsigned int bad = tap.bad;
	size_t done;
	ssize_t n;

	save();
	if (absent)
		marvin_drop(heap, UINT64_MAX);
	if (pinned)
		expect_eq(marvin_pin(heap, object, BYTES), 0);
	n = call->run(object, BYTES);
	expect(is_allowed(n, pinned));
	if (pinned)
		marvin_unpin(heap, object, BYTES);
	/*
	 * The bytes that came, and behind them the old bytes; also after the memory goes once more.
	 */
	done = n > 0 ? (size_t)n : 0;
	expect(is(object, 0, done, 1) && is(object + done, done, BYTES - done, 0));
	lay_away();
	expect(is(object, 0, done, 1) && is(object + done, done, BYTES - done, 0));
	fill(object, BYTES, 0);
	if (tap.bad != bad)
		tap_note("%s, %s%s: %zd", call->name, absent ? "absent" : "saved",
			 pinned ? ", pinned" : "", n);
}

static void calls(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(outs); i++) {
		try_out(&outs[i], false);
		try_out(&outs[i], true);
	}
	for (i = 0; i < ARRAY_SIZE(ins); i++) {
		try_in(&ins[i], true, false);
		try_in(&ins[i], false, false);
		try_in(&ins[i], true, true);
		try_in(&ins[i], false, true);
	}
}

/* Buffers that the kernel holds for long have to be pinned for as long; then they may be used. */
static void held(void)
{
	struct iovec all = { object, BYTES };
	int fd = in_file(memfd_create("in", MFD_CLOEXEC));
	struct sqe what = { .opcode = OP_READ_FIXED, .fd = fd,
				     .addr = (uintptr_t)object, .len = BYTES };
	struct ring ring;

	lay_away();
	expect_eq(marvin_pin(heap, object, BYTES), 0);
	if (!ring_begin(&ring) ||
	    syscall(SYS_io_uring_register, ring.fd, REGISTER_BUFFERS, &all, 1)) {
		tap_note("no buffers of io_uring here: %s", strerror(errno));
		return;
	}
	lay_away();
	expect_eq(ring_do(&ring, &what), BYTES);
	expect(is(object, 0, BYTES, 1));
	close(ring.fd);
	marvin_unpin(heap, object, BYTES);
	lay_away();
	expect(is(object, 0, BYTES, 1));
}

/* Processes. */

/* ends() - a process ends within the time of the case, with this status */
static void ends(pid_t pid, int want)
{
	int status = -1;

	if (expect(pid > 0))
		waitpid(pid, &status, 0);
	if (status != want)
		tap_note("status %#x", status);
	expect_eq(status, want);
}

static void forks(void)
{
	pid_t pid;

	lay_away();
	pid = fork();
	if (!pid) {
		bool right = is(object, 0, BYTES, 0);

		fill(object, BYTES / 2, 2);
		lay_away();
		right = right && is(object, 0, BYTES / 2, 2) &&
			is(object + BYTES / 2, BYTES / 2, BYTES / 2, 0);
		_exit(right ? 0 : 1);
	}
	fill(object, BYTES / 2, 3);
	lay_away();
	ends(pid, 0);
	expect(is(object, 0, BYTES / 2, 3) && is(object + BYTES / 2, BYTES / 2, BYTES / 2, 0));
}

/* arguments() - in the heap */
static char *arguments(void)
{
	char *text = marvin_new(heap, 64);

	strcpy(text, "exit 7");
	return text;
}

/* vforks() - the child has the parent's memory; its exec needs its arguments */
static void vforks(void)
{
	char *text = arguments();
	volatile bool right = false;
	pid_t pid;

	lay_away();
	pid = vfork();
	if (!pid) {
		char *const argv[] = { "sh", "-c", text, NULL };

		right = object[BYTES - 1] == byte_of(BYTES - 1, 0);
		execve("/bin/sh", argv, environ);
		_exit(errno == EFAULT ? 14 : 1);
	}
	/* The child has read the object; its arguments may be in another page. */
	ends(pid, info.system_calls ? 7 << 8 : 14 << 8);
	expect(right);
	expect_eq(marvin_pin(heap, text, 64), 0);
	pid = vfork();
	if (!pid) {
		char *const argv[] = { "sh", "-c", text, NULL };

		execve("/bin/sh", argv, environ);
		_exit(1);
	}
	ends(pid, 7 << 8);
}

static void spawns(void)
{
	char *text = arguments();
	char *const argv[] = { "sh", "-c", text, NULL };
	pid_t pid = 0;
	int err;

	lay_away();
	err = posix_spawn(&pid, "/bin/sh", NULL, NULL, argv, environ);
	/* A sanitizer looks at the arguments first, and so they are there. */
	expect(!err || (err == EFAULT && !info.system_calls));
	if (!err)
		ends(pid, 7 << 8);
	expect_eq(marvin_pin(heap, text, 64), 0);
	expect_eq(posix_spawn(&pid, "/bin/sh", NULL, NULL, argv, environ), 0);
	ends(pid, 7 << 8);
	expect(is(object, 0, BYTES, 0));
}

/* A signal that comes to a child before fork() has returned there. */
static volatile sig_atomic_t early;

static void look_early(int signal_nr)
{
	early = is(object, 0, BYTES, 0) ? 1 : 2;
}

static bool raises;

/* A handler of fork() that was there before the heap's runs before it, in the child. */
static void raise_in_child(void)
{
	if (raises)
		raise(SIGUSR1);
}

static void early_signals(void)
{
	pid_t pid;

	signal(SIGUSR1, look_early);
	lay_away();
	raises = true;
	pid = fork();
	if (!pid)
		_exit(early == 1 && is(object, 0, BYTES, 0) ? 0 : 1);
	raises = false;
	ends(pid, 0);
	expect_eq(early, 0);
	/* The parent's signals are as they were. */
	raise(SIGUSR1);
	expect_eq(early, 1);
}

/* Others that look at the memory. */

/* from_outside() - process_vm_readv() of another process */
static void from_outside(void)
{
	int go[2], here = getpid();
	uint8_t *got = test_alloc(BYTES);
	struct iovec to = { got, BYTES }, from = { object, BYTES };
	char byte = 0;
	pid_t pid;

	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	pipe2(go, O_CLOEXEC);
	pid = fork();
	if (!pid) {
		ssize_t n;

		if (read(go[0], &byte, 1) != 1)
			_exit(1);
		n = of(process_vm_readv(here, &to, 1, &from, 1, 0));
		if (n == -EPERM)
			_exit(0);
		_exit(n > 0 ? !is(got, 0, (size_t)n, 0) : n != -EFAULT || info.system_calls);
	}
	lay_away();
	expect_eq(write(go[1], &byte, 1), 1);
	ends(pid, 0);
	free(got);
}

/* traced() - a debugger stops all threads, the heap's too, and reads absent memory: no hang */
static void traced(void)
{
	char command[256], path[] = "/var/tmp/marvin-gdb.XXXXXX", *text = test_alloc(65536);
	int fd = mkostemp(path, O_CLOEXEC);
	pid_t pid;

	if (access("/usr/bin/gdb", X_OK)) {
		tap_note("gdb is not there");
		unlink(path);
		return;
	}
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	lay_away();
	/* gdb's own files are the user's. */
	snprintf(command, sizeof(command),
		 "HOME=/var/tmp timeout 90 gdb -nx -q -batch -p %d -ex 'x/1ub %p' -ex detach >%s 2>&1",
		 (int)getpid(), (void *)(object + 5), path);
	pid = vfork();
	if (!pid) {
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(1);
	}
	waitpid(pid, NULL, 0);
	expect(pread(fd, text, 65535, 0) > 0);
	/* Bytes, or none. On road signal a debugger sees zeroes, as for any page without memory. */
	snprintf(command, sizeof(command), ":\t%u\n", byte_of(5, 0));
	if (!strstr(text, command) && !strstr(text, "Cannot access memory") &&
	    !strstr(text, "not permitted") && (info.system_calls || !strstr(text, ":\t0\n"))) {
		expect(0);
		tap_note("gdb: %s", text);
	}
	expect(is(object, 0, BYTES, 0));
	close(fd);
	unlink(path);
	free(text);
}

/* dumps() - a process with absent pages ends with a core: no hang */
static void dumps(void)
{
	const struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
	char command[128];
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (chdir(scratch) || setrlimit(RLIMIT_CORE, &all))
			_exit(0);
		lay_away();
		abort();
	}
	waitpid(pid, &status, 0);
	expect(WIFSIGNALED(status) ? WTERMSIG(status) == SIGABRT : WEXITSTATUS(status) == 0);
	snprintf(command, sizeof(command), "rm -f %s/core*", scratch);
	expect_eq(system(command), 0);
	expect(is(object, 0, BYTES, 0));
}

/* The program itself. */

static sigjmp_buf back;

static void leap(int signal_nr)
{
	siglongjmp(back, 1);
}

/* moved() - mremap() is forbidden: the old place is no memory any more, and the rest is right */
static void moved(void)
{
	uint8_t *const page = object + 4096 + -(uintptr_t)object % info.page;
	const size_t from = (size_t)(page - object) + info.page;
	volatile bool traps = true;
	void *to;

	lay_away();
	to = mremap(page, info.page, info.page, MREMAP_MAYMOVE | MREMAP_FIXED,
		    mmap(NULL, info.page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	if (!expect(to != MAP_FAILED))
		return;
	signal(SIGSEGV, leap);
	if (!sigsetjmp(back, 1)) {
		(void)*(volatile uint8_t *)page;
		traps = false;
	}
	signal(SIGSEGV, SIG_DFL);
	expect(traps);
	if (info.road == MARVIN_ROAD_WP)
		expect(is(object + from, from, BYTES - from, 0));
}

static void *read_all(void *arg)
{
	return is(object, 0, BYTES, 0) ? arg : NULL;
}

static void threads(void)
{
	pthread_t all[8];
	unsigned int i, round;
	void *right;

	for (round = 0; round < 5; round++) {
		lay_away();
		for (i = 0; i < ARRAY_SIZE(all); i++)
			expect_eq(pthread_create(&all[i], NULL, read_all, all), 0);
		for (i = 0; i < ARRAY_SIZE(all); i++) {
			pthread_join(all[i], &right);
			expect(right);
		}
	}
}

static volatile sig_atomic_t times, bad_times;

static void use(int signal_nr)
{
	size_t i = (size_t)times * 4099 % (BYTES / 2);

	bad_times += object[i] != byte_of(i, 0);
	object[BYTES / 2 + i] = byte_of(BYTES / 2 + i, 0);
	times++;
}

/* signals() - a handler uses memory that is absent */
static void signals(void)
{
	struct sigaction action = { .sa_handler = use, .sa_flags = SA_RESTART };
	unsigned int i;

	sigaction(SIGUSR1, &action, NULL);
	for (i = 0; i < 40; i++) {
		if (i % 4 == 0)
			lay_away();
		raise(SIGUSR1);
	}
	expect_eq(times, 40);
	expect_eq(bad_times, 0);
	expect(is(object, 0, BYTES, 0));
}

/* advised() - madvise() of the program's own, which takes nothing that counts */
static void advised(void)
{
	static const int how[] = { MADV_PAGEOUT, MADV_COLD, MADV_WILLNEED, MADV_RANDOM, MADV_NORMAL,
				   MADV_HUGEPAGE };
	size_t skip = -(uintptr_t)object % info.page, all = (BYTES - skip) / info.page * info.page;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(how); i++) {
		if (madvise(object + skip, all, how[i]))
			tap_note("madvise(%d): %s", how[i], strerror(errno));
		expect(is(object, 0, BYTES, 0));
		save();
		madvise(object + skip, all, how[i]);
		expect(is(object, 0, BYTES, 0));
		lay_away();
		madvise(object + skip, all, how[i]);
		expect(is(object, 0, BYTES, 0));
		fill(object, BYTES, 0);
	}
}

/* zapped() - MADV_DONTNEED of the program's own: zeroes, or the saved bytes; and it goes on */
static void zapped(void)
{
	size_t skip = -(uintptr_t)object % info.page, all = (BYTES - skip) / info.page * info.page;
	unsigned int i;
	size_t j;

	for (i = 0; i < 3; i++) {
		if (i == 1)
			save();
		if (i == 2)
			lay_away();
		expect_eq(madvise(object + skip, all, MADV_DONTNEED), 0);
		for (j = skip; j < skip + all; j += 512)
			if (object[j] && object[j] != byte_of(j, 0)) {
				expect_eq(object[j], byte_of(j, 0));
				break;
			}
		fill(object, BYTES, 0);
		lay_away();
		expect(is(object, 0, BYTES, 0));
	}
}

static void locked(void)
{
	lay_away();
	if (mlock(object, BYTES))
		expect(!info.system_calls || errno == ENOMEM || errno == EPERM || errno == EAGAIN);
	expect(is(object, 0, BYTES, 0));
	fill(object, BYTES, 1);
	lay_away();
	expect(is(object, 0, BYTES, 1));
	munlock(object, BYTES);
	lay_away();
	expect(is(object, 0, BYTES, 1));
}

/* counted() - pins count, and end */
static void counted(void)
{
	struct marvin_stats stats = MARVIN_STATS;

	lay_away();
	expect_eq(marvin_pin(heap, object, BYTES), 0);
	expect_eq(marvin_pin(heap, object, BYTES), 0);
	marvin_unpin(heap, object, BYTES);
	lay_away();
	expect_eq(by_write(object, BYTES), BYTES);
	marvin_stats(heap, &stats);
	expect(stats.unsaved >= BYTES);
	marvin_unpin(heap, object, BYTES);
	lay_away();
	stats = (struct marvin_stats)MARVIN_STATS;
	marvin_stats(heap, &stats);
	expect(stats.given >= BYTES);
	expect(is(object, 0, BYTES, 0));
}

/* A child may have threads. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
	return "die_after_fork=0";
}

/* The cases, each in three ways. */

/* as_nobody() - who may look at its own memory, as other programs of users */
static bool as_nobody(void)
{
	return !setgroups(0, NULL) && !setgid(NOBODY) && !setuid(NOBODY) &&
	       !prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
}

static void in_process(enum way way, void (*run)(void))
{
	int status = -1;
	pid_t pid;

	if (way != SIGNAL && geteuid()) {
		tap_note("it takes root");
		return;
	}
	pid = fork();
	if (!pid) {
		alarm(SECONDS);
		tap.bad = 0;
		if (way == OWN && !expect(as_nobody()))
			_exit(1);
		pthread_atfork(NULL, NULL, raise_in_child);
		begin(way);
		if (way == ALL)
			expect(info.system_calls);
		if (way == OWN && info.system_calls)
			tap_note("nobody may have all faults here");
		run();
		expect_eq(marvin_close(heap), 0);
		exit(tap.bad ? 1 : 0);
	}
	waitpid(pid, &status, 0);
	if (WIFSIGNALED(status))
		tap_note("signal %d%s", WTERMSIG(status), WTERMSIG(status) == SIGALRM ?
			 ": it hangs" : "");
	expect_eq(status, 0);
}

#define IN_WAYS(name)						\
static void name##_all(void) { in_process(ALL, name); }		\
static void name##_own(void) { in_process(OWN, name); }		\
static void name##_signal(void) { in_process(SIGNAL, name); }
#define CASES(name, text)					\
	{ "all faults: " text, name##_all },			\
	{ "own faults: " text, name##_own },			\
	{ "road signal: " text, name##_signal }

IN_WAYS(calls)
IN_WAYS(held)
IN_WAYS(forks)
IN_WAYS(vforks)
IN_WAYS(spawns)
IN_WAYS(early_signals)
IN_WAYS(from_outside)
IN_WAYS(traced)
IN_WAYS(dumps)
IN_WAYS(moved)
IN_WAYS(threads)
IN_WAYS(signals)
IN_WAYS(advised)
IN_WAYS(zapped)
IN_WAYS(locked)
IN_WAYS(counted)

static const struct tap_case cases[] = {
	CASES(calls, "system calls"),
	CASES(held, "buffers that the kernel holds"),
	CASES(forks, "fork"),
	CASES(vforks, "vfork and exec"),
	CASES(spawns, "posix_spawn"),
	CASES(early_signals, "a signal in a child before fork() returns"),
	CASES(from_outside, "process_vm_readv"),
	CASES(traced, "gdb"),
	CASES(dumps, "a core dump"),
	CASES(moved, "mremap"),
	CASES(threads, "threads at one page"),
	CASES(signals, "a signal handler"),
	CASES(advised, "madvise"),
	CASES(zapped, "MADV_DONTNEED"),
	CASES(locked, "mlock"),
	CASES(counted, "pins"),
};

int main(int argc, char **argv)
{
	int status;

	if (!mkdtemp(scratch) || chmod(scratch, 0777))
		return 1;
	status = tap_main("calls", cases, ARRAY_SIZE(cases), argc, argv);
	rmdir(scratch);
	return status;
}
