// SPDX-License-Identifier: GPL-2.0
/*
 * Takes memory back from programs, when it is short or when marvinctl says so. Each look measures
 * the system and the programs, makes a plan of it (reclaim_plan(), PURE), and acts: a program that
 * runs is asked to drop given memory. The answer comes later, and programs_serve() counts it.
 *
 * A program that is stopped, or whose control group is frozen, cannot answer: the kernel takes its
 * memory. Given memory goes without I/O, all other memory goes to the swap, if there is one. The
 * kernel keeps the bytes right, so the program has to know nothing of it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include "cgroup.h"
#include "log.h"
#include "parse.h"
#include "pressure.h"
#include "push.h"
#include "reclaim.h"
#include "sys.h"

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif

/* auto.take is per second, and the daemon wakes up once a second when nothing happens. */
#define STEP_MS 1000U
/* Until the next step while a program has to answer, which may be stopped. A guess. */
#define WAIT_MS 100U
/* Time for taking memory by the kernel in a step; requests of marvinctl wait meanwhile. A guess. */
#define AT_ONCE_US 500000U
/*
 * Calls for a heap at most: a program may say that its heap is its whole address space, and nearly
 * all of a large heap may be empty. A guess.
 */
#define CALLS_MAX 1024U

static struct {
	struct pressure pressure;
	bool has_pressure;
	uint64_t read_us;		/* time of the last read of the pressure; 0: never */
	uint32_t looked_ms;		/* time of the last look at the system; 0: never */
	uint64_t taken;			/* bytes */
	uint64_t available;
} reclaim;

/**
 * reclaim_begin() - programs can register from now on
 * @config: configuration
 *
 * Return: 0; or a negative errno, which was logged.
 */
int reclaim_begin(const struct config *config)
{
	int err = programs_open(config->reg);

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
	reclaim.has_pressure = !pressure_open(&reclaim.pressure, PRESSURE_MEMORY);
	if (!reclaim.has_pressure && config->pressure && config->mode == MODE_AUTO)
		log_warn("no " PRESSURE_MEMORY " (CONFIG_PSI, psi=1): only auto.available counts");
	return 0;
}

/**
 * reclaim_serve() - take the packets of programs
 * @run: configuration and time
 */
void reclaim_serve(const struct daemon_run *run)
{
	const struct config *config = run->config;

	reclaim.taken += programs_serve(&config->never, run->now_ms);
}

/* measure_system() - memory, and how long programs have waited for it */
static void measure_system(struct view *view)
{
	struct pressure_delta delta;
	uint64_t now_us = sys_now_us(), kib;
	char text[8192];

	if (sys_read("/proc/meminfo", text, sizeof(text)) > 0 &&
	    parse_key(text, "MemTotal", &kib)) {
		view->total = kib << 10;
		/* Before Linux 3.14 this is not known: then all of it. */
		view->available = parse_key(text, "MemAvailable", &kib) ? kib << 10 : view->total;
	}
	reclaim.available = view->available;
	if (!reclaim.has_pressure || pressure_read(&reclaim.pressure, &delta))
		return;
	view->some_us = delta.some_us;
	view->full_us = delta.full_us;
	view->passed_us = reclaim.read_us ? now_us - reclaim.read_us : 0;
	reclaim.read_us = now_us;
}

/* is_frozen() - does cgroup.events of its group say so? It does also for a frozen group above */
static bool is_frozen(pid_t pid)
{
	char group[SYS_PATH], path[SYS_PATH], text[256];
	uint64_t frozen;

	/* A mount stays where it is, so it is looked for once. */
	if (!cgroup_mount()[0] && cgroup_find())
		return false;
	return !proc_cgroup(pid, group, sizeof(group)) &&
	       !cgroup_file(path, group, "cgroup.events") &&
	       sys_read(path, text, sizeof(text)) > 0 && parse_key(text, "frozen", &frozen) &&
	       frozen;
}

/* is_stopped() - by a signal, by a debugger, or frozen */
static bool is_stopped(struct proc_id id)
{
	struct proc_stat stat;

	return !proc_read(id.pid, &stat) && stat.start == id.start &&
	       (stat.state == 'T' || stat.state == 't' || is_frozen(id.pid));
}

/* is_late() - it had time to answer, and has not */
static bool is_late(const struct ask *ask, uint32_t now_ms)
{
	return ask->awaits && now_ms - ask->since_ms >= RECLAIM_LATE_MS;
}

/* measure() - the system once a second, and programs that are late with an answer each time */
static void measure(struct view *view, uint32_t now_ms)
{
	struct program *program;

	*view = (struct view){
		.programs = programs_all(), .now_ms = now_ms, .page = sys_page_size(),
	};
	if (!reclaim.looked_ms || now_ms - reclaim.looked_ms >= STEP_MS) {
		reclaim.looked_ms = now_ms;
		programs_look();
		measure_system(view);
	}
	for (program = programs_next(NULL); program; program = programs_next(program))
		program->stopped = !program->never && !program->outside.done &&
				   is_late(&program->ask, now_ms) && is_stopped(program->id);
}

/*
 * bytes_needed() - bytes that are missing to the budget; while programs wait for memory, as many as
 * the configuration allows
 */
static uint64_t bytes_needed(const struct config *config, const struct view *view)
{
	uint64_t budget = view->total / 1000 * config->available, missing;
	uint64_t passed_ms = view->passed_us / 1000;

	if (config->mode != MODE_AUTO)
		return 0;
	if (config->pressure && passed_ms &&
	    (view->some_us / config->pressure >= passed_ms ||
	     view->full_us / config->pressure >= passed_ms / RECLAIM_FULL_WEIGHT))
		return config->take;
	missing = view->available < budget ? budget - view->available : 0;
	return missing < config->take ? missing : config->take;
}

/*
 * room() - bytes that a program can be asked for, as the program says; a lie has an effect on its
 * own memory only
 */
static uint64_t room(const struct config *config, const struct program *program)
{
	const struct ask *ask = &program->ask;

	if (!program->id.pid || program->never || ask->pending || program->outside.done ||
	    !(config->foreground || program->background))
		return 0;
	/* It has a request, unless it is stopped and the kernel has taken all of that. */
	if (ask->awaits && ask->bytes)
		return 0;
	return program->told.given > ask->gone ? program->told.given - ask->gone : 0;
}

/* is_before() - programs in the background come first, and of these the longest unused one */
static bool is_before(const struct program *program, const struct program *other, uint32_t now_ms)
{
	if (program->background != other->background)
		return program->background;
	return now_ms - program->used_ms > now_ms - other->used_ms;
}

/* next_of() - the next program of a user to ask; PROGRAMS_MAX: no other one has anything */
static unsigned int next_of(const struct config *config, const struct view *view,
			    const struct plan *plan, uid_t user)
{
	const struct program *programs = view->programs;
	unsigned int best = PROGRAMS_MAX, i;

	for (i = 0; i < PROGRAMS_MAX; i++) {
		if (programs[i].caller.user != user || plan->drop[i] || !room(config, &programs[i]))
			continue;
		if (best == PROGRAMS_MAX || is_before(&programs[i], &programs[best], view->now_ms))
			best = i;
	}
	return best;
}

/*
 * plan_drops() - users have equal parts: if one user's programs say that they have much and give
 * nothing, programs of other users still give theirs
 */
static void plan_drops(const struct config *config, const struct view *view, struct plan *plan)
{
	unsigned int with = 0, u, i;

	for (u = 0; u < plan->n_users; u++)
		with += next_of(config, view, plan, plan->users[u]) < PROGRAMS_MAX;
	for (u = 0; u < plan->n_users && with; u++) {
		uint64_t page = view->page, pages = plan->bytes / with / page, more;

		while (pages && (i = next_of(config, view, plan, plan->users[u])) < PROGRAMS_MAX) {
			more = (room(config, &view->programs[i]) + page - 1) / page;
			more = more < pages ? more : pages;
			plan->drop[i] = more * page;
			pages -= more;
		}
	}
}

/**
 * reclaim_plan() - decide how much each program gives
 * @config: configuration
 * @view: the system and the programs
 * @plan: filled in
 *
 * PURE.
 */
void reclaim_plan(const struct config *config, const struct view *view, struct plan *plan)
{
	unsigned int i, u;

	memset(plan, 0, sizeof(*plan));
	plan->bytes = bytes_needed(config, view);
	for (i = 0; i < PROGRAMS_MAX; i++) {
		const struct program *program = &view->programs[i];

		if (!program->id.pid)
			continue;
		for (u = 0; u < plan->n_users && plan->users[u] != program->caller.user; u++)
			;
		plan->users[u] = program->caller.user;
		plan->n_users += u == plan->n_users;
		plan->waits |= program->ask.awaits && !is_late(&program->ask, view->now_ms);
	}
	plan_drops(config, view, plan);
	for (i = 0; i < PROGRAMS_MAX; i++) {
		const struct program *program = &view->programs[i];

		if (program->stopped)
			plan->outside[i] = program->ask.pending ? UINT64_MAX :
					   plan->drop[i] ? plan->drop[i] : program->ask.bytes;
	}
}

/* call_kernel() - take the next part of a heap; a negative errno: none of this heap can be taken */
static int call_kernel(struct program *program)
{
	uint64_t at = program->outside.next, left = program->heap.bytes - at;
	uint64_t page = sys_page_size(), part = program->heap.bytes / CALLS_MAX / page * page;
	struct push push;

	part = part < RECLAIM_CALL_BYTES ? RECLAIM_CALL_BYTES : part + page;
	part = left < part ? left : part;
	push_begin(&push, program->id, MADV_PAGEOUT);
	push_add(&push, program->heap.space + at, part);
	program->outside.next += part;
	return push_end(&push);
}

/*
 * take_outside() - take memory of a stopped program, from where the last call ended, until @bytes
 * of it are gone or the time is over; returns bytes. The program may be forgotten afterwards.
 */
static uint64_t take_outside(struct program *program, uint64_t bytes, uint64_t until_us)
{
	int pid = (int)program->id.pid, err = 0;
	uint64_t before = proc_anonymous(pid), after = before;

	while (!program->outside.done && before - after < bytes && sys_now_us() < until_us) {
		if (!programs_check(program))
			break;
		err = call_kernel(program);
		if (err)
			log_debug("process %d, %s: its memory cannot be taken: %s", pid,
				  program->heap.name, strerror(-err));
		program->outside.done = err || program->outside.next >= program->heap.bytes;
		after = proc_anonymous(pid);
		after = after < before ? after : before;
	}
	if (before > after)
		log_debug("process %d: it is stopped, %llu KiB are taken from outside", pid,
			  (unsigned long long)(before - after) >> 10);
	return before - after;
}

static void subtract(uint64_t *from, uint64_t bytes)
{
	*from -= bytes < *from ? bytes : *from;
}

/* act_outside() - users share the time; true: there is more to take from a program */
static bool act_outside(const struct plan *plan)
{
	struct program *program;
	bool more = false;
	unsigned int u, i;

	for (u = 0; u < plan->n_users; u++) {
		uint64_t until_us = sys_now_us() + AT_ONCE_US / plan->n_users, less;

		for (i = 0; i < PROGRAMS_MAX; i++) {
			program = programs_all() + i;
			/* The place of a forgotten program is empty, and looks like root's. */
			if (!program->id.pid || !plan->outside[i] ||
			    program->caller.user != plan->users[u])
				continue;
			less = take_outside(program, plan->outside[i], until_us);
			reclaim.taken += less;
			subtract(&program->ask.before, less);
			program->ask.gone += less;
			if (!program->ask.pending)
				subtract(&program->ask.bytes, less);
			more |= program->id.pid && !program->outside.done &&
				(program->ask.pending || program->ask.bytes);
		}
	}
	return more;
}

/* act() - true: there is more to take from a stopped program, as soon as requests are answered */
static bool act(const struct plan *plan, uint32_t now_ms, bool dry_run)
{
	struct program *program;
	unsigned int i;

	if (plan->bytes)
		log_debug("%s: %llu KiB are needed", dry_run ? "dry run" : "memory is short",
			  (unsigned long long)plan->bytes >> 10);
	if (dry_run)
		return false;
	for (i = 0; i < PROGRAMS_MAX; i++) {
		program = programs_all() + i;
		/* A stopped program has a request already. */
		if (plan->drop[i] && program->ask.awaits)
			program->ask.bytes = plan->drop[i];
		else if (plan->drop[i])
			program_drop(program, plan->drop[i], now_ms);
	}
	return act_outside(plan);
}

/**
 * reclaim_step() - look, and take back memory that is needed
 * @run: configuration and time
 *
 * Return: milliseconds until the next step.
 */
uint32_t reclaim_step(const struct daemon_run *run)
{
	uint32_t passed, next;
	struct view view;
	struct plan plan;
	bool more;

	measure(&view, run->now_ms);
	reclaim_plan(run->config, &view, &plan);
	more = act(&plan, run->now_ms, run->dry_run);
	passed = run->now_ms - reclaim.looked_ms;
	next = passed < STEP_MS ? STEP_MS - passed : 1;
	return more ? 1 : plan.waits && next > WAIT_MS ? WAIT_MS : next;
}

/**
 * reclaim_back() - a program goes to the background: it saves, gives and drops all
 * @pid: its process id
 * @now_ms: the time
 * @dry_run: change nothing
 *
 * reclaim_state() tells when that is done.
 *
 * Return: 0; -ESRCH: it is not registered; -EACCES: it is on the list that is never touched.
 */
int reclaim_back(pid_t pid, uint32_t now_ms, bool dry_run)
{
	struct program *program;

	programs_look();
	program = programs_find(pid);
	if (!program)
		return -ESRCH;
	if (program->never)
		return -EACCES;
	for (; program && !dry_run; program = programs_next(program))
		if (program->id.pid == pid) {
			program->outside = (struct outside){ 0 };
			program_back(program, now_ms);
		}
	return 0;
}

/**
 * reclaim_front() - a program comes to the foreground
 * @config: configuration
 * @pid: its process id
 * @now_ms: the time
 * @dry_run: change nothing
 *
 * Return: 0; -ESRCH: it is not registered.
 */
int reclaim_front(const struct config *config, pid_t pid, uint32_t now_ms, bool dry_run)
{
	struct program *program;

	programs_look();
	program = programs_find(pid);
	if (!program)
		return -ESRCH;
	for (; program; program = programs_next(program))
		if (program->id.pid == pid) {
			program->used_ms = now_ms;
			if (!dry_run)
				program_front(program, config->fetch);
		}
	return 0;
}

/**
 * reclaim_state() - how far a program is on its way to the background
 * @pid: its process id
 * @state: filled in
 *
 * Return: 0; -ESRCH: it is not registered.
 */
int reclaim_state(pid_t pid, struct reclaim_state *state)
{
	struct program *program = programs_find(pid);

	*state = (struct reclaim_state){ .after = UINT64_MAX };
	if (!program)
		return -ESRCH;
	for (; program; program = programs_next(program)) {
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
 * reclaim_taken() - bytes that were taken back so far
 */
uint64_t reclaim_taken(void)
{
	return reclaim.taken;
}

/**
 * reclaim_available() - bytes of memory that are available, as of the last look
 */
uint64_t reclaim_available(void)
{
	return reclaim.available;
}

/**
 * reclaim_once() - print how much a running daemon would take back now; no program is registered
 * @run: configuration and time
 *
 * Return: 0.
 */
int reclaim_once(const struct daemon_run *run)
{
	const struct config *config = run->config;
	struct view view;
	struct plan plan;

	measure(&view, run->now_ms);
	reclaim_plan(config, &view, &plan);
	printf("memory_kib: %" PRIu64 "\nwould_take_kib: %" PRIu64 "\n", view.total >> 10,
	       plan.bytes >> 10);
	return 0;
}

/**
 * reclaim_end() - before the daemon ends, also after a reclaim_begin() that failed
 * @run: configuration and time
 */
void reclaim_end(const struct daemon_run *run)
{
	const struct config *config = run->config;

	if (reclaim.has_pressure)
		pressure_close(&reclaim.pressure);
	programs_close(config->reg);
}
