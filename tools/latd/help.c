// SPDX-License-Identifier: GPL-2.0

#include "help.h"

/*
 * It is judged after so much time of each kind: the pages that a program lacks come back within a
 * second or two after the others were stopped, which is no sign that stopping does not help.
 */
#define STOP_US 4000000
#define RUN_US 1000000
/* It helps, if they wait for less than so many tenths of the time that they wait without. */
#define TENTHS 8
#define PAUSE_US 10000000
#define PAUSE_MOST_US 600000000

/**
 * help_add() - what one look has shown
 * @help: the state; zero at first
 * @stopped: the others were stopped since the last look
 * @elapsed_us: since the last look
 * @stall_us: the protected programs waited for so long of it
 */
void help_add(struct help *help, bool stopped, uint64_t elapsed_us, uint64_t stall_us)
{
	if (stopped) {
		help->stop_us += elapsed_us;
		help->stop_stall_us += stall_us;
	} else {
		help->run_us += elapsed_us;
		help->run_stall_us += stall_us;
	}
}

static void forget(struct help *help)
{
	help->run_us = 0;
	help->run_stall_us = 0;
	help->stop_us = 0;
	help->stop_stall_us = 0;
}

/**
 * help_given_up() - is stopping of no use now?
 * @help: the state
 * @now_us: the time
 *
 * Each time that it turns out so, it is given up for twice as long, 10 s at first and 10 minutes at
 * most. These two times are choices, not measurements.
 */
bool help_given_up(struct help *help, uint64_t now_us)
{
	double run, stop;

	if (now_us < help->until_us)
		return true;
	if (help->stop_us < STOP_US || help->run_us < RUN_US)
		return false;
	run = (double)help->run_stall_us / (double)help->run_us;
	stop = (double)help->stop_stall_us / (double)help->stop_us;
	forget(help);
	if (stop * 10 < run * TENTHS) {
		help->pause_us = 0;
		return false;
	}
	help->pause_us = help->pause_us ? 2 * help->pause_us : PAUSE_US;
	if (help->pause_us > PAUSE_MOST_US)
		help->pause_us = PAUSE_MOST_US;
	help->until_us = now_us + help->pause_us;
	return true;
}
