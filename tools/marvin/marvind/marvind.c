// SPDX-License-Identifier: GPL-2.0
/*
 * marvind: takes back memory that programs with libmarvin do not need. Programs register at a
 * socket (programs.c, messages.c); reclaim.c decides when each program gives how much;
 * status.c answers marvinctl. This file describes the daemon to its frame, common/daemon.c.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include "aside.h"
#include "daemon.h"
#include "log.h"
#include "reclaim.h"
#include "status.h"

static int begin(const struct daemon_run *run)
{
	const struct config *config = run->config;
	int err = aside_start();

	/* The helper is the first user of sockets. */
	if (err == -EAFNOSUPPORT || err == -ENOSYS)
		log_error("no program can register: this kernel has no sockets (CONFIG_UNIX)");
	else if (err)
		log_error("no helper could be started: %s", strerror(-err));
	else
		err = reclaim_begin(config);
	if (!err)
		log_info("mode %s, programs register at %s", config_modes[config->mode],
			 config->reg);
	return err;
}

static int register_fd(const struct daemon_run *run)
{
	(void)run;
	return programs_fd();
}

static uint32_t look(const struct daemon_run *run)
{
	reclaim_serve(run);
	return reclaim_step(run);
}

static int reload(const struct daemon_run *run, const void *old)
{
	const struct config *before = old;
	struct config *config = run->config;

	if (strcmp(config->reg, before->reg)) {
		log_warn("marvind.register stays %s until the next start", before->reg);
		memcpy(config->reg, before->reg, sizeof(config->reg));
	}
	programs_never(&config->never);
	return 0;
}

static const struct probe probes[] = {
	{ "sockets", probe_sockets, "programs register by one", "needed: CONFIG_UNIX", true },
	{ "process_madvise", probe_process_madvise, "takes memory of stopped programs",
	  "stopped programs keep theirs: Linux 5.10", false },
	{ "pressure", probe_pressure, "tells when memory is short",
	  "only auto.available counts: CONFIG_PSI, psi=1", false },
	{ "root", probe_root, "", "needed", false },
	{ .there = NULL },
};

static uint32_t serve(const struct daemon_run *run)
{
	reclaim_serve(run);
	return UINT32_MAX;
}

static const struct daemon_event events[] = {
	{ .fd = register_fd, .events = POLLIN, .ready = serve },
	{ .fd = NULL },
};

static const struct daemon marvind = {
	.name = "marvind",
	.control = "marvinctl",
	.who_key = "programs.never_name=",
	.help = {
		.who = "  -p NAME    never touch programs of this name; may be given again",
		.state = "what keeps a second marvind away",
		.once = "print what would be taken back now, end",
		.dry_run = "take nothing back, but look and log",
	},
	.keys = config_keys,
	.config_size = sizeof(struct config),
	.verbs = status_verbs,
	.probes = probes,
	.events = events,
	.verify = config_check,
	.once = reclaim_once,
	.begin = begin,
	.look = look,
	.reload = reload,
	.end = reclaim_end,
};

int main(int argc, char **argv)
{
	return daemon_main(&marvind, argc, argv);
}
