// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "log.h"
#include "parse.h"
#include "proc.h"
#include "registry.h"
#include "sys.h"

/* The same on every architecture that has it. */
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif
#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif

/* Entries of the directory that are looked at in a second; what is wrong is removed meanwhile. */
#define FILES 1024U
/* A file is made first, and written then. */
#define FILE_SECONDS 10
#define FD_MAX (1U << 24)
/* Programs that it was said of that they are not for this marvind. */
#define SAID 64U

static struct {
	int dir;
	const char *path;
	bool look_only;			/* nothing is removed, nothing changed */
	bool full;			/* said */
	unsigned int files;
	struct program programs[REGISTRY_MAX];
	struct { pid_t pid; uint64_t file; } said[SAID];
	unsigned int said_next;
} registry = { .dir = -1 };

/**
 * registry_open() - make the directory, or take the one that there is
 * @dir: its name
 * @look_only: change nothing
 *
 * Return: 0; -EPERM: it is somebody else's; or another negative errno.
 */
int registry_open(const char *dir, bool look_only)
{
	struct stat st;

	registry.path = dir;
	registry.look_only = look_only;
	if (!look_only && mkdir(dir, 0755) && errno != EEXIST)
		return -errno;
	registry.dir = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (registry.dir < 0 || fstat(registry.dir, &st))
		return -errno;
	if (st.st_uid != geteuid())
		return -EPERM;
	/* Each program makes its own file, and removes no other one. */
	return !look_only && fchmod(registry.dir, 01777) ? -errno : 0;
}

/**
 * registry_parse() - what a program's file says
 * @text: the file
 * @fd: the number of the descriptor
 *
 * PURE.
 *
 * Return: false, if it does not say one.
 */
bool registry_parse(const char *text, int *fd)
{
	size_t len = strcspn(text, "\n");
	char number[16];
	uint64_t n;

	if (!len || len >= sizeof(number) || strcmp(text + len, "\n"))
		return false;
	memcpy(number, text, len);
	number[len] = '\0';
	if (strspn(number, "0123456789") != len || parse_decimal(number, 0, &n) || n > FD_MAX)
		return false;
	*fd = (int)n;
	return true;
}

static ssize_t advise(const struct iovec *ranges, size_t n, void *arg)
{
	const struct program *program = arg;

	return sys_process_madvise(program->pidfd, ranges, n, MADV_PAGEOUT);
}

/* clean_name() - what a program calls itself: no blanks, and nothing that a terminal obeys */
static void clean_name(char *to, const volatile char *from)
{
	size_t i;

	for (i = 0; i < REGISTRY_NAME - 1 && from[i]; i++) {
		char c = from[i];

		to[i] = c > ' ' && c < 127 && c != '=' ? c : '_';
	}
	to[i] = '\0';
	if (!i)
		strcpy(to, "_");
}

/* say_once() - of a file: the same one again is known */
static void say_once(pid_t pid, uint64_t file, const char *what)
{
	unsigned int i;

	for (i = 0; i < SAID; i++)
		if (registry.said[i].pid == pid && registry.said[i].file == file)
			return;
	i = registry.said_next++ % SAID;
	registry.said[i].pid = pid;
	registry.said[i].file = file;
	log_warn("process %d is left alone: %s", (int)pid, what);
}

/**
 * registry_drop() - a program is not looked after any more
 * @program: which one
 */
void registry_drop(struct program *program)
{
	uint32_t self = (uint32_t)getpid();

	if (!program->pid)
		return;
	if (!registry.look_only && program->reclaim.table)
		atomic_compare_exchange_strong(&program->reclaim.table->reclaimer, &self, 0);
	reclaim_close(&program->reclaim);
	close(program->pidfd);
	memset(program, 0, sizeof(*program));
}

/*
 * find_table() - is the descriptor still that of a table? After exec() it is another one, or none:
 * -ENOENT. Another negative errno does not say
 */
static int find_table(pid_t pid, int fd)
{
	static const char wanted[] = "/memfd:marvin";
	char path[64], text[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)pid, fd);
	n = readlink(path, text, sizeof(text) - 1);
	if (n < 0)
		return -errno;
	text[n] = '\0';
	return strncmp(text, wanted, sizeof(wanted) - 1) ? -ENOENT : 0;
}

static bool is_alive(const struct program *program)
{
	return sys_pidfd_signal(program->pidfd, 0) != -ESRCH;
}

/* open_table() - the program's own descriptor: nothing is opened that it chose by a name */
static int open_table(struct program *program, struct reclaim *reclaim)
{
	int err = find_table(program->pid, program->fd), fd;

	if (err)
		return err;
	fd = (int)syscall(SYS_pidfd_getfd, program->pidfd, program->fd, 0);
	return fd < 0 ? -errno : reclaim_open(reclaim, fd, advise, program);
}

/* be_there() - the program waits for the locks of this process, until it loses patience */
static void be_there(const struct program *program)
{
	if (!registry.look_only)
		atomic_store(&program->reclaim.table->reclaimer, (uint32_t)getpid());
}

/* is_never() - also one that nothing can be told of */
static bool is_never(const struct program *program, const struct who *never)
{
	struct candidate process;

	return who_read(program->pid, &process) || who_is_never(never, &process);
}

/**
 * registry_never() - others are never touched from now on
 * @never: which ones
 */
void registry_never(const struct who *never)
{
	struct program *program;

	for (program = registry_next(NULL); program; program = registry_next(program))
		program->never = is_never(program, never);
}

static void remember(const struct program *new, const struct who *never, uint32_t now_ms,
		     struct program *program)
{
	*program = *new;
	program->reclaim.arg = program;
	program->used_ms = now_ms;
	clean_name(program->name, program->reclaim.table->name);
	program->never = is_never(program, never);
	be_there(program);
	log_debug("process %d, %s: registered", (int)program->pid, program->name);
}

static struct program *free_place(void)
{
	unsigned int i;

	for (i = 0; i < REGISTRY_MAX; i++)
		if (!registry.programs[i].pid)
			return &registry.programs[i];
	if (!registry.full)
		log_warn("there are more than %d programs: the others are left alone",
			 REGISTRY_MAX);
	registry.full = true;
	return NULL;
}

/* remove_file() - nobody needs it */
static void remove_file(const char *name)
{
	if (!registry.look_only && unlinkat(registry.dir, name, 0))
		log_debug("%s/%s: %s", registry.path, name, strerror(errno));
}

/* check_owner() - -ESRCH: the process has ended, or is not that user's; else 0, or why it failed */
static int check_owner(pid_t pid, uid_t owner)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	if (stat(path, &st))
		return errno == ENOENT ? -ESRCH : -errno;
	return st.st_uid == owner ? 0 : -ESRCH;
}

/*
 * attach() - to a program that is new. The descriptor of the process comes first, so that all that
 * is looked at afterwards is of the same process, if that is still alive in the end.
 */
static void attach(const char *name, struct program *new, uid_t owner, const struct who *never,
		   uint32_t now_ms)
{
	struct program *place;
	int err;

	new->pidfd = sys_pidfd_open(new->pid);
	err = new->pidfd < 0 ? new->pidfd : check_owner(new->pid, owner);
	if (err) {
		/* If there was no memory or no descriptor for it, it is tried again. */
		if (err == -ESRCH)
			remove_file(name);
		if (new->pidfd >= 0)
			close(new->pidfd);
		return;
	}
	err = open_table(new, &new->reclaim);
	place = err ? NULL : free_place();
	if (place && is_alive(new)) {
		remember(new, never, now_ms, place);
		return;
	}
	/* It is of an earlier program of this process, before exec(). */
	if (err == -ENOENT)
		remove_file(name);
	else if (err == -EPROTO || err == -EINVAL)
		say_once(new->pid, new->file[0] ^ new->file[1], err == -EPROTO ?
			 "its table is of another version, or none" : "its table is wrong");
	else if (err && err != -ESRCH)
		say_once(new->pid, new->file[0] ^ new->file[1], strerror(-err));
	reclaim_close(&new->reclaim);
	close(new->pidfd);
}

/*
 * read_file() - 0; -EINVAL: it says nothing that can be used, and @st is filled in; or another
 * negative errno: it could not be looked at
 */
static int read_file(const char *name, struct program *new, struct stat *st)
{
	int fd = openat(registry.dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	char text[16];
	ssize_t n = 0;
	int err = 0;

	if (fd < 0)
		return -errno;
	if (fstat(fd, st))
		err = -errno;
	else if (S_ISREG(st->st_mode) && st->st_nlink == 1)
		n = sys_reread(fd, text, sizeof(text));
	close(fd);
	new->file[0] = st->st_ino;
	new->file[1] = (uint64_t)st->st_mtim.tv_sec * 1000000000 + (uint64_t)st->st_mtim.tv_nsec;
	if (err || n < 0)
		return err ? err : (int)n;
	return n && registry_parse(text, &new->fd) ? 0 : -EINVAL;
}

/* is_useless() - links and sockets always are; a file is made first, and written then */
static bool is_useless(int err, const struct stat *st)
{
	return err == -ELOOP || err == -ENXIO ||
	       (err == -EINVAL && st->st_mtim.tv_sec + FILE_SECONDS < time(NULL));
}

/* is_same() - is a program that is known still there, with the same table? */
static bool is_same(const struct program *program, const struct program *new)
{
	return program->fd == new->fd && program->file[0] == new->file[0] &&
	       program->file[1] == new->file[1] && is_alive(program) &&
	       find_table(program->pid, program->fd) != -ENOENT;
}

static void keep(struct program *program)
{
	program->seen = true;
	be_there(program);
}

struct look {
	const struct who *never;
	uint32_t now_ms;
};

static int look_at(const char *name, void *arg)
{
	struct program new = { 0 }, *known;
	const struct look *look = arg;
	struct stat st = { 0 };
	uint64_t pid;
	int err;

	if (registry.files++ >= FILES)
		return 1;
	if (strspn(name, "0123456789") != strlen(name) || name[0] == '0' ||
	    parse_decimal(name, 0, &pid) || pid > INT32_MAX) {
		remove_file(name);
		return 0;
	}
	new.pid = (pid_t)pid;
	known = registry_find(new.pid);
	err = read_file(name, &new, &st);
	if (err) {
		if (is_useless(err, &st))
			remove_file(name);
		/* That there was no descriptor or no memory for it says nothing of the program. */
		else if (known && err != -EINVAL && err != -ENOENT && is_alive(known))
			keep(known);
		return 0;
	}
	if (known && is_same(known, &new)) {
		keep(known);
		return 0;
	}
	if (known)
		registry_drop(known);
	attach(name, &new, st.st_uid, look->never, look->now_ms);
	known = registry_find(new.pid);
	if (known)
		known->seen = true;
	return 0;
}

/* look_at_uses() - a program that uses what was given to the kernel is not cold */
static void look_at_uses(struct program *program, uint32_t now_ms)
{
	const struct marvin_table *table = program->reclaim.table;
	uint64_t uses = atomic_load_explicit(&table->counts[COUNT_CLAIMED], memory_order_relaxed) +
			atomic_load_explicit(&table->counts[COUNT_LOADED], memory_order_relaxed);

	if (uses != program->uses)
		program->used_ms = now_ms;
	program->uses = uses;
}

/**
 * registry_look() - which programs are there?
 * @never: those that are not touched
 * @now_ms: the time
 */
void registry_look(const struct who *never, uint32_t now_ms)
{
	struct look look = { never, now_ms };
	struct program *program;
	int err;

	for (program = registry_next(NULL); program; program = registry_next(program))
		program->seen = false;
	registry.files = 0;
	err = sys_each_entry(registry.path, look_at, &look);
	if (err < 0)
		log_debug("%s: %s", registry.path, strerror(-err));
	for (program = registry_next(NULL); program; program = registry_next(program)) {
		/* Those whose turn has not come, or whose directory cannot be read now, stay. */
		if (!program->seen && (!err || err == -ENOENT || !is_alive(program)))
			registry_drop(program);
		else
			look_at_uses(program, now_ms);
	}
}

/**
 * registry_find() - a program by its process id
 * @pid: its id
 *
 * Return: the program, or NULL.
 */
struct program *registry_find(pid_t pid)
{
	struct program *program;

	for (program = registry_next(NULL); program; program = registry_next(program))
		if (program->pid == pid)
			return program;
	return NULL;
}

/**
 * registry_next() - one after the other
 * @after: the last one; NULL: begin
 *
 * Return: the next one; NULL: that was all.
 */
struct program *registry_next(struct program *after)
{
	struct program *program = after ? after + 1 : registry.programs;

	while (program < registry.programs + REGISTRY_MAX && !program->pid)
		program++;
	return program < registry.programs + REGISTRY_MAX ? program : NULL;
}

/**
 * registry_place() - a number for a program
 * @program: which one
 *
 * Return: below REGISTRY_MAX; no two have the same at a time.
 */
unsigned int registry_place(const struct program *program)
{
	return (unsigned int)(program - registry.programs);
}

/**
 * registry_background() - was it told that the program is in the background?
 * @program: which one
 *
 * The table keeps it, for a marvind that is started anew.
 */
bool registry_background(const struct program *program)
{
	return atomic_load_explicit(&program->reclaim.table->background, memory_order_relaxed);
}

/**
 * registry_set_background() - to the background, or to the foreground
 * @program: which one
 * @background: to where
 */
void registry_set_background(struct program *program, bool background)
{
	atomic_store(&program->reclaim.table->background, background);
}

/**
 * registry_close() - the end: all programs are as they would be without a marvind
 */
void registry_close(void)
{
	struct program *program;

	for (program = registry_next(NULL); program; program = registry_next(program)) {
		if (!registry.look_only)
			registry_set_background(program, false);
		registry_drop(program);
	}
	if (registry.dir >= 0)
		close(registry.dir);
	registry.dir = -1;
}
