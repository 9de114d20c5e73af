/* SPDX-License-Identifier: GPL-2.0 */
/*
 * proswapd's configuration: /etc/proswapd.conf, and "-o SECTION.KEY=VALUE". proswapd.conf(5)
 * has the meaning of each key.
 */
#ifndef PROSWAPD_CONFIG_H
#define PROSWAPD_CONFIG_H

#include <stdbool.h>
#include "conf.h"
#include "who.h"

enum mode {
	MODE_AUTO,			/* our own rules */
	MODE_PAPER,			/* algorithm 2 of the paper, unchanged */
	MODE_WATCH,			/* find periods only */
};

struct config_paper {
	unsigned int alpha;		/* permille: how long a window is used, of its length */
	unsigned int gamma_ms;		/* the window while no program is periodic */
	unsigned int drop_ms;		/* least time between two drops of the page cache */
};

struct config_auto {
	unsigned int fetch;		/* enum conf_choice: bring pages back early */
	bool trim;			/* push out unused pages, also without pressure */
	bool knobs;			/* turn readahead of the swap off, if a read costs little */
};

struct config {
	unsigned int mode;		/* enum mode */
	unsigned int log;		/* for conf_level() */
	unsigned int monitor;		/* 0: the best; else enum monitor_kind and one more */
	unsigned int access;		/* mode paper; the same of enum access_kind */
	char trace[256];		/* a line of CSV a look, or "" */
	struct who touch;		/* empty: all */
	struct who never;
	unsigned int least_mib;		/* smaller programs are not looked at */
	struct config_paper paper;
	struct config_auto automatic;
};

extern const struct conf_key config_keys[];
extern const char *const config_modes[];

int config_check(void *values, char *message);

#endif
