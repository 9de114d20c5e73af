// SPDX-License-Identifier: GPL-2.0
/*
 * marvind's keys with their defaults, and the choices that a key may leave open.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "config.h"

const char *const config_modes[] = { "auto", "told", NULL };

const struct conf_key config_keys[] = {
	{ CONF_KEY("marvind", "mode", CHOICE, mode), .choices = config_modes, .preset = "auto",
	  .help = "When memory is taken back" },
	CONF_LOG("marvind"),
	{ CONF_KEY("marvind", "register", TEXT, reg), .unit = "file",
	  .help = "The socket where programs register; if empty, /run/marvind.reg" },
	{ CONF_KEY("marvind", "fetch", BOOL, fetch), .preset = "no",
	  .help = "With marvinctl fg the program brings back all that it gave" },

	{ CONF_KEY("auto", "available", PERMILLE, available), .max = 1000, .preset = "10",
	  .help = "Memory is short while less than this is available, never with 0" },
	{ CONF_KEY("auto", "pressure", PERMILLE, pressure), .max = 1000, .preset = "5",
	  .help = "Also while programs wait for memory for this part of the time, never with 0" },
	{ CONF_KEY("auto", "take", BYTES, take), .min = 1 << 20, .max = 1ULL << 40,
	  .preset = "auto",
	  .help = "Most memory that is taken back in a second; auto, or 0, is 64M" },
	{ CONF_KEY("auto", "foreground", BOOL, foreground), .preset = "no",
	  .help = "Take memory from programs in the foreground, too" },

	WHO_KEYS("programs", "never_", never, NULL, NULL, "marvind never touches these"),
	{ .name = NULL },
};

/**
 * config_check() - check the socket and the lists, and choose where a key leaves it open
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
	const char *env = getenv("MARVIN_REGISTER");

	if (!env || !env[0])
		env = "/run/marvind.reg";
	/* If it is too long, "" is refused below. */
	if (!config->reg[0])
		conf_set(config_keys, config, "marvind", "register", env, message);
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
