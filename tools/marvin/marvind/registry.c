// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>
#include "log.h"
#include "parse.h"
#include "registry.h"
#include "share.h"
#include "sys.h"

/* Connections of a user in a second. The daemon shuts later ones at once. */
#define CALLS 100
/* Connections that one call of the loop accepts. */
#define CALLS_AT_ONCE 64
/* Users whose calls are counted. */
#define COUNTED 16
/*
 * Packets of a program in a second. libmarvin sends at most two, and its answers; but some seconds
 * of them may be in the queue if the daemon was held up.
 */
#define PACKETS 100

/* Numbers of connections for epoll: 0 is the socket, then the programs. */
#define OF_PROGRAM 1U

static struct {
	int epoll;
	struct program programs[REGISTRY_MAX];
	struct { uid_t user; uint32_t since_ms; unsigned int n; } counted[COUNTED];
	unsigned int counted_next;
	bool pauses;			/* no connection is accepted until registry_look() */
	bool short_of_files;		/* said */
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
	int err = door_open(path);

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

/* is_same() - same process, same program, and all its users are the registered one: not setuid */
static bool is_same(const struct program *program)
{
	uid_t user = program->caller.user, uids[4];
	struct proc_stat stat;

	return !proc_read(program->id.pid, &stat) && stat.start == program->id.start &&
	       stat.stack == program->stack && !proc_users(program->id.pid, uids) &&
	       uids[0] == user && uids[1] == user && uids[2] == user && uids[3] == user;
}

/* drop() - forget a program. A kept connection would be ready for ever, so epoll must not see it */
static void drop(struct program *program)
{
	epoll_ctl(registry.epoll, EPOLL_CTL_DEL, program->caller.fd, NULL);
	door_shut(&program->caller);
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
		if (!registry.programs[i].connected)
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

/* enroll() - what a program says first; 0, or the reason why it is refused */
static int enroll(struct program *program, const char *text, const struct who *never)
{
	struct proc_stat stat;
	int err;

	if (!message_heap(text, (size_t)sys_page_size(), &program->heap))
		return -EPROTO;
	err = proc_read(program->caller.pid, &stat);
	if (err)
		return err;
	program->id = (struct proc_id){ program->caller.pid, stat.start };
	program->stack = stat.stack;
	if (!is_same(program))
		return -EACCES;
	program->never = is_never(program, never);
	log_debug("process %d, %s: registered", (int)program->id.pid, program->heap.name);
	return 0;
}

/* why_refused() - the reason in words */
static const char *why_refused(int err)
{
	switch (err) {
	case -EPROTO:
		return "it is of another version, or says what cannot be";
	case -EACCES:
		return "its program is setuid";
	case -EPERM:
		return "another process sends in its name";
	case -EBADMSG:
		return "it sends descriptors";
	case -EMSGSIZE:
		return "it sends too much";
	default:
		return strerror(-err);
	}
}

/* refuse() - warn once, because users could fill the log */
static void refuse(struct program *program, int err)
{
	int pid = (int)program->caller.pid;

	if (registry.refused)
		log_debug("process %d is left alone: %s", pid, why_refused(err));
	else
		log_warn("process %d is left alone: %s; later ones are logged at level debug", pid,
			 why_refused(err));
	registry.refused = true;
	drop(program);
}

/* take_told() - what a program has now */
static int take_told(struct program *program, const char *text, uint32_t now_ms)
{
	struct told told;

	if (!message_told(text, &program->heap, &told))
		return -EPROTO;
	if (told.loads != program->told.loads)
		program->used_ms = now_ms;
	program->told = told;
	return 0;
}

/* talks_too_much() - such a program would take all of the daemon's time */
static bool talks_too_much(struct program *program, uint32_t now_ms)
{
	if (now_ms - program->since_ms >= 1000) {
		program->since_ms = now_ms;
		program->packets = 0;
	}
	return ++program->packets > PACKETS;
}

/* hear() - a packet; true, if it says what a registered program has */
static bool hear(struct program *program, const struct who *never, uint32_t now_ms)
{
	bool known = program->id.pid;
	char text[MESSAGE_BYTES];
	ssize_t n = door_read(&program->caller, text, sizeof(text) - 1);
	int err;

	if (n == -EAGAIN)
		return false;
	if (!n || n == -ECONNRESET) {
		drop(program);
		return false;
	}
	text[n > 0 ? n : 0] = '\0';
	err = n < 0 ? (int)n : 0;
	/* A zero byte would hide the bytes after it. */
	if (!err && strlen(text) != (size_t)n)
		err = -EPROTO;
	if (!err && talks_too_much(program, now_ms))
		err = -EMSGSIZE;
	if (!err)
		err = known ? take_told(program, text, now_ms) : enroll(program, text, never);
	if (err)
		refuse(program, err);
	return known && !err;
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

static void accept_all(uint32_t now_ms)
{
	struct caller new;
	struct program *place;
	unsigned int n;
	int err = 0;

	for (n = 0; n < CALLS_AT_ONCE; n++) {
		err = door_accept(&new);
		if (err)
			break;
		place = calls_too_often(new.user, now_ms) ? NULL : free_place(new.user);
		if (!place) {
			door_shut(&new);
			continue;
		}
		*place = (struct program){ .caller = new, .connected = true, .used_ms = now_ms,
					   .since_ms = now_ms };
		if (listen_to(new.fd, OF_PROGRAM + registry_place(place)))
			drop(place);
	}
	if (err == -EUSERS)
		log_error("no program can register any more: %s", strerror(-err));
	else if (err != -ENFILE && err != -EMFILE)
		return;
	else if (!registry.short_of_files)
		log_error("no program can register until there are descriptors again: %s",
			  strerror(-err));
	/* The socket stays ready, and would take all of the daemon's time. */
	epoll_ctl(registry.epoll, EPOLL_CTL_DEL, door_fd(), NULL);
	registry.pauses = err != -EUSERS;
	registry.short_of_files = registry.short_of_files || registry.pauses;
}

/**
 * registry_serve() - programs come and go, and say what they have
 * @never: those that are not touched
 * @now_ms: the time
 * @heard: called for a program that has sent its figures
 */
void registry_serve(const struct who *never, uint32_t now_ms,
		    void (*heard)(struct program *program, uint32_t now_ms))
{
	struct epoll_event events[32];
	int i, n = epoll_wait(registry.epoll, events, sizeof(events) / sizeof(events[0]), 0);

	for (i = 0; i < n; i++) {
		struct program *program = registry.programs;

		if (!events[i].data.u32) {
			accept_all(now_ms);
			continue;
		}
		program += events[i].data.u32 - OF_PROGRAM;
		if (program->connected && hear(program, never, now_ms))
			heard(program, now_ms);
	}
}

/**
 * registry_look() - forget the programs that are other ones by now, and accept further ones
 *
 * All users share the system's files: one who takes them all for a moment keeps the others from
 * registering no longer than that.
 */
void registry_look(void)
{
	struct program *program;

	if (registry.pauses)
		registry.pauses = listen_to(door_fd(), 0);
	for (program = registry_next(NULL); program; program = registry_next(program))
		registry_check(program);
}

/**
 * registry_find() - a program by its process id
 * @pid: its id
 *
 * Return: the first heap of it, or NULL.
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
 * Return: the next registered one; NULL: that was all.
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
 * registry_close() - the end: all programs are as they would be without a marvind
 * @path: the socket's name
 */
void registry_close(const char *path)
{
	unsigned int i;

	for (i = 0; i < REGISTRY_MAX; i++)
		if (registry.programs[i].connected)
			drop(&registry.programs[i]);
	if (registry.epoll >= 0)
		close(registry.epoll);
	registry.epoll = -1;
	registry.pauses = false;
	door_close(path);
}
