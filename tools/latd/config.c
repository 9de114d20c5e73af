// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "config.h"
#include "slo.h"

/* Permille of the memory: what is left is for the others. */
#define WITHOUT_OTHERS 980

const char *const config_modes[] = { "auto", "sysctl", "signal", "freeze", "cgroup", "grow", NULL };
static const char *const rules[] = { "never", "memory", "swap", "both", NULL };
static const char *const levels[] = { "error", "warning", "info", "debug", NULL };

#define AT(field) offsetof(struct config, field)
#define LIST(section, name, field) \
	{ section, name, CONF_LIST, AT(field), 0, WHO_LIST, NULL, NULL }

const struct conf_key config_keys[] = {
	{ "latd", "mode", CONF_CHOICE, AT(mode), 0, 0, config_modes, NULL },
	{ "latd", "interval", CONF_UINT, AT(interval_ms), 10, 1000, NULL, " ms" },
	{ "latd", "log", CONF_CHOICE, AT(log), 0, 0, levels, NULL },

	LIST("protect", "name", protect.who.name),
	LIST("protect", "cgroup", protect.who.cgroup),
	LIST("protect", "unit", protect.who.unit),
	LIST("protect", "user", protect.who.user),
	{ "protect", "memory", CONF_AMOUNT, AT(protect.memory), 0, 950, NULL, NULL },
	{ "protect", "arrange", CONF_BOOL, AT(protect.arrange), 0, 0, NULL, NULL },
	{ "protect", "fetch", CONF_BOOL, AT(protect.fetch), 0, 0, NULL, NULL },
	{ "protect", "oom", CONF_BOOL, AT(protect.oom), 0, 0, NULL, NULL },
	{ "protect", "children", CONF_BOOL, AT(protect.children), 0, 0, NULL, NULL },
	{ "protect", "slo", CONF_TEXT, AT(protect.slo), 0, CONFIG_SLO, NULL, NULL },
	{ "protect", "cpu_weight", CONF_UINT, AT(protect.cpu_weight), 0, 10000, NULL, NULL },

	LIST("others", "touch_name", others.touch.name),
	LIST("others", "touch_cgroup", others.touch.cgroup),
	LIST("others", "touch_unit", others.touch.unit),
	LIST("others", "touch_user", others.touch.user),
	LIST("others", "never_name", others.never.name),
	LIST("others", "never_cgroup", others.never.cgroup),
	LIST("others", "never_unit", others.never.unit),
	LIST("others", "never_user", others.never.user),
	{ "others", "limit", CONF_PERMILLE, AT(others.limit), 10, 1000, NULL, NULL },
	{ "others", "reserve", CONF_PERMILLE, AT(others.reserve), 5, 500, NULL, NULL },
	{ "others", "stop_max", CONF_UINT, AT(others.stop_max_ms), 100, 3600000, NULL, " ms" },
	{ "others", "run_min", CONF_PERMILLE, AT(others.run_min), 10, 1000, NULL, NULL },
	{ "others", "cpu_weight", CONF_UINT, AT(others.cpu_weight), 1, 10000, NULL, NULL },

	{ "knobs", "swappiness", CONF_UINT, AT(knobs.swappiness), 0, 201, NULL, NULL },
	{ "knobs", "watermark_scale_factor", CONF_UINT, AT(knobs.watermark), 0, 1000, NULL, NULL },

	{ "kill", "rule", CONF_CHOICE, AT(kill.rule), 0, 0, rules, NULL },
	{ "kill", "memory", CONF_PERMILLE, AT(kill.memory), 0, 500, NULL, NULL },
	{ "kill", "swap", CONF_PERMILLE, AT(kill.swap), 0, 500, NULL, NULL },
	{ "kill", "after", CONF_UINT, AT(kill.after_ms), 0, 600000, NULL, " ms" },
	{ "kill", "term", CONF_UINT, AT(kill.term_ms), 100, 600000, NULL, " ms" },
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
	config->interval_ms = 100;
	config->log = 2;
	config->protect.memory.permille = 700;
	config->protect.arrange = true;
	config->protect.fetch = true;
	config->protect.oom = true;
	config->protect.children = true;
	config->protect.cpu_weight = 1000;
	strcpy(config->others.never.name,
	       "init systemd systemd-journal systemd-udevd systemd-logind dbus-daemon sshd dropbear syslogd klogd udevd ubusd procd netifd getty agetty login watchdog");
	/* The system's bus and its kin do not run as root. */
	strcpy(config->others.never.unit,
	       "dbus.service dbus-broker.service polkit.service systemd-networkd.service systemd-resolved.service");
	config->others.limit = 625;
	config->others.reserve = 40;
	config->others.stop_max_ms = 10000;
	config->others.run_min = 250;
	config->others.cpu_weight = 10;
	config->knobs.swappiness = 201;
	config->knobs.watermark = 100;
	config->kill.rule = KILL_BOTH;
	config->kill.memory = 20;
	config->kill.swap = 20;
	config->kill.after_ms = 1000;
	config->kill.term_ms = 5000;
}

/**
 * config_check() - what the parts must have to do with each other
 * @config: all of it
 * @message: CONF_MESSAGE bytes for what is wrong
 *
 * Return: 0; -EDESTADDRREQ, if nobody is protected; or -EINVAL.
 */
int config_check(const struct config *config, char *message)
{
	struct slo slo;

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
