// SPDX-License-Identifier: GPL-2.0

#include <string.h>
#include "config.h"

const char *const config_modes[] = { "auto", "paper", "watch", NULL };
static const char *const levels[] = { "error", "warning", "info", "debug", NULL };
static const char *const monitors[] = { "best", "bpf", "kprobe", "pagemap", NULL };
static const char *const accesses[] = { "best", "damon", "scan", NULL };
static const char *const choices[] = { "auto", "yes", "no", NULL };

#define AT(field) offsetof(struct config, field)
#define LIST(section, name, field) \
	{ section, name, CONF_LIST, AT(field), 0, WHO_LIST, NULL, NULL }

const struct conf_key config_keys[] = {
	{ "proswapd", "mode", CONF_CHOICE, AT(mode), 0, 0, config_modes, NULL },
	{ "proswapd", "log", CONF_CHOICE, AT(log), 0, 0, levels, NULL },
	{ "proswapd", "monitor", CONF_CHOICE, AT(monitor), 0, 0, monitors, NULL },
	{ "proswapd", "trace", CONF_TEXT, AT(trace), 0, 256, NULL, NULL },

	LIST("programs", "name", touch.name),
	LIST("programs", "cgroup", touch.cgroup),
	LIST("programs", "unit", touch.unit),
	LIST("programs", "user", touch.user),
	LIST("programs", "never_name", never.name),
	LIST("programs", "never_cgroup", never.cgroup),
	LIST("programs", "never_unit", never.unit),
	LIST("programs", "never_user", never.user),
	{ "programs", "least", CONF_UINT, AT(least_mib), 1, 1024, NULL, " MiB" },

	{ "paper", "alpha", CONF_PERMILLE, AT(paper.alpha), 10, 10000, NULL, NULL },
	{ "paper", "gamma", CONF_UINT, AT(paper.gamma_ms), 50, 600000, NULL, " ms" },
	{ "paper", "drop", CONF_UINT, AT(paper.drop_ms), 100, 3600000, NULL, " ms" },
	{ "paper", "access", CONF_CHOICE, AT(access), 0, 0, accesses, NULL },

	{ "auto", "fetch", CONF_CHOICE, AT(automatic.fetch), 0, 0, choices, NULL },
	{ "auto", "trim", CONF_BOOL, AT(automatic.trim), 0, 0, NULL, NULL },
	{ "auto", "knobs", CONF_BOOL, AT(automatic.knobs), 0, 0, NULL, NULL },
	{ NULL, NULL, 0, 0, 0, 0, NULL, NULL },
};

/**
 * config_default() - what holds without a file
 * @config: filled in
 */
void config_default(struct config *config)
{
	memset(config, 0, sizeof(*config));
	config->mode = MODE_AUTO;
	config->log = 2;
	config->least_mib = 4;
	strcpy(config->never.name,
	       "init systemd systemd-journal systemd-udevd systemd-logind dbus-daemon sshd dropbear syslogd klogd udevd ubusd procd netifd getty agetty login watchdog latd latdctl guardian proswapd proswapctl");
	config->paper.alpha = 1000;
	config->paper.gamma_ms = 5000;
	config->paper.drop_ms = 5000;
}

/**
 * config_check() - is it possible together?
 * @config: all of it; names of users become numbers
 * @message: CONF_MESSAGE bytes for what is wrong
 *
 * Context: may allocate; when the configuration is read.
 *
 * Return: 0, or a negative errno.
 */
int config_check(struct config *config, char *message)
{
	int err = who_check(&config->touch, "[programs] ", message);

	return err ? err : who_check(&config->never, "[programs] never_", message);
}

/**
 * config_level() - the log level
 * @config: all of it
 *
 * Return: as of syslog(3).
 */
int config_level(const struct config *config)
{
	static const int numbers[] = { 3, 4, 6, 7 };

	return numbers[config->log];
}
