// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "config.h"

const char *const config_modes[] = { "auto", "told", NULL };
static const char *const levels[] = { "error", "warning", "info", "debug", NULL };

#define AT(field) offsetof(struct config, field)
#define LIST(section, name, field) \
	{ section, name, CONF_LIST, AT(field), 0, WHO_LIST, NULL, NULL }

const struct conf_key config_keys[] = {
	{ "marvind", "mode", CONF_CHOICE, AT(mode), 0, 0, config_modes, NULL },
	{ "marvind", "log", CONF_CHOICE, AT(log), 0, 0, levels, NULL },
	{ "marvind", "register", CONF_TEXT, AT(reg), 0, 108, NULL, NULL },
	{ "marvind", "fetch", CONF_BOOL, AT(fetch), 0, 0, NULL, NULL },

	{ "auto", "available", CONF_PERMILLE, AT(available), 0, 1000, NULL, NULL },
	{ "auto", "pressure", CONF_PERMILLE, AT(pressure), 0, 1000, NULL, NULL },
	{ "auto", "take", CONF_BYTES, AT(take), 1 << 20, 1ULL << 40, NULL, NULL },
	{ "auto", "foreground", CONF_BOOL, AT(foreground), 0, 0, NULL, NULL },

	LIST("programs", "never_name", never.name),
	LIST("programs", "never_cgroup", never.cgroup),
	LIST("programs", "never_unit", never.unit),
	LIST("programs", "never_user", never.user),
	{ NULL, NULL, 0, 0, 0, 0, NULL, NULL },
};

/**
 * config_default() - what holds without a file
 * @config: filled in
 */
void config_default(struct config *config)
{
	const char *reg = getenv("MARVIN_REGISTER");

	memset(config, 0, sizeof(*config));
	config->mode = MODE_AUTO;
	config->log = 2;
	if (!reg || !reg[0])
		reg = "/run/marvind.reg";
	/* Do not cut a name that is too long: config_check() refuses "". */
	if (strlen(reg) < sizeof(config->reg))
		strcpy(config->reg, reg);
	config->available = 100;
	config->pressure = 50;
}

/**
 * config_check() - is it possible together?
 * @config: all of it; what is "auto" and names of users become numbers
 * @message: CONF_MESSAGE bytes for what is wrong
 *
 * Context: may allocate; when the configuration is read.
 *
 * Return: 0, or a negative errno.
 */
int config_check(struct config *config, char *message)
{
	if (config->reg[0] != '/') {
		snprintf(message, CONF_MESSAGE,
			 "[marvind] register = %.107s: not a path that begins with / and has at most 107 characters",
			 config->reg);
		return -EINVAL;
	}
	if (!config->take)
		config->take = 64 << 20;
	return who_check(&config->never, "[programs] never_", message);
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
