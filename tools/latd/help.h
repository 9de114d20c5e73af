/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Does it help the protected programs that the others are stopped? PURE. If they wait as much while
 * the others are stopped as while these run, something else holds them: their own memory.max, a
 * slow disk. Then stopping is given up for some time, and tried again.
 */
#ifndef LATD_HELP_H
#define LATD_HELP_H

#include <stdbool.h>
#include <stdint.h>

struct help {
	uint64_t run_us;		/* time in which the others ran, */
	uint64_t run_stall_us;		/* in which the protected programs waited for so long; */
	uint64_t stop_us;		/* and in which they were stopped */
	uint64_t stop_stall_us;
	uint64_t until_us;		/* given up until then */
	uint64_t pause_us;		/* the next time for so long */
};

void help_add(struct help *help, bool stopped, uint64_t elapsed_us, uint64_t stall_us);
bool help_given_up(struct help *help, uint64_t now_us);

#endif
