// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "config.h"

const char *const config_modes[] = { "auto", "unused", "watch", NULL };
static const char *const levels[] = { "error", "warning", "info", "debug", NULL };
static const char *const choices[] = { "auto", "yes", "no", NULL };

#define AT(field) offsetof(struct config, field)
#define LIST(section, name, field) \
	{ section, name, CONF_LIST, AT(field), 0, WHO_LIST, NULL, NULL }

const struct conf_key config_keys[] = {
	{ "rectifyd", "mode", CONF_CHOICE, AT(mode), 0, 0, config_modes, NULL },
	{ "rectifyd", "log", CONF_CHOICE, AT(log), 0, 0, levels, NULL },

	{ "apps", "group", CONF_TEXT, AT(group), 0, 256, NULL, NULL },
	{ "apps", "watch", CONF_BOOL, AT(watch), 0, 0, NULL, NULL },
	LIST("apps", "never_name", never.name),
	LIST("apps", "never_cgroup", never.cgroup),
	LIST("apps", "never_unit", never.unit),
	LIST("apps", "never_user", never.user),

	{ "auto", "delay", CONF_UINT, AT(delay_ms), 0, 600000, NULL, " ms" },
	{ "auto", "trial", CONF_BOOL, AT(trial), 0, 0, NULL, NULL },
	{ "auto", "knobs", CONF_BOOL, AT(knobs), 0, 0, NULL, NULL },
	{ "auto", "fetch", CONF_CHOICE, AT(fetch), 0, 0, choices, NULL },
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
	config->delay_ms = 200;
	config->trial = true;
	config->knobs = true;
	strcpy(config->never.name,
	       "init systemd systemd-journal systemd-udevd systemd-logind dbus-daemon sshd dropbear syslogd klogd udevd ubusd procd netifd getty agetty login watchdog guardian latd latdctl proswapd proswapctl rectifyd rectifyctl");
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
	if (config->group[0] && config->group[0] != '/') {
		snprintf(message, CONF_MESSAGE,
			 "[apps] group = %.100s: not a control group, such as /apps",
			 config->group);
		return -EINVAL;
	}
	if (config->watch && !config->group[0]) {
		strcpy(message, "[apps] watch = yes: it needs the group of the apps: group = /apps");
		return -EINVAL;
	}
	return who_check(&config->never, "[apps] never_", message);
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
