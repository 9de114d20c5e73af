// SPDX-License-Identifier: GPL-2.0
/*
 * proswapd: swap out what a periodic program has used before it needs the room. It chooses the
 * programs to look at; the mode looks at them and acts: automatic.c or paper.c.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "aside.h"
#include "automatic.h"
#include "cgroup.h"
#include "damon.h"
#include "daemon.h"
#include "log.h"
#include "memory_domains.h"
#include "monitor.h"
#include "paper.h"
#include "programs.h"
#include "status.h"
#include "sys.h"
#include "undo.h"

/*
 * Guesses. Programs that begin are found within that time. Each scan goes through all of /proc, so
 * it takes no more than one of so many parts of the time.
 */
#define SCAN_MS 2000
#define SCAN_PART 256
/*
 * So often page tables are compared while programs swap, where the kernel does not tell of
 * swap-outs. A guess, near the shortest period that counts.
 */
#define PAGEMAP_MS 60
/* --once looks for so long. */
#define ONCE_MS 5000
/* Without swapping, free places are filled within that time. */
#define FILL_MS 3000

static struct {
	uint32_t scan_ms;		/* when the programs were last chosen */
	uint32_t wait_ms;		/* until the next scan */
	uint32_t all_ms;		/* when all processes were last gone through */
	uint64_t traffic;		/* pages that the system had swapped by the last scan */
} scans;

/* set_up() - for a configuration; 0, or a negative errno, which was logged */
static int set_up(const struct daemon_run *run)
{
	const struct config *config = run->config;
	char why[256] = "";
	/* The paper counts each page; a period shows in one of eight as well. */
	unsigned int every = config->mode == MODE_PAPER ? 1 : AUTOMATIC_EVERY;
	int err = monitor_open((int)config->monitor - 1, every, why, sizeof(why));

	if (err) {
		log_error("swap-outs cannot be seen: %s%s%s", strerror(-err), why[0] ? ": " : "",
			  why);
		return err;
	}
	log_info("mode %s; swap-outs are seen by %s%s%s", config_modes[config->mode],
		 monitor_name(monitor_kind()), why[0] ? ": " : "", why);
	err = status_trace_open(config->trace);
	if (err) {
		log_error("%s: %s", config->trace, strerror(-err));
		return err;
	}
	if (config->mode == MODE_PAPER && !run->dry_run)
		return paper_begin(config);
	automatic_begin();
	return 0;
}

static void tear_down(void)
{
	undo_all();
	programs_forget();
	monitor_close();
	status_trace_close();
}

static int begin(const struct daemon_run *run)
{
	int err = aside_start();

	if (err) {
		log_error("no helper could be started: %s", strerror(-err));
		return err;
	}
	if (!cgroup_mount()[0])
		log_debug("control groups of version 2 are not mounted");
	return set_up(run);
}

/* scan_programs() - choose the programs to look at; without swapping less often */
static void scan_programs(const struct config *config, uint32_t now_ms)
{
	bool all = config->mode == MODE_PAPER || config->automatic.trim || !scans.scan_ms;
	uint64_t begun_us = sys_cpu_us();

	if (scans.scan_ms && now_ms - scans.scan_ms < scans.wait_ms)
		return;
	scans.scan_ms = now_ms;
	all |= traffic_since(&scans.traffic) ||
	       (programs_count() < PROGRAMS && now_ms - scans.all_ms >= FILL_MS);
	if (all)
		scans.all_ms = now_ms;
	programs_scan(config, now_ms, all);
	scans.wait_ms = (uint32_t)((sys_cpu_us() - begun_us) * SCAN_PART / 1000);
	if (scans.wait_ms < SCAN_MS)
		scans.wait_ms = SCAN_MS;
}

static uint32_t look(const struct daemon_run *run)
{
	const struct config *config = run->config;
	uint32_t wait_ms;

	scan_programs(config, run->now_ms);
	monitor_poll();
	wait_ms = config->mode == MODE_PAPER ? paper_step(config, run->now_ms, run->dry_run) :
					       automatic_step(config, run->now_ms, run->dry_run);
	status_trace(run->now_ms);
	/* A page that goes out and comes back between two polls is not seen. */
	if (monitor_kind() == MONITOR_PAGEMAP && programs_count() && wait_ms > PAGEMAP_MS &&
	    (config->mode == MODE_PAPER || wait_ms < AUTOMATIC_IDLE_MS))
		wait_ms = PAGEMAP_MS;
	return wait_ms;
}

static int reload(const struct daemon_run *run, const void *old)
{
	(void)old;
	tear_down();
	scans.scan_ms = 0;
	return set_up(run);
}

/* once() - look for some seconds, print a report, and end */
static int once(const struct daemon_run *run)
{
	struct daemon_run now = *run;
	uint64_t begun_us = sys_now_us(), end_us = begun_us + ONCE_MS * 1000;
	int err;

	err = set_up(run);
	while (!err && sys_now_us() < end_us) {
		now.now_ms = run->now_ms + (uint32_t)((sys_now_us() - begun_us) / 1000);
		usleep(look(&now) * 1000);
	}
	return err;
}

static void end(const struct daemon_run *run)
{
	(void)run;
	tear_down();
}

static bool sees_swap_outs(const void *config, char *text)
{
	const struct config *wanted = config;

	(void)text;
	return monitor_check((int)wanted->monitor - 1);
}

static bool has_damon(const void *config, char *text)
{
	(void)config;
	(void)text;
	return damon_there();
}

static bool has_fault_around(const void *config, char *text)
{
	(void)config;
	(void)text;
	return sys_writable("/sys/kernel/debug/fault_around_bytes");
}

static const struct probe probes[] = {
	{ NULL, sees_swap_outs, NULL, NULL, true },
	{ "process_madvise", probe_process_madvise, "pages are moved by it", "needed: Linux 5.10",
	  true },
	{ "DAMON", has_damon, "accesses in mode paper", "accesses are scanned in mode paper",
	  false },
	{ "cgroup v2", probe_cgroup, "",
	  "the memory of the system counts, and no limit of a group", false },
	{ "fault_around_bytes", has_fault_around, "mode paper sets it",
	  "mode paper leaves it: debugfs is not mounted", false },
	{ "root", probe_root, "", "needed", false },
	{ "swap", probe_swap, "", "pages have nowhere to go: swapon", false },
	{ "  a read", probe_swap_read, "", NULL, false },
	{ .there = NULL },
};

static const struct daemon proswapd = {
	.name = "proswapd",
	.control = "proswapctl",
	.who_key = "programs.name=",
	.help = {
		.who = "  -p NAME    look at the programs of this name; without, at all",
		.state = "what has to be undone",
		.once = "look for five seconds, print what was seen",
		.dry_run = "move nothing, but look and log",
	},
	.keys = config_keys,
	.config_size = sizeof(struct config),
	.verbs = status_verbs,
	.probes = probes,
	.verify = config_check,
	.once = once,
	.begin = begin,
	.look = look,
	.reload = reload,
	.end = end,
};

int main(int argc, char **argv)
{
	return daemon_main(&proswapd, argc, argv);
}
