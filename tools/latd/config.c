// SPDX-License-Identifier: GPL-2.0
/*
 * latd's keys with their defaults, and the checks that need more than one key.
 */
#include <errno.h>
#include <stdio.h>
#include "config.h"
#include "latency.h"

/* Permille of the memory; the others have the rest. */
#define WITHOUT_OTHERS 980

const char *const config_modes[] = { "auto", "sysctl", "signal", "freeze", "cgroup", "grow", NULL };
static const char *const rules[] = { "never", "memory", "swap", "both", NULL };

/* The system's bus and its kin do not run as root. */
#define SYSTEM_UNITS \
	"dbus.service dbus-broker.service polkit.service systemd-networkd.service " \
	"systemd-resolved.service"

const struct conf_key config_keys[] = {
	{ CONF_KEY("latd", "mode", CHOICE, mode), .choices = config_modes, .preset = "auto",
	  .help = "The policy for the others" },
	{ CONF_KEY("latd", "interval", UINT, interval_ms), .min = 10, .max = 1000, .unit = "ms",
	  .preset = "100", .help = "Time from one look to the next" },
	CONF_LOG("latd"),

	WHO_KEYS("protect", "", protect.who, NULL, NULL,
		 "Protected programs, 64 processes at most, if no -p is given"),
	{ CONF_KEY("protect", "memory", AMOUNT, protect.memory), .max = 950, .preset = "70",
	  .help = "Memory that is kept for them at most (modes auto and freeze with groups)" },
	{ CONF_KEY("protect", "arrange", BOOL, protect.arrange), .preset = "yes",
	  .help = "Move processes to the control groups /latd.protected and /latd.others" },
	{ CONF_KEY("protect", "fetch", BOOL, protect.fetch), .preset = "yes",
	  .help = "Bring their pages back from swap (mode auto)" },
	{ CONF_KEY("protect", "oom", BOOL, protect.oom), .preset = "yes",
	  .help = "Keep them from the kernel's OOM killer" },
	{ CONF_KEY("protect", "children", BOOL, protect.children), .preset = "yes",
	  .help = "Protect their child processes, too" },
	{ CONF_KEY("protect", "slo", TEXT, protect.slo), .unit = "quantile time",
	  .help = "A goal for their latency, such as p99 20ms (mode auto)" },
	{ CONF_KEY("protect", "cpu_weight", UINT, protect.cpu_weight), .max = 10000,
	  .preset = "1000",
	  .help = "cpu.weight of their groups; 0 leaves the processor alone (mode auto)" },

	WHO_KEYS("others", "touch_", others.touch, NULL, NULL,
		 "Programs that latd may touch; if all four lists are empty, all unprotected ones"),
	WHO_KEYS("others", "never_", others.never, WHO_SYSTEM, SYSTEM_UNITS,
		 "Programs that latd never touches"),
	{ CONF_KEY("others", "limit", PERMILLE, others.limit), .min = 10, .max = 1000,
	  .preset = "62.5", .help = "Limit of their memory (modes cgroup and grow)" },
	{ CONF_KEY("others", "reserve", PERMILLE, others.reserve), .min = 5, .max = 500,
	  .preset = "4", .help = "Memory that is kept free (modes auto, freeze and grow)" },
	{ CONF_KEY("others", "stop_max", UINT, others.stop_max_ms), .min = 100, .max = 3600000,
	  .unit = "ms", .preset = "10000", .help = "Longest time for which a program is stopped" },
	{ CONF_KEY("others", "run_min", PERMILLE, others.run_min), .min = 10, .max = 1000,
	  .preset = "25", .help = "Least part of each second that they run (mode auto)" },
	{ CONF_KEY("others", "cpu_weight", UINT, others.cpu_weight), .min = 1, .max = 10000,
	  .preset = "10", .help = "cpu.weight of all their groups together (mode auto)" },

	{ CONF_KEY("knobs", "swappiness", UINT, knobs.swappiness), .max = 201, .preset = "201",
	  .help = "vm.swappiness; 201 is 90 in modes sysctl, signal, cgroup, else unchanged" },
	{ CONF_KEY("knobs", "watermark_scale_factor", UINT, knobs.watermark), .max = 1000,
	  .preset = "100", .help = "vm.watermark_scale_factor; 0 leaves it alone (mode auto)" },

	{ CONF_KEY("kill", "rule", CHOICE, kill.rule), .choices = rules, .preset = "both",
	  .help = "Shortage that ends one of the others" },
	{ CONF_KEY("kill", "memory", PERMILLE, kill.memory), .max = 500, .preset = "2",
	  .help = "Memory is short when at most this much is available" },
	{ CONF_KEY("kill", "swap", PERMILLE, kill.swap), .max = 500, .preset = "2",
	  .help = "Swap is short when at most this part of its size is left" },
	{ CONF_KEY("kill", "after", UINT, kill.after_ms), .max = 600000, .unit = "ms",
	  .preset = "1000", .help = "Time for which the rule has to hold" },
	{ CONF_KEY("kill", "term", UINT, kill.term_ms), .min = 100, .max = 600000, .unit = "ms",
	  .preset = "5000", .help = "Time from SIGTERM to SIGKILL" },
	{ .name = NULL },
};

/**
 * config_check() - check what the table cannot: values that depend on each other
 * @values: struct config; names of users become numbers
 * @message: CONF_MESSAGE bytes for the reason of an error
 *
 * Return: 0; -EDESTADDRREQ: no program is protected; or -EINVAL.
 */
int config_check(void *values, char *message)
{
	struct config *config = values;
	struct slo slo;
	int err = who_check(&config->protect.who, "[protect] ", message);

	if (!err)
		err = who_check(&config->others.touch, "[others] touch_", message);
	if (!err)
		err = who_check(&config->others.never, "[others] never_", message);
	if (err)
		return err;
	if (who_is_nobody(&config->protect.who)) {
		snprintf(message, CONF_MESSAGE,
			 "nobody is protected: set name, cgroup, unit or user in [protect], or -p NAME");
		return -EDESTADDRREQ;
	}
	if (slo_parse(&slo, config->protect.slo)) {
		snprintf(message, CONF_MESSAGE,
			 "[protect] slo = %s: not like \"p99 20ms\"", config->protect.slo);
		return -EINVAL;
	}
	if (config->protect.memory.permille + config->others.reserve > WITHOUT_OTHERS) {
		snprintf(message, CONF_MESSAGE,
			 "[protect] memory and [others] reserve leave less than 2 %% for the others");
		return -EINVAL;
	}
	return 0;
}

/** config_needs_groups() - does the mode not work without control groups? */
bool config_needs_groups(const struct config *config)
{
	return config->mode == MODE_FREEZE || config->mode == MODE_CGROUP ||
	       config->mode == MODE_GROW;
}

/**
 * config_kept() - how much memory is kept for the protected programs at most
 * @config: all of it
 * @total: bytes of memory of the system
 *
 * Return: bytes; an amount in bytes leaves as much as config_check() wants of one in percent.
 */
uint64_t config_kept(const struct config *config, uint64_t total)
{
	uint64_t most = total / 1000 * (WITHOUT_OTHERS - config->others.reserve);
	uint64_t kept = conf_amount_of(&config->protect.memory, total);

	return kept < most ? kept : most;
}
