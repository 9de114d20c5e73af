// SPDX-License-Identifier: GPL-2.0
/*
 * proswapd: swap out what a periodic program has used before it needs the room.
 */
#include <stdio.h>
#include "check.h"
#include "daemon.h"
#include "log.h"

static const char usage[] =
	"usage: proswapd [-c FILE] [-m MODE] [-p NAME] [-o SECTION.KEY=VALUE] [-f]\n"
	"                [--check] [--once] [--dry-run] [-s SOCKET] [-S STATE] [-h] [-V]\n"
	"  -c FILE    configuration (" DAEMON_CONFIG ")\n"
	"  -m MODE    auto, paper, watch\n"
	"  -p NAME    look at the programs of this name; without, at all\n"
	"  -o S.K=V   as in the configuration, over what it says\n"
	"  -f         stay in the foreground, log to standard error\n"
	"  -s SOCKET  for proswapctl (" DAEMON_SOCKET ")\n"
	"  -S STATE   what has to be undone (" DAEMON_STATE ")\n"
	"  --check    say what this kernel offers and what would be used\n"
	"  --once     look for five seconds, print what was seen\n"
	"  --dry-run  move nothing, but look and log\n";

const struct frame_names daemon_names = {
	.name = "proswapd",
	.control = "proswapctl",
	.usage = usage,
	.config = DAEMON_CONFIG,
	.socket = DAEMON_SOCKET,
	.state = DAEMON_STATE,
	.mode_key = "proswapd.mode=",
	.who_key = "programs.name=",
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
		fprintf(stderr, "proswapd: %s\n", message);
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
	if (log_open("proswapd", !options.foreground && !options.once, config_level(&config)))
		fprintf(stderr, "proswapd: no /dev/log: in the background nothing is logged; see -f\n");
	return daemon_run(&options, &config) ? 1 : 0;
}
