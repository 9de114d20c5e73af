/* SPDX-License-Identifier: GPL-2.0 */
/*
 * latd's configuration: /etc/latd.conf, and "-o SECTION.KEY=VALUE". latd.conf(5) has the meaning of
 * each key.
 */
#ifndef LATD_CONFIG_H
#define LATD_CONFIG_H

#include <stdbool.h>
#include <stdint.h>
#include "conf.h"
#include "who.h"

enum mode {
	MODE_AUTO,
	MODE_SYSCTL,
	MODE_SIGNAL,
	MODE_FREEZE,
	MODE_CGROUP,
	MODE_GROW,
};

enum kill_rule {
	KILL_NEVER,
	KILL_MEMORY,			/* little memory is available */
	KILL_SWAP,			/* the swap takes little more */
	KILL_BOTH,
};

#define CONFIG_SLO 32

struct config_protect {
	struct who who;
	struct conf_amount memory;	/* kept for them at most, see config_kept() */
	bool arrange;			/* put them and the others into latd's groups */
	bool fetch;			/* bring their pages back from swap */
	bool oom;			/* protect them from the OOM killer */
	bool children;			/* their children are protected, too */
	char slo[CONFIG_SLO];			/* goal of their latency, latency.h; "": none */
	unsigned int cpu_weight;	/* 0: leave the processor alone */
};

struct config_others {
	struct who touch;		/* empty: all that are not protected */
	struct who never;
	unsigned int limit;		/* permille of the memory, modes cgroup and grow */
	unsigned int reserve;		/* permille of the memory that is kept free, mode auto */
	unsigned int stop_max_ms;
	unsigned int run_min;		/* permille of the time that they run at least, mode auto */
	unsigned int cpu_weight;
};

struct config_knobs {
	unsigned int swappiness;	/* 201: leave it alone */
	unsigned int watermark;		/* vm.watermark_scale_factor; 0: leave it alone */
};

struct config_kill {
	unsigned int rule;		/* enum kill_rule */
	unsigned int memory;		/* permille of the memory */
	unsigned int swap;		/* permille of the swap */
	unsigned int after_ms;
	unsigned int term_ms;		/* from TERM to KILL */
};

struct config {
	unsigned int mode;		/* enum mode */
	unsigned int interval_ms;
	unsigned int log;		/* for conf_level() */
	struct config_protect protect;
	struct config_others others;
	struct config_knobs knobs;
	struct config_kill kill;
};

extern const struct conf_key config_keys[];
extern const char *const config_modes[];

int config_check(void *values, char *message);
bool config_needs_groups(const struct config *config);
uint64_t config_kept(const struct config *config, uint64_t total);

#endif
