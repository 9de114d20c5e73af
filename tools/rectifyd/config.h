/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What rectifyd is told: /etc/rectifyd.conf, and "-o SECTION.KEY=VALUE".
 */
#ifndef RECTIFYD_CONFIG_H
#define RECTIFYD_CONFIG_H

#include <stdbool.h>
#include "conf.h"
#include "who.h"

enum mode {
	MODE_AUTO,			/* both parts of the paper */
	MODE_UNUSED,			/* its first part: what is needed always stays */
	MODE_WATCH,			/* looks, and does nothing */
};

enum choice_of {
	CHOICE_AUTO,
	CHOICE_YES,
	CHOICE_NO,
};

struct config {
	unsigned int mode;		/* enum mode */
	unsigned int log;		/* index into the levels */
	char group[256];		/* control group whose children are apps; or "" */
	bool watch;			/* who is in front shows in what is done to these groups */
	struct who never;
	unsigned int delay_ms;		/* from the back to the first page that goes out */
	bool knobs;			/* vm.swappiness as high as it can be, where that pays */
	bool trial;			/* what costs apps more is not done */
	unsigned int fetch;		/* enum choice_of: bring back what is needed at a switch */
};

extern const struct conf_key config_keys[];
extern const char *const config_modes[];

void config_default(struct config *config);
int config_check(struct config *config, char *message);
int config_level(const struct config *config);

#endif
