// SPDX-License-Identifier: GPL-2.0
/*
 * rectifyd: the app that comes to the front finds its files in memory. It is told of switches by
 * rectifyctl, or it sees them in the apps' control groups; engine.c has the work that follows.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include "aside.h"
#include "cgroup.h"
#include "daemon.h"
#include "engine.h"
#include "log.h"
#include "status.h"
#include "sys.h"
#include "undo.h"
#include "watch.h"

/* learns_of_switches() - a kernel may have no sockets for rectifyctl */
static bool learns_of_switches(const void *config, char *text)
{
	const struct config *wanted = config;

	return probe_sockets(config, text) || (wanted->watch && cgroup_mount()[0]);
}

static bool has_vmstat(const void *config, char *text)
{
	(void)config;
	(void)text;
	return sys_exists("/proc/vmstat");
}

static const char *refuse(const void *config)
{
	return learns_of_switches(config, NULL) ? NULL :
	       "no sockets (CONFIG_UNIX) for rectifyctl: use cgroup v2 and apps.watch = yes";
}

static int begin(const struct daemon_run *run)
{
	const struct config *config = run->config;
	int err;

	if (!cgroup_mount()[0] && config->group[0])
		log_warn("control groups of version 2 are not mounted: apps are known by their names");
	err = aside_start();
	if (err) {
		log_error("no helper could be started: %s", strerror(-err));
		return err;
	}
	log_info("mode %s", config_modes[config->mode]);
	engine_begin(run->now_ms);
	if (config->watch)
		watch_open();
	return 0;
}

/* switch_if_watched() - has another app come to the front? */
static void switch_if_watched(const struct daemon_run *run)
{
	struct watch watch;
	const char *name;

	if (watch_look(run->config, &watch)) {
		name = watch_front(&watch);
		if (name)
			engine_switch(run->config, name, true, run->now_ms, run->dry_run);
	}
}

static uint32_t look(const struct daemon_run *run)
{
	const struct config *config = run->config;
	uint32_t wait_ms, watch_ms = config->watch ? watch_wait_ms(run->now_ms) : UINT32_MAX;

	if (!watch_ms) {
		switch_if_watched(run);
		watch_ms = watch_wait_ms(run->now_ms);
	}
	wait_ms = engine_step(config, run->now_ms);
	return watch_ms < wait_ms ? watch_ms : wait_ms;
}

static int changes_fd(const struct daemon_run *run)
{
	const struct config *config = run->config;

	return config->watch ? watch_fd() : -1;
}

static const struct daemon_event events[] = {
	{ changes_fd, POLLIN, NULL },
	{ .fd = NULL },
};

static int reload(const struct daemon_run *run, const void *old)
{
	const struct config *config = run->config;

	(void)old;
	if (config->watch)
		watch_open();
	engine_reload(config, run->dry_run);
	return 0;
}

static int once(const struct daemon_run *run)
{
	engine_begin(run->now_ms);
	return 0;
}

static void end(const struct daemon_run *run)
{
	(void)run;
	undo_all();
	app_forget_all();
}

static const struct probe probes[] = {
	{ "page tables", probe_pagemap, "what comes back is needed",
	  "needed: CONFIG_PROC_PAGE_MONITOR", true },
	{ "process_madvise", probe_process_madvise, "pages are moved by it", "needed: Linux 5.10",
	  true },
	{ "cgroup v2", probe_cgroup, "", "apps are known by their names only", false },
	{ "sockets", probe_sockets, "rectifyctl tells of switches",
	  "needed: CONFIG_UNIX, or cgroup v2 and apps.watch = yes", false },
	{ NULL, learns_of_switches, NULL, NULL, true },
	{ "refaults", has_vmstat, "files and swap are weighed",
	  "needed: CONFIG_VM_EVENT_COUNTERS", false },
	{ "root", probe_root, "", "needed", false },
	{ "reads of files", probe_file_read, "", NULL, false },
	{ "swap", probe_swap, "", "pages have nowhere to go: swapon", false },
	{ "  a read", probe_swap_read, "", NULL, false },
	{ .there = NULL },
};

static const struct daemon rectifyd = {
	.name = "rectifyd",
	.control = "rectifyctl",
	.who_key = "apps.group=",
	.help = {
		.who = "  -p GROUP   control group of which each child is an app, such as /apps",
		.state = "what has to be undone",
		.once = "print the state, end",
		.dry_run = "move nothing, but look and log",
	},
	.keys = config_keys,
	.config_size = sizeof(struct config),
	.verbs = status_verbs,
	.probes = probes,
	.events = events,
	.verify = config_check,
	.refuse = refuse,
	.once = once,
	.begin = begin,
	.look = look,
	.reload = reload,
	.end = end,
};

int main(int argc, char **argv)
{
	return daemon_main(&rectifyd, argc, argv);
}
