// SPDX-License-Identifier: GPL-2.0
/*
 * The state of latd for people and scripts, and the verbs of latdctl.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "actions.h"
#include "control.h"
#include "groups.h"
#include "guard.h"
#include "log.h"
#include "status.h"
#include "undo.h"
#include "verb.h"

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
		put(writer, "latency_us: %llu\nlate: %hhu\n",
		    (unsigned long long)sample->goal.latency_us, sample->goal.late);
}

static void answer_status(struct writer *writer, const struct control_request *request)
{
	static char groups[KEPT_MAX * PATHS_LONGEST];
	const struct latd_state *state = request->run->state;
	const struct config *config = request->run->config;
	const struct scan *scan = &state->scan;
	int pids[SCAN_PROTECTED];
	unsigned int i;

	put(writer, "mode: %s\npid: %d\nguardian: %d\n", config_modes[config->mode],
	    getpid(), guard_pid());
	for (i = 0; i < scan->n_protected; i++)
		pids[i] = scan->protected[i].pid;
	put_list(writer, "protected", pids, scan->n_protected);
	put(writer, "others: %u\nothers_in_no_group: %u\nprotected_groups: %s\n", scan->n_others,
	    scan->n_loose, kept_list(groups, sizeof(groups)) ? groups : "none");
	put(writer, "others_groups: %u\nothers_largest_group: %s\n", others_count(),
	    others_largest() ? others_largest() : "none");
	put(writer, "others_stopped: %hhu\nothers_run_percent: %u\n", state->rule.stopped,
	    state->rule.share / 10);
	put_number(writer, "others_limit_bytes", state->rule.limit);
	put_sample(writer, &state->sample);
	put_number(writer, "changes", (uint64_t)undo_count());
	put_number(writer, "stops", act_counts.stops);
	put_number(writer, "reaction_us", act_counts.reaction_us);
	put_number(writer, "pushes", act_counts.pushes);
	put_number(writer, "fetches", act_counts.fetches);
	put_number(writer, "terms", act_counts.terms);
	put_number(writer, "kills", act_counts.kills);
	put(writer, "last: %s\n", act_counts.last[0] ? act_counts.last : "nothing");
}

/* answer_change() - "protect PID", "release PID" */
static void answer_change(struct writer *writer, const struct control_request *request)
{
	bool protect = !strcmp(request->verb, "protect");
	struct latd_state *state = request->run->state;
	pid_t pid = request->pid;
	int err = protect ? scan_protect(pid) : scan_release(pid);

	/* The next look goes through all processes. */
	state->scan_us = 0;
	if (!err)
		log_info("%s %d, by the control socket", request->verb, pid);
	else if (err == -ESRCH)
		put_error(writer, "process %d %s", pid,
			  protect ? "does not exist" : "was not protected by latdctl");
	else if (err == -EPERM)
		put_error(writer, "process %d is the first one or a thread of the kernel", pid);
	else
		put_error(writer, "process %d: %s", pid, strerror(-err));
}

const struct control_verb status_verbs[] = {
	{ "status", NULL, answer_status },
	{ "protect", "PID", answer_change },
	{ "release", "PID", answer_change },
	{ NULL, NULL, NULL },
};
