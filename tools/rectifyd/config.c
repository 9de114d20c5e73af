// SPDX-License-Identifier: GPL-2.0
/*
 * rectifyd's keys with their defaults, and the checks that need more than one key.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "config.h"

const char *const config_modes[] = { "auto", "unused", "watch", NULL };

const struct conf_key config_keys[] = {
	{ CONF_KEY("rectifyd", "mode", CHOICE, mode), .choices = config_modes, .preset = "auto",
	  .help = "The policy for a switch" },
	CONF_LOG("rectifyd"),

	{ CONF_KEY("apps", "group", TEXT, group), .unit = "group",
	  .help = "Control group of version 2, such as /apps; each child is an app" },
	{ CONF_KEY("apps", "watch", BOOL, watch), .preset = "no",
	  .help = "See which of these groups is in front, without calls of rectifyctl" },
	WHO_KEYS("apps", "never_", never, WHO_SYSTEM, NULL, "rectifyd never touches these"),

	{ CONF_KEY("auto", "delay", UINT, delay_ms), .max = 600000, .unit = "ms", .preset = "200",
	  .help = "Time from the back to the first page that goes out" },
	{ CONF_KEY("auto", "fetch", CHOICE, fetch), .choices = conf_choices, .preset = "auto",
	  .help = "Bring back what an app needs at a switch, with auto if the swap is slow" },
	{ CONF_KEY("auto", "knobs", BOOL, knobs), .preset = "yes",
	  .help = "Raise vm.swappiness to 150 where files are read again (mode auto)" },
	{ CONF_KEY("auto", "trial", BOOL, trial), .preset = "yes",
	  .help = "Pages go out, and vm.swappiness is raised, only while that costs apps less" },
	{ .name = NULL },
};

/**
 * config_check() - check the lists and the group
 * @values: struct config; names of users become numbers
 * @message: CONF_MESSAGE bytes for the reason of an error
 *
 * Context: may allocate; when the configuration is read.
 *
 * Return: 0, or a negative errno.
 */
int config_check(void *values, char *message)
{
	struct config *config = values;

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
