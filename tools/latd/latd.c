// SPDX-License-Identifier: GPL-2.0
/*
 * latd: keep a latency-critical program fast while others fill the memory. It finds the processes
 * (processes.h) and their control groups (groups.h). At each look it measures (measure.h), decides
 * (rules.h) and acts (actions.h). It makes the mode's changes at its begin, and undoes them at its
 * end.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "actions.h"
#include "cgroup.h"
#include "check.h"
#include "daemon.h"
#include "exec_events.h"
#include "groups.h"
#include "latency.h"
#include "log.h"
#include "measure.h"
#include "reclaim.h"
#include "status.h"
#include "sys.h"
#include "undo.h"

/* A FIFO: protected programs report how long something took. */
#define REPORT_PATH "/run/latd.latency"
/*
 * All processes are looked at so often, and before one is chosen as a victim; more often where
 * the kernel does not say which programs begin.
 */
#define SCAN_US 2000000
#define SCAN_BLIND_US 500000
/*
 * Events of programs that begin or change their names: so many in that time. Later ones
 * are left to the next scan, so that no user can make latd work all the time.
 */
#define BIRTHS 32
#define BIRTHS_US 100000

static struct latd_state now;

static struct {
	struct slo slo;
	uint64_t births_us;		/* no event is read before that time */
	bool scanned;
	bool lost;			/* there are too many; said once */
	bool failing;			/* looks fail; said once */
	int births;			/* events of programs that begin; negative without */
} state = { .births = -1 };

static uint64_t total_memory(void)
{
	char text[4096];
	uint64_t kib = 0;

	if (sys_read("/proc/meminfo", text, sizeof(text)) > 0)
		parse_key(text, "MemTotal", &kib);
	return kib << 10;
}

/* set_groups() - in modes that use them; in other modes latd's are removed */
static int set_groups(const struct config *config)
{
	bool must = config_needs_groups(config);
	int err;

	if (!must && config->mode != MODE_AUTO) {
		group_remove();
		return 0;
	}
	err = group_setup(config, total_memory());
	if (!err)
		return 0;
	if (must) {
		log_error("mode %s needs control groups of version 2 with the memory controller: %s; see latd --check",
			  config_modes[config->mode], strerror(-err));
		return err;
	}
	log_warn("no control groups (%s): the others are stopped by signals, and the protected programs' pages are not kept",
		 strerror(-err));
	return 0;
}

/* set_goal() - the programs of the first user in the list may report, and root's */
static void set_goal(const struct config *config)
{
	unsigned int user;
	int err;

	slo_parse(&state.slo, config->protect.slo);
	if (!state.slo.quantile) {
		report_close();
		return;
	}
	user = (unsigned int)strtoul(config->protect.who.user, NULL, 10);
	err = report_open(REPORT_PATH, user);
	if (err)
		log_warn(REPORT_PATH ": %s: only root may write there, or no user",
			 strerror(-err));
}

/*
 * set_up() - make the changes of a configuration. After another configuration only the differences
 * are changed: the protected programs' memory is kept meanwhile.
 */
static int set_up(const struct config *config)
{
	static const struct scan nobody;

	set_goal(config);
	act_setup(config);
	if (!config->protect.oom)
		oom_tidy(&nobody);
	return set_groups(config);
}

/* tear_down() - in a dry run another latd may have made the changes that are found */
static void tear_down(bool dry_run)
{
	reclaim_stop();
	report_close();
	undo_cont_all();
	if (!dry_run)
		oom_tidy(NULL);
	undo_all();
	if (!dry_run)
		oom_tidy(NULL);
	group_remove();
	measure_close();
}

static void keep_from_oom(const struct candidate *process)
{
	struct proc_id id = { process->stat.pid, process->stat.start };
	int err = oom_protect(id, process->stat.ppid);
	static bool said;

	if (err && err != -ESRCH && !said) {
		said = true;
		log_warn("%s[%d] could not be kept from the OOM killer: %s", process->stat.comm,
			 id.pid, strerror(-err));
	}
}

/* placed() - of a pass: true, if a group of the others holds the process */
static bool placed(enum role role, const struct candidate *process, void *arg)
{
	const struct config *config = arg;

	if (role == ROLE_PROTECTED && config->protect.oom)
		keep_from_oom(process);
	return group_place(role, process);
}

/* born() - a process that began after the last pass */
static bool born(enum role role, const struct candidate *process, void *arg)
{
	const struct config *config = arg;

	if (role == ROLE_PROTECTED && config->protect.oom)
		keep_from_oom(process);
	/* A group of the others has a protected program now: the next pass divides it. */
	if (group_place_new(role, process) && role == ROLE_PROTECTED)
		now.scan_us = 0;
	return false;
}

struct births {
	const struct config *config;
	pid_t pending;			/* to be looked at; 0: none */
};

static void look_pending(struct births *births)
{
	if (births->pending)
		scan_one(births->config, &now.scan, births->pending, born,
			 (void *)births->config);
	births->pending = 0;
}

/* begun() - one look at a process for all of its events in a row */
static void begun(pid_t pid, void *arg)
{
	struct births *births = arg;

	if (births->pending != pid)
		look_pending(births);
	births->pending = pid;
}

/*
 * births() - programs that have begun go into their groups at once. The next scan counts them, and
 * there is one before a victim is chosen.
 */
static void births(const struct config *config)
{
	struct births births = { config, 0 };

	if (!exec_events_read(state.births, BIRTHS, begun, &births))
		state.births_us = sys_now_us() + BIRTHS_US;
	look_pending(&births);
}

static void say_one(const struct foreign *foreign)
{
	static uid_t said[SCAN_FOREIGN];
	static unsigned int n;
	unsigned int i;

	for (i = 0; i < n; i++)
		if (said[i] == foreign->user)
			return;
	if (n == SCAN_FOREIGN)
		return;
	said[n++] = foreign->user;
	log_warn("%s[%d] has a protected name or unit but is of user %u: it is not protected; if it is meant, set user = %u in [protect]",
		 foreign->name, foreign->pid, foreign->user, foreign->user);
}

/* say_foreign() - once for each user, and for some users: they cannot fill the log by it */
static void say_foreign(void)
{
	unsigned int i;

	for (i = 0; i < now.scan.n_foreign; i++)
		say_one(&now.scan.foreign[i]);
}

/* pass() - over all processes; a second one, if the first shows that others are left alone */
static int pass(const struct config *config, bool dry_run)
{
	unsigned int passes = 0;
	int err;

	if (dry_run)
		return scan_all(config, &now.scan, NULL, NULL);
	do {
		group_pass_begin();
		err = scan_all(config, &now.scan, placed, (void *)config);
	} while (group_pass_end() && !passes++);
	return err;
}

static void scan_now(const struct config *config, bool dry_run)
{
	unsigned int before = now.scan.n_protected;
	int err;

	undo_forget_ended();
	err = pass(config, dry_run);
	if (err)
		log_warn("/proc could not be read: %s", strerror(-err));
	if (!err && !dry_run && config->protect.oom)
		oom_tidy(&now.scan);
	now.scan_us = sys_now_us();
	/* Groups may be new. */
	if (!dry_run && now.rule.limit)
		act_limit(now.rule.limit);
	say_foreign();
	if (!now.scan.n_protected && !state.scanned)
		log_info("no process is protected yet");
	else if (now.scan.n_protected != before)
		log_info("%u processes are protected, %u others", now.scan.n_protected,
			 now.scan.n_others);
	state.scanned = true;
	if (now.scan.n_lost && !state.lost)
		log_warn("%u protected processes are too many, and left to themselves",
			 now.scan.n_lost);
	state.lost = now.scan.n_lost;
}

/* reacted() - the pressure that led to this plan began after the look before */
static void reacted(const struct plan *plan)
{
	uint64_t us = sys_now_us() - (now.sample.now_us - now.sample.elapsed_us);
	unsigned int i;

	for (i = 0; i < plan->n; i++)
		if (plan->acts[i].kind == ACT_STOP && us > act_counts.reaction_us)
			act_counts.reaction_us = us;
}

/* goal() - do the protected programs reach it? */
static void goal(struct sample_goal *goal)
{
	report_read(&state.slo, now.sample.now_us);
	goal->latency_us = 0;
	goal->reported = slo_latency(&state.slo, now.sample.now_us, &goal->latency_us);
	goal->late = goal->latency_us > state.slo.goal_us;
}

/* look_once() - measure, decide, act */
static void look_once(const struct config *config, bool dry_run)
{
	struct plan plan;
	unsigned int i;
	int err;

	if (sys_now_us() - now.scan_us >= (state.births < 0 ? SCAN_BLIND_US : SCAN_US))
		scan_now(config, dry_run);
	if (!dry_run && kept_update())
		scan_now(config, dry_run);
	err = measure_system(&now.sample, &now.scan);
	if (err) {
		if (!state.failing)
			log_error("the system's figures could not be read: %s", strerror(-err));
		state.failing = true;
		return;
	}
	state.failing = false;
	now.sample.told = act_told();
	goal(&now.sample.goal);
	rules_decide(&now.rule, config, &now.sample, &plan);
	for (i = 0; i < plan.n; i++) {
		if (plan.acts[i].kind == ACT_STOP || plan.acts[i].kind == ACT_TERM) {
			scan_now(config, dry_run);
			break;
		}
	}
	act_plan(config, &plan, &now.scan, dry_run);
	reacted(&plan);
}

static uint32_t look_and_wait(const struct daemon_run *run)
{
	const struct config *config = run->config;

	look_once(config, run->dry_run);
	return config->interval_ms;
}

static int trigger_fd(const struct daemon_run *run)
{
	(void)run;
	return measure_trigger_fd();
}

static int births_fd(const struct daemon_run *run)
{
	return run->dry_run || sys_now_us() < state.births_us ? -1 : state.births;
}

static uint32_t births_ready(const struct daemon_run *run)
{
	births(run->config);
	if (!now.scan_us)
		return 0;
	/* There may be more: they are read after the pause. */
	return sys_now_us() < state.births_us ? BIRTHS_US / 1000 : UINT32_MAX;
}

static int reload(const struct daemon_run *run, const void *old)
{
	int err = 0;

	(void)old;
	rules_init(&now.rule);
	if (!run->dry_run)
		err = set_up(run->config);
	if (!err)
		scan_now(run->config, run->dry_run);
	return err;
}

static int open_pressure(void)
{
	int err;

	rules_init(&now.rule);
	if (!cgroup_mount()[0])
		log_debug("control groups of version 2 are not mounted");
	err = measure_open();
	if (err)
		log_error("no pressure stall information (%s): the kernel needs CONFIG_PSI, and psi=1 where it is off",
			  strerror(-err));
	return err;
}

/* once() - measure the pressure of one interval, print, and end */
static int once(const struct daemon_run *run)
{
	const struct config *config = run->config;
	int err = open_pressure();

	if (err)
		return err;
	usleep(config->interval_ms * 1000);
	look_once(config, true);
	return state.failing ? -EIO : 0;
}

static void log_name(const char *name, const char *like, pid_t pid)
{
	log_warn("no process is called %s; %s[%d] is running: is it meant?", name, like, pid);
}

static int begin(const struct daemon_run *run)
{
	const struct config *config = run->config;
	int err = open_pressure();

	if (err)
		return err;
	check_names(config, log_name);
	state.births = exec_events_open();
	if (state.births < 0)
		log_info("the kernel does not say which programs begin (%s): all are looked at more often",
			 strerror(-state.births));
	if (!run->dry_run) {
		err = reclaim_start();
		if (!err)
			err = set_up(config);
	}
	if (err)
		return err;
	log_info("mode %s, %u looks a second", config_modes[config->mode],
		 1000 / config->interval_ms);
	scan_now(config, run->dry_run);
	return 0;
}

static void end(const struct daemon_run *run)
{
	tear_down(run->dry_run);
}

/* clean() - in the guardian: without latd a program would wait for a reader of the FIFO */
static void clean(void)
{
	oom_clean();
	unlink(REPORT_PATH);
}

static const struct probe probes[] = {
	{ "pressure", probe_pressure, "",
	  "needed: CONFIG_PSI, and psi=1 where it is off by default", true },
	{ "pressure trigger", check_trigger, "reacts at once", "polling alone, or no privilege",
	  false },
	{ NULL, check_groups, NULL, NULL, true },
	{ "pidfd", check_pidfd, "", "needed: Linux 5.3", true },
	{ "root", probe_root, "",
	  "needed, or CAP_SYS_PTRACE, KILL, SYS_RESOURCE, SYS_NICE, IPC_LOCK, DAC_OVERRIDE",
	  false },
	{ "swap", probe_swap, "", "the others' pages have nowhere to go: swapon", false },
	{ NULL, check_processes, NULL, NULL, false },
	{ .there = NULL },
};

static const struct daemon_event events[] = {
	{ .fd = trigger_fd, .events = POLLPRI },
	{ .fd = births_fd, .events = POLLIN, .ready = births_ready },
	{ .fd = NULL },
};

static const struct daemon latd = {
	.name = "latd",
	.control = "latdctl",
	.who_key = "protect.name=",
	.help = {
		.who = "  -p NAME    protect the programs of this name, too",
		.state = "what has to be undone",
		.once = "look once, print the figures and what would be done",
		.dry_run = "do nothing, but log what would be done",
	},
	.keys = config_keys,
	.config_size = sizeof(struct config),
	.state = &now,
	.verbs = status_verbs,
	.probes = probes,
	.events = events,
	.verify = config_check,
	.once = once,
	.begin = begin,
	.look = look_and_wait,
	.reload = reload,
	.end = end,
	.clean_first = oom_clean,
	.clean = clean,
};

int main(int argc, char **argv)
{
	return daemon_main(&latd, argc, argv);
}
