// SPDX-License-Identifier: GPL-2.0

#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include "daemon.h"
#include "option.h"
#include "options.h"
#include "version.h"

enum {
	OPTION_COMMAND = 256,
	OPTION_PRINT,
	OPTION_MAP,
};

/* The version's line begins with the program's name. */
static void __attribute__((noreturn)) show_version(void)
{
	char text[64];

	snprintf(text, sizeof(text), "%.40s " VERSION "\n", program_invocation_short_name);
	option_show(text);
}

static bool set_group(const char **group, const char *text)
{
	if (text[0] == '/')
		return option_text(group, text);
	warnx("-p %s: give a control group, such as /apps", text);
	return false;
}

static bool set_option(struct options *options, const struct program *program, int option,
		       const char *text, const char *word)
{
	switch (option) {
	case 's':
		return option_text(&options->socket, text);
	case OPTION_COMMAND:
		return option_text(&options->command, text);
	case OPTION_PRINT:
		return option_flag(&options->print);
	case 'p':
		return program->groups ? set_group(&options->group, text) : option_unknown("-p");
	case OPTION_MAP:
		return program->maps ? name_add_map(&options->maps, text) :
				       option_unknown("--map");
	case 'h':
		option_show(program->usage);
	case 'V':
		show_version();
	}
	return option_unknown(word);
}

/* agree() - one way to tell, and no words that would be lost */
static bool agree(const struct options *options, const char *word)
{
	if (word) {
		warnx("\"%s\": it takes options only; see %s -h", word,
		      program_invocation_short_name);
		return false;
	}
	if ((options->socket ? 1 : 0) + (options->command ? 1 : 0) + options->print > 1) {
		warnx("-s, --command and --print: give one of them");
		return false;
	}
	return true;
}

/**
 * options_parse() - read the command line
 * @options: filled in; what it points to stays in @argv
 * @program: which one
 * @argc: of main()
 * @argv: of main()
 *
 * Ends the program for -h and -V.
 *
 * Return: 0, or STATUS_USAGE, and what is wrong was said.
 */
int options_parse(struct options *options, const struct program *program, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "command", required_argument, NULL, OPTION_COMMAND },
		{ "print", no_argument, NULL, OPTION_PRINT },
		{ "map", required_argument, NULL, OPTION_MAP },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	memset(options, 0, sizeof(*options));
	options->group = "";
	opterr = 0;
	while ((option = getopt_long(argc, argv, "s:p:hV", longs, NULL)) != -1)
		if (!set_option(options, program, option, optarg, argv[optind - 1]))
			return STATUS_USAGE;
	if (!agree(options, argv[optind]))
		return STATUS_USAGE;
	if (!options->socket)
		options->socket = DAEMON_SOCKET("rectifyd");
	return 0;
}
