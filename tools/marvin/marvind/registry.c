// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/statfs.h>
#include <unistd.h>
#include "aside.h"
#include "log.h"
#include "parse.h"
#include "push.h"
#include "registry.h"
#include "share.h"
#include "sys.h"

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif

/* Programs that have connected and not sent the number yet. Users share the places. */
#define CALLERS 64
/* Connections of a user in a second. The daemon shuts later ones at once. */
#define CALLS 100
/* Connections that one call of the loop accepts. */
#define CALLS_AT_ONCE 64
#define FD_MAX (1U << 24)
/* Users whose calls are counted. */
#define COUNTED 16

/* Numbers of connections for epoll: 0 is the socket, then the callers, then the programs. */
#define OF_CALLER 1U
#define OF_PROGRAM (OF_CALLER + CALLERS)

static struct {
	int epoll;
	struct caller callers[CALLERS];	/* fd -1: the place is free */
	uid_t users[CALLERS];
	struct program programs[REGISTRY_MAX];
	struct { uid_t user; uint32_t since_ms; unsigned int n; } counted[COUNTED];
	unsigned int counted_next;
	bool full;			/* said */
	bool refused;			/* said */
} registry = { .epoll = -1 };

static int listen_to(int fd, uint32_t who)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLRDHUP, .data.u32 = who };

	return epoll_ctl(registry.epoll, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

/**
 * registry_open() - make the socket
 * @path: its name
 *
 * Return: 0, or a negative errno as of door_open().
 */
int registry_open(const char *path)
{
	unsigned int i;
	int err;

	for (i = 0; i < CALLERS; i++)
		registry.callers[i].fd = -1;
	err = door_open(path);
	if (err)
		return err;
	registry.epoll = epoll_create1(EPOLL_CLOEXEC);
	return registry.epoll < 0 ? -errno : listen_to(door_fd(), 0);
}

/**
 * registry_fd() - what to poll for POLLIN
 */
int registry_fd(void)
{
	return registry.epoll;
}

/**
 * registry_parse() - what a program has sent
 * @text: a line
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

/* is_same() - same process, same program, and all its users are the registered one: not setuid */
static bool is_same(const struct program *program)
{
	uid_t user = program->caller.user, uids[4];
	struct proc_stat stat;

	return !proc_read(program->id.pid, &stat) && stat.start == program->id.start &&
	       stat.stack == program->stack && !proc_users(program->id.pid, uids) &&
	       uids[0] == user && uids[1] == user && uids[2] == user && uids[3] == user;
}

/* advise() - the table does not learn the result if the process has become another program */
static ssize_t advise(const struct iovec *ranges, size_t n, void *arg)
{
	const struct program *program = arg;
	int64_t done = push_ranges(program->id, ranges, n, MADV_PAGEOUT);

	return is_same(program) ? (ssize_t)done : -ESRCH;
}

/* hang_up() - a kept connection would be ready for ever, so epoll must not see it */
static void hang_up(const struct caller *caller)
{
	epoll_ctl(registry.epoll, EPOLL_CTL_DEL, caller->fd, NULL);
	door_shut(caller);
}

/* drop() - forget a program */
static void drop(struct program *program)
{
	uint32_t self = (uint32_t)getpid();

	if (program->reclaim.table)
		atomic_compare_exchange_strong(&program->reclaim.table->reclaimer, &self, 0);
	reclaim_close(&program->reclaim);
	hang_up(&program->caller);
	memset(program, 0, sizeof(*program));
}

/**
 * registry_check() - does the process still run the program that has registered? If not, forget it
 * @program: which one
 *
 * Return: is it still the program that has registered?
 */
bool registry_check(struct program *program)
{
	if (is_same(program))
		return true;
	drop(program);
	return false;
}

/* The argument of get_table(). */
struct table_of {
	struct proc_id id;
	int fd;
};

/*
 * get_table() - runs aside, because the close of the program's descriptor may never return. A table
 * has ordinary pages: a read of a huge page kills the reader when the system has no free huge page.
 */
static int64_t get_table(void *arg)
{
	const struct table_of *table = arg;
	int pidfd = proc_open(table->id), fd;
	struct statfs fs;

	if (pidfd < 0)
		return pidfd;
	fd = sys_pidfd_getfd(pidfd, table->fd);
	if (fd >= 0 &&
	    (fcntl(fd, F_GET_SEALS) < 0 || fstatfs(fd, &fs) || fs.f_type != TMPFS_MAGIC)) {
		close(fd);
		fd = -EPROTO;
	}
	close(pidfd);
	return fd;
}

/* be_there() - the program waits for the locks of this process, until it loses patience */
static void be_there(const struct program *program)
{
	atomic_store(&program->reclaim.table->reclaimer, (uint32_t)getpid());
}

/* is_never() - also one that nothing can be told of */
static bool is_never(const struct program *program, const struct who *never)
{
	struct candidate process;

	return who_read(program->id.pid, &process) || who_is_never(never, &process);
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

/* free_place() - a free place, or a place of the user with the most */
static struct program *free_place(uid_t newcomer)
{
	uid_t users[REGISTRY_MAX];
	unsigned int i;
	int yields;

	for (i = 0; i < REGISTRY_MAX; i++) {
		if (!registry.programs[i].id.pid)
			return &registry.programs[i];
		users[i] = registry.programs[i].caller.user;
	}
	if (!registry.full)
		log_warn("there are more than %d programs: the others are left alone",
			 REGISTRY_MAX);
	registry.full = true;
	yields = share_yields(users, REGISTRY_MAX, newcomer);
	if (yields < 0)
		return NULL;
	drop(&registry.programs[yields]);
	return &registry.programs[yields];
}

/* identify() - the process that has connected; -EACCES: it is not its user's alone */
static int identify(struct program *program, const struct caller *caller)
{
	struct program *old;
	struct proc_stat stat;
	int err = proc_read(caller->pid, &stat);

	if (err)
		return err;
	program->caller = *caller;
	program->id = (struct proc_id){ caller->pid, stat.start };
	program->stack = stat.stack;
	/* Another program of the same process may have registered, and left its connection open. */
	old = registry_find(caller->pid);
	if (old && registry_check(old))
		return -EEXIST;
	return is_same(program) ? 0 : -EACCES;
}

/* enroll() - register a program; 0, or the reason why not */
static int enroll(const struct caller *caller, int number, const struct who *never, uint32_t now_ms)
{
	struct program new = { .used_ms = now_ms }, *place;
	struct table_of table = { .fd = number };
	int fd, err = identify(&new, caller);

	if (err)
		return err;
	table.id = new.id;
	fd = aside_open(new.id, get_table, &table, sizeof(table));
	if (fd < 0)
		return fd;
	err = reclaim_open(&new.reclaim, fd, advise, NULL);
	if (err)
		return err;
	place = free_place(caller->user);
	if (!place) {
		reclaim_close(&new.reclaim);
		return -ENOSPC;
	}
	*place = new;
	place->reclaim.arg = place;
	clean_name(place->name, place->reclaim.table->name);
	place->never = is_never(place, never);
	err = listen_to(caller->fd, OF_PROGRAM + registry_place(place));
	if (err) {
		/* The connection is still the caller's. */
		reclaim_close(&place->reclaim);
		memset(place, 0, sizeof(*place));
		return err;
	}
	be_there(place);
	log_debug("process %d, %s: registered", (int)place->id.pid, place->name);
	return 0;
}

static void forget_caller(struct caller *caller)
{
	hang_up(caller);
	caller->fd = -1;
}

/* why_refused() - the reason in words */
static const char *why_refused(int err)
{
	switch (err) {
	case -EPROTO:
		return "its table is of another version, or none";
	case -EINVAL:
		return "its table is wrong";
	case -EACCES:
		return "its program is setuid";
	case -EEXIST:
		return "it is registered already";
	case -ENOSPC:
		return "too many programs are registered";
	default:
		return strerror(-err);
	}
}

/* say_refused() - warn once, because users could fill the log */
static void say_refused(const struct caller *caller, int err)
{
	if (registry.refused)
		log_debug("process %d is left alone: %s", (int)caller->pid, why_refused(err));
	else
		log_warn("process %d is left alone: %s; later ones are logged at level debug",
			 (int)caller->pid, why_refused(err));
	registry.refused = true;
}

static void hear(struct caller *caller, const struct who *never, uint32_t now_ms)
{
	struct caller copy = *caller;
	char text[32];
	ssize_t n = door_read(caller, text, sizeof(text) - 1);
	int number, err;

	if (n == -EAGAIN)
		return;
	if (n <= 0) {
		forget_caller(caller);
		return;
	}
	text[n] = '\0';
	err = registry_parse(text, &number) ? 0 : -EPROTO;
	/* The connection goes over to the program. */
	epoll_ctl(registry.epoll, EPOLL_CTL_DEL, caller->fd, NULL);
	if (!err)
		err = enroll(&copy, number, never, now_ms);
	if (err) {
		say_refused(caller, err);
		forget_caller(caller);
	}
	caller->fd = -1;
}

/* calls_too_often() - such a user would take all of the daemon's time */
static bool calls_too_often(uid_t user, uint32_t now_ms)
{
	unsigned int i;

	for (i = 0; i < COUNTED; i++)
		if (registry.counted[i].n && registry.counted[i].user == user)
			break;
	if (i == COUNTED)
		i = registry.counted_next++ % COUNTED;
	if (registry.counted[i].user != user || now_ms - registry.counted[i].since_ms >= 1000) {
		registry.counted[i].user = user;
		registry.counted[i].since_ms = now_ms;
		registry.counted[i].n = 0;
	}
	return ++registry.counted[i].n > CALLS;
}

/* caller_place() - a free place, or a place of the user with the most */
static struct caller *caller_place(uid_t newcomer)
{
	unsigned int i;
	int yields;

	for (i = 0; i < CALLERS; i++)
		if (registry.callers[i].fd < 0)
			return &registry.callers[i];
	for (i = 0; i < CALLERS; i++)
		registry.users[i] = registry.callers[i].user;
	yields = share_yields(registry.users, CALLERS, newcomer);
	if (yields < 0)
		return NULL;
	forget_caller(&registry.callers[yields]);
	return &registry.callers[yields];
}

static void accept_all(uint32_t now_ms)
{
	struct caller new, *place;
	unsigned int n;
	int err = 0;

	for (n = 0; n < CALLS_AT_ONCE; n++) {
		err = door_accept(&new);
		if (err)
			break;
		place = calls_too_often(new.user, now_ms) ? NULL : caller_place(new.user);
		if (!place) {
			door_shut(&new);
			continue;
		}
		*place = new;
		if (listen_to(new.fd, OF_CALLER + (uint32_t)(place - registry.callers)))
			forget_caller(place);
	}
	if (err != -ENFILE && err != -EMFILE)
		return;
	log_error("no program can register any more: %s", strerror(-err));
	epoll_ctl(registry.epoll, EPOLL_CTL_DEL, door_fd(), NULL);
}

/*
 * hear_program() - drop a program that has closed the connection. Also one that sends more: to read
 * all of it would take the daemon more time than the program.
 */
static void hear_program(struct program *program)
{
	char text[64];

	if (program->id.pid && door_read(&program->caller, text, sizeof(text)) != -EAGAIN)
		drop(program);
}

/**
 * registry_serve() - programs come and go
 * @never: those that are not touched
 * @now_ms: the time
 */
void registry_serve(const struct who *never, uint32_t now_ms)
{
	struct epoll_event events[32];
	int i, n = epoll_wait(registry.epoll, events, sizeof(events) / sizeof(events[0]), 0);

	for (i = 0; i < n; i++) {
		uint32_t who = events[i].data.u32;

		if (!who)
			accept_all(now_ms);
		else if (who >= OF_PROGRAM)
			hear_program(&registry.programs[who - OF_PROGRAM]);
		else if (registry.callers[who - OF_CALLER].fd >= 0)
			hear(&registry.callers[who - OF_CALLER], never, now_ms);
	}
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
 * registry_look() - look at all programs
 * @now_ms: the time
 */
void registry_look(uint32_t now_ms)
{
	struct program *program;

	for (program = registry_next(NULL); program; program = registry_next(program)) {
		if (!registry_check(program))
			continue;
		be_there(program);
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
		if (program->id.pid == pid)
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

	while (program < registry.programs + REGISTRY_MAX && !program->id.pid)
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
 * @path: the socket's name
 */
void registry_close(const char *path)
{
	struct program *program;
	unsigned int i;

	for (program = registry_next(NULL); program; program = registry_next(program)) {
		registry_set_background(program, false);
		drop(program);
	}
	for (i = 0; i < CALLERS; i++)
		if (registry.callers[i].fd >= 0)
			forget_caller(&registry.callers[i]);
	if (registry.epoll >= 0)
		close(registry.epoll);
	registry.epoll = -1;
	door_close(path);
}
