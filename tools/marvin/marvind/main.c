// SPDX-License-Identifier: GPL-2.0
/*
 * marvind: takes back memory that programs with libmarvin do not need.
 */
#include <stdio.h>
#include <unistd.h>
#include "check.h"
#include "daemon.h"
#include "log.h"

static const char usage[] =
	"usage: marvind [-c FILE] [-m MODE] [-p NAME] [-o SECTION.KEY=VALUE] [-f]\n"
	"               [--check] [--once] [--dry-run] [-s SOCKET] [-S STATE] [-h] [-V]\n"
	"  -c FILE    configuration (" DAEMON_CONFIG ")\n"
	"  -m MODE    auto, told\n"
	"  -p NAME    never touch programs of this name; may be given again\n"
	"  -o S.K=V   as in the configuration, over what it says\n"
	"  -f         stay in the foreground, log to standard error\n"
	"  -s SOCKET  for marvinctl (" DAEMON_SOCKET ")\n"
	"  -S STATE   what keeps a second marvind away (" DAEMON_STATE ")\n"
	"  --check    say what this kernel offers and what would be used\n"
	"  --once     print what would be taken back now, end\n"
	"  --dry-run  take nothing back, but look and log\n";

const struct frame_names daemon_names = {
	.name = "marvind",
	.control = "marvinctl",
	.usage = usage,
	.config = DAEMON_CONFIG,
	.socket = DAEMON_SOCKET,
	.state = DAEMON_STATE,
	.mode_key = "marvind.mode=",
	.who_key = "programs.never_name=",
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
		fprintf(stderr, "marvind: %s\n", message);
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
	if (log_open("marvind", !options.foreground && !options.once, config_level(&config)))
		fprintf(stderr, "%s: no /dev/log: in the background nothing is logged; see -f\n",
			daemon_names.name);
	return daemon_run(&options, &config) ? 1 : 0;
}
