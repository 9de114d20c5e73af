// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the verb of a request in a daemon's table, and makes a reply of the answer: "ok" and the
 * status, or "error" and the reason.
 */
#include <string.h>
#include "control.h"
#include "parse.h"
#include "verb.h"

/* find_argument() - the rest of a request behind a verb; NULL: the request has another verb */
static const char *find_argument(const struct control_verb *verb, const char *request)
{
	size_t len = strlen(verb->name);

	if (strncmp(request, verb->name, len))
		return NULL;
	request += len;
	if (!verb->argument)
		return *request ? NULL : request;
	return request[0] == ' ' && request[1] ? request + 1 : NULL;
}

/* parse_pid() - 0: the argument is not a process id */
static pid_t parse_pid(const char *text)
{
	uint64_t n;

	return strspn(text, "0123456789") == strlen(text) && !parse_decimal(text, 0, &n) &&
	       n <= INT32_MAX ? (pid_t)n : 0;
}

static void put_verbs(struct writer *writer, const struct control_verb *verb)
{
	put_raw(writer_error(writer), "error not one of:");
	for (; verb->name; verb++)
		put_raw(writer, " %s%s%s%c", verb->name, verb->argument ? " " : "",
			verb->argument ? verb->argument : "", verb[1].name ? ',' : '\n');
}

/**
 * control_answer() - answer a request of the control socket
 * @verbs: all that there are
 * @text: the request, without the end of its line
 * @reply: CONTROL_REPLY bytes
 * @run: for the verb
 */
void control_answer(const struct control_verb *verbs, const char *text, char *reply,
		    const struct daemon_run *run)
{
	bool json = !strncmp(text, CONTROL_JSON, strlen(CONTROL_JSON));
	struct control_request request = { .run = run };
	const struct control_verb *verb = verbs;
	struct writer writer;

	text += json ? strlen(CONTROL_JSON) : 0;
	while (verb->name && !(request.argument = find_argument(verb, text)))
		verb++;
	writer_begin(&writer, reply, CONTROL_REPLY, "ok\n", json);
	if (!verb->name) {
		put_verbs(&writer, verbs);
		return;
	}
	request.verb = verb->name;
	request.pid = parse_pid(request.argument);
	if (verb->argument && !strcmp(verb->argument, "PID") && !request.pid)
		put_error(&writer, "%.40s: not the id of a process", request.argument);
	else
		verb->answer(&writer, &request);
	if (!writer_end(&writer))
		put_error(&writer, "the answer has more than %d bytes", CONTROL_REPLY);
}
