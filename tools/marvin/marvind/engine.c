// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <string.h>
#include "engine.h"
#include "log.h"
#include "need.h"
#include "parse.h"
#include "pressure.h"
#include "sys.h"
#include "writer.h"

#define STEP_MS 1000U
/* What is taken back at once; the rest at once, too, but requests are answered meanwhile. */
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

/* tell() - why a program keeps its memory, once. A table that is wrong is left alone from now on */
static void tell(struct program *program, int err)
{
	program->pending = false;
	/* It ends, or its heap is closed at this moment. */
	if (program->failed || err == -ESRCH || err == -ENOMEM || err == -EAGAIN)
		return;
	program->failed = true;
	program->wrong = err == -EBADMSG;
	log_warn("process %d, %s: its memory cannot be taken back: %s", (int)program->id.pid,
		 program->name, err == -EBADMSG ? "its table is wrong" :
		 err == -EINVAL ? "it is locked, by mlock() or mlockall()" : strerror(-err));
}

/*
 * took() - bytes that left the memory of a program. The table may say more, because the kernel has
 * dropped some of them before, or because the table lies.
 */
static uint64_t took(const struct program *program, uint64_t said, uint64_t before)
{
	uint64_t after = proc_anonymous(program->id.pid);
	uint64_t less = before > after ? before - after : 0;

	return less < said ? less : said;
}

/* take() - from one program. Returns the bytes; reclaim.next is 0 afterwards if that was all */
static uint64_t take(struct program *program, uint64_t bytes, uint64_t until_us)
{
	uint64_t before = proc_anonymous(program->id.pid), less;
	int64_t taken = registry_check(program) ?
			reclaim_take(&program->reclaim, bytes, until_us) : -ESRCH;

	if (taken < 0) {
		if (program->id.pid)
			tell(program, (int)taken);
		return 0;
	}
	less = taken ? took(program, (uint64_t)taken, before) : 0;
	if (less)
		log_debug("process %d, %s: %llu KiB are taken back", (int)program->id.pid,
			  program->name, (unsigned long long)less >> 10);
	engine.taken += less;
	return less;
}

/* take_all() - all that was given, as far as there is time; the rest is pending */
static uint64_t take_all(struct program *program, uint64_t until_us)
{
	uint64_t taken = take(program, UINT64_MAX, until_us);

	program->pending = program->pending && program->reclaim.next;
	return taken;
}

/* may_take() - one that failed was said */
static bool may_take(const struct config *config, const struct program *program)
{
	return !program->never && !program->wrong && !program->failed &&
	       (config->foreground || registry_background(program));
}

/* coldest() - of those that were not tried yet in this step, which are @tried */
static struct program *coldest(const struct config *config, uint32_t now_ms, const bool *tried)
{
	struct program *program, *best = NULL;

	for (program = registry_next(NULL); program; program = registry_next(program)) {
		if (tried[registry_place(program)] || !may_take(config, program))
			continue;
		if (!best || need_before(registry_background(program), now_ms - program->used_ms,
					 registry_background(best), now_ms - best->used_ms))
			best = program;
	}
	return best;
}

/* A user's programs, in one step. */
struct turn {
	uid_t user;
	uint64_t us;			/* time that was spent on them */
};

/* turn_of() - of a user; @n: how many users there are so far */
static struct turn *turn_of(struct turn *turns, unsigned int *n, uid_t user)
{
	unsigned int i;

	for (i = 0; i < *n; i++)
		if (turns[i].user == user)
			return &turns[i];
	turns[*n] = (struct turn){ user, 0 };
	return &turns[(*n)++];
}

/* count_users() - that have programs */
static unsigned int count_users(void)
{
	struct turn turns[REGISTRY_MAX];
	struct program *program;
	unsigned int n = 0;

	for (program = registry_next(NULL); program; program = registry_next(program))
		turn_of(turns, &n, program->caller.user);
	return n ? n : 1;
}

/* take_turn() - from one program: from where it was the last time to the end, and once more */
static uint64_t take_turn(struct program *program, uint64_t bytes, struct turn *turn,
			  uint64_t part_us)
{
	uint64_t begun_us = sys_now_us(), until_us = begun_us + part_us - turn->us, taken;
	bool again = program->reclaim.next;

	taken = take(program, bytes, until_us);
	if (again && taken < bytes && program->id.pid && !program->reclaim.next)
		taken += take(program, bytes - taken, until_us);
	turn->us += sys_now_us() - begun_us;
	return taken;
}

/* take_some() - from each program in turn, until it is enough; users share the time */
static uint64_t take_some(const struct config *config, uint32_t now_ms, uint64_t bytes)
{
	uint64_t taken = 0, until_us = sys_now_us() + AT_ONCE_US;
	uint64_t part_us = AT_ONCE_US / count_users();
	struct turn turns[REGISTRY_MAX], *turn;
	bool tried[REGISTRY_MAX] = { false };
	struct program *program;
	unsigned int n = 0;

	while (taken < bytes && sys_now_us() < until_us &&
	       (program = coldest(config, now_ms, tried))) {
		tried[registry_place(program)] = true;
		turn = turn_of(turns, &n, program->caller.user);
		if (turn->us < part_us)
			taken += take_turn(program, bytes - taken, turn, part_us);
	}
	return taken;
}

/* take_pending() - what "bg" has begun; true: there is more */
static bool take_pending(void)
{
	uint64_t until_us = sys_now_us() + AT_ONCE_US;
	struct program *program;
	bool more = false;

	for (program = registry_next(NULL); program; program = registry_next(program)) {
		/* The configuration may have become another one since. */
		program->pending = program->pending && !program->never;
		if (program->pending)
			take_all(program, until_us);
		more = more || program->pending;
	}
	return more;
}

static void take_if_short(const struct config *config, uint32_t now_ms, bool dry_run)
{
	struct need need;
	uint64_t bytes, taken;

	read_need(&need);
	bytes = need_bytes(config, &need);
	if (!!bytes != engine.is_short)
		log_debug("memory is %s", bytes ? "short" : "plenty");
	engine.is_short = bytes;
	if (!bytes)
		return;
	taken = dry_run ? 0 : take_some(config, now_ms, bytes);
	log_debug("%s: %llu KiB of %llu are taken back", dry_run ? "dry run" : "memory is short",
		  (unsigned long long)taken >> 10, (unsigned long long)bytes >> 10);
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
	bool more = take_pending();
	uint32_t passed;

	if (!engine.looked_ms || now_ms - engine.looked_ms >= STEP_MS) {
		engine.looked_ms = now_ms;
		registry_look(now_ms);
		take_if_short(config, now_ms, dry_run);
	}
	passed = now_ms - engine.looked_ms;
	return more ? 1 : passed < STEP_MS ? STEP_MS - passed : 1;
}

/**
 * engine_back() - a program goes to the background: what it gave is taken back now
 * @pid: its process id
 * @now_ms: the time
 * @dry_run: change nothing
 * @taken: bytes so far; the rest follows at once
 *
 * Return: 0; -ESRCH: it is not registered; -EACCES: it is one of those that are never touched;
 * -EBADMSG: its table is wrong.
 */
int engine_back(pid_t pid, uint32_t now_ms, bool dry_run, uint64_t *taken)
{
	struct program *program;

	*taken = 0;
	registry_look(now_ms);
	program = registry_find(pid);
	if (!program)
		return -ESRCH;
	if (program->never || program->wrong)
		return program->wrong ? -EBADMSG : -EACCES;
	if (dry_run)
		return 0;
	registry_set_background(program, true);
	program->failed = false;
	program->pending = true;
	program->reclaim.next = 0;
	program->reclaim.pages = 0;
	*taken = take_all(program, sys_now_us() + AT_ONCE_US);
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

	registry_look(now_ms);
	program = registry_find(pid);
	if (!program)
		return -ESRCH;
	program->used_ms = now_ms;
	program->pending = false;
	if (dry_run)
		return 0;
	registry_set_background(program, false);
	if (config->fetch)
		atomic_fetch_or(&program->reclaim.table->request, REQUEST_FETCH);
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
	struct writer writer = { text, size, 0 };
	struct need need;

	read_need(&need);
	put(&writer, "mode: %s\n", config_modes[config->mode]);
	put_number(&writer, "memory_kib", need.total >> 10);
	put_number(&writer, "available_kib", need.available >> 10);
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
