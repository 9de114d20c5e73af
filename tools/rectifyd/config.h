/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rectifyd's configuration: /etc/rectifyd.conf, and "-o SECTION.KEY=VALUE".
 */
#ifndef RECTIFYD_CONFIG_H
#define RECTIFYD_CONFIG_H

#include <stdbool.h>
#include "conf.h"
#include "who.h"

enum mode {
	MODE_AUTO,			/* both parts of the paper */
	MODE_UNUSED,			/* the first part: needed pages always stay */
	MODE_WATCH,			/* measure only */
};

struct config {
	unsigned int mode;		/* enum mode */
	unsigned int log;		/* for conf_level() */
	char group[256];		/* control group whose children are apps; or "" */
	bool watch;			/* see from these groups which app is in front */
	struct who never;
	unsigned int delay_ms;		/* from leaving the front to the first push */
	bool knobs;			/* raise vm.swappiness, if that pays */
	bool trial;			/* an act that costs apps more is not done */
	unsigned int fetch;		/* enum conf_choice: bring back needed pages at a switch */
};

extern const struct conf_key config_keys[];
extern const char *const config_modes[];

int config_check(void *values, char *message);

#endif
