// SPDX-License-Identifier: GPL-2.0
/*
 * The state of marvind and of the heaps for people and scripts, and the verbs of marvinctl.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "reclaim.h"
#include "guard.h"
#include "programs.h"
#include "status.h"
#include "verb.h"

/* look() - take what programs have said, and forget those that have gone */
static void look(const struct control_request *request)
{
	reclaim_serve(request->run);
	programs_look();
}

static void put_program(struct writer *writer, const struct program *program)
{
	const struct told *told = &program->told;

	put(writer,
	    "process: pid=%d name=%s objects=%llu kib=%llu unsaved_kib=%llu saved_kib=%llu "
	    "given_kib=%llu loads=%llu background=%hhu pending=%hhu\n",
	    (int)program->id.pid, program->heap.name, (unsigned long long)told->objects,
	    (unsigned long long)told->bytes >> 10, (unsigned long long)told->unsaved >> 10,
	    (unsigned long long)told->saved >> 10, (unsigned long long)told->given >> 10,
	    (unsigned long long)told->loads, program->background, program->ask.pending);
}

/* mib() - in tenths, rounded down: the list never says more than there is */
static double mib(uint64_t bytes)
{
	return (double)((bytes >> 10) * 10 / 1024) / 10;
}

/* put_row() - in the table for people */
static void put_row(struct writer *writer, const struct program *program)
{
	const struct told *told = &program->told;

	put_raw(writer, "%8d %-16s %8llu %9.1f %9.1f %9.1f %9.1f %s\n", (int)program->id.pid,
		program->heap.name, (unsigned long long)told->objects, mib(told->bytes),
		mib(told->unsaved), mib(told->saved), mib(told->given),
		program->ask.pending ? "pending" : program->background ? "yes" : "no");
}

/* answer_list() - all heaps: a table, or rows of JSON */
static void answer_list(struct writer *writer, const struct control_request *request)
{
	struct program *program;

	look(request);
	if (!writer->json)
		put_raw(writer, "%8s %-16s %8s %9s %9s %9s %9s %s\n", "PID", "NAME", "OBJECTS",
			"MIB", "UNSAVED", "SAVED", "GIVEN", "BACKGROUND");
	for (program = programs_next(NULL); program; program = programs_next(program))
		(writer->json ? put_program : put_row)(writer, program);
}

/* answer_status() - the daemon itself */
static void answer_status(struct writer *writer, const struct control_request *request)
{
	const struct config *config = request->run->config;
	struct program *program;
	unsigned int n = 0;

	look(request);
	for (program = programs_next(NULL); program; program = programs_next(program))
		n++;
	put(writer, "mode: %s\npid: %d\nguardian: %d\nregister: %s\nprocesses: %u\n",
	    config_modes[config->mode], getpid(), guard_pid(), config->reg, n);
	put_number(writer, "available_kib", reclaim_available() >> 10);
	put_number(writer, "taken_kib", reclaim_taken() >> 10);
}

/* answer_stats() - the sums of what the programs say */
static void answer_stats(struct writer *writer, const struct control_request *request)
{
	struct program *program;
	struct told sum = { 0 };

	look(request);
	for (program = programs_next(NULL); program; program = programs_next(program)) {
		sum.objects += program->told.objects;
		sum.bytes += program->told.bytes;
		sum.unsaved += program->told.unsaved;
		sum.saved += program->told.saved;
		sum.given += program->told.given;
		sum.loads += program->told.loads;
		sum.dropped += program->told.dropped;
	}
	put_number(writer, "objects", sum.objects);
	put_number(writer, "bytes", sum.bytes);
	put_number(writer, "unsaved", sum.unsaved);
	put_number(writer, "saved", sum.saved);
	put_number(writer, "given", sum.given);
	put_number(writer, "loads", sum.loads);
	put_number(writer, "dropped", sum.dropped);
}

/* put_state() - of a program on its way to the background */
static void put_state(struct writer *writer, pid_t pid)
{
	struct reclaim_state state;

	reclaim_state(pid, &state);
	put(writer, "pending: %hhu\n", state.pending);
	put_number(writer, "before_kib", state.before >> 10);
	put_number(writer, "after_kib", state.after >> 10);
	put_number(writer, "taken_kib",
		   state.before > state.after ? (state.before - state.after) >> 10 : 0);
}

/* answer_move() - "fg PID", "bg PID", or "bg? PID": how far it is */
static void answer_move(struct writer *writer, const struct control_request *request)
{
	const struct daemon_run *run = request->run;
	const struct config *config = run->config;
	bool front = !strcmp(request->verb, "fg");
	pid_t pid = request->pid;
	int err;

	reclaim_serve(run);
	if (front)
		err = reclaim_front(config, pid, run->now_ms, run->dry_run);
	else if (!strcmp(request->verb, "bg"))
		err = reclaim_back(pid, run->now_ms, run->dry_run);
	else
		err = programs_find(pid) ? 0 : -ESRCH;
	if (err == -ESRCH)
		put_error(writer, "no process %d in %s: see marvinctl list, and the log",
			  (int)pid, config->reg);
	else if (err)
		put_error(writer, "process %d: it is one of those that are never touched",
			  (int)pid);
	else if (!front)
		put_state(writer, pid);
}

const struct control_verb status_verbs[] = {
	{ "status", NULL, answer_status },
	{ "list", NULL, answer_list },
	{ "stats", NULL, answer_stats },
	{ "fg", "PID", answer_move },
	{ "bg", "PID", answer_move },
	{ "bg?", "PID", answer_move },
	{ NULL, NULL, NULL },
};
