// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "act.h"
#include "control.h"
#include "guard.h"
#include "kept.h"
#include "log.h"
#include "others.h"
#include "status.h"
#include "undo.h"
#include "writer.h"

static void put_processes(struct writer *writer, const struct scan *scan)
{
	unsigned int i;

	put(writer, "protected:");
	for (i = 0; i < scan->n_protected; i++)
		put(writer, " %d", scan->protected[i].pid);
	put(writer, "\n");
	put_number(writer, "others", scan->n_others);
	put_number(writer, "others_in_no_group", scan->n_loose);
}

static void put_rule(struct writer *writer, const struct rule *rule)
{
	static char groups[KEPT_MAX * PATHS_LONGEST];

	put(writer, "protected_groups: %s\n", kept_list(groups, sizeof(groups)) ? groups : "none");
	put_number(writer, "others_groups", others_count());
	put(writer, "others_largest_group: %s\n", others_largest() ? others_largest() : "none");
	put(writer, "others_stopped: %s\n", rule->stopped ? "yes" : "no");
	put_number(writer, "others_run_percent", rule->share / 10);
	put_number(writer, "others_limit_bytes", rule->limit);
}

static void put_sample(struct writer *writer, const struct sample *sample)
{
	put_number(writer, "others_bytes", sample->others.bytes);
	put_number(writer, "memory_bytes", sample->total);
	put_number(writer, "available_bytes", sample->available);
	put_number(writer, "free_bytes", sample->free);
	put_number(writer, "swap_bytes", sample->swap_total);
	put_number(writer, "swap_left_bytes", sample->swap_left);
	put_number(writer, "protected_swapped_bytes", sample->app_swapped);
	if (sample->goal.reported)
		put(writer, "latency_us: %llu\nlate: %s\n",
		    (unsigned long long)sample->goal.latency_us,
		    sample->goal.late ? "yes" : "no");
}

static void put_counts(struct writer *writer)
{
	put_number(writer, "changes", (uint64_t)undo_count());
	put_number(writer, "stops", act_counts.stops);
	put_number(writer, "reaction_us", act_counts.reaction_us);
	put_number(writer, "pushes", act_counts.pushes);
	put_number(writer, "fetches", act_counts.fetches);
	put_number(writer, "terms", act_counts.terms);
	put_number(writer, "kills", act_counts.kills);
	put(writer, "last: %s\n", act_counts.last[0] ? act_counts.last : "nothing");
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
 * Return: bytes that were written; what did not fit was left out.
 */
int status_text(char *text, size_t size, const struct config *config, const struct rule *rule,
		const struct sample *sample, const struct scan *scan)
{
	struct writer writer = { text, size, 0 };

	put(&writer, "mode: %s\npid: %d\nguardian: %d\n", config_modes[config->mode], getpid(),
	    guard_pid());
	put_processes(&writer, scan);
	put_rule(&writer, rule);
	put_sample(&writer, sample);
	put_counts(&writer);
	return (int)writer.have;
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
