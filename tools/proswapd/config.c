// SPDX-License-Identifier: GPL-2.0
/*
 * proswapd's keys with their defaults.
 */
#include <errno.h>
#include <stdio.h>
#include "config.h"

const char *const config_modes[] = { "auto", "paper", "watch", NULL };
static const char *const monitors[] = { "best", "bpf", "pagemap", NULL };
static const char *const accesses[] = { "best", "damon", "scan", NULL };

const struct conf_key config_keys[] = {
	{ CONF_KEY("proswapd", "mode", CHOICE, mode), .choices = config_modes, .preset = "auto",
	  .help = "The policy" },
	{ CONF_KEY("proswapd", "monitor", CHOICE, monitor), .choices = monitors, .preset = "best",
	  .help = "How swap-outs are seen" },
	CONF_LOG("proswapd"),
	{ CONF_KEY("proswapd", "trace", TEXT, trace), .unit = "file",
	  .help = "File for a line of CSV for each program and look, such as /run/proswapd.csv" },

	WHO_KEYS("programs", "", touch, NULL, NULL,
		 "proswapd looks at these; if all four lists are empty, at all programs"),
	WHO_KEYS("programs", "never_", never, WHO_SYSTEM, NULL,
		 "proswapd never looks at these"),
	{ CONF_KEY("programs", "least", UINT, least_mib), .min = 1, .max = 1024, .unit = "MiB",
	  .preset = "4",
	  .help = "Least size of programs that are looked at, in memory and in swap together" },

	{ CONF_KEY("paper", "alpha", PERMILLE, paper.alpha), .min = 10, .max = 10000,
	  .preset = "100", .help = "Part of its length for which a window is used" },
	{ CONF_KEY("paper", "gamma", UINT, paper.gamma_ms), .min = 50, .max = 600000, .unit = "ms",
	  .preset = "5000", .help = "The length of a window while a program is not periodic" },
	{ CONF_KEY("paper", "drop", UINT, paper.drop_ms), .min = 100, .max = 3600000, .unit = "ms",
	  .preset = "5000", .help = "Least time between two drops of the page cache" },
	{ CONF_KEY("paper", "access", CHOICE, access), .choices = accesses, .preset = "best",
	  .help = "How accesses to pages are seen" },

	{ CONF_KEY("auto", "fetch", CHOICE, automatic.fetch), .choices = conf_choices,
	  .preset = "auto",
	  .help = "Bring pages back before they are needed, with auto where the swap is slow" },
	{ CONF_KEY("auto", "trim", BOOL, automatic.trim), .preset = "no",
	  .help = "Make periodic programs smaller, also where there is room" },
	{ CONF_KEY("auto", "knobs", BOOL, automatic.knobs), .preset = "no",
	  .help = "Set vm.page-cluster to 0 while a program is helped, and while that is tried" },
	{ .name = NULL },
};

/**
 * config_check() - check the lists, and the path of the trace
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
	int err = who_check(&config->touch, "[programs] ", message);

	if (config->trace[0] && config->trace[0] != '/') {
		snprintf(message, CONF_MESSAGE, "[proswapd] trace = %.200s: not a path from / on",
			 config->trace);
		return -EINVAL;
	}
	return err ? err : who_check(&config->never, "[programs] never_", message);
}
