// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <string.h>
#include "ask.h"
#include "engine.h"
#include "log.h"
#include "need.h"
#include "outside.h"
#include "parse.h"
#include "pressure.h"
#include "sys.h"
#include "writer.h"

#define STEP_MS 1000U
/* While a program has to answer: then it is looked whether it is stopped. */
#define WAIT_MS 100U
/* Time for memory that is taken from outside at once; requests are answered meanwhile. */
#define AT_ONCE_US 500000U

static struct {
	struct pressure pressure;
	bool has_pressure;
	uint64_t read_us;		/* when the pressure was read last; 0: never */
	uint32_t looked_ms;		/* when the programs were looked at; 0: never */
	uint64_t taken;			/* bytes */
	uint64_t available;
	bool is_short;			/* logged */
} engine;

/**
 * engine_begin() - programs can register from now on
 * @config: what is wanted
 *
 * Return: 0; or a negative errno, which was logged.
 */
int engine_begin(const struct config *config)
{
	int err = registry_open(config->reg);

	if (err == -EEXIST)
		log_error("%s: it is no socket of root's: remove it, or name another one by marvind.register",
			  config->reg);
	else if (err == -EADDRINUSE)
		log_error("%s: another daemon has this socket: end it, or name another one by marvind.register",
			  config->reg);
	else if (err)
		log_error("%s: %s", config->reg, strerror(-err));
	if (err)
		return err;
	engine.has_pressure = !pressure_open(&engine.pressure, PRESSURE_MEMORY);
	if (!engine.has_pressure && config->pressure && config->mode == MODE_AUTO)
		log_warn("no " PRESSURE_MEMORY " (CONFIG_PSI, psi=1): only auto.available counts");
	return 0;
}

/* read_need() - what the system says now */
static void read_need(struct need *need)
{
	struct pressure_delta delta;
	uint64_t now_us = sys_now_us(), kib;
	char text[8192];

	memset(need, 0, sizeof(*need));
	if (sys_read("/proc/meminfo", text, sizeof(text)) > 0 &&
	    parse_key(text, "MemTotal", &kib)) {
		need->total = kib << 10;
		/* Before Linux 3.14: then all of it. */
		need->available = parse_key(text, "MemAvailable", &kib) ? kib << 10 : need->total;
	}
	engine.available = need->available;
	if (!engine.has_pressure || pressure_read(&engine.pressure, &delta))
		return;
	need->some_us = delta.some_us;
	need->full_us = delta.full_us;
	need->passed_us = engine.read_us ? now_us - engine.read_us : 0;
	engine.read_us = now_us;
}

/* heard() - a program has sent its figures */
static void heard(struct program *program, uint32_t now_ms)
{
	bool was_pending = program->ask.pending;
	uint64_t taken = ask_heard(program, now_ms);

	/* It is not stopped any more. */
	program->outside = (struct outside){ 0 };
	engine.taken += taken;
	if (taken || was_pending != program->ask.pending)
		log_debug("process %d, %s: has dropped %llu KiB", (int)program->id.pid,
			  program->heap.name, (unsigned long long)taken >> 10);
}

/**
 * engine_serve() - programs come and go, and answer
 * @config: what is wanted
 * @now_ms: the time
 */
void engine_serve(const struct config *config, uint32_t now_ms)
{
	registry_serve(&config->never, now_ms, heard);
}

/*
 * room() - bytes that a program can be asked for. The program's own figure: a false one has an
 * effect on its own memory only.
 */
static uint64_t room(const struct config *config, const struct program *program)
{
	const struct ask *ask = &program->ask;

	if (program->never || ask->pending || program->outside.done ||
	    !(config->foreground || program->background))
		return 0;
	/* It has a request, and was not stopped for so long that all of it was taken. */
	if (ask->awaits && ask->bytes)
		return 0;
	return program->told.given > ask->gone ? program->told.given - ask->gone : 0;
}

/* coldest() - of a user's programs with room */
static struct program *coldest(const struct config *config, uint32_t now_ms, uid_t user)
{
	struct program *program, *best = NULL;

	for (program = registry_next(NULL); program; program = registry_next(program)) {
		if (program->caller.user != user || !room(config, program))
			continue;
		if (!best || need_before(program->background, now_ms - program->used_ms,
					 best->background, now_ms - best->used_ms))
			best = program;
	}
	return best;
}

/* users_of() - those that have programs, each once; returns how many */
static unsigned int users_of(uid_t *users)
{
	struct program *program;
	unsigned int n = 0, i;

	for (program = registry_next(NULL); program; program = registry_next(program)) {
		for (i = 0; i < n && users[i] != program->caller.user; i++)
			;
		users[i] = program->caller.user;
		n += i == n;
	}
	return n;
}

/* ask_user() - have a user's programs drop so many bytes */
static void ask_user(const struct config *config, uint32_t now_ms, uid_t user, uint64_t bytes)
{
	uint64_t page = sys_page_size(), more;
	struct program *program;

	while (bytes >= page && (program = coldest(config, now_ms, user))) {
		more = (room(config, program) + page - 1) / page * page;
		more = more < bytes ? more : bytes / page * page;
		bytes -= more;
		/* A stopped program has a request already. */
		if (program->ask.awaits)
			program->ask.bytes = more;
		else
			ask_drop(program, more, now_ms);
	}
}

/*
 * ask_some() - have the programs drop so many bytes. Users have equal parts: if one claims to have
 * much, and gives nothing, the others still give theirs.
 */
static void ask_some(const struct config *config, uint32_t now_ms, uint64_t bytes)
{
	uid_t users[REGISTRY_MAX];
	unsigned int n = users_of(users), with = 0, i;

	for (i = 0; i < n; i++)
		with += !!coldest(config, now_ms, users[i]);
	for (i = 0; i < n && with; i++)
		ask_user(config, now_ms, users[i], bytes / with);
}

/* wants_outside() - is a program asked for something, and cannot answer? */
static bool wants_outside(const struct program *program, uint32_t now_ms)
{
	return !program->never && !program->outside.done && ask_is_late(program, now_ms) &&
	       (program->ask.pending || program->ask.bytes) && outside_is_stopped(program);
}

/* take_from() - a stopped program; returns the time that it took in us */
static uint64_t take_from(struct program *program, uint64_t until_us)
{
	uint64_t begun_us = sys_now_us(), less;
	bool all = program->ask.pending;

	less = outside_take(program, all ? UINT64_MAX : program->ask.bytes, until_us);
	engine.taken += less;
	if (!all)
		program->ask.bytes -= less < program->ask.bytes ? less : program->ask.bytes;
	program->ask.gone += less;
	program->ask.before -= less < program->ask.before ? less : program->ask.before;
	return sys_now_us() - begun_us;
}

/* take_outside() - from all stopped programs; users share the time; true: there is more */
static bool take_outside(uint32_t now_ms)
{
	uid_t users[REGISTRY_MAX];
	unsigned int n = users_of(users), i;
	struct program *program;
	uint64_t left_us;
	bool more = false;

	for (i = 0; i < n; i++) {
		left_us = AT_ONCE_US / n;
		for (program = registry_next(NULL); program; program = registry_next(program)) {
			if (program->caller.user != users[i] || !wants_outside(program, now_ms))
				continue;
			if (left_us) {
				uint64_t us = take_from(program, sys_now_us() + left_us);

				left_us -= us < left_us ? us : left_us;
			}
			more = more || (program->id.pid && wants_outside(program, now_ms));
		}
	}
	return more;
}

static void take_if_short(const struct config *config, uint32_t now_ms, bool dry_run)
{
	struct need need;
	uint64_t bytes;

	read_need(&need);
	bytes = need_bytes(config, &need);
	if (!!bytes != engine.is_short)
		log_debug("memory is %s", bytes ? "short" : "plenty");
	engine.is_short = bytes;
	if (bytes && !dry_run)
		ask_some(config, now_ms, bytes);
	if (bytes)
		log_debug("%s: %llu KiB are needed", dry_run ? "dry run" : "memory is short",
			  (unsigned long long)bytes >> 10);
}

/* await() - is there a program that has to answer, and may be stopped? */
static bool await(uint32_t now_ms)
{
	struct program *program;
	bool waits = false;

	for (program = registry_next(NULL); program; program = registry_next(program)) {
		/* The configuration may have become another one since. */
		program->ask.pending = program->ask.pending && !program->never;
		waits = waits || (program->ask.awaits && !ask_is_late(program, now_ms));
	}
	return waits;
}

/**
 * engine_step() - look, and take back what is needed
 * @config: what is wanted
 * @now_ms: the time, never 0
 * @dry_run: take nothing
 *
 * Return: milliseconds until the next step.
 */
uint32_t engine_step(const struct config *config, uint32_t now_ms, bool dry_run)
{
	uint32_t passed, next;
	bool more, waits;

	if (!engine.looked_ms || now_ms - engine.looked_ms >= STEP_MS) {
		engine.looked_ms = now_ms;
		registry_look();
		take_if_short(config, now_ms, dry_run);
	}
	waits = await(now_ms);
	more = take_outside(now_ms);
	passed = now_ms - engine.looked_ms;
	next = passed < STEP_MS ? STEP_MS - passed : 1;
	return more ? 1 : waits && next > WAIT_MS ? WAIT_MS : next;
}

/**
 * engine_back() - a program goes to the background: all of it is saved, given and dropped now
 * @pid: its process id
 * @now_ms: the time
 * @dry_run: change nothing
 *
 * How far that is says engine_state().
 *
 * Return: 0; -ESRCH: it is not registered; -EACCES: it is one of those that are never touched.
 */
int engine_back(pid_t pid, uint32_t now_ms, bool dry_run)
{
	struct program *program;

	registry_look();
	program = registry_find(pid);
	if (!program)
		return -ESRCH;
	if (program->never)
		return -EACCES;
	for (; program && !dry_run; program = registry_next(program))
		if (program->id.pid == pid) {
			program->outside = (struct outside){ 0 };
			ask_back(program, now_ms);
		}
	return 0;
}

/**
 * engine_front() - a program comes to the foreground
 * @config: what is wanted
 * @pid: its process id
 * @now_ms: the time
 * @dry_run: change nothing
 *
 * Return: 0; -ESRCH: it is not registered.
 */
int engine_front(const struct config *config, pid_t pid, uint32_t now_ms, bool dry_run)
{
	struct program *program;

	registry_look();
	program = registry_find(pid);
	if (!program)
		return -ESRCH;
	for (; program; program = registry_next(program))
		if (program->id.pid == pid) {
			program->used_ms = now_ms;
			if (!dry_run)
				ask_front(program, config->fetch);
		}
	return 0;
}

/**
 * engine_state() - how far a program is on its way to the background
 * @pid: its process id
 * @state: filled in
 *
 * Return: 0; -ESRCH: it is not registered.
 */
int engine_state(pid_t pid, struct engine_state *state)
{
	struct program *program = registry_find(pid);

	*state = (struct engine_state){ .after = UINT64_MAX };
	if (!program)
		return -ESRCH;
	for (; program; program = registry_next(program)) {
		const struct ask *ask = &program->ask;
		uint64_t after = ask->pending ? proc_anonymous(pid) : ask->bg_after;

		if (program->id.pid != pid)
			continue;
		state->pending = state->pending || ask->pending;
		state->before = ask->bg_before > state->before ? ask->bg_before : state->before;
		state->after = after < state->after ? after : state->after;
	}
	return 0;
}

/**
 * engine_taken() - bytes that were taken back so far
 */
uint64_t engine_taken(void)
{
	return engine.taken;
}

/**
 * engine_available() - bytes of memory that are available, as of the last look
 */
uint64_t engine_available(void)
{
	return engine.available;
}

/**
 * engine_text() - what would be done now
 * @config: what is wanted
 * @text: where to
 * @size: of @text in bytes
 */
void engine_text(const struct config *config, char *text, size_t size)
{
	struct writer writer;
	struct need need;

	read_need(&need);
	writer_begin(&writer, text, size, "", false);
	put_number(&writer, "memory_kib", need.total >> 10);
	put_number(&writer, "would_take_kib", need_bytes(config, &need) >> 10);
}

/**
 * engine_end() - before the daemon ends
 * @config: what was wanted
 */
void engine_end(const struct config *config)
{
	if (engine.has_pressure)
		pressure_close(&engine.pressure);
	registry_close(config->reg);
}
