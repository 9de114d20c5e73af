// SPDX-License-Identifier: GPL-2.0
/*
 * latd: keep a latency-critical program fast while others fill the memory.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "check.h"
#include "daemon.h"
#include "log.h"
#include "sys.h"
#include "version.h"

#define SETTINGS_MAX 64

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

enum { OPT_CHECK = 256, OPT_ONCE, OPT_DRY_RUN };

static const struct option long_options[] = {
	{ "check", no_argument, NULL, OPT_CHECK },
	{ "once", no_argument, NULL, OPT_ONCE },
	{ "dry-run", no_argument, NULL, OPT_DRY_RUN },
	{ "config", required_argument, NULL, 'c' },
	{ "mode", required_argument, NULL, 'm' },
	{ "protect", required_argument, NULL, 'p' },
	{ "option", required_argument, NULL, 'o' },
	{ "foreground", no_argument, NULL, 'f' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ NULL, 0, NULL, 0 },
};

static const char *settings[SETTINGS_MAX];

static int add_setting(struct daemon_options *options, const char *key, const char *value)
{
	char *text = NULL;

	if (options->n_settings == SETTINGS_MAX || asprintf(&text, "%s%s", key, value) < 0)
		return -ENOMEM;
	settings[options->n_settings++] = text;
	return 0;
}

/* parse_options() - 0, or an exit status and one more */
static int parse_options(int argc, char **argv, struct daemon_options *options, bool *check)
{
	int c, err = 0;

	while (!err && (c = getopt_long(argc, argv, "c:m:p:o:s:S:fhV", long_options, NULL)) != -1) {
		switch (c) {
		case 'c':
			options->config_path = optarg;
			break;
		case 'm':
			err = add_setting(options, "latd.mode=", optarg);
			break;
		case 'p':
			err = add_setting(options, "protect.name=", optarg);
			break;
		case 'o':
			err = add_setting(options, "", optarg);
			break;
		case 's':
			options->socket_path = optarg;
			break;
		case 'S':
			options->state_path = optarg;
			break;
		case 'f':
			options->foreground = true;
			break;
		case OPT_CHECK:
			*check = true;
			break;
		case OPT_ONCE:
			options->once = true;
			break;
		case OPT_DRY_RUN:
			options->dry_run = true;
			break;
		case 'h':
			fputs(usage, stdout);
			return 1;
		case 'V':
			printf("latd %s\n", VERSION);
			return 1;
		default:
			return 3;
		}
	}
	if (err) {
		fprintf(stderr, "latd: too many options\n");
		return 3;
	}
	if (optind < argc) {
		fprintf(stderr, "latd: \"%s\": latd takes options only; see latd -h\n",
			argv[optind]);
		return 3;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct daemon_options options = {
		.socket_path = DAEMON_SOCKET,
		.state_path = DAEMON_STATE,
		.settings = settings,
	};
	static struct config config;
	char message[CONF_MESSAGE];
	bool check = false;
	int err = parse_options(argc, argv, &options, &check);

	if (err)
		return err - 1;
	err = daemon_configure(&options, &config, message);
	/* What the kernel offers does not depend on who is protected. */
	if (check && !conf_can_load())
		printf("%-24s %-4s %s\n", "configuration file", "no", "built without inih: use -o");
	if (err && !(check && err == -EDESTADDRREQ)) {
		fprintf(stderr, "latd: %s\n", message);
		return 2;
	}
	if (check) {
		if (err)
			config_default(&config);
		return check_print(&config) ? 1 : 0;
	}
	if (!options.foreground && !options.once && (options.socket_path[0] != '/' ||
						     options.state_path[0] != '/')) {
		fprintf(stderr, "latd: in the background -s and -S take a path that begins with /\n");
		return 2;
	}
	if (geteuid() != 0 && !options.once) {
		fprintf(stderr, "latd: it has to be started by root\n");
		return 1;
	}
	if (log_open("latd", !options.foreground && !options.once, config_level(&config)))
		fprintf(stderr, "latd: no /dev/log: in the background nothing is logged; see -f\n");
	return daemon_run(&options, &config) ? 1 : 0;
}
