// SPDX-License-Identifier: GPL-2.0
/*
 * Opening a store in a directory that other users share: links, files of another user, files that
 * others may read, documents, and files that are exchanged between two system calls. A victim's
 * file has to stay the same, byte for byte.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include "harness.h"
#include "marvin.h"
#include "../heap.h"

#define NOBODY 65534U
/* A FIFO that is opened for reading wakes its writer well within this time. */
#define WAKE_US 200000U

static char dir[64], path[80], victim[80];
static char said[256];
static unsigned int said_n;

int __real_open64(const char *name, int flags, ...);
int __wrap_open64(const char *name, int flags, ...);
int __real_lstat64(const char *name, struct stat *st);
int __wrap_lstat64(const char *name, struct stat *st);
int __real_fstat64(int fd, struct stat *st);
int __wrap_fstat64(int fd, struct stat *st);

/* How often the path was opened. */
static unsigned int opens;
/* Called once, after the library has looked at the path. */
static void (*after_lstat)(void);
/* lstat() finds no file; lstat() or fstat() says that a file is a block device. */
static bool hidden;
static const char *device_lstat;
static bool device_fstat;

int __wrap_open64(const char *name, int flags, ...)
{
	mode_t mode;
	va_list args;

	va_start(args, flags);
	mode = va_arg(args, mode_t);
	va_end(args);
	opens += !strcmp(name, path) && !(flags & O_PATH);
	return __real_open64(name, flags, mode);
}

int __wrap_lstat64(const char *name, struct stat *st)
{
	void (*hook)(void) = after_lstat;
	int ret = __real_lstat64(name, st), err = errno;

	if (!ret && device_lstat && !strcmp(name, device_lstat))
		st->st_mode = S_IFBLK | 0600;
	after_lstat = NULL;
	if (hook)
		hook();
	errno = hidden ? ENOENT : err;
	return hidden ? -1 : ret;
}

int __wrap_fstat64(int fd, struct stat *st)
{
	int ret = __real_fstat64(fd, st);

	if (!ret && device_fstat && S_ISREG(st->st_mode))
		st->st_mode = S_IFBLK | 0600;
	return ret;
}

ssize_t __real_pwrite64(int fd, const void *data, size_t bytes, off_t at);
ssize_t __wrap_pwrite64(int fd, const void *data, size_t bytes, off_t at);

/* Nothing can be written at the beginning of the file. */
static bool full_head;

ssize_t __wrap_pwrite64(int fd, const void *data, size_t bytes, off_t at)
{
	if (!at && full_head) {
		errno = ENOSPC;
		return -1;
	}
	return __real_pwrite64(fd, data, bytes, at);
}

static void say(const char *text)
{
	snprintf(said, sizeof(said), "%s", text);
	said_n++;
}

static struct marvin *heap;

static int open_at(const char *store)
{
	struct marvin_options opts = MARVIN_OPTIONS;

	opts.store = store;
	opts.space = 8 << 20;
	opts.no_thread = true;
	opts.say = say;
	said[0] = '\0';
	said_n = 0;
	opens = 0;
	return marvin_open(&heap, &opts);
}

static void fill(uint8_t *object, size_t bytes, uint8_t seed)
{
	size_t i;

	for (i = 0; i < bytes; i++)
		object[i] = (uint8_t)(i * 7 + i / 4096 + seed);
}

static bool check(const uint8_t *object, size_t bytes, uint8_t seed)
{
	size_t i;

	for (i = 0; i < bytes; i++)
		if (object[i] != (uint8_t)(i * 7 + i / 4096 + seed))
			return false;
	return true;
}

/* make() - an object that is not all zeroes */
static uint8_t *make(size_t bytes, uint8_t seed)
{
	uint8_t *object = marvin_new(heap, bytes);

	if (expect(object))
		fill(object, bytes, seed);
	return object;
}

static void ticks(unsigned int n)
{
	while (n--)
		marvin_tick(heap, 10000);
}

static void put(const char *name, mode_t mode, const void *bytes, size_t n)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_EXCL, 0600);

	expect(fd >= 0);
	expect_eq(write(fd, bytes, n), n);
	expect_eq(fchmod(fd, mode), 0);
	close(fd);
}

/* has() - are the bytes, the owner, the mode and the time of the last change the same? */
static bool has(const char *name, const struct stat *before, const void *bytes, size_t n)
{
	char *now = test_alloc(n + 1);
	struct stat st;
	int fd = open(name, O_RDONLY);
	bool same = fd >= 0 && read(fd, now, n + 1) == (ssize_t)n && !memcmp(now, bytes, n) &&
		    !__real_fstat64(fd, &st) && st.st_mode == before->st_mode &&
		    st.st_uid == before->st_uid && st.st_mtim.tv_sec == before->st_mtim.tv_sec &&
		    st.st_mtim.tv_nsec == before->st_mtim.tv_nsec;

	if (fd >= 0)
		close(fd);
	free(now);
	return same;
}

static off_t size_of(const char *name)
{
	struct stat st;

	return __real_lstat64(name, &st) ? -1 : st.st_size;
}

static void remove_both(void)
{
	unlink(path);
	unlink(victim);
}

/* refused() - the library refuses the path, and the file @name stays the same */
static void refused(int err, const char *reason, const char *name, const void *bytes, size_t n)
{
	struct stat before;
	int ret;

	expect_eq(__real_lstat64(name, &before), 0);
	ret = open_at(path);
	if (!expect_eq(ret, err) && !ret) {
		ticks(1);
		marvin_close(heap);
	}
	expect(has(name, &before, bytes, n));
	if (!reason)
		return;
	expect_eq(said_n, 1);
	if (!expect(strstr(said, reason) != NULL && strstr(said, path) != NULL))
		tap_note("%s", said);
}

/* works() - objects go to the store at the path, and come back; it is left empty */
static void works(void)
{
	struct marvin_stats stats = MARVIN_STATS;
	struct stat st;
	uint8_t *object;

	if (!expect_eq(open_at(path), 0))
		return;
	expect_eq(size_of(path), 0);
	object = make(100000, 3);
	ticks(6);
	expect_eq(__real_lstat64(path, &st), 0);
	expect_eq(st.st_mode, S_IFREG | 0600);
	expect(st.st_size >= 100000);
	expect(marvin_drop(heap, UINT64_MAX) >= 100000);
	expect(check(object, 100000, 3));
	marvin_stats(heap, &stats);
	expect(stats.written >= 100000);
	expect(stats.loaded >= 100000);
	marvin_free(heap, object);
	expect_eq(marvin_close(heap), 0);
	expect_eq(size_of(path), 0);
	expect_eq(said_n, 0);
}

static void test_new(void)
{
	mode_t masks[] = { 0022, 0000, 0777 }, old = umask(0);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(masks); i++) {
		umask(masks[i]);
		works();
		works();
		unlink(path);
	}
	umask(old);
	/* A file without a name needs no mark. */
	expect_eq(open_at("/var/tmp/"), 0);
	expect_eq(heap->stores.layers[0].head, 0);
	expect_eq(marvin_close(heap), 0);
}

/* A program that is killed leaves its objects in the store: the next start empties it. */
static void test_mark(void)
{
	static const size_t sizes[] = { STORE_MARK_BYTES, STORE_MARK_BYTES + 1, 4096, 1 << 20 };
	unsigned int i;
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (open_at(path))
			_exit(1);
		make(100000, 1);
		ticks(6);
		raise(SIGKILL);
	}
	expect_eq(waitpid(pid, &status, 0), pid);
	expect(WIFSIGNALED(status));
	expect(size_of(path) > 100000);
	works();
	unlink(path);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		put(path, 0600, STORE_MARK, STORE_MARK_BYTES);
		expect_eq(truncate(path, sizes[i]), 0);
		works();
		unlink(path);
	}
}

static void test_foreign(void)
{
	static const char zeroes[5000], text[] = "Chapter 1\n", *near = STORE_MARK;
	char *large = test_alloc(100000);

	memset(large, 'x', 100000);
	/* The mark has to be at the beginning. */
	memcpy(large + 4096, STORE_MARK, STORE_MARK_BYTES);
	put(path, 0600, text, sizeof(text));
	refused(-EEXIST, "not libmarvin's", path, text, sizeof(text));
	unlink(path);
	/* The message must not say "remove it" because of the mode: it is a document. */
	put(path, 0644, large, 100000);
	refused(-EEXIST, "not libmarvin's", path, large, 100000);
	unlink(path);
	put(path, 0600, zeroes, sizeof(zeroes));
	refused(-EEXIST, "not libmarvin's", path, zeroes, sizeof(zeroes));
	unlink(path);
	put(path, 0600, near, STORE_MARK_BYTES - 1);
	refused(-EEXIST, "not libmarvin's", path, near, STORE_MARK_BYTES - 1);
	unlink(path);
	free(large);
}

/* Each of these would be a store without the link. */
static void test_links(void)
{
	static const struct { const char *bytes; size_t n; } kinds[] = {
		{ "precious", 8 }, { "", 0 }, { STORE_MARK, STORE_MARK_BYTES },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		put(victim, 0600, kinds[i].bytes, kinds[i].n);
		expect_eq(symlink(victim, path), 0);
		refused(-ELOOP, "symbolic link", victim, kinds[i].bytes, kinds[i].n);
		unlink(path);
		expect_eq(link(victim, path), 0);
		refused(-EMLINK, "hard links", victim, kinds[i].bytes, kinds[i].n);
		remove_both();
	}
	/* Nothing is made where a link leads. */
	expect_eq(symlink(victim, path), 0);
	expect_eq(open_at(path), -ELOOP);
	expect_eq(size_of(victim), -1);
	unlink(path);
}

/*
 * /dev/disk has links to devices. Here lstat() says that a file is a device. If the link is
 * followed, the error is EEXIST, because the open file turns out to be a file with contents.
 */
static void test_device_link(void)
{
	put(victim, 0600, "disk", 4);
	device_lstat = victim;
	expect_eq(symlink("victim", path), 0);
	refused(-EEXIST, NULL, victim, "disk", 4);
	unlink(path);
	expect_eq(symlink(victim, path), 0);
	refused(-EEXIST, NULL, victim, "disk", 4);
	/* Another user's link to a disk would have root write to it. */
	if (!geteuid()) {
		expect_eq(lchown(path, NOBODY, NOBODY), 0);
		refused(-ELOOP, "symbolic link", victim, "disk", 4);
	}
	device_lstat = NULL;
	remove_both();
}

static int as_nobody(int (*run)(void))
{
	int status = -1;
	pid_t pid;

	if (geteuid()) {
		tap_note("not root: nothing is done as another user");
		return 0;
	}
	expect_eq(chmod(dir, 01777), 0);
	pid = fork();
	if (!pid)
		_exit(seteuid(NOBODY) ? 99 : run());
	expect_eq(waitpid(pid, &status, 0), pid);
	expect_eq(chmod(dir, 0700), 0);
	return status;
}

static int open_roots(void)
{
	return open_at(path) == -EPERM && strstr(said, "another user") ? 0 : 1;
}

static int open_own(void)
{
	struct stat st;

	/* A file without rights can be opened by root alone. */
	umask(0777);
	if (open_at(path) || marvin_close(heap) || __real_lstat64(path, &st))
		return 1;
	return st.st_uid == NOBODY && st.st_mode == (S_IFREG | 0600) ? 0 : 2;
}

static void test_owner(void)
{
	struct stat before;

	/* A file of root's that all may write to. */
	put(path, 0666, "", 0);
	expect_eq(__real_lstat64(path, &before), 0);
	expect_eq(as_nobody(open_roots), 0);
	expect(has(path, &before, "", 0));
	unlink(path);
	expect_eq(as_nobody(open_own), 0);
	unlink(path);
	if (geteuid())
		return;
	put(path, 0600, "", 0);
	expect_eq(chown(path, NOBODY, NOBODY), 0);
	refused(-EPERM, "another user", path, "", 0);
	unlink(path);
	put(path, 0600, STORE_MARK, STORE_MARK_BYTES);
	expect_eq(chown(path, NOBODY, NOBODY), 0);
	refused(-EPERM, "another user", path, STORE_MARK, STORE_MARK_BYTES);
	unlink(path);
}

static void test_mode(void)
{
	static const mode_t wide[] = { 0644, 0620, 0602, 0601, 0660 }, own[] = { 0700, 01600 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(wide); i++) {
		put(path, wide[i], "", 0);
		refused(-EPERM, "other users may open it", path, "", 0);
		unlink(path);
		put(path, wide[i], STORE_MARK, STORE_MARK_BYTES);
		refused(-EPERM, "other users may open it", path, STORE_MARK, STORE_MARK_BYTES);
		unlink(path);
	}
	for (i = 0; i < ARRAY_SIZE(own); i++) {
		put(path, own[i], "", 0);
		works();
		unlink(path);
	}
}

/* A program waits until another one opens the FIFO to read. */
static void test_fifo(void)
{
	int status;
	pid_t pid;

	expect_eq(mkfifo(path, 0600), 0);
	pid = fork();
	if (!pid)
		_exit(open(path, O_WRONLY) < 0);
	usleep(WAKE_US);
	expect_eq(open_at(path), -EINVAL);
	expect(strstr(said, "neither a file") != NULL);
	usleep(WAKE_US);
	/* Opening it has effects, so it is not opened. */
	expect_eq(waitpid(pid, &status, WNOHANG), 0);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	unlink(path);
}

static void test_others(void)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	char saved[sizeof(path)];

	memcpy(saved, path, sizeof(path));
	snprintf(at.sun_path, sizeof(at.sun_path), "%s", path);
	/* The kernel of the board has no sockets. */
	if (fd >= 0) {
		expect_eq(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
		expect_eq(open_at(path), -EINVAL);
		close(fd);
		unlink(path);
	}
	expect_eq(mkdir(path, 0700), 0);
	expect_eq(open_at(path), -EISDIR);
	expect(strstr(said, "slash at its end") != NULL);
	rmdir(path);
	/* A watchdog starts when it is opened: no such device is. */
	snprintf(path, sizeof(path), "/dev/null");
	expect_eq(open_at(path), -EINVAL);
	expect_eq(opens, 0);
	memcpy(path, saved, sizeof(path));
	/* As no store at all. */
	if (expect_eq(open_at(""), 0))
		expect_eq(marvin_close(heap), 0);
}

static void put_link(void)
{
	unlink(path);
	expect_eq(symlink(victim, path), 0);
}

static void put_hard_link(void)
{
	unlink(path);
	expect_eq(link(victim, path), 0);
}

static void put_fifo(void)
{
	unlink(path);
	expect_eq(mkfifo(path, 0600), 0);
}

static void put_nothing(void)
{
	unlink(path);
}

/* Another user exchanges the path after the library has looked at it. */
static void test_exchanged(void)
{
	put(victim, 0600, STORE_MARK, STORE_MARK_BYTES);
	put(path, 0600, "", 0);
	after_lstat = put_link;
	refused(-ELOOP, NULL, victim, STORE_MARK, STORE_MARK_BYTES);
	unlink(path);
	/* The same, and lstat() finds no file before. */
	after_lstat = put_link;
	refused(-ELOOP, NULL, victim, STORE_MARK, STORE_MARK_BYTES);
	unlink(path);
	after_lstat = put_hard_link;
	refused(-EMLINK, NULL, victim, STORE_MARK, STORE_MARK_BYTES);
	unlink(path);
	put(path, 0600, "", 0);
	after_lstat = put_fifo;
	expect_eq(open_at(path), -EINVAL);
	unlink(path);
	put(path, 0600, "", 0);
	after_lstat = put_nothing;
	works();
	unlink(path);
	/* The same, and the library would make a file where the link leads. */
	unlink(victim);
	after_lstat = put_link;
	expect_eq(open_at(path), -ELOOP);
	expect_eq(size_of(victim), -1);
	unlink(path);
	/* Again and again: not for ever. */
	hidden = true;
	put(path, 0600, STORE_MARK, STORE_MARK_BYTES);
	refused(-EBUSY, NULL, path, STORE_MARK, STORE_MARK_BYTES);
	hidden = false;
	/* A device that was opened without O_EXCL may be mounted. */
	device_fstat = true;
	refused(-EBUSY, NULL, path, STORE_MARK, STORE_MARK_BYTES);
	device_fstat = false;
	remove_both();
}

/* A store that another program has locked is in use. */
static void test_used(void)
{
	int fd;

	put(path, 0600, STORE_MARK, STORE_MARK_BYTES);
	fd = open(path, O_RDWR);
	expect_eq(flock(fd, LOCK_EX), 0);
	refused(-EBUSY, NULL, path, STORE_MARK, STORE_MARK_BYTES);
	close(fd);
	works();
	unlink(path);
}

/* Without room for the mark no object is saved; with room again, all are. */
static void test_full(void)
{
	struct marvin_stats stats = MARVIN_STATS;
	char head[STORE_MARK_BYTES] = "";
	int fd;

	expect_eq(open_at(path), 0);
	make(8192, 1);
	full_head = true;
	ticks(5);
	full_head = false;
	expect(strstr(said, "full") != NULL);
	expect_eq(size_of(path), 0);
	ticks(1);
	marvin_stats(heap, &stats);
	expect_eq(stats.unsaved, 0);
	expect(stats.full > 0);
	fd = open(path, O_RDONLY);
	expect_eq(read(fd, head, sizeof(head)), sizeof(head));
	expect(!memcmp(head, STORE_MARK, sizeof(head)));
	close(fd);
	expect_eq(marvin_close(heap), 0);
	unlink(path);
}

static int without_stdio(void)
{
	int i;

	for (i = 0; i <= STDERR_FILENO; i++)
		close(i);
	if (open_at(path))
		return 1;
	for (i = 0; i <= STDERR_FILENO; i++)
		if (fcntl(i, F_GETFD) >= 0)
			return 2;
	return marvin_close(heap) ? 3 : 0;
}

/* A daemon that has closed them may still print something. */
static void test_stdio(void)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(without_stdio());
	expect_eq(waitpid(pid, &status, 0), pid);
	expect_eq(status, 0);
	unlink(path);
}

static const struct tap_case cases[] = {
	{ "a new file", test_new },
	{ "the store of a program that was killed", test_mark },
	{ "a file with other contents", test_foreign },
	{ "symbolic and hard links", test_links },
	{ "symbolic links to a device", test_device_link },
	{ "files of another user", test_owner },
	{ "files that others may open", test_mode },
	{ "a FIFO", test_fifo },
	{ "what is no file", test_others },
	{ "a path that is exchanged meanwhile", test_exchanged },
	{ "a store that is in use", test_used },
	{ "no room for the mark", test_full },
	{ "a program without standard error", test_stdio },
};

int main(int argc, char **argv)
{
	int ret;

	snprintf(dir, sizeof(dir), "/var/tmp/marvin-store.XXXXXX");
	if (!mkdtemp(dir)) {
		printf("Bail out! no directory in /var/tmp\n");
		return 1;
	}
	snprintf(path, sizeof(path), "%s/store", dir);
	snprintf(victim, sizeof(victim), "%s/victim", dir);
	ret = tap_main("store", cases, ARRAY_SIZE(cases), argc, argv);
	rmdir(dir);
	return ret;
}
