// SPDX-License-Identifier: GPL-2.0
/*
 * latd: keep a latency-critical program fast while others fill the memory.
 */
#include <errno.h>
#include <stdio.h>
#include "check.h"
#include "daemon.h"
#include "log.h"

static const char usage[] =
	"usage: latd [-c FILE] [-m MODE] [-p NAME] [-o SECTION.KEY=VALUE] [-f]\n"
	"            [--check] [--once] [--dry-run] [-s SOCKET] [-S STATE] [-h] [-V]\n"
	"  -c FILE    configuration (" DAEMON_CONFIG ")\n"
	"  -m MODE    auto, sysctl, signal, freeze, cgroup, grow\n"
	"  -p NAME    protect the programs of this name, too\n"
	"  -o S.K=V   as in the configuration, over what it says\n"
	"  -f         stay in the foreground, log to standard error\n"
	"  -s SOCKET  for latdctl (" DAEMON_SOCKET ")\n"
	"  -S STATE   what has to be undone (" DAEMON_STATE ")\n"
	"  --check    say what this kernel offers and what would be used\n"
	"  --once     look once, print the figures and what would be done\n"
	"  --dry-run  do nothing, but log what would be done\n";

const struct frame_names daemon_names = {
	.name = "latd",
	.control = "latdctl",
	.usage = usage,
	.config = DAEMON_CONFIG,
	.socket = DAEMON_SOCKET,
	.state = DAEMON_STATE,
	.mode_key = "latd.mode=",
	.who_key = "protect.name=",
};

static void log_name(const char *name, const char *like, pid_t pid)
{
	log_warn("no process is called %s; %s[%d] is running: is it meant?", name, like, pid);
}

int main(int argc, char **argv)
{
	static struct frame_options options;
	static struct config config;
	char message[CONF_MESSAGE];
	int err = frame_parse(&daemon_names, argc, argv, &options);

	if (err)
		return err - 1;
	err = daemon_configure(&options, &config, message);
	if (options.check && !conf_can_load())
		printf("%-24s %-4s %s\n", "configuration file", "no", "built without inih: use -o");
	/* What the kernel offers does not depend on who is protected. */
	if (err && !(options.check && err == -EDESTADDRREQ)) {
		fprintf(stderr, "latd: %s\n", message);
		return 2;
	}
	if (options.check) {
		if (err) {
			printf("%-24s %-4s %s\n", "configuration", "no", message);
			config_default(&config);
		}
		return check_print(&config) ? 1 : 0;
	}
	err = frame_refuse(&daemon_names, &options);
	if (err)
		return err;
	if (log_open("latd", !options.foreground && !options.once, config_level(&config)))
		fprintf(stderr, "latd: no /dev/log: in the background nothing is logged; see -f\n");
	check_names(&config, log_name);
	return daemon_run(&options, &config) ? 1 : 0;
}
