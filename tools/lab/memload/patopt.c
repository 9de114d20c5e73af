// SPDX-License-Identifier: GPL-2.0

#include <err.h>
#include <string.h>
#include "option.h"
#include "patcfg.h"
#include "patopt.h"

/* More than anybody waits for. */
#define COUNT 1000000000

/**
 * patopt_begin() - what is so, if no option says other
 * @options: the options
 */
void patopt_begin(struct patopt *options)
{
	memset(options, 0, sizeof(*options));
	options->size_percent = 100;
	options->time_percent = 100;
	options->repeat = 1;
}

/**
 * patopt_set() - an option
 * @options: where it is to be
 * @option: PATOPT_SIZE_PERCENT and so on
 * @text: its value
 *
 * Return: false, if it is wrong, and why was said.
 */
bool patopt_set(struct patopt *options, int option, const char *text)
{
	switch (option) {
	case PATOPT_SIZE_PERCENT:
		return option_number(&options->size_percent, "--size-percent", text, 0, 1,
				     PATCFG_PERCENT);
	case PATOPT_TIME_PERCENT:
		return option_number(&options->time_percent, "--time-percent", text, 0, 1,
				     PATCFG_PERCENT);
	case PATOPT_PASSES:
		return option_number(&options->passes, "--passes", text, 0, 1, COUNT);
	case PATOPT_WORK:
		return option_number(&options->rounds, "--work", text, 0, 0, COUNT);
	case PATOPT_REPEAT:
		return option_number(&options->repeat, "--repeat", text, 0, 1, COUNT);
	case PATOPT_SKIP:
		return option_number(&options->skip, "--skip", text, 0, 0, PATCFG_PHASES - 1);
	case PATOPT_OUT:
		return option_text(&options->out, text);
	case PATOPT_MARKS:
		return option_text(&options->marks, text);
	}
	return option_unknown(text);
}

/**
 * patopt_complete() - do the options fit together?
 * @options: the options
 *
 * Return: false, if they do not, and why was said.
 */
bool patopt_complete(const struct patopt *options)
{
	if (options->passes && options->time_percent != 100) {
		warnx("--passes: phases do not end by time: leave out --time-percent");
		return false;
	}
	return true;
}
