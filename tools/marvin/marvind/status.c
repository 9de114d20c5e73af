// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "control.h"
#include "engine.h"
#include "guard.h"
#include "parse.h"
#include "registry.h"
#include "status.h"
#include "sys.h"
#include "writer.h"

static void put_program(struct writer *writer, const struct program *program)
{
	const struct told *told = &program->told;

	put(writer,
	    "process: pid=%d name=%s objects=%llu kib=%llu unsaved_kib=%llu saved_kib=%llu "
	    "given_kib=%llu loads=%llu background=%s pending=%s\n",
	    (int)program->id.pid, program->heap.name, (unsigned long long)told->objects,
	    (unsigned long long)told->bytes >> 10, (unsigned long long)told->unsaved >> 10,
	    (unsigned long long)told->saved >> 10, (unsigned long long)told->given >> 10,
	    (unsigned long long)told->loads, program->background ? "yes" : "no",
	    program->ask.pending ? "yes" : "no");
}

/**
 * status_list() - a line for each heap
 * @text: where to
 * @size: of @text in bytes
 *
 * Return: bytes that were written; what did not fit was left out.
 */
int status_list(char *text, size_t size)
{
	struct writer writer = { text, size, 0 };
	struct program *program;

	text[0] = '\0';
	for (program = registry_next(NULL); program; program = registry_next(program))
		put_program(&writer, program);
	return (int)writer.have;
}

/* put_status() - the daemon itself */
static void put_status(struct writer *writer, const struct config *config)
{
	struct program *program;
	unsigned int n = 0;

	for (program = registry_next(NULL); program; program = registry_next(program))
		n++;
	put(writer, "mode: %s\npid: %d\nguardian: %d\nregister: %s\nprocesses: %u\n",
	    config_modes[config->mode], getpid(), guard_pid(), config->reg, n);
	put_number(writer, "available_kib", engine_available() >> 10);
	put_number(writer, "taken_kib", engine_taken() >> 10);
}

/* put_stats() - what all programs say, in sum */
static void put_stats(struct writer *writer)
{
	static const struct { size_t at; const char *name; } rows[] = {
		{ offsetof(struct told, objects), "objects" },
		{ offsetof(struct told, bytes), "bytes" },
		{ offsetof(struct told, unsaved), "unsaved" },
		{ offsetof(struct told, saved), "saved" },
		{ offsetof(struct told, given), "given" },
		{ offsetof(struct told, loads), "loads" },
		{ offsetof(struct told, dropped), "dropped" },
	};
	struct program *program;
	unsigned int i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t sum = 0;

		for (program = registry_next(NULL); program; program = registry_next(program))
			sum += *(const uint64_t *)((const char *)&program->told + rows[i].at);
		put_number(writer, rows[i].name, sum);
	}
}

/**
 * status_pid() - the id of a process
 * @text: as it was given
 * @pid: the id
 *
 * PURE.
 *
 * Return: is it one?
 */
bool status_pid(const char *text, pid_t *pid)
{
	uint64_t n;

	if (!text[0] || strspn(text, "0123456789") != strlen(text) || parse_decimal(text, 0, &n) ||
	    !n || n > INT32_MAX)
		return false;
	*pid = (pid_t)n;
	return true;
}

/* put_state() - of a program on its way to the background */
static void put_state(pid_t pid, char *reply)
{
	struct writer writer = { reply, CONTROL_REPLY, 0 };
	struct engine_state state;

	engine_state(pid, &state);
	put(&writer, "ok\npending: %s\n", state.pending ? "yes" : "no");
	put_number(&writer, "before_kib", state.before >> 10);
	put_number(&writer, "after_kib", state.after >> 10);
	put_number(&writer, "taken_kib",
		   state.before > state.after ? (state.before - state.after) >> 10 : 0);
}

/* move() - "fg PID", "bg PID", or "bg? PID" for how far it is */
static void move(const char *verb, const char *text, char *reply, const struct config *config,
		 uint32_t now_ms, bool dry_run)
{
	pid_t pid;
	int err;

	if (!status_pid(text, &pid)) {
		snprintf(reply, CONTROL_REPLY, "error %.60s: not the id of a process\n", text);
		return;
	}
	if (!strncmp(verb, "fg ", 3))
		err = engine_front(config, pid, now_ms, dry_run);
	else if (!strncmp(verb, "bg ", 3))
		err = engine_back(pid, now_ms, dry_run);
	else
		err = registry_find(pid) ? 0 : -ESRCH;
	if (err == -ESRCH)
		snprintf(reply, CONTROL_REPLY,
			 "error no process %d in %s: see marvinctl list, and the log\n", (int)pid,
			 config->reg);
	else if (err)
		snprintf(reply, CONTROL_REPLY,
			 "error process %d: it is one of those that are never touched\n", (int)pid);
	else if (verb[0] == 'f')
		strcpy(reply, "ok\n");
	else
		put_state(pid, reply);
}

/**
 * status_answer() - answer a request of the control socket
 * @request: "status", "list", "stats", "fg PID", "bg PID", or "bg? PID": how far it is
 * @reply: CONTROL_REPLY bytes
 * @config: what is wanted
 * @now_ms: the time
 * @dry_run: take nothing
 */
void status_answer(char *request, char *reply, const struct config *config, uint32_t now_ms,
		   bool dry_run)
{
	struct writer writer = { reply, CONTROL_REPLY, 0 };

	if (!strncmp(request, "fg ", 3) || !strncmp(request, "bg ", 3) ||
	    !strncmp(request, "bg? ", 4)) {
		move(request, strchr(request, ' ') + 1, reply, config, now_ms, dry_run);
		return;
	}
	registry_look();
	put(&writer, "ok\n");
	if (!strcmp(request, "status"))
		put_status(&writer, config);
	else if (!strcmp(request, "list"))
		status_list(reply + writer.have, CONTROL_REPLY - writer.have);
	else if (!strcmp(request, "stats"))
		put_stats(&writer);
	else
		strcpy(reply, "error not one of: status, list, stats, fg PID, bg PID\n");
}
