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
	uint64_t kib = program->reclaim.shape.page_bytes >> 10;
	struct reclaim_sum sum;

	if (reclaim_count(&program->reclaim, &sum))
		return;
	put(writer,
	    "process: pid=%d name=%s objects=%llu kib=%llu given_kib=%llu out_kib=%llu "
	    "background=%s\n",
	    (int)program->id.pid, program->name, (unsigned long long)sum.objects,
	    (unsigned long long)(sum.pages * kib), (unsigned long long)(sum.given * kib),
	    (unsigned long long)(sum.out * kib), registry_background(program) ? "yes" : "no");
}

/**
 * status_list() - a line for each program
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

/* put_stats() - what all programs count, in sum */
static void put_stats(struct writer *writer)
{
	static const struct { enum count count; const char *name; } counts[] = {
		{ COUNT_OBJECTS, "objects" },
		{ COUNT_BYTES, "bytes" },
		{ COUNT_TICKS, "ticks" },
		{ COUNT_SAVED, "saved" },
		{ COUNT_SAVED_BYTES, "saved_bytes" },
		{ COUNT_LAZY, "given" },
		{ COUNT_DROPPED, "dropped" },
		{ COUNT_CLAIMED, "claimed" },
		{ COUNT_LOADED, "loaded" },
		{ COUNT_LOADED_BYTES, "loaded_bytes" },
		{ COUNT_BROKEN, "broken" },
		{ COUNT_STORE_ERRORS, "store_errors" },
		{ COUNT_FULL, "full" },
	};
	struct program *program;
	unsigned int i;

	for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		uint64_t sum = 0;

		for (program = registry_next(NULL); program; program = registry_next(program))
			sum += program->reclaim.table->counts[counts[i].count];
		put_number(writer, counts[i].name, sum);
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

/* move() - "fg PID", "bg PID" */
static void move(const char *text, bool front, char *reply, const struct config *config,
		 uint32_t now_ms, bool dry_run)
{
	uint64_t taken = 0;
	pid_t pid;
	int err;

	if (!status_pid(text, &pid)) {
		snprintf(reply, CONTROL_REPLY, "error %.60s: not the id of a process\n", text);
		return;
	}
	err = front ? engine_front(config, pid, now_ms, dry_run) :
		      engine_back(pid, now_ms, dry_run, &taken);
	if (err == -ESRCH)
		snprintf(reply, CONTROL_REPLY,
			 "error no process %d in %s: see marvinctl list, and the log\n", (int)pid,
			 config->reg);
	else if (err)
		snprintf(reply, CONTROL_REPLY, "error process %d: %s\n", (int)pid,
			 err == -EBADMSG ? "its table is wrong" :
			 "it is one of those that are never touched");
	else if (front)
		strcpy(reply, "ok\n");
	else
		snprintf(reply, CONTROL_REPLY, "ok\ntaken_kib: %llu\n",
			 (unsigned long long)taken >> 10);
}

/**
 * status_answer() - answer a request of the control socket
 * @request: "status", "list", "stats", "fg PID" or "bg PID"
 * @reply: CONTROL_REPLY bytes
 * @config: what is wanted
 * @now_ms: the time
 * @dry_run: take nothing
 */
void status_answer(char *request, char *reply, const struct config *config, uint32_t now_ms,
		   bool dry_run)
{
	struct writer writer = { reply, CONTROL_REPLY, 0 };

	if (!strncmp(request, "fg ", 3) || !strncmp(request, "bg ", 3)) {
		move(request + 3, request[0] == 'f', reply, config, now_ms, dry_run);
		return;
	}
	registry_look(now_ms);
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
