// SPDX-License-Identifier: GPL-2.0

#include <string.h>
#include <unistd.h>
#include "cgroup.h"
#include "meters.h"
#include "parse.h"
#include "waits.h"

/* read_psi() - the time in which some process of a group waited */
static bool read_psi(const char *group, const char *file, uint64_t *us)
{
	char path[SYS_PATH], text[512];
	struct psi psi;

	if (cgroup_file(path, group, file) || sys_read(path, text, sizeof(text)) <= 0 ||
	    parse_psi(text, &psi))
		return false;
	*us = psi.some.total;
	return true;
}

static bool read_group(const char *group, struct costs *costs)
{
	char path[SYS_PATH], text[1024];

	if (!read_psi(group, "memory.pressure", &costs->memory_us) ||
	    !read_psi(group, "io.pressure", &costs->io_us))
		return false;
	if (!cgroup_file(path, group, "cpu.stat") && sys_read(path, text, sizeof(text)) > 0)
		parse_key(text, "system_usec", &costs->system_us);
	return true;
}

/* io_ticks() - how long a process waited for block devices */
static uint64_t io_ticks(pid_t pid)
{
	char text[1024];

	return proc_text(pid, "stat", text, sizeof(text)) > 0 ? costs_delay(text) : 0;
}

/* has_delays() - does the kernel account them? Before Linux 5.14 always, if it can. */
static bool has_delays(void)
{
	uint64_t on;

	if (sys_read_u64("/proc/sys/kernel/task_delayacct", &on))
		return io_ticks(1);
	return on;
}

struct sum {
	struct costs costs;
	bool begins;			/* remember each process' own, or take it off */
};

static void add_member(struct member *member, void *arg)
{
	struct sum *sum = arg;
	uint64_t tick_us = 1000000 / (uint64_t)sysconf(_SC_CLK_TCK), io_us;
	struct proc_stat stat;

	if (proc_read(member->id.pid, &stat) || stat.start != member->id.start)
		return;
	/* Faults are counted first, because their price may change meanwhile. */
	io_us = sum->costs.source == COSTS_DELAYS ? io_ticks(member->id.pid) * tick_us :
						    stat.majflt;
	if (sum->begins) {
		member->waited = true;
		member->io_us = io_us;
		member->system_us = stat.stime * tick_us;
	} else if (member->waited && io_us >= member->io_us) {
		io_us -= member->io_us;
		if (sum->costs.source == COSTS_FAULTS)
			io_us = io_us * meters_file_ns() / 1000;
		sum->costs.io_us += io_us;
		sum->costs.system_us += stat.stime * tick_us - member->system_us;
	}
}

static void no_member(struct member *member, void *arg)
{
	(void)arg;
	member->waited = false;
}

/**
 * waits_begin() - an app comes to the front
 * @config: where apps are
 * @app: the app
 * @costs: filled in
 */
void waits_begin(const struct config *config, struct app *app, struct costs *costs)
{
	struct sum sum = { .begins = true };
	char group[SYS_PATH];

	memset(costs, 0, sizeof(*costs));
	if (app_group(config, app, group, sizeof(group)) && read_group(group, costs)) {
		costs->source = COSTS_PRESSURE;
		return;
	}
	costs->source = has_delays() ? COSTS_DELAYS : COSTS_FAULTS;
	sum.costs.source = costs->source;
	app_each_member(app, no_member, NULL);
	app_members(config, app);
	app_each_member(app, add_member, &sum);
}

/**
 * waits_end() - what it has waited since then
 * @config: where apps are
 * @app: the app
 * @begun: of waits_begin()
 * @io_us: filled in: of that, for devices
 *
 * Return: microseconds.
 */
uint64_t waits_end(const struct config *config, struct app *app, const struct costs *begun,
		   uint64_t *io_us)
{
	struct sum sum = { .costs.source = begun->source };
	struct costs before = *begun;
	char group[SYS_PATH];
	uint64_t us;

	if (begun->source != COSTS_PRESSURE) {
		/* The sums are of what came since then. */
		before = sum.costs;
		app_each_member(app, add_member, &sum);
	} else if (!app_group(config, app, group, sizeof(group)) ||
		   !read_group(group, &sum.costs)) {
		return 0;
	}
	us = costs_since(&before, &sum.costs);
	*io_us = us ? sum.costs.io_us - before.io_us : 0;
	return us;
}
