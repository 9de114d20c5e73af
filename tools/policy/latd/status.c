// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "act.h"
#include "control.h"
#include "guard.h"
#include "group.h"
#include "log.h"
#include "status.h"
#include "undo.h"

static int pids(char *text, size_t size, const struct scan *scan)
{
	int n = snprintf(text, size, "protected:");
	unsigned int i;

	for (i = 0; i < scan->n_protected && n < (int)size; i++)
		n += snprintf(text + n, size - (size_t)n, " %d", scan->protected[i].pid);
	if (n < (int)size)
		n += snprintf(text + n, size - (size_t)n, "\n");
	return n;
}

/**
 * status_text() - the state in lines of "key: value"
 * @text: where to
 * @size: of @text in bytes
 * @config: what is wanted
 * @rule: the state
 * @sample: the last look
 * @scan: the last pass over the processes
 *
 * Return: bytes that there are, of which some may not have fitted.
 */
int status_text(char *text, size_t size, const struct config *config, const struct rule *rule,
		const struct sample *sample, const struct scan *scan)
{
	int n = pids(text, size, scan);

	if (n >= (int)size)
		return n;
	return n + snprintf(text + n, size - (size_t)n,
		"mode: %s\n"
		"pid: %d\n"
		"guardian: %d\n"
		"protected_group: %s\n"
		"others_group: %s\n"
		"others: %u\n"
		"others_bytes: %" PRIu64 "\n"
		"others_stopped: %s\n"
		"others_run_percent: %u\n"
		"others_limit_bytes: %" PRIu64 "\n"
		"memory_bytes: %" PRIu64 "\n"
		"available_bytes: %" PRIu64 "\n"
		"free_bytes: %" PRIu64 "\n"
		"swap_bytes: %" PRIu64 "\n"
		"swap_left_bytes: %" PRIu64 "\n"
		"protected_swapped_bytes: %" PRIu64 "\n"
		"changes: %d\n"
		"stops: %" PRIu64 "\n"
		"pushes: %" PRIu64 "\n"
		"fetches: %" PRIu64 "\n"
		"terms: %" PRIu64 "\n"
		"kills: %" PRIu64 "\n"
		"last: %s\n",
		config_modes[config->mode], getpid(), guard_pid(), group_app() ? group_app() : "none",
		group_others() ? group_others() : "none", scan->n_others, sample->others, rule->stopped ? "yes" : "no", rule->share / 10,
		rule->limit, sample->total, sample->available, sample->free, sample->swap_total,
		sample->swap_left, sample->app_swapped, undo_count(), act_counts.stops,
		act_counts.pushes, act_counts.fetches, act_counts.terms, act_counts.kills,
		act_counts.last[0] ? act_counts.last : "nothing");
}

/**
 * status_print() - the same on standard output
 * @config: what is wanted
 * @rule: the state
 * @sample: the last look
 * @scan: the last pass over the processes
 */
void status_print(const struct config *config, const struct rule *rule,
		  const struct sample *sample, const struct scan *scan)
{
	char text[CONTROL_REPLY];

	status_text(text, sizeof(text), config, rule, sample, scan);
	fputs(text, stdout);
}

/* change() - "protect PID", "release PID" */
static void change(const char *verb, const char *number, char *reply)
{
	bool protect = !strcmp(verb, "protect");
	char *end;
	long pid = strtol(number, &end, 10);
	int err;

	if (pid <= 0 || pid > INT32_MAX || end == number || *end) {
		snprintf(reply, CONTROL_REPLY, "error \"%.40s\" is not a process id\n", number);
		return;
	}
	err = protect ? scan_protect((pid_t)pid) : scan_release((pid_t)pid);
	if (!err) {
		log_info("%s %ld, by the control socket", verb, pid);
		strcpy(reply, "ok\n");
	} else if (err == -ESRCH) {
		snprintf(reply, CONTROL_REPLY, "error process %ld %s\n", pid,
			 protect ? "does not exist" : "was not protected by latdctl");
	} else if (err == -EPERM) {
		snprintf(reply, CONTROL_REPLY,
			 "error process %ld is the first one or a thread of the kernel\n", pid);
	} else {
		snprintf(reply, CONTROL_REPLY, "error process %ld: %s\n", pid, strerror(-err));
	}
}

/**
 * status_answer() - answer a request of the control socket
 * @request: "status", "protect PID" or "release PID"
 * @reply: CONTROL_REPLY bytes
 * @config: what is wanted
 * @rule: the state
 * @sample: the last look
 * @scan: the last pass over the processes
 */
void status_answer(char *request, char *reply, const struct config *config,
		   const struct rule *rule, const struct sample *sample, const struct scan *scan)
{
	char verb[32] = "", word[64] = "", more[2] = "";
	int words = sscanf(request, "%31s %63s %1s", verb, word, more);

	if (words == 1 && !strcmp(verb, "status")) {
		strcpy(reply, "ok\n");
		status_text(reply + 3, CONTROL_REPLY - 3, config, rule, sample, scan);
	} else if (words == 2 && (!strcmp(verb, "protect") || !strcmp(verb, "release"))) {
		change(verb, word, reply);
	} else {
		strcpy(reply, "error not one of: status, protect PID, release PID\n");
	}
}
