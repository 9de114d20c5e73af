/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One app of the load "apps": a process that waits until it comes to the front.
 *
 * It answers when it has begun, and each time that it came to the front, when it has all memory
 * that it needs. It ends when there are no more commands.
 */
#ifndef MEMLOAD_APP_H
#define MEMLOAD_APP_H

#include <stdint.h>
#include "appopt.h"

#define APP_FRONT	'f'
#define APP_BACK	'b'

struct app_answer {
	uint64_t major_faults;		/* between command and answer */
	uint64_t minor_faults;
};

int app_run(const struct appopt *options, unsigned int nr, int commands, int answers);

#endif
