// SPDX-License-Identifier: GPL-2.0
/*
 * rectifyd: the app that comes to the front finds its files in memory.
 */
#include <stdio.h>
#include "check.h"
#include "daemon.h"
#include "log.h"

static const char usage[] =
	"usage: rectifyd [-c FILE] [-m MODE] [-p GROUP] [-o SECTION.KEY=VALUE] [-f]\n"
	"                [--check] [--once] [--dry-run] [-s SOCKET] [-S STATE] [-h] [-V]\n"
	"  -c FILE    configuration (" DAEMON_CONFIG ")\n"
	"  -m MODE    auto, unused, watch\n"
	"  -p GROUP   control group of which each child is an app, such as /apps\n"
	"  -o S.K=V   as in the configuration, over what it says\n"
	"  -f         stay in the foreground, log to standard error\n"
	"  -s SOCKET  for rectifyctl (" DAEMON_SOCKET ")\n"
	"  -S STATE   what has to be undone (" DAEMON_STATE ")\n"
	"  --check    say what this kernel offers and what would be used\n"
	"  --once     print the state, end\n"
	"  --dry-run  move nothing, but look and log\n";

static const char untold[] =
	"rectifyd: no sockets (CONFIG_UNIX) for rectifyctl: use cgroup v2 and apps.watch = yes\n";

const struct frame_names daemon_names = {
	.name = "rectifyd",
	.control = "rectifyctl",
	.usage = usage,
	.config = DAEMON_CONFIG,
	.socket = DAEMON_SOCKET,
	.state = DAEMON_STATE,
	.mode_key = "rectifyd.mode=",
	.who_key = "apps.group=",
};

int main(int argc, char **argv)
{
	static struct frame_options options;
	static struct config config;
	char message[CONF_MESSAGE];
	int err = frame_parse(&daemon_names, argc, argv, &options);

	if (err)
		return err - 1;
	if (daemon_configure(&options, &config, message)) {
		fprintf(stderr, "rectifyd: %s\n", message);
		return 2;
	}
	if (options.check) {
		if (!conf_can_load())
			printf("%-24s %-4s %s\n", "configuration file", "no",
			       "built without inih: use -o");
		return check_print(&config) ? 1 : 0;
	}
	err = frame_refuse(&daemon_names, &options);
	if (err)
		return err;
	if (!options.once && !check_told(&config)) {
		fputs(untold, stderr);
		return 1;
	}
	if (log_open("rectifyd", !options.foreground && !options.once, config_level(&config)))
		fprintf(stderr, "rectifyd: no /dev/log: in the background nothing is logged; see -f\n");
	return daemon_run(&options, &config) ? 1 : 0;
}
