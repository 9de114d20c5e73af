// SPDX-License-Identifier: GPL-2.0
/*
 * The state of proswapd for people and scripts, the verb of proswapctl, and the trace.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "cost.h"
#include "guard.h"
#include "memory_domains.h"
#include "monitor.h"
#include "paper.h"
#include "programs.h"
#include "status.h"
#include "sys.h"
#include "undo.h"
#include "verb.h"

static int trace = -1;

/* enum trial_state */
static const char *const trials[] = { "none", "without", "with", "left" };

static const char *state_name(const struct program *program)
{
	const struct trial *trial = &domains_get(program->domain)->trial;

	if (program->window.end_us)
		return program->window.periodic ? "periodic" : "aperiodic";
	if (trial->state == TRIAL_LEFT)
		return "left";
	if (program->rhythm.state == RHYTHM_LEARN)
		return "learning";
	return trial_helps(trial) ? "helped" : "periodic";
}

/* Of mode paper the window, else the period. */
static unsigned long long period_ms(const struct program *program)
{
	return program->window.end_us ? program->window.length_us / 1000 :
					program->rhythm.period_ms;
}

static void put_program(struct writer *writer, const struct program *program)
{
	uint64_t kib = sys_page_size() >> 10;

	put(writer, "process: pid=%d name=%s state=%s period_ms=%llu base_ms=%u agree_percent=%u swap_outs=%u pushed_kib=%llu fetched_kib=%llu early_kib=%llu\n",
	    program->id.pid, program->name, state_name(program), period_ms(program),
	    program->rhythm.base_ms, program->found.share / 10, program->found.events,
	    (unsigned long long)program->pushed * kib, (unsigned long long)program->fetched * kib,
	    (unsigned long long)program->again * kib);
}

static void put_domain(struct writer *writer, const struct domain *domain)
{
	put(writer, "memory: group=%s limit_kib=%llu used_kib=%llu speed_without=%u speed=%u trial=%s evidence=%lld\n",
	    domain->group[0] ? domain->group : "system", (unsigned long long)domain->limit >> 10,
	    (unsigned long long)domain->used >> 10, domain->trial.base, domain->trial.speed,
	    trials[domain->trial.state], (long long)domain->trial.evidence);
}

static void answer_status(struct writer *writer, const struct control_request *request)
{
	const struct config *config = request->run->config;
	const struct program *program;
	const struct domain *domain;
	unsigned int i;

	put(writer, "mode: %s\npid: %d\nguardian: %d\nmonitor: %s\n", config_modes[config->mode],
	    getpid(), guard_pid(), monitor_name(monitor_kind()));
	if (config->mode == MODE_PAPER)
		put(writer, "access: %s\n", paper_access());
	put_number(writer, "programs", programs_count());
	put_number(writer, "waiting", programs_waiting());
	put_number(writer, "swap_read_ns", cost_swap_ns());
	put_number(writer, "changes", (uint64_t)undo_count());
	for (i = 0; (domain = domains_get(i)); i++)
		put_domain(writer, domain);
	for_each_program(program)
		put_program(writer, program);
}

const struct control_verb status_verbs[] = {
	{ "status", NULL, answer_status },
	{ NULL, NULL, NULL },
};

/**
 * status_trace_open() - write a line for each process and look
 * @path: a file, made anew; "" for none
 *
 * Return: 0, or a negative errno.
 */
int status_trace_open(const char *path)
{
	static const char head[] =
		"ms,pid,name,state,period_ms,came,pushed,fetched,early\n";

	if (!path[0])
		return 0;
	trace = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (trace < 0 || write(trace, head, sizeof(head) - 1) < 0)
		return -errno;
	return 0;
}

static void trace_program(const struct program *program, uint32_t now_ms)
{
	char line[256];
	int n = snprintf(line, sizeof(line), "%u,%d,%s,%s,%llu,%u,%llu,%llu,%llu\n",
			 now_ms, program->id.pid, program->name,
			 state_name(program), period_ms(program), program->came,
			 (unsigned long long)program->pushed,
			 (unsigned long long)program->fetched, (unsigned long long)program->again);

	/* A trace that cannot be written has a gap. */
	if (n > 0 && write(trace, line, (size_t)n) < 0)
		return;
}

/**
 * status_trace() - the lines of one look
 * @now_ms: the time
 */
void status_trace(uint32_t now_ms)
{
	const struct program *program;

	if (trace < 0)
		return;
	for_each_program(program)
		trace_program(program, now_ms);
}

/**
 * status_trace_close() - the end of it
 */
void status_trace_close(void)
{
	if (trace >= 0)
		close(trace);
	trace = -1;
}
