// SPDX-License-Identifier: GPL-2.0
/*
 * The programs that have registered, one place for each heap. A program connects to the socket and
 * says where its heap is. Every user may connect, so each word of a program is checked. A program
 * is forgotten when its connection or its process ends, when its process executes another program,
 * or when its users change.
 *
 * The daemon sends requests, and never waits for an answer. If a program's socket has no room for a
 * request, the connection ends, which means the foreground to the program: it registers anew as
 * soon as it reads its socket. There is room for some hundred requests.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include "log.h"
#include "programs.h"
#include "share.h"
#include "sys.h"

/* Connections that one turn of the loop accepts, so that a storm leaves it time. A guess. */
#define CALLS_AT_ONCE 64
/* Users whose calls are counted; a guess at how many connect in the same second. */
#define COUNTED 16
/* Packets of a program in one call: it sends two a second, and a look takes them. A guess. */
#define TURNS 4

/* Numbers of connections for epoll: 0 is the socket, then the programs. */
#define OF_PROGRAM 1U

static struct {
	int epoll;
	int socket;
	struct program programs[PROGRAMS_MAX];
	struct { uid_t user; struct rate rate; } calls[COUNTED];
	unsigned int calls_next;	/* the entry that another user replaces next */
	bool listens;			/* connections are accepted; if not, a look tries again */
	int failed;			/* the last reason that was logged why not */
	bool full;			/* logged */
	bool refused;			/* logged */
} registry = { .epoll = -1 };

static int listen_to(int fd, uint32_t who)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLRDHUP, .data.u32 = who };

	return epoll_ctl(registry.epoll, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

/**
 * programs_open() - make the socket
 * @path: its name
 *
 * Return: 0, or a negative errno as of messages_open().
 */
int programs_open(const char *path)
{
	int err;

	registry.socket = messages_open(path);
	if (registry.socket < 0)
		return registry.socket;
	registry.epoll = epoll_create1(EPOLL_CLOEXEC);
	if (registry.epoll < 0)
		return -errno;
	err = listen_to(registry.socket, 0);
	registry.listens = !err;
	return err;
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

/* forget() - a kept connection would be ready for ever, so epoll must not see it */
static void forget(struct program *program)
{
	if (!program->connected)
		return;
	epoll_ctl(registry.epoll, EPOLL_CTL_DEL, program->caller.fd, NULL);
	messages_shut(&program->caller);
	memset(program, 0, sizeof(*program));
}

/**
 * programs_check() - forget a program if its process runs another program by now
 * @program: the program
 *
 * Return: is it still the program that has registered?
 */
bool programs_check(struct program *program)
{
	if (is_same(program))
		return true;
	forget(program);
	return false;
}

/* is_never() - true also for a process that cannot be read */
static bool is_never(const struct program *program, const struct who *never)
{
	struct candidate process;

	return who_read(program->id.pid, &process) || who_is_never(never, &process);
}

/**
 * programs_never() - another list of programs that are never touched
 * @never: the list
 *
 * A request to a program on the list does not count any more: its answer has no effect.
 */
void programs_never(const struct who *never)
{
	struct program *program;

	for (program = programs_next(NULL); program; program = programs_next(program)) {
		program->never = is_never(program, never);
		if (program->never) {
			program->ask.pending = false;
			program->ask.awaits = 0;
		}
	}
}

/* free_place() - a free place, or a place of the user with the most */
static struct program *free_place(uid_t newcomer)
{
	uid_t users[PROGRAMS_MAX];
	unsigned int i;
	int yields;

	for (i = 0; i < PROGRAMS_MAX; i++) {
		if (!registry.programs[i].connected)
			return &registry.programs[i];
		users[i] = registry.programs[i].caller.user;
	}
	if (!registry.full)
		log_warn("there are more than %d programs: the others are left alone",
			 PROGRAMS_MAX);
	registry.full = true;
	yields = share_yields(users, PROGRAMS_MAX, newcomer);
	if (yields < 0)
		return NULL;
	forget(&registry.programs[yields]);
	return &registry.programs[yields];
}

/* enroll() - take the first packet of a program; 0, or the reason why it is refused */
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
	forget(program);
}

/* take_told() - take the figures of a program; 0, or the reason why it is refused */
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

/* exceeds() - one more in this second: are that more than @most? */
static bool exceeds(struct rate *rate, unsigned int most, uint32_t now_ms)
{
	if (now_ms - rate->since_ms >= 1000)
		*rate = (struct rate){ now_ms, 0 };
	return ++rate->n > most;
}

/* hear() - take a packet; true, if it has the figures of a registered program */
static bool hear(struct program *program, const struct who *never, uint32_t now_ms)
{
	bool known = program->id.pid;
	char text[MESSAGE_BYTES];
	ssize_t n = messages_read(&program->caller, text, sizeof(text) - 1);
	int err;

	if (n == -EAGAIN)
		return false;
	if (!n || n == -ECONNRESET) {
		forget(program);
		return false;
	}
	text[n > 0 ? n : 0] = '\0';
	err = n < 0 ? (int)n : 0;
	/* A zero byte would hide the bytes after it. */
	if (!err && strlen(text) != (size_t)n)
		err = -EPROTO;
	/* It would take all of the daemon's time. */
	if (!err && exceeds(&program->packets, PROGRAMS_PACKETS, now_ms))
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
		if (registry.calls[i].rate.n && registry.calls[i].user == user)
			return exceeds(&registry.calls[i].rate, PROGRAMS_CALLS, now_ms);
	i = registry.calls_next++ % COUNTED;
	registry.calls[i].user = user;
	registry.calls[i].rate = (struct rate){ now_ms, 1 };
	return false;
}

static void accept_all(uint32_t now_ms)
{
	struct caller new;
	struct program *place;
	unsigned int n;
	int err = 0;

	for (n = 0; n < CALLS_AT_ONCE; n++) {
		err = messages_accept(&new);
		if (err)
			break;
		place = calls_too_often(new.user, now_ms) ? NULL : free_place(new.user);
		if (!place) {
			messages_shut(&new);
			continue;
		}
		*place = (struct program){ .caller = new, .connected = true, .used_ms = now_ms };
		if (listen_to(new.fd, OF_PROGRAM + (uint32_t)(place - registry.programs)))
			forget(place);
	}
	if (err != -EUSERS && err != -ENFILE && err != -EMFILE)
		return;
	if (err != registry.failed && err == -EUSERS)
		log_error("no program can register any more: %s", strerror(-err));
	else if (err != registry.failed)
		log_error("no program can register until there are descriptors again: %s",
			  strerror(-err));
	registry.failed = err;
	/* The socket stays ready, and would take all of the daemon's time. */
	epoll_ctl(registry.epoll, EPOLL_CTL_DEL, registry.socket, NULL);
	registry.listens = false;
}

/* send_request() - send the next request with its number; @bytes 0: it has none */
static void send_request(struct program *program, const char *word, uint64_t bytes)
{
	char text[64];
	int n = snprintf(text, sizeof(text), bytes ? "%s %" PRIu64 " %" PRIu64 : "%s %" PRIu64,
			 word, ++program->ask.seq, bytes);

	/* programs_serve() sees the end. */
	if (send(program->caller.fd, text, (size_t)n, MSG_DONTWAIT | MSG_NOSIGNAL) != n)
		shutdown(program->caller.fd, SHUT_RDWR);
}

/* await() - an answer to the last request; answers to earlier ones do not count any more */
static void await(struct program *program, bool saves, uint32_t now_ms)
{
	program->ask.awaits = program->ask.seq;
	program->ask.saves = saves;
	program->ask.since_ms = now_ms;
}

static void send_drop(struct program *program, uint64_t bytes, uint32_t now_ms)
{
	program->ask.bytes = bytes;
	send_request(program, "drop", bytes);
	await(program, false, now_ms);
}

/* remember() - the figures before a request */
static void remember(struct program *program)
{
	program->ask.before = proc_anonymous(program->id.pid);
	program->ask.dropped = program->told.dropped;
}

/**
 * program_back() - the program is in the background from now on: it saves, gives and drops all
 * @program: the program
 * @now_ms: the time
 */
void program_back(struct program *program, uint32_t now_ms)
{
	remember(program);
	program->background = true;
	program->ask.pending = true;
	program->ask.bg_before = program->ask.before;
	send_request(program, "bg", 0);
	await(program, true, now_ms);
}

/**
 * program_front() - the program is in the foreground from now on
 * @program: the program
 * @fetch: ask it to bring its given memory back
 */
void program_front(struct program *program, bool fetch)
{
	program->background = false;
	program->ask.pending = false;
	program->ask.awaits = 0;
	send_request(program, "fg", 0);
	if (fetch)
		send_request(program, "fetch", 0);
}

/**
 * program_drop() - ask a program to drop given memory
 * @program: the program
 * @bytes: as many
 * @now_ms: the time
 */
void program_drop(struct program *program, uint64_t bytes, uint32_t now_ms)
{
	remember(program);
	send_drop(program, bytes, now_ms);
}

/* dropped() - "drop" is answered; returns bytes that the program, not the kernel, has dropped */
static uint64_t dropped(struct program *program)
{
	struct ask *ask = &program->ask;
	uint64_t after = proc_anonymous(program->id.pid), said = 0, less;

	if (program->told.dropped > ask->dropped)
		said = program->told.dropped - ask->dropped;
	/* A program that drops less than it was asked for has no more. */
	ask->gone = said < ask->bytes ? UINT64_MAX : ask->gone + said;
	if (ask->pending)
		ask->bg_after = after;
	ask->pending = false;
	ask->awaits = 0;
	less = ask->before > after ? ask->before - after : 0;
	less = less < said ? less : said;
	log_debug("process %d, %s: has dropped %llu KiB", (int)program->id.pid, program->heap.name,
		  (unsigned long long)less >> 10);
	return less;
}

/*
 * answered() - a program has sent its figures, which may be an answer. After "bg" it is asked to
 * drop all that it has given; then "bg" is done. Returns as dropped().
 */
static uint64_t answered(struct program *program, uint32_t now_ms)
{
	struct ask *ask = &program->ask;
	uint64_t taken = 0, seq = program->told.seq;

	/* A program that answers is not stopped any more. */
	program->outside = (struct outside){ 0 };
	if (ask->awaits && seq >= ask->awaits && seq <= ask->seq) {
		if (ask->saves)
			send_drop(program, UINT64_MAX, now_ms);
		else
			taken = dropped(program);
	}
	/* Memory that is gone was given before. */
	if (ask->gone > program->told.given)
		ask->gone = program->told.given;
	return taken;
}

/**
 * programs_serve() - take all connections and packets that have come
 * @never: programs that are never touched
 * @now_ms: the time
 *
 * Return: bytes that programs have dropped for requests, as far as RssAnon shows it.
 */
uint64_t programs_serve(const struct who *never, uint32_t now_ms)
{
	struct epoll_event events[OF_PROGRAM + PROGRAMS_MAX];
	unsigned int turns;
	uint64_t taken = 0;
	int i, n = 1;

	for (turns = 0; turns < TURNS && n > 0; turns++) {
		n = epoll_wait(registry.epoll, events, OF_PROGRAM + PROGRAMS_MAX, 0);
		for (i = 0; i < n; i++) {
			struct program *program = registry.programs;

			if (!events[i].data.u32) {
				accept_all(now_ms);
				continue;
			}
			program += events[i].data.u32 - OF_PROGRAM;
			if (program->connected && hear(program, never, now_ms))
				taken += answered(program, now_ms);
		}
	}
	return taken;
}

/**
 * programs_fd() - the descriptor to poll for POLLIN now
 *
 * The figures of an idle program wait for the next look, so it does not wake the daemon up.
 *
 * Return: a descriptor for all packets while a program has to answer or to register, else for
 * connections; negative: no descriptor.
 */
int programs_fd(void)
{
	const struct program *program = registry.programs;

	for (; program < registry.programs + PROGRAMS_MAX; program++)
		if (program->connected && (!program->id.pid || program->ask.awaits))
			return registry.epoll;
	return registry.listens ? registry.socket : -1;
}

/**
 * programs_look() - forget the programs that are other ones by now, and accept further ones
 *
 * All users share the descriptors of the system. If one user takes them all for a moment, no
 * program can register until the next call of this.
 */
void programs_look(void)
{
	struct program *program;

	if (!registry.listens)
		registry.listens = !listen_to(registry.socket, 0);
	for (program = programs_next(NULL); program; program = programs_next(program))
		programs_check(program);
}

/**
 * programs_find() - the first heap of a process
 * @pid: its id
 *
 * Return: the program, or NULL.
 */
struct program *programs_find(pid_t pid)
{
	struct program *program;

	for (program = programs_next(NULL); program; program = programs_next(program))
		if (program->id.pid == pid)
			return program;
	return NULL;
}

/**
 * programs_next() - the next registered program
 * @after: the program before it; NULL: begin
 *
 * Return: the program; NULL: that was all.
 */
struct program *programs_next(struct program *after)
{
	struct program *program = after ? after + 1 : registry.programs;

	while (program < registry.programs + PROGRAMS_MAX && !program->id.pid)
		program++;
	return program < registry.programs + PROGRAMS_MAX ? program : NULL;
}

/**
 * programs_all() - the table of all PROGRAMS_MAX places, also free ones
 */
struct program *programs_all(void)
{
	return registry.programs;
}

/**
 * programs_close() - end all connections: programs go on as without a marvind
 * @path: name of the socket
 */
void programs_close(const char *path)
{
	unsigned int i;

	for (i = 0; i < PROGRAMS_MAX; i++)
		if (registry.programs[i].connected)
			forget(&registry.programs[i]);
	if (registry.epoll >= 0)
		close(registry.epoll);
	registry.epoll = -1;
	registry.listens = false;
	messages_close(path);
}
