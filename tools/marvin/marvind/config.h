/* SPDX-License-Identifier: GPL-2.0 */
/*
 * marvind's configuration: /etc/marvind.conf, and "-o SECTION.KEY=VALUE".
 */
#ifndef MARVIND_CONFIG_H
#define MARVIND_CONFIG_H

#include <stdbool.h>
#include <stdint.h>
#include "conf.h"
#include "who.h"

enum mode {
	MODE_AUTO,			/* taken back when memory is short, and when it is told */
	MODE_TOLD,			/* only when it is told: marvinctl bg */
};

struct config {
	unsigned int mode;		/* enum mode */
	unsigned int log;		/* for conf_level() */
	char reg[108];			/* the socket where programs register */
	unsigned int available;		/* per mille of the memory; below it is short; 0: never */
	unsigned int pressure;		/* per mille of the time that programs wait; 0: never */
	uint64_t take;			/* bytes in a second at most */
	bool foreground;		/* programs in the foreground, too */
	bool fetch;			/* "fg" brings back all that the program gave */
	struct who never;
};

extern const struct conf_key config_keys[];
extern const char *const config_modes[];

int config_check(void *values, char *message);

#endif
